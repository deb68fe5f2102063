#include "model/libsvm_kernel.hpp"

#include <cmath>
#include <limits>
#include <mercer/error.hpp>

#include "kernel/expr.hpp"

namespace mercer::model {

namespace {

using algebra::Expr;
using algebra::Function;
using algebra::Op;

// Of points, or of numbers where the kernel is written for dimension 1.
bool is_inner_product(const Expr& e) {
  static const Kernel points = linear();
  static const Kernel numbers = Kernel::parse("x*z");
  return equal(e, points.expression()) || equal(e, numbers.expression());
}
bool is_squared_distance(const Expr& e) {
  static const Kernel points = Kernel::parse("|x-z|^2");
  static const Kernel numbers = Kernel::parse("(x-z)^2");
  return equal(e, points.expression()) || equal(e, numbers.expression());
}

// gamma x·z + coef0
struct Line {
  Rational gamma;
  Rational coef0;
};
std::optional<Line> line_in(const Expr& e) {
  if (is_inner_product(e)) return Line{1, 0};
  if (e->op != Op::sum || e->args.size() != 1 || !is_inner_product(e->args[0])) return std::nullopt;
  return Line{e->coefficients[0], e->number};
}

// A multiple of the n-th power of a line. The multiple goes into the power where it is a power
// itself, so that (2 x·z + 2)², kept as 4 (x·z + 1)², is written as it was.
std::optional<InLibsvm> power_of_line(const Rational& factor, const Expr& e) {
  if (e->op != Op::power || !is_number(e->args[1])) return std::nullopt;
  const auto degree = e->args[1]->number.to_int();
  auto line = line_in(e->args[0]);
  if (!line || !degree || *degree < 1 || *degree > std::numeric_limits<int>::max())
    return std::nullopt;
  InLibsvm result;
  if (const auto root = exact_root(factor, *degree)) {
    line->gamma *= *root;
    line->coef0 *= *root;
  } else {
    result.factor = factor.to_double();
  }
  result.kernel = {LibsvmKernel::polynomial, static_cast<int>(*degree), line->gamma.to_double(),
                   line->coef0.to_double()};
  return result;
}

// A multiple of exp(-gamma |x-z|²) or tanh(line).
std::optional<InLibsvm> function_of_points(const Rational& factor, const Expr& e) {
  InLibsvm result;
  result.factor = factor.to_double();
  if (is_function(e, Function::exp)) {
    const auto [gamma, distance] = split_coefficient(e->args[0]);
    if (!is_squared_distance(distance)) return std::nullopt;
    result.kernel = {LibsvmKernel::rbf, 0, (-gamma).to_double(), 0};
    return result;
  }
  if (!is_function(e, Function::tanh)) return std::nullopt;
  const auto line = line_in(e->args[0]);
  if (!line) return std::nullopt;
  result.kernel = {LibsvmKernel::sigmoid, 0, line->gamma.to_double(), line->coef0.to_double()};
  return result;
}

std::optional<InLibsvm> without_constant(const Expr& e) {
  const auto [factor, rest] = split_coefficient(e);
  if (is_inner_product(rest)) return InLibsvm{{}, factor.to_double(), 0};
  if (auto power = power_of_line(factor, rest)) return power;
  return function_of_points(factor, rest);
}

bool finite(const InLibsvm& k) {
  return std::isfinite(k.kernel.gamma) && std::isfinite(k.kernel.coef0) &&
         std::isfinite(k.factor) && std::isfinite(k.constant);
}

}  // namespace

Kernel kernel_of(const KernelOfLibsvm& k) {
  switch (k.type) {
    case LibsvmKernel::linear:
      return linear();
    case LibsvmKernel::polynomial:
      if (k.degree == 0) return Kernel(1);  // also where the base is 0
      return poly(k.degree, k.coef0, k.gamma);
    case LibsvmKernel::rbf:
      return rbf(k.gamma);
    case LibsvmKernel::sigmoid:
      return sigmoid(k.gamma, k.coef0);
    default:
      return precomputed();
  }
}

std::optional<InLibsvm> in_libsvm(const Kernel& kernel) {
  const Expr& e = kernel.expression();
  if (algebra::is_constant(e)) {  // the constant times (0 x·z + 0)^0
    try {
      return InLibsvm{
          {LibsvmKernel::polynomial, 0, 0, 0}, kernel(std::array{0.0}, std::array{0.0}), 0};
    } catch (const EvaluationError&) {
      return std::nullopt;
    }
  }
  std::optional<InLibsvm> result = without_constant(e);
  if (!result && e->op == Op::sum && e->args.size() == 1) {
    result = without_constant(algebra::scale(e->coefficients[0], e->args[0]));
    if (result) result->constant = e->number.to_double();
  }
  if (!result || !finite(*result)) return std::nullopt;
  return result;
}

}  // namespace mercer::model
