#include "scale/factor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <numeric>

#include "numeric/cholesky.hpp"

namespace mercer::scale {

using numeric::Part;
using numeric::View;

Factor::Factor(const Kernel& k, const Points& centres, double tolerance, const numeric::How& how)
    : stride_(centres.rows()), how_(how) {
  constexpr std::size_t together = 256;
  const std::size_t m = centres.rows();
  GramOptions exact;
  exact.precision = GramOptions::Precision::float64;
  exact.storage = GramOptions::Storage::recomputed;
  exact.threads = how.threads;
  exact.instructions = how.instructions;
  const Gram K(k, centres, exact);
  L_ = Aligned<double>::whole(m * m);
  std::fill_n(L_.data(), L_.size(), 0.0);
  double largest = 0;
  for (std::size_t begin = 0; begin < m; begin += together) {
    const std::size_t now = std::min(together, m - begin);
    const std::size_t before = size_;
    std::vector<std::size_t> some(now);
    std::iota(some.begin(), some.end(), begin);
    std::vector<double> S(now * now);
    std::vector<double> B(before * now);
    try {
      K.block(some, some, S.data(), now);
      if (before > 0) K.block(kept_, some, B.data(), now);
    } catch (const GramError& error) {
      throw EvaluationError(
          fmt::format("centres {} and {}: {}", error.row() + 1, error.column() + 1, error.why()));
    }
    std::vector<double> own(now);
    for (std::size_t i = 0; i < now; ++i) {
      own[i] = S[i * now + i];
      largest = std::max(largest, std::abs(own[i]));
    }
    if (before > 0) {
      numeric::solve_lower(L_.data(), before, stride_, B.data(), now, now, how);
      const View<double> part{B.data(), before, now, now, 1};
      numeric::multiply_add(part.transposed(), part, -1.0, S.data(), now, Part::all, how);
    }
    // One by one: l_i = the part of centre i that lies along those kept of this block.
    std::vector<std::size_t> here;
    for (std::size_t i = 0; i < now; ++i) {
      double* row = L_.data() + size_ * stride_;
      for (std::size_t j = 0; j < before; ++j) row[j] = B[j * now + i];
      double left = S[i * now + i];
      for (std::size_t t = 0; t < here.size(); ++t) {
        const double* other = L_.data() + (before + t) * stride_ + before;
        double v = S[i * now + here[t]];
        for (std::size_t s = 0; s < t; ++s) v -= row[before + s] * other[s];
        row[before + t] = v / other[t];
        left -= row[before + t] * row[before + t];
      }
      // After nearly dependent ones, rounding is large; below it a centre is just left out.
      constexpr double rounding = 1e-2;
      if (own[i] < 0 || left < -rounding * largest)
        throw Error(
            fmt::format("{} is not a kernel on the centres: among the first {} of them it has a "
                        "negative direction (see `mercer prove`)",
                        k.text(), begin + i + 1));
      if (!(left > tolerance * own[i])) {
        std::fill_n(row, stride_, 0.0);
        continue;
      }
      least_left_ = std::min(least_left_, left / own[i]);
      row[before + here.size()] = std::sqrt(left);
      here.push_back(i);
      kept_.push_back(begin + i);
      ++size_;
    }
  }
}

Factor::Factor(std::vector<double> values, const numeric::How& how)
    : size_(values.size()), kept_(values.size()), diagonal_(std::move(values)), how_(how) {
  std::iota(kept_.begin(), kept_.end(), std::size_t{0});
}

void Factor::lower(Matrix& B) const {
  if (diagonal_.empty()) {
    numeric::solve_lower(L_.data(), size_, stride_, B.values.data(), B.columns, B.columns, how_);
    return;
  }
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t c = 0; c < B.columns; ++c) B(i, c) /= diagonal_[i];
}

FactorInFloats Factor::in_floats() const {
  FactorInFloats f{.size = size_};
  for (const double d : diagonal_) f.inverse.push_back(static_cast<float>(1 / d));
  if (!diagonal_.empty()) return f;
  for (std::size_t j = 0; j < size_; j += FactorInFloats::together) {
    const std::size_t now = std::min(FactorInFloats::together, size_ - j);
    std::vector<float>& L = f.columns.emplace_back((size_ - j) * now);
    for (std::size_t i = 0; i < size_ - j; ++i)
      std::transform(L_.data() + (j + i) * stride_ + j,
                     L_.data() + (j + i) * stride_ + j + std::min(i + 1, now), L.data() + i * now,
                     [](double v) { return static_cast<float>(v); });
  }
  return f;
}

void FactorInFloats::lower(float* B, std::size_t count, const numeric::How& how) const {
  for (std::size_t i = 0; i < inverse.size(); ++i)
    for (std::size_t c = 0; c < count; ++c) B[i * count + c] *= inverse[i];
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::size_t j = k * together;
    const std::size_t now = std::min(together, size - j);
    const std::size_t rest = size - j - now;
    const float* L = columns[k].data();
    float* here = B + j * count;
    numeric::solve_lower(L, now, now, here, count, count, how);
    if (rest > 0)
      numeric::multiply_add(View<float>{L + now * now, rest, now, now, 1},
                            View<float>{here, now, count, count, 1}, -1.0F, here + now * count,
                            count, Part::all, how);
  }
}

void Factor::upper(Matrix& B) const {
  if (!diagonal_.empty()) return lower(B);
  numeric::solve_upper(L_.data(), size_, stride_, B.values.data(), B.columns, B.columns, how_);
}

Matrix Factor::product(const Matrix& B) const {
  Matrix result = Matrix::zeros(size_, B.columns);
  if (!diagonal_.empty()) {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t c = 0; c < B.columns; ++c)
        result(i, c) = diagonal_[i] * diagonal_[i] * B(i, c);
    return result;
  }
  // By blocks of rows: what is above the diagonal is not ours.
  constexpr std::size_t together = 256;
  Matrix half = Matrix::zeros(size_, B.columns);
  const std::size_t w = B.columns;
  std::vector<double> some(together * size_);
  for (int back = 0; back < 2; ++back)
    for (std::size_t begin = 0; begin < size_; begin += together) {
      const std::size_t end = std::min(begin + together, size_);
      for (std::size_t i = begin; i < end; ++i) {
        double* row = some.data() + (i - begin) * end;
        std::copy_n(L_.data() + i * stride_, i + 1, row);
        std::fill(row + i + 1, row + end, 0.0);
      }
      const View<double> L{some.data(), end - begin, end, end, 1};
      if (back == 0) {
        numeric::multiply_add(L.transposed(),
                              View<double>{B.values.data() + begin * w, end - begin, w, w, 1}, 1.0,
                              half.values.data(), w, Part::all, how_);
      } else {
        numeric::multiply_add(L, View<double>{half.values.data(), end, w, w, 1}, 1.0,
                              result.values.data() + begin * w, w, Part::all, how_);
      }
    }
  return result;
}

Matrix Factor::matrix() const {
  Matrix L = Matrix::zeros(size_, size_);
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j <= i; ++j) L(i, j) = L_[i * stride_ + j];
  return L;
}

void Factor::scaled_rows(std::size_t begin, std::size_t end, const std::vector<double>& D,
                         double* to) const {
  for (std::size_t i = begin; i < end; ++i) {
    const double root = std::sqrt(D[i]);
    for (std::size_t j = 0; j < size_; ++j)
      to[(i - begin) * size_ + j] = j <= i ? root * L_[i * stride_ + j] : 0;
  }
}

}  // namespace mercer::scale
