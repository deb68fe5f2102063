// Products: flat, without numbers, powers of one base collected.
#include <algorithm>

#include "kernel/expr.hpp"
#include "kernel/simplify.hpp"

namespace mercer::algebra {

namespace {

struct Factor {
  Expr base;
  Rational exponent;
};

// exp(c*u) counts as exp(u)^c with the first coefficient of u equal to 1, so that rbf(1)*rbf(2)
// becomes rbf(3).
Factor as_factor(const Expr& e) {
  if (e->op == Op::power && is_number(e->args[1])) return {e->args[0], e->args[1]->number};
  if (is_function(e, Function::exp) && e->args[0]->op == Op::sum &&
      !e->args[0]->coefficients[0].is_zero()) {
    const Rational lead = e->args[0]->coefficients[0];
    return {apply_function(Function::exp, scale(Rational(1) / lead, e->args[0])), lead};
  }
  return {e, 1};
}

void flatten(const Expr& e, Rational& coefficient, std::vector<Expr>& factors) {
  const auto [c, rest] = split_coefficient(e);
  coefficient *= c;
  if (rest->op == Op::number) return;
  if (rest->op == Op::product) {
    factors.insert(factors.end(), rest->args.begin(), rest->args.end());
  } else {
    factors.push_back(rest);
  }
}

// The powers of one base as one, or as the canonical two where together they ask more of it.
std::vector<Expr> collect(const Expr& base, const std::vector<Rational>& exponents) {
  Need asked;
  Rational total;
  for (const auto& r : exponents) {
    asked = asked | need_of(base, r);
    total += r;
  }
  if (need_of(base, total) == asked) return {power(base, total)};
  const Rational aside = aside_exponent(asked);
  return {power(base, aside), power(base, total - aside)};
}

std::vector<Expr> collect_powers(const std::vector<Expr>& expanded) {
  std::vector<Factor> factors;
  factors.reserve(expanded.size());
  for (const auto& e : expanded) factors.push_back(as_factor(e));
  std::ranges::stable_sort(
      factors, [](const Factor& a, const Factor& b) { return compare(a.base, b.base) < 0; });
  std::vector<Expr> result;
  for (std::size_t i = 0; i < factors.size();) {
    const Expr& base = factors[i].base;
    std::vector<Rational> exponents;
    for (; i < factors.size() && equal(factors[i].base, base); ++i)
      exponents.push_back(factors[i].exponent);
    if (exponents.size() == 1) {
      result.push_back(power(base, exponents[0]));
    } else {
      for (auto& e : collect(base, exponents)) result.push_back(std::move(e));
    }
  }
  return result;
}

}  // namespace

namespace {

bool same(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::ranges::equal(a, b, [](const Expr& e, const Expr& f) { return equal(e, f); });
}

void take_common_factors(std::vector<Expr>& factors, Rational& coefficient) {
  if (factors.size() < 2) return;
  for (auto& e : factors) {
    auto [c, rest] = take_common(e);
    coefficient *= c;
    e = std::move(rest);
  }
}

}  // namespace

Expr multiply(const std::vector<Expr>& factors) {
  Rational coefficient = 1;
  std::vector<Expr> flat;
  for (const auto& e : factors) flatten(e, coefficient, flat);

  // Collecting may leave numbers, multiples or products (2^(1/2) * 2^(1/2) is 2), which are
  // flattened and collected again until nothing changes.
  constexpr int enough = 32;
  for (int round = 0; round < enough; ++round) {
    take_common_factors(flat, coefficient);
    std::vector<Expr> next;
    for (const auto& e : collect_powers(flat)) flatten(e, coefficient, next);
    const bool settled = same(next, flat);
    flat = std::move(next);
    if (settled) break;
  }
  if (recognise_chi(flat) || recognise_normalized(flat)) return scale(coefficient, multiply(flat));

  if (coefficient.is_zero()) {  // only what may be undefined is left: 0*x2/x1 is 0/x1
    std::vector<Expr> parts;
    parts.reserve(flat.size());
    for (const auto& e : flat) parts.push_back(undefined_part(e));
    if (!same(parts, flat)) return scale(0, multiply(parts));
  }
  if (flat.empty()) return number(coefficient);
  if (flat.size() == 1) return scale(coefficient, flat[0]);
  std::ranges::sort(flat, [](const Expr& a, const Expr& b) { return compare(a, b) < 0; });
  Node n;
  n.op = Op::product;
  n.args = std::move(flat);
  return scale(coefficient, finish(std::move(n)));
}

Expr undefined_part(const Expr& e) {
  if (e->total) return number(1);
  const bool passes_on =
      e->op == Op::product || e->op == Op::sum || e->op == Op::minimum || e->op == Op::maximum ||
      (e->op == Op::function && e->fn != Function::log && e->fn != Function::asin) ||
      (e->op == Op::power && is_number(e->args[1]) && e->args[1]->number.is_integer() &&
       e->args[1]->number.sign() > 0);
  if (!passes_on) return e;
  std::vector<Expr> parts;
  for (const auto& arg : e->args) parts.push_back(undefined_part(arg));
  return split_coefficient(multiply(parts)).rest;
}

Expr multiply(const Expr& a, const Expr& b) { return multiply(std::vector<Expr>{a, b}); }

Expr divide(const Expr& a, const Expr& b) { return multiply(a, power(b, Rational(-1))); }

}  // namespace mercer::algebra
