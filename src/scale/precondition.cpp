#include "scale/precondition.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

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

void Preconditioner::prepare(const Sample& sample, const std::vector<double>& D, double lambda) {
  const std::size_t blocks = (m_ + width - 1) / width;
  const auto behind = [&](std::size_t k) { return m_ - std::min(m_, (k + 1) * width); };
  for (std::size_t k = 0; k < blocks; ++k)
    for (std::size_t i = 0; i < block(k); ++i) std::fill_n(right(k) + i * stride_, behind(k), 0.0);
  std::fill_n(corners_.data(), corners_.size(), 0.0);
  sums_.assign(m_, 0.0);
  // S = √D K_S L⁻ᵀ, some rows at a time; what is wanted is Sᵀ S.
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
    for (std::size_t k = 0; k < blocks; ++k) {
      const View<double> here = S.part(0, k * width, now, block(k));
      numeric::multiply_add(here.transposed(), here, 1.0, corner(k), width, Part::lower, how_);
      if (behind(k) > 0)
        numeric::multiply_add(here.transposed(), S.part(0, (k + 1) * width, now, behind(k)), 1.0,
                              right(k), stride_, Part::all, how_);
    }
  }
  double trace = 0;
  for (std::size_t i = 0; i < m_; ++i) trace += corner(i / width)[i % width * width + i % width];
  // λ may be lost in the rounding of the rest: a preconditioner need not be exact.
  const double price = std::max(lambda, 1e-15 * trace);
  for (std::size_t i = 0; i < m_; ++i) corner(i / width)[i % width * width + i % width] += price;
  // Cholesky's factor, by rows of Aᵀ.
  for (std::size_t k = 0; k < blocks; ++k) {
    const std::size_t now = block(k);
    if (numeric::cholesky(corner(k), now, width, how_) != now)
      throw Error("the preconditioner has no factor: use a larger lambda");
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
