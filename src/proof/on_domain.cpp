#include "proof/on_domain.hpp"

#include <algorithm>
#include <map>

#include "kernel/defined.hpp"
#include "kernel/form.hpp"
#include "kernel/transform.hpp"
#include "proof/polynomial_gram.hpp"

namespace mercer::proof {

namespace {

using algebra::Expr;
using algebra::Function;
using algebra::is_function;
using algebra::is_number;
using algebra::Op;
using algebra::Side;

class Simplifier {
 public:
  explicit Simplifier(const Domain& domain) : domain_(domain) {}

  Expr run(const Expr& e) {
    // What is inside of a Matérn function has no other form in print.
    if (e->args.empty() || e->op == Op::normalize || e->op == Op::matern) return e;
    std::vector<Expr> args;
    args.reserve(e->args.size());
    for (const auto& arg : e->args) args.push_back(run(arg));
    const bool changed = !std::ranges::equal(
        args, e->args, [](const Expr& a, const Expr& b) { return algebra::equal(a, b); });
    return node(changed ? algebra::with_args(*e, std::move(args)) : e);
  }

 private:
  [[nodiscard]] bool nonnegative(const Expr& e) const {
    return e->nonnegative || algebra::range_on(e, domain_).nonnegative();
  }
  [[nodiscard]] bool nonzero(const Expr& e) const {
    return e->positive || algebra::range_on(e, domain_).nonzero();
  }

  Expr node(const Expr& e) {
    switch (e->op) {
      case Op::function:
        return function(e);
      case Op::minimum:
      case Op::maximum:
        return extremum(e);
      case Op::power:
        return power(e);
      case Op::product:
        return product(e);
      case Op::sum_over:
        return on_sphere(e);
      case Op::sum:
        return identities(e);
      default:
        return e;
    }
  }

  [[nodiscard]] Expr function(const Expr& e) const {
    const Expr& arg = e->args[0];
    if (e->fn == Function::abs) {
      if (nonnegative(arg)) return arg;
      if (nonnegative(algebra::scale(-1, arg))) return algebra::scale(-1, arg);
    }
    // The logarithm of a product of positive factors, and of powers.
    if (e->fn == Function::log) {
      std::vector<algebra::Term> terms;
      const auto split = algebra::split_coefficient(arg);
      const auto factors =
          split.rest->op == Op::product ? split.rest->args : std::vector<Expr>{split.rest};
      if (split.coefficient.sign() <= 0) return e;
      bool worth = !split.coefficient.is_one() && !is_number(split.rest);
      for (const auto& f : factors) {
        const bool raised = f->op == Op::power && is_number(f->args[1]);
        const Expr& base = raised ? f->args[0] : f;
        if (!(base->positive || algebra::range_on(base, domain_).positive())) return e;
        if (is_function(base, Function::exp)) {
          terms.push_back({raised ? f->args[1]->number : Rational(1), base->args[0]});
        } else {
          terms.push_back({raised ? f->args[1]->number : Rational(1),
                           algebra::apply_function(Function::log, base)});
        }
        worth = worth || raised || factors.size() > 1;
      }
      if (!worth) return e;
      terms.push_back(
          {1, algebra::apply_function(Function::log, algebra::number(split.coefficient))});
      return algebra::sum(terms);
    }
    return e;
  }

