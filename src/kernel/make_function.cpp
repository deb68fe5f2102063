// Functions of one value, minima and maxima, and the two quotients that are 0 at 0/0.
#include <algorithm>
#include <mercer/error.hpp>

#include "kernel/expr.hpp"
#include "kernel/simplify.hpp"
#include "kernel/transform.hpp"

namespace mercer::algebra {

namespace {

Expr node(Function fn, const Expr& e) {
  Node n;
  n.op = Op::function;
  n.fn = fn;
  n.args = {e};
  return finish(std::move(n));
}

int leading_sign(const Expr& e) {
  if (e->op == Op::number) return e->number.sign();
  if (e->op == Op::sum) return e->coefficients[0].sign();
  return 1;
}

Expr absolute(const Expr& e) {
  if (e->nonnegative) return e;
  const auto [c, rest] = split_coefficient(e);
  if (!c.is_one()) return scale(abs(c), absolute(rest));
  if (e->op == Op::product) {
    std::vector<Expr> factors;
    for (const auto& arg : e->args) factors.push_back(absolute(arg));
    return multiply(factors);
  }
  if (e->op == Op::power && is_number(e->args[1]) && e->args[1]->number.is_integer())
    return power(absolute(e->args[0]), e->args[1]->number);
  const auto common = take_common(e);
  if (!common.factor.is_one()) return scale(abs(common.factor), absolute(common.rest));
  return node(Function::abs, e);
}

Expr exponential(const Expr& e) {
  if (is_number(e, 0)) return number(1);
  const auto [c, rest] = split_coefficient(e);
  if (is_function(rest, Function::log) && rest->args[0]->positive) return power(rest->args[0], c);
  return node(Function::exp, e);
}

Expr logarithm(const Expr& e) {
  if (is_number(e, 1)) return number(0);
  if (is_function(e, Function::exp)) return e->args[0];
  return node(Function::log, e);
}

}  // namespace

Expr apply_function(Function fn, const Expr& e) {
  switch (fn) {
    case Function::exp:
      return exponential(e);
    case Function::log:
      return logarithm(e);
    case Function::abs:
      return absolute(e);
    case Function::cos:
    case Function::cosh:
      if (is_number(e, 0)) return number(1);
      if (is_function(e, Function::abs)) return apply_function(fn, e->args[0]);
      return node(fn, leading_sign(e) < 0 ? scale(-1, e) : e);
    case Function::sin:
    case Function::sinh:
    case Function::tanh:
    case Function::asin:
      if (is_number(e, 0)) return e;
      if (leading_sign(e) < 0) return scale(-1, node(fn, scale(-1, e)));
      return node(fn, e);
  }
  return node(fn, e);
}

namespace {

Expr extremum(Op op, const std::vector<Expr>& given) {
  std::vector<Expr> args;
  std::optional<Rational> bound;  // of the numbers among them
  const auto take = [&](const Expr& e) {
    if (e->op != Op::number) {
      args.push_back(e);
    } else if (!bound) {
      bound = e->number;
    } else {
      bound = op == Op::minimum ? std::min(*bound, e->number) : std::max(*bound, e->number);
    }
  };
  for (const auto& e : given) {
    if (e->op == op) {
      std::ranges::for_each(e->args, take);
    } else {
      take(e);
    }
  }
  std::ranges::sort(args, [](const Expr& a, const Expr& b) { return compare(a, b) < 0; });
  args.erase(std::unique(args.begin(), args.end(), equal), args.end());
  if (bound) args.push_back(number(*bound));
  if (args.size() == 1) return args[0];
  Node n;
  n.op = op;
  n.args = std::move(args);
  return finish(std::move(n));
}

}  // namespace

Expr minimum(const std::vector<Expr>& args) { return extremum(Op::minimum, args); }

Expr maximum(const std::vector<Expr>& args) { return extremum(Op::maximum, args); }

Expr matern(const Rational& nu, const Expr& squared_argument) {
  if (is_number(squared_argument, 0)) return number(1);
  Node n;
  n.op = Op::matern;
  n.number = nu;
  n.args = {squared_argument};
  return finish(std::move(n));
}

Expr chi(const Expr& a, const Expr& b) {
  if (equal(a, b)) return number(0);
  Node n;
  n.op = Op::chi;
  n.args = {a, b};
  if (compare(a, b) > 0) std::swap(n.args[0], n.args[1]);
  return finish(std::move(n));
}

bool recognise_chi(std::vector<Expr>& factors) {
  for (auto square = factors.begin(); square != factors.end(); ++square) {
    // (a - b)^2 for one coordinate a of x and the same b of z
    if ((*square)->op != Op::power || !is_number((*square)->args[1], 2)) continue;
    const Expr& difference = (*square)->args[0];
    if (difference->op != Op::sum || difference->args.size() != 2) continue;
    const Expr& a = difference->args[0];
    const Expr& b = difference->args[1];
    if (a->op != Op::coordinate || b->op != Op::coordinate || !equal(swap_sides(a), b)) continue;
    if (!equal(difference, subtract(a, b))) continue;
    const Expr inverse = power(add(a, b), Rational(-1));
    const auto match =
        std::ranges::find_if(factors, [&](const Expr& e) { return equal(e, inverse); });
    if (match == factors.end()) continue;
    *square = chi(a, b);
    factors.erase(match);
    return true;
  }
  return false;
}

namespace {

// k(x,x) is known not to be negative; of a normalized kernel it is 0 or 1.
bool has_squared_norm(const Expr& k) { return k->op == Op::normalize || diagonal(k)->nonnegative; }

}  // namespace

Expr normalize(const Expr& k) {
  const Expr squared_norm = diagonal(k);
  if (is_number(squared_norm)) {
    if (squared_norm->number.sign() > 0) return scale(Rational(1) / squared_norm->number, k);
    if (squared_norm->number.is_zero() && k->total) return number(0);
  }
  const auto [c, rest] = split_coefficient(k);
  if (c.sign() > 0 && !c.is_one()) return normalize(rest);
  if (k->op == Op::normalize) return k;
  // Products and powers part by part, wherever each part has a square norm that cannot be negative.
  if (k->op == Op::power && is_number(k->args[1]) && k->args[1]->number.is_integer() &&
      k->args[1]->number.sign() > 0 && has_squared_norm(k->args[0]))
    return power(normalize(k->args[0]), k->args[1]->number);
  if (k->op == Op::product) {
    std::vector<Expr> apart;
    std::vector<Expr> together;
    for (const auto& e : k->args) {
      const bool splits =
          e->uses_x && e->uses_z && has_squared_norm(e) && (e->total || e->op == Op::normalize);
      (splits ? apart : together).push_back(splits ? normalize(e) : e);
    }
    const Expr left = multiply(together);
    if (!apart.empty() && (is_number(left) || has_squared_norm(left))) {
      if (!is_number(left)) apart.push_back(normalize(left));
      return multiply(apart);
    }
  }
  Node n;
  n.op = Op::normalize;
  n.has_norm = has_squared_norm(k);
  n.args = {k};
  return finish(std::move(n));
}

bool recognise_normalized(std::vector<Expr>& factors) {
  const auto divides = [](const Expr& e) {
    return e->op == Op::power && is_number(e->args[1]) && e->args[1]->number.sign() < 0 &&
           !e->args[0]->positive && e->uses_x != e->uses_z;
  };
  std::vector<Expr> by_x;
  std::vector<Expr> by_z;
  std::vector<Expr> rest;
  for (const auto& e : factors) {
    if (divides(e)) {
      (e->uses_x ? by_x : by_z).push_back(e);
    } else {
      rest.push_back(e);
    }
  }
  if (by_x.empty() || by_z.empty() || rest.empty()) return false;
  const Expr inverse = multiply(by_x);  // 1/f(x)
  if (!equal(swap_sides(inverse), multiply(by_z))) return false;
  const Expr k = multiply(rest);
  // k/(f(x) f(z)) needs f >= 0; f may be negative as a product of odd powers.
  if (!k->uses_x || !k->uses_z || !inverse->nonnegative) return false;
  try {
    if (!equal(power(diagonal(k), Rational(-1)), power(inverse, Rational(2)))) return false;
  } catch (const Error&) {
    return false;  // k(x,x) is 0 or undefined
  }
  factors = {normalize(k)};
  return true;
}

}  // namespace mercer::algebra
