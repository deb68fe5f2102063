// Kernels of the inner product x·z.
//
// f(x·z) is a kernel on R^d for every d if and only if f has a power series with coefficients >= 0
// (Schoenberg 1942); linear and poly with c >= 0, gamma >= 0 are, sigmoid is not, for any
// parameters. cosine is linear after every point is brought to length 1.
#include <array>

#include "kernel/catalogue/definition.hpp"

namespace mercer::algebra {

namespace {

constexpr std::array<ParameterInfo, 3> poly_parameters{{
    {"degree", "3", "real", "the exponent", ""},
    {"c", "1", "real", "the constant; above 0, lower degrees join in", ""},
    {"gamma", "1", "real", "scale of the inner product", ""},
}};

constexpr std::array<ParameterInfo, 2> sigmoid_parameters{{
    {"gamma", "1", "real", "scale of the inner product", ""},
    {"c", "0", "real", "the constant", ""},
}};

// base = gamma*u + c
std::vector<Expr> scale_and_constant(const Expr& base) {
  if (base->op != Op::sum) return {number(1), number(0)};
  if (base->args.size() != 1) return {};
  return {number(base->coefficients[0]), number(base->number)};
}

std::vector<std::vector<Expr>> guess_poly(const Expr& e) {
  if (e->op != Op::power || e->args[0]->op != Op::sum || !is_number(e->args[1])) return {};
  const Rational& degree = e->args[1]->number;
  const auto inner = scale_and_constant(e->args[0]);
  if (inner.empty() || !degree.is_integer() || degree < Rational(2)) return {};
  // (1 - linear)^2 reads better than poly(2, gamma=-1).
  if (inner[0]->number.sign() < 0 || inner[1]->number.sign() < 0) return {};
  return {{e->args[1], inner[1], inner[0]}};
}

std::vector<std::vector<Expr>> guess_sigmoid(const Expr& e) {
  if (!is_function(e, Function::tanh)) return {};
  const auto inner = scale_and_constant(e->args[0]);
  if (inner.empty()) return {};
  return {{inner[0], inner[1]}};
}

std::vector<std::vector<Expr>> guess_linear(const Expr& e) {
  if (e->op == Op::sum_over) return {{}};
  return {};
}

std::vector<std::vector<Expr>> guess_cosine(const Expr& e) {
  if (e->op == Op::normalize) return {{}};
  return {};
}

const std::array<Definition, 4> kernels{{
    {.info = {"linear", {}, "x.z", "R", "the inner product: a linear rule in the given features"},
     .guess = guess_linear},
    {.info = {"poly", poly_parameters, "(gamma*x.z + c)^degree", "R",
              "all monomials up to the degree, weighted"},
     .guess = guess_poly},
    {.info = {"sigmoid", sigmoid_parameters, "tanh(gamma*x.z + c)", "R",
              "a neuron's response; not a kernel, kept because people meet it"},
     .guess = guess_sigmoid},
    {.info = {"cosine",
              {},
              "x.z/(|x|*|z|)",
              "R",
              "the cosine of the angle between the points; 0 where either is the zero vector"},
     .guess = guess_cosine},
}};

}  // namespace

std::span<const Definition> dot_product_kernels() { return kernels; }

}  // namespace mercer::algebra