  [[nodiscard]] Expr extremum(const Expr& e) const {
    const bool low = e->op == Op::minimum;
    if (e->args.size() == 2) {
      const Expr& a = e->args[0];
      const Expr& b = e->args[1];
      const Expr difference = algebra::subtract(a, b);
      if (nonnegative(difference)) return low ? b : a;
      if (nonnegative(algebra::scale(-1, difference))) return low ? a : b;
      if (algebra::equal(b, algebra::scale(-1, a)))
        return algebra::scale(low ? -1 : 1, algebra::apply_function(Function::abs, a));
      // max(-a, -b) = -min(a, b): the signs in front.
      if (algebra::split_coefficient(a).coefficient.sign() < 0 &&
          algebra::split_coefficient(b).coefficient.sign() < 0) {
        const std::vector<Expr> turned{algebra::scale(-1, a), algebra::scale(-1, b)};
        return algebra::scale(-1, low ? algebra::maximum(turned) : algebra::minimum(turned));
      }
      // max(c, c + u) = c + max(0, u)
      if (is_number(b) && a->op == Op::sum && !b->number.is_zero() && !a->number.is_zero()) {
        const std::vector<Expr> moved{algebra::subtract(a, b), algebra::number(0)};
        return algebra::add(low ? algebra::minimum(moved) : algebra::maximum(moved), b);
      }
    }
    return e;
  }

  [[nodiscard]] Expr power(const Expr& e) const {
    // u^v = exp(v log u)
    if (!is_number(e->args[1])) {
      const Expr& base = e->args[0];
      if (algebra::is_constant(base) ||
          !(base->positive || algebra::range_on(base, domain_).positive()))
        return e;
      return algebra::apply_function(
          Function::exp,
          algebra::multiply(e->args[1], algebra::apply_function(Function::log, base)));
    }
    const Rational& r = e->args[1]->number;
    const Expr& base = e->args[0];
    // (-u)^(2n) = u^(2n)
    if (r.is_even() && algebra::range_on(base, domain_).negative())
      return algebra::power(algebra::scale(-1, base), r);
    if (r.is_integer()) return e;
    // √(ab) = √-a √-b where both are negative, and √a √b where both are not
    if (base->op == Op::product) {
      std::vector<Expr> factors;
      for (const auto& f : base->args) {
        if (nonnegative(f)) {
          factors.push_back(algebra::power(f, r));
        } else if (nonnegative(algebra::scale(-1, f))) {
          factors.push_back(algebra::power(algebra::scale(-1, f), r));
        } else {
          return e;
        }
      }
      const auto negative =
          std::ranges::count_if(base->args, [&](const Expr& f) { return !nonnegative(f); });
      return negative % 2 == 0 ? algebra::multiply(factors) : e;
    }
    return e;
  }

  // u^p u^q = u^(p+q) where u != 0.
  [[nodiscard]] Expr product(const Expr& e) const {
    std::vector<std::pair<Expr, Rational>> bases;
    bool joined = false;
    for (const auto& f : e->args) {
      const bool raised = f->op == Op::power && is_number(f->args[1]);
      const Expr& base = raised ? f->args[0] : f;
      const Rational r = raised ? f->args[1]->number : Rational(1);
      const auto same =
          std::ranges::find_if(bases, [&](const auto& b) { return algebra::equal(b.first, base); });
      if (same != bases.end() && nonzero(base)) {
        same->second += r;
        joined = true;
      } else {
        bases.emplace_back(base, r);
      }
    }
    if (!joined) return e;
    std::vector<Expr> factors;
    for (const auto& [base, r] : bases)
      if (!r.is_zero()) factors.push_back(algebra::power(base, r));
    return algebra::multiply(factors);
  }

  // |x|² = 1, |x - z|² = 2 - 2 x·z
  [[nodiscard]] Expr on_sphere(const Expr& e) const {
    if (domain_.kind() != Domain::Kind::sphere || !e->columns.all()) return e;
    const Expr& body = e->args[0];
    if (body->op != Op::power || !is_number(body->args[1], 2)) return e;
    Rational of_x;
    Rational of_z;
    const auto v = algebra::linear_vector(body->args[0]);
    if (!v) return e;
    for (const auto& [c, side] : *v) (side == Side::x ? of_x : of_z) = c;
    const Expr dot =
        algebra::sum_over(e->columns, algebra::multiply(algebra::bound_coordinate(Side::x, 0),
                                                        algebra::bound_coordinate(Side::z, 0)));
    return algebra::sum({{Rational(2) * of_x * of_z, dot}}, of_x * of_x + of_z * of_z);
  }

