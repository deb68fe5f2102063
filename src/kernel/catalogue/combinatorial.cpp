// Kernels whose features are products of different coordinates.
//
// subsets has one feature for each of the 2^d sets A of coordinates, the product of x_i over A;
// anova(p) those of the sets with p members (Shawe-Taylor and Cristianini 2004, chapter 9).
#include <array>
#include <mercer/error.hpp>

#include "kernel/catalogue/definition.hpp"

namespace mercer::algebra {

namespace {

constexpr std::array<ParameterInfo, 1> anova_parameters{{
    {"degree", "2", "whole, >= 1", "how many different coordinates are multiplied", ""},
}};

Expr build_anova(const Arguments& arguments) {
  constexpr std::int64_t largest = 100'000;
  const auto degree = arguments[0].value->number.to_int();
  if (!degree || *degree > largest)
    throw Error("anova's degree must be at most " + std::to_string(largest));
  const Expr body = multiply(bound_coordinate(Side::x, 0), bound_coordinate(Side::z, 0));
  return symmetric_over(static_cast<std::uint32_t>(*degree), {}, body);
}

std::vector<std::vector<Expr>> guess_subsets(const Expr& e) {
  if (e->op == Op::product_over) return {{}};
  return {};
}

std::vector<std::vector<Expr>> guess_anova(const Expr& e) {
  if (e->op != Op::symmetric_over) return {};
  return {{number(e->degree)}};
}

const std::array<Definition, 2> kernels{{
    {.info = {"subsets",
              {},
              "prod(i, 1 + x[i]*z[i])",
              "R",
              "a feature for every set of coordinates: their product"},
     .guess = guess_subsets},
    {.info = {"anova", anova_parameters,
              "the sum over all sets of `degree` different coordinates of prod(i, x[i]*z[i])", "R",
              "products of exactly so many different coordinates"},
     .build = build_anova,
     .guess = guess_anova},
}};

}  // namespace

std::span<const Definition> combinatorial_kernels() { return kernels; }

}  // namespace mercer::algebra
