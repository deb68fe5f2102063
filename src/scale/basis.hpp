// What a rule is a combination of: the functions k(c_j, ·) of centres or frequencies, or the
// features of a sketch.
#pragma once

#include <cstddef>
#include <mercer/gram.hpp>
#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <mercer/sketch.hpp>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace mercer::scale {

struct Basis {
  std::optional<Kernel> kernel = {};
  Points centres = {};
  std::optional<Sketch> sketch = {};  // instead of both

  [[nodiscard]] std::size_t size() const { return sketch ? sketch->size() : centres.rows(); }
  // Of these points: a row for each, a column for each function.
  [[nodiscard]] Matrix values(const Points& x, const GramOptions& how) const;
  // The same as floats or doubles, to memory that has room for them.
  template <class T>
  void values(const Points& x, const GramOptions& how, T* to) const;
  // These values times V, which has `width` columns.
  [[nodiscard]] Matrix product(const Points& x, const Matrix& V, const GramOptions& how) const;
};

// Whether values of centres at so many rows with so many coordinates in all are kept: of few
// coordinates, computing them again is as fast as reading them; and an eighth of the memory is left
// for the points and for what is of size m². A number has so many bytes.
bool keeps_values(double rows, double centres, double coordinates, double number, double memory);

// The values at some points, for products in both directions: Gram's apply_both for any basis.
class BasisValues {
 public:
  // `keep`: of a sketch, the features are computed once and kept. The basis outlives this.
  BasisValues(const Basis& basis, const Points& x, const GramOptions& how, bool keep);
  void apply_both(std::span<const double> V, std::size_t v, const Gram::Middle& middle,
                  std::size_t t, std::span<double> out) const;

 private:
  template <class T>
  void sketched(std::span<const double> V, std::size_t v, const Gram::Middle& middle, std::size_t t,
                std::span<double> out, const std::vector<T>& kept) const;

  std::optional<Gram> gram_;
  const Sketch* sketch_ = nullptr;
  Points x_;
  GramOptions how_;
  std::variant<std::vector<float>, std::vector<double>> kept_;
};

}  // namespace mercer::scale
