#include "feature/text.hpp"

#include "kernel/print.hpp"

namespace mercer::feature {

namespace {

using algebra::Expr;
using algebra::Op;

std::string formula(const Expr& e) { return print(e, algebra::Naming::formulas); }

bool is_root(const Expr& e) {
  return e->op == Op::power && is_number(e->args[0]) && is_number(e->args[1], Rational(1, 2));
}

// c √s: with the whole factors outside, or all of it under the root where c is a fraction.
std::string root_text(const Rational& c, const Rational& s) {
  if (!c.is_integer()) return "sqrt(" + (c * c * s).fraction_text() + ")";
  return (c.is_one() ? "" : c.text() + "*") + "sqrt(" + s.text() + ")";
}

}  // namespace

std::string coordinate_text(const Expr& e) {
  const auto [c, rest] = algebra::split_coefficient(e);
  Rational under = 1;
  std::vector<Expr> others;
  for (const auto& f : rest->op == Op::product ? rest->args : std::vector<Expr>{rest}) {
    if (is_root(f)) {
      under *= f->args[0]->number;
    } else {
      others.push_back(f);
    }
  }
  if (under.is_one() || c.sign() <= 0) return formula(e);
  std::string root = root_text(c, under);
  const Expr other = algebra::multiply(others);
  if (is_number(other, 1)) return root;
  std::string text = formula(other);
  if (other->op == Op::sum) text = "(" + text + ")";
  if (text.starts_with("1/")) return root + text.substr(1);
  return root + "*" + text;
}

}  // namespace mercer::feature
