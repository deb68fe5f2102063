// min and max, and monotone functions of them.
#include <algorithm>

#include "kernel/print.hpp"
#include "kernel/transform.hpp"
#include "proof/monotone.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::equal;
using algebra::is_number;
using algebra::swap_sides;
using Found = std::optional<Derivation>;

// The node min(f(x), f(z)) or max(f(x), f(z)) through which alone an expression sees the points.
std::optional<Expr> only_extremum(const Expr& e) {
  if (e->op == Op::minimum || e->op == Op::maximum) {
    if (e->args.size() != 2 || !equal(swap_sides(e->args[0]), e->args[1])) return std::nullopt;
    if (e->args[0]->uses_x == e->args[0]->uses_z) return std::nullopt;
    return e;
  }
  std::optional<Expr> found;
  for (const auto& arg : e->args) {
    if (!arg->uses_x && !arg->uses_z) continue;
    const auto here = only_extremum(arg);
    if (!here || (found && !equal(*found, *here))) return std::nullopt;
    found = here;
  }
  if (e->op == Op::sum_over || e->op == Op::product_over || e->op == Op::symmetric_over)
    return std::nullopt;
  return found;
}

std::optional<std::string> transform_of(const Prover& prover, const Expr& e) {
  const auto extremum = only_extremum(e);
  if (!extremum) return std::nullopt;
  const bool of_min = (*extremum)->op == Op::minimum;
  const Trend trend = trend_in(e, *extremum, prover.domain());
  if (of_min ? !rises(trend) : !falls(trend)) return std::nullopt;
  const std::string inner = print(*extremum, algebra::Naming::formulas);
  return of_min ? "g(" + inner + ") = min(g(f(x)), g(f(z))) as g does not fall"
                : "g(" + inner + ") = min(g(f(x)), g(f(z))) as g does not rise";
}

Found minimum(Prover& prover, const Expr& e) {
  const auto note = transform_of(prover, e);
  if (!note || !prover.nonnegative(e)) return std::nullopt;
  return conclude("minimum", e, Claim::kernel, *note);
}

Found conditional_minimum(Prover& prover, const Expr& e) {
  const auto note = transform_of(prover, e);
  if (!note) return std::nullopt;
  return conclude("minimum, conditionally", e, Claim::conditional, *note);
}

// Numbers x <= z: the min is x, the max is z, and |x - z| is z - x.
Expr ordered(const Expr& e) {
  if (e->args.empty()) return e;
  if ((e->op == Op::minimum || e->op == Op::maximum) && e->args.size() == 2) {
    const auto is = [](const Expr& c, algebra::Side side) {
      return c->op == Op::coordinate && c->side == side && c->place != algebra::Place::bound;
    };
    if (is(e->args[0], algebra::Side::x) && equal(swap_sides(e->args[0]), e->args[1]))
      return e->args[e->op == Op::minimum ? 0 : 1];
  }
  if (algebra::is_function(e, Function::abs) && is_difference(e->args[0])) {
    const Expr& d = e->args[0];  // x - z up to a factor
    if (d->op == Op::sum && d->args.size() == 2 && d->args[0]->op == Op::coordinate)
      return algebra::scale(d->coefficients[0].sign() > 0 ? -1 : 1, d);
  }
  std::vector<Expr> args;
  for (const auto& arg : e->args) args.push_back(ordered(arg));
  return algebra::with_args(*e, std::move(args));
}

// u(x) v(z) for a sum of products that is one: the matrix of its terms has rank 1.
std::optional<std::pair<Expr, Expr>> factored(const Expr& e) {
  struct Entry {
    Expr of_x;
    Expr of_z;
    Rational c;
  };
  std::vector<Entry> entries;
  const auto add = [&](const Rational& c, const Expr& term) {
    const Sides sides = split_sides(term);
    if (!sides.mixed.empty()) return false;
    entries.push_back({sides.of_x, sides.of_z, c});
    return true;
  };
  if (e->op == Op::sum) {
    for (std::size_t i = 0; i < e->args.size(); ++i)
      if (!add(e->coefficients[i], e->args[i])) return std::nullopt;
    if (!e->number.is_zero())
      entries.push_back({algebra::number(1), algebra::number(1), e->number});
  } else if (!add(1, e)) {
    return std::nullopt;
  }
  const auto at = [&](const Expr& u, const Expr& v) {
    for (const auto& entry : entries)
      if (equal(entry.of_x, u) && equal(entry.of_z, v)) return entry.c;
    return Rational(0);
  };
  const Entry& first = entries[0];
  std::vector<algebra::Term> u;
  std::vector<algebra::Term> v;
  for (const auto& entry : entries) {
    // Rank 1: c(u,v) c(u0,v0) = c(u,v0) c(u0,v) for all.
    for (const auto& other : entries)
      if (at(entry.of_x, other.of_z) * first.c !=
          at(entry.of_x, first.of_z) * at(first.of_x, other.of_z))
        return std::nullopt;
    if (equal(entry.of_z, first.of_z)) u.push_back({entry.c / first.c, entry.of_x});
    if (equal(entry.of_x, first.of_x)) v.push_back({entry.c, entry.of_z});
  }
  return std::pair{algebra::sum(u), algebra::sum(v)};
}

