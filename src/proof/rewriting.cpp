#include "proof/rewriting.hpp"

#include <mercer/error.hpp>

#include "kernel/defined.hpp"
#include "kernel/multiply_out.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"

namespace mercer::proof {

namespace {

using algebra::apply_function;
using algebra::Function;
using algebra::is_constant;
using algebra::is_function;
using algebra::is_number;
using algebra::multiply;
using algebra::Op;
using algebra::Term;

std::vector<Term> terms_of(const Expr& e) {
  if (e->op != Op::sum) return {{1, e}};
  std::vector<Term> terms;
  for (std::size_t i = 0; i < e->args.size(); ++i)
    terms.push_back({e->coefficients[i], e->args[i]});
  if (!e->number.is_zero()) terms.push_back({e->number, algebra::number(1)});
  return terms;
}

std::vector<Expr> factors_of(const Expr& e) {
  if (e->op == Op::product) return e->args;
  return {e};
}

Expr exp_of(const Expr& e) { return apply_function(Function::exp, e); }

// exp(a) exp(b)² c as exp(a + 2b) c
Expr with_joined_exponentials(const Expr& product) {
  std::vector<Term> exponents;
  std::vector<Expr> others;
  for (const auto& f : factors_of(product)) {
    if (is_function(f, Function::exp)) {
      exponents.push_back({1, f->args[0]});
    } else {
      others.push_back(f);
    }
  }
  if (exponents.size() < 2) return product;
  others.push_back(exp_of(algebra::multiplied_out(algebra::sum(exponents))));
  return multiply(others);
}

// sin(u)^n with n >= 2 as (1 - cos(u)²) sin(u)^(n-2), in a product.
Expr with_few_sines(const Expr& product) {
  std::vector<Expr> factors = factors_of(product);
  bool changed = false;
  for (auto& f : factors) {
    const auto n =
        f->op == Op::power && is_number(f->args[1]) ? f->args[1]->number.to_int() : std::nullopt;
    if (!n || *n < 2 || !is_function(f->args[0], Function::sin)) continue;
    const Expr cosine = apply_function(Function::cos, f->args[0]->args[0]);
    const Expr square = algebra::sum({{-1, algebra::power(cosine, 2)}}, 1);
    f = multiply(algebra::power(square, Rational(*n / 2)), algebra::power(f->args[0], *n % 2));
    changed = true;
  }
  return changed ? multiply(factors) : product;
}

// Multiplied out, with exponentials joined and squares of sines gone, until nothing changes.
Expr flattened(Expr e) {
  constexpr int most_rounds = 8;
  for (int round = 0; round < most_rounds; ++round) {
    const Expr before = e;
    e = algebra::multiplied_out(e);
    std::vector<Term> terms;
    for (const auto& t : terms_of(e))
      terms.push_back({t.coefficient, with_few_sines(with_joined_exponentials(t.expr))});
    e = algebra::sum(terms);
    if (equal(e, before)) break;
  }
  return e;
}

// cos(Σ n_i u_i) and sin(Σ n_i u_i) through cos(u_i) and sin(u_i).
struct Angle {
  Expr cosine;
  Expr sine;
};

Angle sum_of(const Angle& a, const Angle& b) {
  return {algebra::subtract(multiply(a.cosine, b.cosine), multiply(a.sine, b.sine)),
          algebra::add(multiply(a.sine, b.cosine), multiply(a.cosine, b.sine))};
}

Angle angle_of(const Term& t) {
  constexpr std::int64_t most = 8;
  const auto up = t.coefficient.numerator().to_int();
  const bool few = up && *up >= -most && *up <= most && *up != 0;
  const std::int64_t n = few ? std::abs(*up) : 1;
  const Rational unit = few ? abs(t.coefficient) / Rational(n) : abs(t.coefficient);
  const Expr u = scale(unit, t.expr);
  const Angle one{apply_function(Function::cos, u), apply_function(Function::sin, u)};
  Angle total = one;
  for (std::int64_t i = 1; i < n; ++i) {
    total = sum_of(total, one);
    total = {flattened(total.cosine), flattened(total.sine)};
  }
  if (t.coefficient.sign() < 0) total.sine = scale(-1, total.sine);
  return total;
}

Expr trigonometric(Function fn, const Expr& argument) {
  Angle total{algebra::number(1), algebra::number(0)};
  for (const auto& t : terms_of(argument)) total = sum_of(total, angle_of(t));
  return flattened(fn == Function::cos ? total.cosine : total.sine);
}

Expr hyperbolic(Function fn, const Expr& u) {
  const Rational half(1, 2);
  if (fn == Function::tanh) {  // 1 - 2/(exp(2u) + 1)
    const Expr below = algebra::sum({{1, exp_of(scale(2, u))}}, 1);
    return algebra::sum({{-2, algebra::power(below, Rational(-1))}}, 1);
  }
  return algebra::sum(
      {{half, exp_of(u)}, {fn == Function::cosh ? half : -half, exp_of(scale(-1, u))}});
}

class Normal {
 public:
  explicit Normal(const Domain& domain)
      : domain_(domain), on_sphere_(domain.kind() == Domain::Kind::sphere) {}

