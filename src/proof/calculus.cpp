#include "proof/calculus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/defined.hpp"
#include "kernel/domain_body.hpp"
#include "kernel/transform.hpp"
#include "proof/on_domain.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/univariate.hpp"

namespace mercer::proof {

namespace {

using algebra::Function;
using algebra::is_number;
using algebra::Op;
using algebra::Side;

Expr function(Function fn, const Expr& e) { return algebra::apply_function(fn, e); }

// The derivative of the outer function at e.
std::optional<Expr> outer_derivative(Function fn, const Expr& e) {
  switch (fn) {
    case Function::exp:
      return function(Function::exp, e);
    case Function::log:
      return algebra::power(e, Rational(-1));
    case Function::cos:
      return algebra::scale(-1, function(Function::sin, e));
    case Function::sin:
      return function(Function::cos, e);
    case Function::cosh:
      return function(Function::sinh, e);
    case Function::sinh:
      return function(Function::cosh, e);
    case Function::tanh:
      return algebra::power(function(Function::cosh, e), Rational(-2));
    case Function::asin:
      return algebra::power(algebra::sum({{-1, algebra::power(e, Rational(2))}}, 1),
                            Rational(-1, 2));
    case Function::abs:
      break;
  }
  return std::nullopt;
}

std::optional<double> finite(double v) {
  return std::isfinite(v) ? std::optional(v) : std::nullopt;
}

}  // namespace

Expr number_x() { return algebra::only_coordinate(Side::x, {}); }
Expr number_z() { return algebra::only_coordinate(Side::z, {}); }

Expr replaced(const Expr& e, const Expr& part, const Expr& by) {
  if (algebra::equal(e, part)) return by;
  if (e->args.empty()) return e;
  std::vector<Expr> args;
  args.reserve(e->args.size());
  for (const auto& arg : e->args) args.push_back(replaced(arg, part, by));
  return algebra::with_args(*e, std::move(args));
}

Expr with_side(const Expr& e, Side side, const Expr& by) {
  return algebra::rewrite(e, {.leaf =
                                  [&](const Expr& leaf, std::uint32_t) {
                                    return leaf->op == Op::coordinate && leaf->side == side ? by
                                                                                            : leaf;
                                  },
                              .columns = {}});
}

Expr with_both_sides(const Expr& e, const Expr& by) {
  return algebra::rewrite(
      e, {.leaf = [&](const Expr& leaf,
                      std::uint32_t) { return leaf->op == Op::coordinate ? by : leaf; },
          .columns = {}});
}

std::optional<Rational> constant_of(const Expr& e) {
  if (is_number(e)) return e->number;
  if (e->op != Op::sum) return std::nullopt;
  const bool vanishes =
      std::ranges::all_of(e->coefficients, [](const Rational& c) { return c.is_zero(); });
  return vanishes ? std::optional(e->number) : std::nullopt;
}

std::optional<Expr> derivative(const Expr& e, Side side) {
  const bool depends = side == Side::x ? e->uses_x : e->uses_z;
  if (!depends) return algebra::number(0);
  switch (e->op) {
    case Op::coordinate:
      return algebra::number(1);
    case Op::sum: {
      std::vector<algebra::Term> terms;
      for (std::size_t i = 0; i < e->args.size(); ++i) {
        const auto d = derivative(e->args[i], side);
        if (!d) return std::nullopt;
        terms.push_back({e->coefficients[i], *d});
      }
      return algebra::sum(terms);
    }
    case Op::product: {
      std::vector<algebra::Term> terms;
      for (std::size_t i = 0; i < e->args.size(); ++i) {
        const auto d = derivative(e->args[i], side);
        if (!d) return std::nullopt;
        std::vector<Expr> factors = e->args;
        factors[i] = *d;
        terms.push_back({1, algebra::multiply(factors)});
      }
      return algebra::sum(terms);
    }
    case Op::power: {
      if (is_number(e->args[1])) {
        const auto d = derivative(e->args[0], side);
        const Rational& r = e->args[1]->number;
        if (!d) return std::nullopt;
        return algebra::scale(r,
                              algebra::multiply(algebra::power(e->args[0], r - Rational(1)), *d));
      }
      if (!algebra::is_constant(e->args[0])) return std::nullopt;
      const auto d = derivative(e->args[1], side);
      if (!d) return std::nullopt;
      return algebra::multiply({e, function(Function::log, e->args[0]), *d});
    }
    case Op::function: {
      const auto inner = derivative(e->args[0], side);
      const auto outer = outer_derivative(e->fn, e->args[0]);
      if (!inner || !outer) return std::nullopt;
      return algebra::multiply(*outer, *inner);
    }
    default:
      return std::nullopt;
  }
}

Domain between(double low, double high) {
  const auto end = [](double v) { return v < 0 ? "-inf" : "inf"; };
  const auto l = finite(low);
  const auto h = finite(high);
  if (!l && !h) return Domain::reals();
  return Domain::parse((l ? "[" + Rational::exactly(*l).text() : std::string("(") + end(low)) +
                       "," +
                       (h ? Rational::exactly(*h).text() + "]" : std::string(end(high)) + ")"));
}

namespace {

bool nonnegative_within(const Expr& e, double low, double high, int depth) {
  const auto range = algebra::range_on(e, between(low, high));
  if (range.nonnegative()) return true;
  if (depth == 0 || range.high < 0) return false;
  double middle = 0;
  if (std::isinf(low) && std::isinf(high)) {
    middle = 0;
  } else if (std::isinf(high)) {
    middle = low < 1 ? low + 1 : 2 * low;
  } else if (std::isinf(low)) {
    middle = high > -1 ? high - 1 : 2 * high;
  } else {
    middle = low + (high - low) / 2;
  }
  if (middle <= low || middle >= high) return false;
  return nonnegative_within(e, low, middle, depth - 1) &&
         nonnegative_within(e, middle, high, depth - 1);
}

}  // namespace

Domain hull_of(const Domain& domain) {
  auto bounds = domain.bounds();
  const auto& body = domain.body();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto outward = [](double v, const std::optional<Rational>& exact, double towards) {
    return exact && Rational::exactly(v) != *exact ? std::nextafter(v, towards) : v;
  };
  if (body.kind == Domain::Kind::interval) {
    bounds.low = outward(bounds.low, body.low, -infinity);
    bounds.high = outward(bounds.high, body.high, infinity);
  } else if (body.kind == Domain::Kind::finite) {
    bounds.low = outward(bounds.low, body.values.front(), -infinity);
    bounds.high = outward(bounds.high, body.values.back(), infinity);
  } else if (body.kind == Domain::Kind::ball) {
    bounds.high = outward(bounds.high, body.radius, infinity);
    bounds.low = -bounds.high;
  }
  return between(bounds.low, bounds.high);
}

namespace {

// The coordinate that e sees, where it is one; an empty pointer where there is none yet.
bool sees_only(const Expr& e, Expr& coordinate) {
  if (e->op == Op::coordinate) {
    if (!coordinate) coordinate = e;
    return algebra::equal(coordinate, e);
  }
  return std::ranges::all_of(e->args, [&](const Expr& arg) { return sees_only(arg, coordinate); });
}

// Pieces of the domain and polynomials are of one number: other coordinates are not at the same
// place, and sums over coordinates have more terms than one.
bool of_one_number(const Expr& e) {
  Expr coordinate;
  return !algebra::has_reduction(e) && sees_only(e, coordinate);
}

}  // namespace

bool positive_on(const Expr& e, const Domain& domain) {
  if (e->positive || algebra::range_on(e, domain).positive()) return true;
  if (!of_one_number(e)) return false;
  const auto& body = domain.body();
  const auto p = univariate(multiplied_out(without_denominators(e, domain)));
  if (!p) return false;
  if (body.kind == Domain::Kind::interval)
    return positive_between(*p, body.low, body.low_open, body.high, body.high_open);
  if (body.kind == Domain::Kind::naturals)
    return positive_between(*p, Rational(1), false, std::nullopt, true);
  return body.kind == Domain::Kind::reals &&
         positive_between(*p, std::nullopt, true, std::nullopt, true);
}

bool nonnegative_on(const Expr& e, const Domain& domain) {
  if (algebra::range_on(e, domain).nonnegative() || e->nonnegative) return true;
  if (!of_one_number(e)) return false;
  const Expr flat = without_denominators(e, domain);
  const Expr expanded = multiplied_out(flat);
  const auto& body = domain.body();
  if (const auto p = univariate(expanded)) {
    if (body.kind == Domain::Kind::interval) return nonnegative_between(*p, body.low, body.high);
    if (body.kind == Domain::Kind::naturals)
      return nonnegative_between(*p, Rational(1), std::nullopt);
    if (body.kind == Domain::Kind::reals)
      return nonnegative_between(*p, std::nullopt, std::nullopt);
  }
  const auto bounds = hull_of(domain).bounds();
  constexpr int deepest = 9;
  return nonnegative_within(expanded, bounds.low, bounds.high, deepest) ||
         nonnegative_within(flat, bounds.low, bounds.high, deepest);
}

}  // namespace mercer::proof
