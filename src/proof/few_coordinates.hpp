// A kernel on points most of whose coordinates are one number.
//
// In a large dimension points are long, and yet what is wrong with a kernel shows in the few
// coordinates that it names, and in a few of those that it adds up. With o in all the others,
//   Σ_i b(x_i, z_i) = Σ_{i <= m} b(x_i, z_i) + (d - m) b(o, o)
// and likewise for products: a kernel in m coordinates with the same values.
#pragma once

#include <cstdint>
#include <mercer/domain.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernel/expr.hpp"
#include "proof/point_value.hpp"

namespace mercer::proof {

// Beyond this, points are not written out to look at them.
inline constexpr std::uint32_t many_coordinates = 64;

class FewCoordinates {
 public:
  // For these expressions in dimension d; nullopt where they do not come down to few coordinates.
  static std::optional<FewCoordinates> of(const std::vector<Expr>& expressions,
                                          const Domain& domain, std::uint32_t d);

  [[nodiscard]] std::uint32_t dimension() const { return m_; }
  // The expressions in that dimension, in the order given.
  [[nodiscard]] const std::vector<Expr>& expressions() const { return expressions_; }

  // The point of dimension d.
  [[nodiscard]] Point whole(const Point& few) const;
  // "(the other coordinates are 0)"
  [[nodiscard]] std::string others() const;

  // Throws Error where so many points of dimension d are too long to be written: that there are
  // such is said, as `what`.
  void check_writable(std::size_t points, const std::string& what) const;

 private:
  friend class Shrinking;
  std::uint32_t d_ = 0;
  std::uint32_t m_ = 0;
  Rational o_;
  std::vector<std::uint32_t> at_;  // where the coordinates stand in dimension d, from 1
  std::vector<Expr> expressions_;
};

}  // namespace mercer::proof
