// Functions of x, many of them, counted by formula and written out only as far as asked.
//
// (1 + x·z)^10 in dimension 100 has C(110, 10) features. What it has is known from how it is built:
//   side by side        φ of a sum                 m + n functions
//   all pairs           φ of a product             m·n
//   f times each        φ of f(x) k(x,z) f(z)      m
//   symmetric power     φ of kⁿ                    C(m+n-1, n)
// The last one is the multinomial theorem: (Σ φ_i(x) φ_i(z))ⁿ = Σ n!/Π a_i! · Π (φ_i(x) φ_i(z))^a_i
// over all exponents a_i that add up to n.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernel/count.hpp"
#include "kernel/expr.hpp"

namespace mercer::feature {

using algebra::Columns;
using algebra::Count;
using algebra::Expr;

class Family {
 public:
  Family() = default;
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  virtual ~Family() = default;

  [[nodiscard]] virtual Count count() const = 0;
  // The first n of them, or all where there are fewer.
  [[nodiscard]] virtual std::vector<Expr> first(std::size_t n) const = 0;
};

using FamilyPtr = std::shared_ptr<const Family>;

FamilyPtr listed(std::vector<Expr> functions);
FamilyPtr side_by_side(std::vector<FamilyPtr> parts);
FamilyPtr all_pairs(std::vector<FamilyPtr> factors);
FamilyPtr times(const Expr& f, FamilyPtr functions);
FamilyPtr symmetric_power(FamilyPtr functions, std::uint64_t n);

// For each coordinate i of the columns in dimension d, the functions that `at` gives for it: side
// by side, multiplied, or multiplied over all sets of `degree` coordinates. There are as many
// functions for every i.
using AtCoordinate = std::function<FamilyPtr(std::uint32_t i)>;
FamilyPtr side_by_side_over(std::vector<algebra::Range> columns, AtCoordinate at);
FamilyPtr all_pairs_over(std::vector<algebra::Range> columns, AtCoordinate at);
FamilyPtr over_sets(std::uint32_t degree, std::vector<algebra::Range> columns, AtCoordinate at);

// The functions with one coordinate put in the place of another.
Expr with_coordinate(const Expr& f, std::uint32_t placeholder, std::uint32_t i);
FamilyPtr with_coordinate(const FamilyPtr& functions, std::uint32_t placeholder, std::uint32_t i);

}  // namespace mercer::feature
