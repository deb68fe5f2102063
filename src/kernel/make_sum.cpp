// Sums: flat, like terms collected, a common order.
#include <algorithm>

#include "kernel/expr.hpp"
#include "kernel/simplify.hpp"

namespace mercer::algebra {

Multiple split_coefficient(const Expr& e) {
  if (e->op == Op::number) return {e->number, number(1)};
  if (e->op == Op::sum && e->args.size() == 1 && e->number.is_zero())
    return {e->coefficients[0], e->args[0]};
  return {1, e};
}

namespace {

void flatten(const Rational& c, const Expr& e, std::vector<Term>& terms, Rational& constant) {
  if (e->op == Op::number) {
    constant += c * e->number;
  } else if (e->op == Op::sum) {
    constant += c * e->number;
    for (std::size_t i = 0; i < e->args.size(); ++i)
      terms.push_back({c * e->coefficients[i], e->args[i]});
  } else {
    terms.push_back({c, e});
  }
}

}  // namespace

Expr sum(const std::vector<Term>& terms, Rational constant) {
  std::vector<Term> flat;
  for (const auto& [c, e] : terms) flatten(c, e, flat, constant);
  std::ranges::stable_sort(
      flat, [](const Term& a, const Term& b) { return compare(a.expr, b.expr) < 0; });
  Node n;
  n.op = Op::sum;
  std::vector<Term> undefined;  // what is left of terms that cancelled
  for (std::size_t i = 0; i < flat.size();) {
    Rational c = flat[i].coefficient;
    const Expr& e = flat[i].expr;
    for (++i; i < flat.size() && equal(flat[i].expr, e); ++i) c += flat[i].coefficient;
    // A term that cancels goes only where it was defined everywhere: 0*log(x) is not 0 at -1.
    if (c.is_zero() && e->total) continue;
    if (c.is_zero() && !equal(undefined_part(e), e)) {
      undefined.push_back({0, undefined_part(e)});
      continue;
    }
    n.coefficients.push_back(std::move(c));
    n.args.push_back(e);
  }
  if (!undefined.empty()) {
    for (std::size_t i = 0; i < n.args.size(); ++i)
      undefined.push_back({n.coefficients[i], n.args[i]});
    return sum(undefined, std::move(constant));
  }
  if (n.args.empty()) return number(std::move(constant));
  if (n.args.size() == 1 && constant.is_zero() && n.coefficients[0].is_one()) return n.args[0];
  n.number = std::move(constant);
  return finish(std::move(n));
}

Expr add(const Expr& a, const Expr& b) { return sum({{1, a}, {1, b}}); }

Expr subtract(const Expr& a, const Expr& b) { return sum({{1, a}, {-1, b}}); }

Expr scale(const Rational& c, const Expr& e) { return c.is_one() ? e : sum({{c, e}}); }

}  // namespace mercer::algebra
