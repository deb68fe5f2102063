#include "scale/precondition.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "base/parallel.hpp"
#include "numeric/cholesky.hpp"

namespace mercer::scale {

using numeric::Part;
using numeric::View;

namespace {

constexpr std::size_t width = 256;

}  // namespace

Preconditioner::Preconditioner(Factor& factor, const numeric::How& how, bool apart)
    : factor_(factor), how_(how), m_(factor.size()), stride_(factor.stride()) {
  above_ = apart ? nullptr : factor.above();
  if (above_ == nullptr) {
    stride_ = m_;
    own_ = Aligned<double>(m_ * m_);
    above_ = own_.data();
  }
  corners_ = Aligned<double>((m_ + width - 1) / width * width * width);
}

std::size_t Preconditioner::block(std::size_t k) const { return std::min(width, m_ - k * width); }

double* Preconditioner::right(std::size_t k) const {
  return above_ + k * width * stride_ + (k + 1) * width;
}

double* Preconditioner::corner(std::size_t k) const { return corners_.data() + k * width * width; }

std::size_t Preconditioner::behind(std::size_t k) const {
  return m_ - std::min(m_, (k + 1) * width);
}

double Preconditioner::trace() const {
  double sum = 0;
  for (std::size_t i = 0; i < m_; ++i) sum += corner(i / width)[i % width * width + i % width];
  return sum;
}

void Preconditioner::clear() {
  for (std::size_t k = 0; k * width < m_; ++k)
    for (std::size_t i = 0; i < block(k); ++i) std::fill_n(right(k) + i * stride_, behind(k), 0.0);
  std::fill_n(corners_.data(), corners_.size(), 0.0);
  sums_.assign(m_, 0.0);
}

void Preconditioner::prepare(const Sample& sample, const std::vector<double>& D, double lambda,
                             In numbers) {
  if (numbers == In::floats && !sample.of_centres()) {
    clear();
    if (add_floats(sample, D, lambda) && factor(lambda)) return;
  }
  clear();
  add_doubles(sample, D);
  if (!factor(lambda)) throw Error("the preconditioner has no factor: use a larger lambda");
}

void Preconditioner::add_doubles(const Sample& sample, const std::vector<double>& D) {
  const std::size_t rows = sample.of_centres() ? m_ : sample.points.rows();
  std::vector<double> some(width * m_);
  for (std::size_t begin = 0; begin < rows; begin += width) {
    const std::size_t now = std::min(width, rows - begin);
    if (sample.of_centres()) {
      factor_.scaled_rows(begin, begin + now, D, some.data());
    } else {
      const Matrix K = sample.basis->values(sample.points.part(begin, begin + now), sample.gram);
      Matrix turned = Matrix::zeros(m_, now);
      for (std::size_t r = 0; r < now; ++r)
        for (std::size_t j = 0; j < m_; ++j) turned(j, r) = std::sqrt(D[begin + r]) * K(r, j);
      factor_.lower(turned);
      for (std::size_t r = 0; r < now; ++r)
        for (std::size_t j = 0; j < m_; ++j) some[r * m_ + j] = turned(j, r);
    }
    for (std::size_t r = 0; r < now; ++r) {
      const double root = std::sqrt(D[begin + r]);
      for (std::size_t j = 0; j < m_; ++j) sums_[j] += root * some[r * m_ + j];
    }
    const View<double> S{some.data(), now, m_, m_, 1};
    for (std::size_t k = 0; k * width < m_; ++k) {
      const View<double> here = S.part(0, k * width, now, block(k));
      numeric::multiply_add(here.transposed(), here, 1.0, corner(k), width, Part::lower, how_);
      if (behind(k) > 0)
        numeric::multiply_add(here.transposed(), S.part(0, (k + 1) * width, now, behind(k)), 1.0,
                              right(k), stride_, Part::all, how_);
    }
  }
}

bool Preconditioner::add_floats(const Sample& sample, const std::vector<double>& D, double lambda) {
  // An entry of Sᵀ S is off by some 1e-7 of its share of the trace, and all m of them together by
  // a few times that.
  constexpr double exact = 1e-7;
  constexpr std::size_t together = 512;
  double all = 0;
  for (const double d : D) all += d;
  double done = 0;
  const std::size_t rows = sample.points.rows();
  std::vector<float> K(together * m_);
  std::vector<float> S(together * m_);  // transposed
  for (std::size_t begin = 0; begin < rows; begin += together) {
    const std::size_t now = std::min(together, rows - begin);
    sample.basis->values(sample.points.part(begin, begin + now), sample.gram, K.data());
    std::vector<float> roots(now);
    for (std::size_t r = 0; r < now; ++r) {
      roots[r] = static_cast<float>(std::sqrt(D[begin + r]));
      done += D[begin + r];
    }
    constexpr std::size_t square = 32;
    parallel_for((m_ + square - 1) / square, how_.threads, [&](std::size_t task) {
      const std::size_t end = std::min(m_, (task + 1) * square);
      for (std::size_t r = 0; r < now; ++r)
        for (std::size_t j = task * square; j < end; ++j) S[j * now + r] = roots[r] * K[r * m_ + j];
    });
    factor_.lower(S.data(), now);
    for (std::size_t k = 0; k * width < m_; ++k) {
      const View<float> here{S.data() + k * width * now, block(k), now, now, 1};
      numeric::multiply_add(here, here.transposed(), corner(k), width, how_);
      if (behind(k) > 0)
        numeric::multiply_add(
            here,
            View<float>{S.data() + (k + 1) * width * now, behind(k), now, now, 1}.transposed(),
            right(k), stride_, how_);
    }
    // The first rows tell what all will come to.
    if (begin == 0 && done > 0 && lambda < exact * trace() * all / done) return false;
  }
  return true;
}

bool Preconditioner::factor(double lambda) {
  // λ may be lost in the rounding of the rest: a preconditioner need not be exact.
  const double price = std::max(lambda, 1e-15 * trace());
  const std::size_t blocks = (m_ + width - 1) / width;
  for (std::size_t i = 0; i < m_; ++i) corner(i / width)[i % width * width + i % width] += price;
  // Cholesky's factor, by rows of Aᵀ.
  for (std::size_t k = 0; k < blocks; ++k) {
    const std::size_t now = block(k);
    if (numeric::cholesky(corner(k), now, width, how_) != now) return false;
    if (behind(k) == 0) break;
    numeric::solve_lower(corner(k), now, width, right(k), behind(k), stride_, how_);
    const View<double> row{right(k), now, behind(k), stride_, 1};
    for (std::size_t j = k + 1; j < blocks; ++j) {
      const std::size_t at = (j - k - 1) * width;
      const View<double> here = row.part(0, at, now, block(j));
      numeric::multiply_add(here.transposed(), here, -1.0, corner(j), width, Part::lower, how_);
      if (behind(j) > 0)
        numeric::multiply_add(here.transposed(), row.part(0, at + width, now, behind(j)), -1.0,
                              right(j), stride_, Part::all, how_);
    }
  }
  return true;
}

void Preconditioner::lower(Matrix& B) const {
  const std::size_t w = B.columns;
  for (std::size_t begin = 0, k = 0; begin < m_; begin += width, ++k) {
    double* here = B.values.data() + begin * w;
    const std::size_t now = block(k);
    numeric::solve_lower(corner(k), now, width, here, w, w, how_);
    if (begin + width < m_)
      numeric::multiply_add(
          View<double>{right(k), now, m_ - begin - width, stride_, 1}.transposed(),
          View<double>{here, now, w, w, 1}, -1.0, here + width * w, w, Part::all, how_);
  }
}

void Preconditioner::upper(Matrix& B) const {
  const std::size_t w = B.columns;
  for (std::size_t k = (m_ + width - 1) / width; k-- > 0;) {
    const std::size_t begin = k * width;
    double* here = B.values.data() + begin * w;
    const std::size_t now = block(k);
    if (begin + width < m_)
      numeric::multiply_add(View<double>{right(k), now, m_ - begin - width, stride_, 1},
                            View<double>{here + width * w, m_ - begin - width, w, w, 1}, -1.0, here,
                            w, Part::all, how_);
    numeric::solve_upper(corner(k), now, width, here, w, w, how_);
  }
}

}  // namespace mercer::scale