Expr with_coordinates(const Expr& e, const Expr& replacement) {
  return algebra::rewrite(
      e, {.leaf = [&](const Expr& leaf,
                      std::uint32_t) { return leaf->op == Op::coordinate ? replacement : leaf; },
          .columns = {}});
}

// For numbers, a symmetric k(x,z) is h(min, max); where h(a,b) = u(a) v(b), it is u(min) v(max).
Found green(Prover& prover, const Expr& e) {
  if (!e->as_number || e->free_levels != 0 || !equal(swap_sides(e), e)) return std::nullopt;
  if (e->op != Op::sum && e->op != Op::product) return std::nullopt;
  const Expr h = multiplied_out(ordered(e));
  if (!equal(h, e) && equal(swap_sides(h), h)) {  // min*max = x*z
    auto premise = prover.prove(h, Claim::kernel);
    if (premise)
      return conclude("function of min and max", e, Claim::kernel, "", {std::move(*premise)});
  }
  const auto factors = factored(h);
  if (!factors) return std::nullopt;
  const Expr x = algebra::only_coordinate(algebra::Side::x, {});
  const Expr z = algebra::only_coordinate(algebra::Side::z, {});
  const Expr u = with_coordinates(factors->first, algebra::minimum({x, z}));
  const Expr v = with_coordinates(factors->second, algebra::maximum({x, z}));
  for (const Rational& sign : {Rational(1), Rational(-1)}) {
    const Expr low = algebra::scale(sign, u);
    const Expr high = algebra::scale(sign, v);
    auto first = prover.prove(low, Claim::kernel);
    if (!first) continue;
    auto second = prover.prove(high, Claim::kernel);
    if (!second) continue;
    return conclude("function of min and max", e, Claim::kernel,
                    "it is (" + print(low, algebra::Naming::formulas) + ") * (" +
                        print(high, algebra::Naming::formulas) + ")",
                    {std::move(*first), std::move(*second)});
  }
  return std::nullopt;
}

// (a b)^r = a^r b^r where a, b >= 0 on the domain.
Found root_of_product(Prover& prover, const Expr& e) {
  if (e->op != Op::power || e->args[0]->op != Op::product || !is_number(e->args[1]))
    return std::nullopt;
  std::vector<Expr> factors;
  for (const auto& f : e->args[0]->args) {
    if (!prover.nonnegative(f)) return std::nullopt;
    factors.push_back(algebra::power(f, e->args[1]->number));
  }
  const Expr split = algebra::multiply(factors);
  if (equal(split, e)) return std::nullopt;
  auto premise = prover.prove(split, Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("power of a product", e, Claim::kernel, "", {std::move(*premise)});
}

}  // namespace

std::vector<RuleEntry> order_rules() {
  return {
      {{"minimum", "min(g(x), g(z)) is a kernel for every g >= 0.",
        "notes, exercise 21: min(a,b) = ∫ 1[t<=a] 1[t<=b] dt over t >= 0"},
       Claim::kernel,
       minimum},
      {{"minimum, conditionally", "min(g(x), g(z)) is conditionally positive definite for every g.",
        "on finitely many points g - c >= 0 for some constant c"},
       Claim::conditional,
       conditional_minimum},
      {{"function of min and max",
        "A symmetric function of two numbers that is u(x) v(z) for x <= z is u(min) v(max).",
        "product of kernels of min and of max; Brownian bridge, exp(-|x-z|)"},
       Claim::kernel,
       green},
      {{"power of a product", "(a b)^r = a^r b^r for a, b >= 0.", "algebra"},
       Claim::kernel,
       root_of_product},
  };
}

}  // namespace mercer::proof