  [[nodiscard]] Expr run(const Expr& e) const {
    if (e->args.empty() || is_constant(e)) return e;
    std::vector<Expr> args;
    args.reserve(e->args.size());
    for (const auto& arg : e->args) args.push_back(run(arg));
    const Expr flat = flattened(step(algebra::with_args(*e, std::move(args))));
    return on_sphere_ ? with_unit_lengths(flat) : flat;
  }

 private:
  [[nodiscard]] Expr step(const Expr& e) const {
    switch (e->op) {
      case Op::function:
        return function(e);
      case Op::power:
        if (is_constant(e->args[0]) && e->args[0]->positive && !is_constant(e->args[1]))
          return exp_of(flattened(multiply(apply_function(Function::log, e->args[0]), e->args[1])));
        return root_of_product(e);
      case Op::product_over:
        if (is_function(e->args[0], Function::exp))
          return exp_of(flattened(algebra::sum_over(e->columns, e->args[0]->args[0])));
        return e;
      case Op::normalize: {
        const Expr square = run(algebra::diagonal(e->args[0]));
        if (!square->positive) return e;
        const Expr side = algebra::power(square, Rational(-1, 2));
        return multiply({e->args[0], side, algebra::swap_sides(side)});
      }
      case Op::minimum:
      case Op::maximum: {
        const Rational half(1, 2);
        Expr best = e->args[0];
        for (std::size_t i = 1; i < e->args.size(); ++i) {
          const Expr gap = length(algebra::subtract(best, e->args[i]));
          best = algebra::sum(
              {{half, best}, {half, e->args[i]}, {e->op == Op::minimum ? -half : half, gap}});
        }
        return best;
      }
      default:
        return e;
    }
  }

  [[nodiscard]] bool positive(const Expr& e) const {
    return e->positive || algebra::range_on(e, domain_).positive();
  }

  // |u|, which is u or -u where the sign is known
  [[nodiscard]] Expr length(const Expr& u) const {
    if (algebra::range_on(u, domain_).nonnegative()) return u;
    const Expr other = scale(-1, u);
    return algebra::range_on(other, domain_).nonnegative() ? other
                                                           : apply_function(Function::abs, u);
  }

  // log(c u^r v) = log c + r log u + log v, for positive factors
  [[nodiscard]] Expr logarithm(const Expr& e) const {
    const auto [c, rest] = algebra::split_coefficient(e->args[0]);
    if (c.sign() <= 0) return e;
    std::vector<Term> terms{{1, apply_function(Function::log, algebra::number(c))}};
    for (const auto& f : factors_of(rest)) {
      const bool is_power = f->op == Op::power && is_number(f->args[1]);
      const Expr& base = is_power ? f->args[0] : f;
      if (!positive(base)) return e;
      terms.push_back(
          {is_power ? f->args[1]->number : Rational(1), apply_function(Function::log, base)});
    }
    return algebra::sum(terms);
  }

  // (u v)^r = u^r v^r, for factors >= 0
  [[nodiscard]] Expr root_of_product(const Expr& e) const {
    if (e->args[0]->op != Op::product || !is_number(e->args[1]) || e->args[1]->number.sign() <= 0)
      return e;
    std::vector<Expr> factors;
    for (const auto& f : e->args[0]->args) {
      if (!f->nonnegative && !algebra::range_on(f, domain_).nonnegative()) return e;
      factors.push_back(algebra::power(f, e->args[1]->number));
    }
    return multiply(factors);
  }

  // exp(c log u + v) = u^c exp(v): where log u is defined, u > 0.
  [[nodiscard]] static Expr exponential(const Expr& e) {
    std::vector<Term> rest;
    std::vector<Expr> factors;
    for (const auto& t : terms_of(e->args[0])) {
      const auto [c, core] = algebra::split_coefficient(t.expr);
      if (is_function(core, Function::log) && !is_constant(core)) {
        factors.push_back(algebra::power(core->args[0], t.coefficient * c));
      } else {
        rest.push_back(t);
      }
    }
    if (factors.empty()) return e;
    factors.push_back(exp_of(algebra::sum(rest)));
    return multiply(factors);
  }

