// exp(a) exp(b) = exp(a + b).
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::is_function;

Found joined_exponentials(Prover& prover, const Expr& e) {
  if (e->op != Op::product) return std::nullopt;
  std::vector<algebra::Term> exponents;
  std::vector<Expr> others;
  for (const auto& f : e->args) {
    if (is_function(f, Function::exp)) {
      exponents.push_back({1, f->args[0]});
    } else {
      others.push_back(f);
    }
  }
  if (exponents.size() < 2) return std::nullopt;
  others.push_back(algebra::apply_function(Function::exp, algebra::sum(exponents)));
  return prover.same("joined exponentials", e, algebra::multiply(others), Claim::kernel);
}

}  // namespace

Rules rule_joined_exponentials() {
  return {{110,
           Claim::kernel,
           joined_exponentials,
           {{"joined exponentials", "exp(a) exp(b) = exp(a + b).", "algebra"}}}};
}

}  // namespace mercer::proof
