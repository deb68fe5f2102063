#include "scale/basis.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "numeric/product.hpp"

namespace mercer::scale {

using numeric::Part;
using numeric::View;

template <class T>
void Basis::values(const Points& x, const GramOptions& how, T* to) const {
  if (x.rows() == 0) return;
  if (sketch) {
    sketch->map(x, to, size(), how.threads);
  } else {
    Gram(*kernel, x, centres, how).block(Rows::all(), Rows::all(), to, size());
  }
}
template void Basis::values(const Points&, const GramOptions&, float*) const;
template void Basis::values(const Points&, const GramOptions&, double*) const;

Matrix Basis::values(const Points& x, const GramOptions& how) const {
  Matrix K = Matrix::zeros(x.rows(), size());
  values(x, how, K.values.data());
  return K;
}

Matrix Basis::product(const Points& x, const Matrix& V, const GramOptions& how) const {
  Matrix f = Matrix::zeros(x.rows(), V.columns);
  if (!sketch) {
    Gram(*kernel, x, centres, how).apply(V.values, V.columns, f.values);
    return f;
  }
  constexpr std::size_t together = 1024;
  const std::size_t m = size();
  for (std::size_t begin = 0; begin < x.rows(); begin += together) {
    const Points some = x.part(begin, std::min(begin + together, x.rows()));
    const Matrix phi = values(some, how);
    numeric::multiply_add(View<double>{phi.values.data(), some.rows(), m, m, 1},
                          View<double>{V.values.data(), m, V.columns, V.columns, 1}, 1.0,
                          f.values.data() + begin * V.columns, V.columns, Part::all,
                          {how.threads, how.instructions});
  }
  return f;
}

bool keeps_values(double rows, double centres, double coordinates, double number, double memory) {
  constexpr double dear = 12;
  const double prepared = 1.5 * coordinates;  // the points as tiles want them
  // Whole tiles, eleven to 256 rows.
  const double tiled = 264.0 / 256 * std::ceil(centres / Gram::panel) * Gram::panel;
  return coordinates > dear * rows && (rows * tiled + prepared) * number <= 0.875 * memory;
}

BasisValues::BasisValues(const Basis& basis, const Points& x, const GramOptions& how, bool keep)
    : sketch_(basis.sketch ? &*basis.sketch : nullptr), x_(x), how_(how) {
  if (sketch_ == nullptr) {
    gram_.emplace(*basis.kernel, x, basis.centres, how);
    return;
  }
  // Rounded to floats whether they are kept or not: memory does not change the answer.
  if (how.precision == GramOptions::Precision::float64) kept_ = std::vector<double>();
  if (!keep) return;
  std::visit(
      [&](auto& kept) {
        kept.resize(x.rows() * sketch_->size());
        sketch_->map(x, kept.data(), sketch_->size(), how.threads);
      },
      kept_);
}

void BasisValues::apply_both(std::span<const double> V, std::size_t v, const Gram::Middle& middle,
                             std::size_t t, std::span<double> out) const {
  if (gram_) {
    gram_->apply_both(V, v, middle, t, out);
    return;
  }
  std::visit([&](const auto& kept) { sketched(V, v, middle, t, out, kept); }, kept_);
}

// Pieces of rows on all threads; their sums are added in the order of the rows.
template <class T>
void BasisValues::sketched(std::span<const double> V, std::size_t v, const Gram::Middle& middle,
                           std::size_t t, std::span<double> out, const std::vector<T>& kept) const {
  constexpr std::size_t piece = 256;
  constexpr std::size_t together = 16;  // pieces whose sums wait for each other
  const std::size_t n = x_.rows();
  const std::size_t m = sketch_->size();
  const std::size_t pieces = (n + piece - 1) / piece;
  std::ranges::fill(out, 0.0);
  std::vector<std::vector<double>> parts(std::min(together, pieces));
  const numeric::How alone{1, how_.instructions};
  for (std::size_t group = 0; group < pieces; group += together) {
    const std::size_t now = std::min(together, pieces - group);
    parallel_for(now, how_.threads, [&](std::size_t task) {
      const std::size_t begin = (group + task) * piece;
      const std::size_t rows = std::min(piece, n - begin);
      std::vector<double> phi(rows * m);
      if (kept.empty()) {
        std::vector<T> rounded(rows * m);
        try {
          sketch_->map(x_.part(begin, begin + rows), rounded.data(), m, 1);
        } catch (const GramError& error) {
          throw GramError(begin + error.row(), 0, error.why());
        }
        std::ranges::copy(rounded, phi.begin());
      } else {
        std::copy_n(kept.data() + begin * m, rows * m, phi.data());
      }
      const View<double> image{phi.data(), rows, m, m, 1};
      std::vector<double> F(rows * v);
      numeric::multiply_add(image, View<double>{V.data(), m, v, v, 1}, 1.0, F.data(), v, Part::all,
                            alone);
      std::vector<double> back(rows * t);
      middle(begin, rows, F, back);
      parts[task].assign(m * t, 0.0);
      numeric::multiply_add(image.transposed(), View<double>{back.data(), rows, t, t, 1}, 1.0,
                            parts[task].data(), t, Part::all, alone);
    });
    for (std::size_t p = 0; p < now; ++p)
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += parts[p][j];
  }
}

}  // namespace mercer::scale
