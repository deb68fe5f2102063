// Functions u(min) v(max) of two numbers: Green's functions.
#include "kernel/transform.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::equal;
using algebra::swap_sides;

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
  if ((e->op != Op::sum && e->op != Op::product) || contains_normalize(e)) return std::nullopt;
  const Expr h = multiplied_out(ordered(e));
  if (!equal(h, e) && equal(swap_sides(h), h)) {  // min*max = x*z
    auto premise = prover.prove(h, Claim::kernel);
    if (premise)
      return conclude("function of min and max", e, Claim::kernel, {}, {std::move(*premise)});
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
    return conclude("function of min and max", e, Claim::kernel, {},
                    {std::move(*first), std::move(*second)});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_green() {
  return {{220,
           Claim::kernel,
           green,
           {{"function of min and max",
             "A symmetric function of two numbers that is u(x) v(z) for x <= z is u(min) v(max).",
             "product of kernels of min and of max; Brownian bridge, exp(-|x-z|)"}}}};
}

}  // namespace mercer::proof
