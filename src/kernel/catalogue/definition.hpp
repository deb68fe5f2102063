// A named kernel: a row of the catalogue, and what the language and the printer need of it.
//
// The formula is the definition: the language reads it with the parameters in place. Only what the
// language cannot say (anova's sum over sets, Bessel functions) is built by hand.
#pragma once

#include <mercer/catalogue.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/elaborate.hpp"
#include "kernel/expr.hpp"

namespace mercer::algebra {

using Arguments = std::vector<Argument>;  // all parameters, in order

struct Definition {
  KernelInfo info;

  // Where the formula depends on the arguments; otherwise info.formula is read.
  std::string (*formula_for)(const Arguments&) = nullptr;
  Expr (*build)(const Arguments&) = nullptr;

  // Values of the parameters with which the kernel might be `e`, so that it prints by name. Guesses
  // are welcome: the printer expands each and compares. Without it the kernel prints as a formula.
  std::vector<std::vector<Expr>> (*guess)(const Expr& e) = nullptr;
};

std::span<const Definition> definitions();
const Definition* find_definition(std::string_view name);

// The families; one file each.
std::span<const Definition> dot_product_kernels();
std::span<const Definition> stationary_kernels();
std::span<const Definition> histogram_kernels();
std::span<const Definition> combinatorial_kernels();
std::span<const Definition> other_kernels();

// For guesses: c where e is exp(c*u), and u.
std::optional<Multiple> exponential_of(const Expr& e);

}  // namespace mercer::algebra
