#include "feature/fft.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

namespace mercer::feature {

namespace {

constexpr std::size_t L = fft_lanes;
constexpr std::size_t most_radix = 5;

bool smooth(std::size_t n) {
  for (const std::size_t p : {std::size_t{2}, std::size_t{3}, std::size_t{5}})
    while (n % p == 0) n /= p;
  return n == 1;
}

struct Lanes {
  std::array<double, L> re;
  std::array<double, L> im;
};

// cos and sin of 2π j/r, for r = 3 and 5.
struct Root {
  double c;
  double s;
};
constexpr std::array<Root, 3> thirds{
    {{1, 0}, {-0.5, 0.86602540378443864676}, {-0.5, -0.86602540378443864676}}};
constexpr std::array<Root, 5> fifths{{{1, 0},
                                      {0.30901699437494742410, 0.95105651629515357212},
                                      {-0.80901699437494742410, 0.58778525229247312917},
                                      {-0.80901699437494742410, -0.58778525229247312917},
                                      {0.30901699437494742410, -0.95105651629515357212}}};

void butterfly(const std::array<Lanes, most_radix>& a, std::array<Lanes, most_radix>& b,
               std::size_t radix) {
  if (radix == 2) {
    for (std::size_t l = 0; l < L; ++l) {
      b[0].re[l] = a[0].re[l] + a[1].re[l];
      b[0].im[l] = a[0].im[l] + a[1].im[l];
      b[1].re[l] = a[0].re[l] - a[1].re[l];
      b[1].im[l] = a[0].im[l] - a[1].im[l];
    }
    return;
  }
  if (radix == 4) {
    for (std::size_t l = 0; l < L; ++l) {
      const double sum_re = a[0].re[l] + a[2].re[l];
      const double sum_im = a[0].im[l] + a[2].im[l];
      const double less_re = a[0].re[l] - a[2].re[l];
      const double less_im = a[0].im[l] - a[2].im[l];
      const double odd_re = a[1].re[l] + a[3].re[l];
      const double odd_im = a[1].im[l] + a[3].im[l];
      const double odd_less_re = a[1].re[l] - a[3].re[l];
      const double odd_less_im = a[1].im[l] - a[3].im[l];
      b[0].re[l] = sum_re + odd_re;
      b[0].im[l] = sum_im + odd_im;
      b[1].re[l] = less_re + odd_less_im;
      b[1].im[l] = less_im - odd_less_re;
      b[2].re[l] = sum_re - odd_re;
      b[2].im[l] = sum_im - odd_im;
      b[3].re[l] = less_re - odd_less_im;
      b[3].im[l] = less_im + odd_less_re;
    }
    return;
  }
  for (std::size_t k = 0; k < radix; ++k) {
    b[k] = a[0];
    for (std::size_t j = 1; j < radix; ++j) {
      const auto [c, s] = radix == 3 ? thirds[j * k % 3] : fifths[j * k % 5];
      for (std::size_t l = 0; l < L; ++l) {
        b[k].re[l] += c * a[j].re[l] + s * a[j].im[l];
        b[k].im[l] += c * a[j].im[l] - s * a[j].re[l];
      }
    }
  }
}

}  // namespace

std::size_t smooth_below(std::size_t n) {
  while (n > 1 && !smooth(n)) --n;
  return n;
}

std::size_t smooth_above(std::size_t n) {
  while (!smooth(n)) ++n;
  return n;
}

Fft::Fft(std::size_t n) : n_(n) {
  assert(n > 0 && smooth(n));
  std::size_t left = n;
  while (left > 1) {
    const std::size_t radix = left % 4 == 0 ? 4 : left % 2 == 0 ? 2 : left % 3 == 0 ? 3 : 5;
    Pass pass{radix, left / radix, {}, {}};
    for (std::size_t p = 0; p < pass.rest; ++p)
      for (std::size_t k = 0; k < radix; ++k) {
        const double angle =
            2 * std::numbers::pi * static_cast<double>(p * k) / static_cast<double>(left);
        pass.cosine.push_back(std::cos(angle));
        pass.sine.push_back(std::sin(angle));
      }
    passes_.push_back(std::move(pass));
    left /= radix;
  }
}

void Fft::transform(double* re, double* im, double* work) const {
  double* from_re = re;
  double* from_im = im;
  double* to_re = work;
  double* to_im = work + n_ * L;
  std::size_t stride = 1;
  for (const Pass& pass : passes_) {
    const std::size_t r = pass.radix;
    for (std::size_t p = 0; p < pass.rest; ++p) {
      const double* cosine = pass.cosine.data() + p * r;
      const double* sine = pass.sine.data() + p * r;
      for (std::size_t q = 0; q < stride; ++q) {
        std::array<Lanes, most_radix> a;
        std::array<Lanes, most_radix> b;
        for (std::size_t j = 0; j < r; ++j) {
          const std::size_t at = (q + stride * (p + pass.rest * j)) * L;
          std::copy_n(from_re + at, L, a[j].re.begin());
          std::copy_n(from_im + at, L, a[j].im.begin());
        }
        butterfly(a, b, r);
        for (std::size_t k = 0; k < r; ++k) {
          const std::size_t at = (q + stride * (r * p + k)) * L;
          for (std::size_t l = 0; l < L; ++l) {
            to_re[at + l] = b[k].re[l] * cosine[k] + b[k].im[l] * sine[k];
            to_im[at + l] = b[k].im[l] * cosine[k] - b[k].re[l] * sine[k];
          }
        }
      }
    }
    std::swap(from_re, to_re);
    std::swap(from_im, to_im);
    stride *= r;
  }
  if (from_re == re) return;
  std::copy_n(from_re, n_ * L, re);
  std::copy_n(from_im, n_ * L, im);
}

}  // namespace mercer::feature
