// Functions u(min) v(max) of two numbers: Green's functions.
#include <algorithm>
#include <mercer/error.hpp>

#include "kernel/domain_body.hpp"
#include "kernel/transform.hpp"
#include "proof/calculus.hpp"
#include "proof/on_domain.hpp"
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

Expr as_min_and_max(const Expr& h) {
  const Expr x = number_x();
  const Expr z = number_z();
  const Expr low = algebra::minimum({x, z});
  const Expr high = algebra::maximum({x, z});
  return algebra::rewrite(h, {.leaf =
                                  [&](const Expr& leaf, std::uint32_t) {
                                    if (leaf->op != Op::coordinate) return leaf;
                                    return leaf->side == algebra::Side::x ? low : high;
                                  },
                              .columns = {}});
}

// Derivatives may be unbounded at 0, where integrals need care.
bool contains_inverse(const Expr& e) {
  if (!e->total) return true;
  return std::ranges::any_of(e->args, contains_inverse);
}

// u >= 0, v >= 0 and u' v >= u v': then u/v does not fall, and u(min) v(max) = v(x) v(z)
// (u/v)(min).
bool rising_ratio(const Expr& u, const Expr& v, const Domain& domain) {
  const auto du = derivative(u, algebra::Side::x);
  const auto dv = derivative(v, algebra::Side::x);
  if (!du || !dv || !nonnegative_on(u, domain) || !nonnegative_on(v, domain)) return false;
  return nonnegative_on(algebra::subtract(algebra::multiply(*du, v), algebra::multiply(u, *dv)),
                        domain);
}

// For numbers, a symmetric k(x,z) is h(min, max); where h(a,b) = u(a) v(b), it is u(min) v(max).
Found green(Prover& prover, const Expr& e) {
  if (!e->as_number || e->free_levels != 0 || !equal(swap_sides(e), e)) return std::nullopt;
  if (contains_normalize(e)) return std::nullopt;
  const Expr h = simplified_on(multiplied_out(ordered(e)), prover.domain());
  if (!equal(h, e) && equal(swap_sides(h), h))  // min*max = x*z
    return prover.same("function of min and max", e, h, Claim::kernel);
  if (h->op == Op::sum && !equal(ordered(e), e) && !equal(as_min_and_max(h), e))
    if (auto found = prover.same("function of min and max", e, as_min_and_max(h), Claim::kernel))
      return found;
  const auto factors = factored(h);
  if (!factors) return std::nullopt;
  const Expr u = factors->first;
  const Expr v = swap_sides(factors->second);
  for (const Rational& sign : {Rational(1), Rational(-1)})
    if (rising_ratio(algebra::scale(sign, u), algebra::scale(sign, v), prover.domain()))
      return conclude(
          "Green's function", e, Claim::kernel,
          {.with = {given("u", algebra::scale(sign, u)), given("v", algebra::scale(sign, v))}});
  return std::nullopt;
}

// h(a,b) for a <= b with h(0,b) constant: k(x,z) - h(0,0) is the integral over [0,x] × [0,z] of the
// mixed derivative, and along the diagonal of the jump in the slope.
Found integrated(Prover& prover, const Expr& e) {
  if (!e->as_number || e->free_levels != 0 || !equal(swap_sides(e), e)) return std::nullopt;
  if (contains_normalize(e)) return std::nullopt;
  const auto& body = prover.domain().body();
  if (body.kind != Domain::Kind::interval || !body.low || !body.low->is_zero()) return std::nullopt;
  const Expr h = multiplied_out(ordered(e));
  if (equal(swap_sides(h), h)) return std::nullopt;  // no min or max in it
  try {
    const auto there = constant_of(with_side(h, algebra::Side::x, algebra::number(0)));
    if (!there || there->sign() < 0) return std::nullopt;
    const auto by_min = derivative(h, algebra::Side::x);
    const auto by_max = derivative(h, algebra::Side::z);
    const auto mixed = by_min ? derivative(*by_min, algebra::Side::z) : std::nullopt;
    if (!mixed || !by_max || contains_inverse(*mixed)) return std::nullopt;
    const Expr jump = algebra::diagonal(algebra::subtract(*by_min, *by_max));
    if (contains_inverse(jump) || !nonnegative_on(jump, prover.domain())) return std::nullopt;
    const Expr density = as_min_and_max(multiplied_out(*mixed));
    auto premise = prover.prove(density, Claim::kernel);
    if (!premise) return std::nullopt;
    return conclude("integrated kernel", e, Claim::kernel,
                    {.with = {given("constant", *there), given("jump", jump)}},
                    {std::move(*premise)});
  } catch (const Error&) {
    return std::nullopt;  // not defined at 0
  }
}

}  // namespace

Rules rule_green() {
  return {
      {220,
       Claim::kernel,
       green,
       {{"function of min and max",
         "A symmetric function of two numbers, written for x <= z: min = x, max = z, |x-z| = z - "
         "x.",
         "algebra"},
        {"Green's function",
         "A symmetric function of two numbers that is u(x) v(z) for x <= z, with u, v >= 0 and "
         "u' v >= u v', is a kernel.",
         "v(x) v(z) (u/v)(min), and u/v does not fall; Brownian bridge, exp(-|x-z|)"}}},
      {225,
       Claim::kernel,
       integrated,
       {{"integrated kernel",
         "A symmetric function of two numbers >= 0 that is h(x,z) for x <= z, with h(0,z) a "
         "constant >= 0, h_x - h_z >= 0 on the diagonal and h_xz(min,max) a kernel, is a kernel.",
         "k(x,z) = h(0,0) + ∫∫ h_xz + ∫ (h_x - h_z)(t,t) 1[t<=x] 1[t<=z] dt"}}},
  };
}

}  // namespace mercer::proof
