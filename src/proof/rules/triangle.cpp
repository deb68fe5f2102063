// Pólya's triangle.
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::is_function;
using algebra::is_number;

// max(0, c - a|D|), and c - a|D| where that is not negative.
Found triangle(Prover& prover, const Expr& e) {
  Expr slope = e;
  if (e->op == Op::maximum) {
    if (e->args.size() != 2 || !is_number(e->args[1], 0)) return std::nullopt;
    slope = e->args[0];
  } else if (!prover.nonnegative(e)) {
    return std::nullopt;
  }
  if (slope->op != Op::sum || slope->args.size() != 1 || slope->number.sign() <= 0 ||
      slope->coefficients[0].sign() >= 0)
    return std::nullopt;
  if (!is_function(slope->args[0], Function::abs) || !is_difference(slope->args[0]->args[0]))
    return std::nullopt;
  return conclude("triangle", e, Claim::kernel,
                  {.with = {given("c", slope->number), given("a", -slope->coefficients[0]),
                            given("f(x) - f(z)", slope->args[0]->args[0])}});
}

}  // namespace

Rules rule_triangle() {
  return {{330,
           Claim::kernel,
           triangle,
           {{"triangle", "max(0, c - a|f(x) - f(z)|) is a kernel for a, c >= 0.",
             "Pólya 1949; the overlap of two intervals of length c/a"}}}};
}

}  // namespace mercer::proof
