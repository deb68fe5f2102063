#include "feature/text.hpp"

#include <optional>

#include "kernel/latex.hpp"
#include "kernel/print.hpp"

namespace mercer::feature {

namespace {

using algebra::Expr;
using algebra::Op;

std::string formula(const Expr& e) { return print(e, algebra::Naming::formulas); }

bool is_root(const Expr& e) {
  return e->op == Op::power && is_number(e->args[0]) && is_number(e->args[1], Rational(1, 2));
}

// c √under · other, with all roots of numbers in e under one; nothing where there is none.
struct Rooted {
  Rational c;
  Rational under = 1;
  Expr other;
};

std::optional<Rooted> rooted(const Expr& e) {
  const auto [c, rest] = algebra::split_coefficient(e);
  Rooted r{c, 1, nullptr};
  std::vector<Expr> others;
  for (const auto& f : rest->op == Op::product ? rest->args : std::vector<Expr>{rest}) {
    if (is_root(f)) {
      r.under *= f->args[0]->number;
    } else {
      others.push_back(f);
    }
  }
  if (r.under.is_one() || c.sign() <= 0) return std::nullopt;
  r.other = algebra::multiply(others);
  return r;
}

// With the whole factors outside, or all of it under the root where c is a fraction.
std::string root_text(const Rooted& r) {
  if (!r.c.is_integer()) return "sqrt(" + (r.c * r.c * r.under).fraction_text() + ")";
  return (r.c.is_one() ? "" : r.c.text() + "*") + "sqrt(" + r.under.text() + ")";
}

std::string root_latex(const Rooted& r) {
  if (!r.c.is_integer()) {
    const Rational square = r.c * r.c * r.under;
    const std::string below = square.denominator().text();
    const std::string above = square.numerator().text();
    return R"(\sqrt{)" + (below == "1" ? above : R"(\frac{)" + above + "}{" + below + "}") + "}";
  }
  return (r.c.is_one() ? "" : r.c.text() + R"(\, )") + R"(\sqrt{)" + r.under.text() + "}";
}

}  // namespace

std::string coordinate_text(const Expr& e) {
  const auto r = rooted(e);
  if (!r) return formula(e);
  std::string root = root_text(*r);
  if (is_number(r->other, 1)) return root;
  std::string text = formula(r->other);
  if (r->other->op == Op::sum) text = "(" + text + ")";
  if (text.starts_with("1/")) return root + text.substr(1);
  return root + "*" + text;
}

std::string coordinate_latex(const Expr& e) {
  const auto r = rooted(e);
  if (!r) return algebra::latex(e);
  std::string root = root_latex(*r);
  if (is_number(r->other, 1)) return root;
  const std::string text = algebra::latex(r->other);
  return root + R"(\, )" + (r->other->op == Op::sum ? R"(\left()" + text + R"(\right))" : text);
}

}  // namespace mercer::feature
