// A sketch of points: some rows at a time, side by side through the transforms.
#include <algorithm>
#include <cmath>
#include <map>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <mercer/sketch.hpp>

#include "base/aligned.hpp"
#include "base/parallel.hpp"
#include "feature/fft.hpp"

namespace mercer {

namespace {

using feature::Fft;
using feature::fft_lanes;

// Two rows go through one transform, as the real and the imaginary part of a sequence.
constexpr std::size_t rows_together = 2 * fft_lanes;

// The entries of a row that are not 0, and the constant 1.
struct Row {
  std::vector<std::size_t> columns;
  std::vector<double> values;
};

void read_row(const Points& x, std::size_t i, Row& row) {
  row.columns.clear();
  row.values.clear();
  const auto add = [&](std::size_t j, double v) {
    if (v == 0) return;
    row.columns.push_back(j);
    row.values.push_back(v);
  };
  const auto read = [&]<class T>(const T* values) {
    if (x.is_sparse()) {
      for (auto e = x.offsets()[i]; e < x.offsets()[i + 1]; ++e)
        add(static_cast<std::size_t>(x.indices()[e]), static_cast<double>(values[e]));
    } else {
      for (std::size_t j = 0; j < x.columns(); ++j)
        add(j, static_cast<double>(values[i * x.stride() + j]));
    }
  };
  if (x.scalar() == Points::Scalar::float32) {
    read(x.values<float>());
  } else {
    read(x.values<double>());
  }
  add(x.columns(), 1);
}

template <class Add>
void count_sketch(const Sketch::Factor& f, const Row& row, const Add& add) {
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const std::size_t j = row.columns[e];
    if (f.weight[j] != 0) add(f.bucket[j], f.weight[j] * row.values[e]);
  }
}

// φ of a term with several factors, for up to `rows_together` rows.
class Convolution {
 public:
  explicit Convolution(const Fft& fft)
      : fft_(fft),
        half_(fft.size() / 2 + 1),
        re_(fft.size() * fft_lanes),
        im_(fft.size() * fft_lanes),
        work_(2 * fft.size() * fft_lanes),
        product_(4 * half_ * fft_lanes) {}

  template <class T>
  void run(const Sketch::Term& term, const std::vector<Row>& rows, std::size_t count, T* out,
           std::size_t stride) {
    constexpr std::size_t L = fft_lanes;
    const std::size_t n = fft_.size();
    double* a_re = product_.data();
    double* a_im = a_re + half_ * L;
    double* b_re = a_im + half_ * L;
    double* b_im = b_re + half_ * L;
    bool first = true;
    for (const auto& f : term.factors) {
      std::fill_n(re_.data(), re_.size(), 0.0);
      std::fill_n(im_.data(), im_.size(), 0.0);
      for (std::size_t r = 0; r < count; ++r) {
        double* to = (r < L ? re_ : im_).data() + r % L;
        count_sketch(f, rows[r], [&](std::size_t b, double v) { to[b * L] += v; });
      }
      fft_.transform(re_.data(), im_.data(), work_.data());
      // Of A + iB with A, B the transforms of real sequences: A_k = (Z_k + conj Z_-k)/2.
      for (std::size_t k = 0; k < half_; ++k) {
        const std::size_t at = k * L;
        const std::size_t other = (n - k) % n * L;
        for (std::size_t l = 0; l < L; ++l) {
          const double ar = (re_[at + l] + re_[other + l]) / 2;
          const double ai = (im_[at + l] - im_[other + l]) / 2;
          const double br = (im_[at + l] + im_[other + l]) / 2;
          const double bi = (re_[other + l] - re_[at + l]) / 2;
          if (first) {
            a_re[at + l] = ar;
            a_im[at + l] = ai;
            b_re[at + l] = br;
            b_im[at + l] = bi;
          } else {
            const double pr = a_re[at + l];
            const double qr = b_re[at + l];
            a_re[at + l] = pr * ar - a_im[at + l] * ai;
            a_im[at + l] = pr * ai + a_im[at + l] * ar;
            b_re[at + l] = qr * br - b_im[at + l] * bi;
            b_im[at + l] = qr * bi + b_im[at + l] * br;
          }
        }
      }
      first = false;
    }
    for (std::size_t k = 0; k < half_; ++k) {
      const std::size_t at = k * L;
      const std::size_t other = (n - k) % n * L;
      for (std::size_t l = 0; l < L; ++l) {
        re_[other + l] = a_re[at + l] + b_im[at + l];
        im_[other + l] = b_re[at + l] - a_im[at + l];
        re_[at + l] = a_re[at + l] - b_im[at + l];
        im_[at + l] = a_im[at + l] + b_re[at + l];
      }
    }
    fft_.transform(im_.data(), re_.data(), work_.data());
    const double scale = term.amplitude / static_cast<double>(n);
    for (std::size_t r = 0; r < count; ++r) {
      const double* from = (r < L ? re_ : im_).data() + r % L;
      for (std::size_t b = 0; b < n; ++b) out[r * stride + b] = static_cast<T>(scale * from[b * L]);
    }
  }