  // sin² = 1 - cos², sinh² = cosh² - 1, tanh² = 1 - 1/cosh²
  [[nodiscard]] static Expr identities(const Expr& e) {
    std::vector<algebra::Term> terms;
    bool changed = false;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      const Expr& t = e->args[i];
      const Rational& c = e->coefficients[i];
      const bool square = t->op == Op::power && is_number(t->args[1], 2);
      const Expr& base = square ? t->args[0] : t;
      if (square && is_function(base, Function::sin)) {
        const Expr other = algebra::apply_function(Function::cos, base->args[0]);
        terms.push_back({-c, algebra::power(other, Rational(2))});
        terms.push_back({c, algebra::number(1)});
      } else if (square && is_function(base, Function::sinh)) {
        const Expr other = algebra::apply_function(Function::cosh, base->args[0]);
        terms.push_back({c, algebra::power(other, Rational(2))});
        terms.push_back({-c, algebra::number(1)});
      } else if (square && is_function(base, Function::tanh)) {
        const Expr other = algebra::apply_function(Function::cosh, base->args[0]);
        terms.push_back({-c, algebra::power(other, Rational(-2))});
        terms.push_back({c, algebra::number(1)});
      } else {
        terms.push_back({c, t});
        continue;
      }
      changed = true;
    }
    return changed ? algebra::sum(terms, e->number) : e;
  }

  const Domain& domain_;
};

void collect_denominators(const Expr& e, std::vector<std::pair<Expr, Rational>>& found) {
  const auto add = [&](const Expr& f) {
    if (f->op != Op::power || !is_number(f->args[1]) || f->args[1]->number.sign() >= 0) return;
    const Rational r = -f->args[1]->number;
    for (auto& [base, most] : found)
      if (algebra::equal(base, f->args[0])) {
        most = std::max(most, r);
        return;
      }
    found.emplace_back(f->args[0], r);
  };
  if (e->op == Op::sum) {
    for (const auto& t : e->args) collect_denominators(t, found);
  } else if (e->op == Op::product) {
    for (const auto& f : e->args) add(f);
  } else {
    add(e);
  }
}

}  // namespace

Expr simplified_on(const Expr& e, const Domain& domain) { return Simplifier(domain).run(e); }

Expr without_denominators(const Expr& e, const Domain& domain) {
  std::vector<std::pair<Expr, Rational>> denominators;
  collect_denominators(e, denominators);
  std::erase_if(denominators, [&](const auto& d) {
    return !(d.first->positive || algebra::range_on(d.first, domain).positive());
  });
  if (denominators.empty()) return e;
  std::vector<algebra::Term> terms;
  const auto times = [&](const Rational& c, const Expr& t) {
    std::vector<Expr> factors;
    auto left = denominators;
    for (const auto& f : t->op == Op::product ? t->args : std::vector<Expr>{t}) {
      const auto same = std::ranges::find_if(left, [&](const auto& d) {
        return f->op == Op::power && is_number(f->args[1]) && f->args[1]->number.sign() < 0 &&
               algebra::equal(f->args[0], d.first);
      });
      if (same == left.end()) {
        factors.push_back(f);
      } else {
        same->second += f->args[1]->number;
      }
    }
    for (const auto& [base, r] : left)
      if (!r.is_zero()) factors.push_back(algebra::power(base, r));
    terms.push_back({c, algebra::multiply(factors)});
  };
  if (e->op == Op::sum) {
    for (std::size_t i = 0; i < e->args.size(); ++i) times(e->coefficients[i], e->args[i]);
    if (!e->number.is_zero()) times(e->number, algebra::number(1));
  } else {
    times(1, e);
  }
  return multiplied_out(algebra::sum(terms));
}

}  // namespace mercer::proof