  [[nodiscard]] Expr function(const Expr& e) const {
    switch (e->fn) {
      case Function::exp:
        return exponential(e);
      case Function::log:
        return logarithm(e);
      case Function::abs:
        return length(e->args[0]);
      case Function::cosh:
      case Function::sinh:
      case Function::tanh:
        return hyperbolic(e->fn, e->args[0]);
      case Function::cos:
      case Function::sin:
        return trigonometric(e->fn, e->args[0]);
      default:
        return e;
    }
  }

  static Expr with_unit_lengths(const Expr& e) {
    if (e->op == Op::sum_over && is_squared_length(e)) return algebra::number(1);
    if (e->args.empty()) return e;
    std::vector<Expr> args;
    args.reserve(e->args.size());
    for (const auto& arg : e->args) args.push_back(with_unit_lengths(arg));
    return algebra::with_args(*e, std::move(args));
  }

  // |x|² or |z|² over all coordinates
  static bool is_squared_length(const Expr& e) {
    const Expr& body = e->args[0];
    return e->columns.all() && body->op == Op::power && is_number(body->args[1], 2) &&
           body->args[0]->op == Op::coordinate && body->args[0]->place == algebra::Place::bound;
  }

  const Domain& domain_;
  bool on_sphere_;
};

}  // namespace

Quotient as_quotient(const Expr& e) {
  switch (e->op) {
    case Op::sum: {
      Quotient total{algebra::number(e->number), algebra::number(1)};
      for (std::size_t i = 0; i < e->args.size(); ++i) {
        const Quotient q = as_quotient(e->args[i]);
        const Expr up = scale(e->coefficients[i], q.up);
        if (equal(q.down, total.down)) {
          total.up = algebra::add(total.up, up);
        } else {
          total = {algebra::add(multiply(total.up, q.down), multiply(up, total.down)),
                   multiply(total.down, q.down)};
        }
      }
      return total;
    }
    case Op::product: {
      Quotient total{algebra::number(1), algebra::number(1)};
      for (const auto& f : e->args) {
        const Quotient q = as_quotient(f);
        total = {multiply(total.up, q.up), multiply(total.down, q.down)};
      }
      return total;
    }
    case Op::power: {
      if (!is_number(e->args[1]) || e->args[1]->number.sign() > 0) return {e, algebra::number(1)};
      return {algebra::number(1), algebra::power(e->args[0], -e->args[1]->number)};
    }
    default:
      return {e, algebra::number(1)};
  }
}

// asin of 1 and of 1/2, which the canonical form leaves as they are.
static Expr with_known_angles(const Expr& e) {
  if (e->args.empty()) return e;
  std::vector<Expr> args;
  for (const auto& arg : e->args) args.push_back(with_known_angles(arg));
  Expr same = algebra::with_args(*e, std::move(args));
  if (!is_function(same, Function::asin) || !is_number(same->args[0])) return same;
  const Rational v = same->args[0]->number;
  const Rational sign = v.sign() < 0 ? -1 : 1;
  if (abs(v) == Rational(1)) return scale(sign * Rational(1, 2), algebra::pi());
  if (abs(v) == Rational(1, 2)) return scale(sign * Rational(1, 6), algebra::pi());
  return same;
}

Expr normal_form(const Expr& e, const Domain& domain) {
  return Normal(domain).run(with_known_angles(e));
}

std::optional<std::string> equal_by_rewriting(const Expr& a, const Expr& b, const Domain& domain) {
  try {
    const Expr u = normal_form(a, domain);
    const Expr v = normal_form(b, domain);
    if (equal(u, v)) {
      const std::string form = print_for_reading(u);
      constexpr std::size_t readable = 200;
      return "by rewriting, both are " + (form.size() < readable ? form : "of one normal form");
    }
    const Quotient p = as_quotient(u);
    const Quotient q = as_quotient(v);
    // Where both are defined, what is below the bars is not 0.
    const Expr difference = algebra::subtract(multiply(p.up, q.down), multiply(q.up, p.down));
    if (!is_number(flattened(difference), 0)) return std::nullopt;
    return "brought over one bar and multiplied out, their difference is 0";
  } catch (const Error&) {
    return std::nullopt;  // beyond a bound on sizes
  }
}

}  // namespace mercer::proof