 private:
  const Fft& fft_;
  std::size_t half_;
  Aligned<double> re_;
  Aligned<double> im_;
  Aligned<double> work_;
  Aligned<double> product_;
};

template <class T>
void map_to(const Sketch& sketch, const Points& x, T* out, std::size_t stride, unsigned threads) {
  if (x.columns() != sketch.dimension)
    throw Error("the sketch is for points of dimension " + std::to_string(sketch.dimension) +
                ", and these have " + std::to_string(x.columns()));
  std::map<std::size_t, Fft> transforms;  // by their length
  for (const auto& term : sketch.terms)
    if (term.factors.size() > 1) transforms.try_emplace(term.size, term.size);
  const std::size_t features = sketch.size();
  constexpr std::size_t piece = 64;
  static_assert(piece % rows_together == 0);
  parallel_for((x.rows() + piece - 1) / piece, threads, [&](std::size_t task) {
    std::vector<Row> rows(rows_together);
    std::map<std::size_t, Convolution> convolutions;
    for (const auto& [n, fft] : transforms) convolutions.try_emplace(n, fft);
    const std::size_t end = std::min(x.rows(), (task + 1) * piece);
    for (std::size_t begin = task * piece; begin < end; begin += rows_together) {
      const std::size_t count = std::min(rows_together, end - begin);
      for (std::size_t r = 0; r < count; ++r) read_row(x, begin + r, rows[r]);
      T* to = out + begin * stride;
      for (const auto& term : sketch.terms) {
        if (term.factors.size() > 1) {
          convolutions.at(term.size).run(term, rows, count, to, stride);
        } else {
          for (std::size_t r = 0; r < count; ++r) {
            T* row = to + r * stride;
            std::fill_n(row, term.size, T{0});
            if (term.factors.empty()) {
              row[0] = static_cast<T>(term.amplitude);
              continue;
            }
            count_sketch(term.factors[0], rows[r], [&](std::size_t b, double v) {
              row[b] += static_cast<T>(term.amplitude * v);
            });
          }
        }
        to += term.size;
      }
      for (std::size_t r = begin; r < begin + count; ++r)
        if (!std::all_of(out + r * stride, out + r * stride + features,
                         [](T v) { return std::isfinite(v); }))
          throw GramError(r, 0, "a feature of the sketch is too large for a number");
    }
  });
}

}  // namespace

void Sketch::map(const Points& x, double* out, std::size_t stride, unsigned threads) const {
  map_to(*this, x, out, stride, threads);
}
void Sketch::map(const Points& x, float* out, std::size_t stride, unsigned threads) const {
  map_to(*this, x, out, stride, threads);
}

Points Sketch::map(const Points& x, unsigned threads) const {
  std::vector<double> values(x.rows() * size());
  map(x, values.data(), size(), threads);
  return Points::own(std::move(values), x.rows(), size());
}

std::vector<double> Sketch::norms(const Points& x) const {
  std::vector<double> result;
  Row row;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    read_row(x, i, row);
    for (const auto& t : terms) {
      double value = t.amplitude * t.amplitude;
      for (const auto& f : t.factors) {
        double sum = 0;
        count_sketch(f, row, [&](std::size_t, double v) { sum += v * v; });
        value *= sum;
      }
      result.push_back(value);
    }
  }
  return result;
}

}  // namespace mercer
