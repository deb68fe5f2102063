// max(0, 1 - r)^l in few dimensions.
#include "kernel/form.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::is_number;

// a where e is max(0, 1 - a |x-z|) up to a positive factor, with the Euclidean distance.
std::optional<Expr> hat(const Expr& e) {
  if (e->op != Op::maximum || e->args.size() != 2 || !is_number(e->args[1], 0)) return std::nullopt;
  const Expr& slope = e->args[0];
  if (slope->op != Op::sum || slope->args.size() != 1 || slope->number.sign() <= 0 ||
      slope->coefficients[0].sign() >= 0)
    return std::nullopt;
  const Expr& r = slope->args[0];
  if (r->op != Op::power || !is_number(r->args[1], Rational(1, 2)) ||
      !algebra::is_squared_distance(r->args[0]))
    return std::nullopt;
  return algebra::scale(-slope->coefficients[0] / slope->number, r);
}

Found askey(Prover& prover, const Expr& e) {
  if (!prover.dimension()) return std::nullopt;
  const auto d = static_cast<std::int64_t>(*prover.dimension());
  const bool raised = e->op == Op::power && is_number(e->args[1]);
  const Rational l = raised ? e->args[1]->number : Rational(1);
  const auto r = hat(raised ? e->args[0] : e);
  if (!r || l < Rational(d + 1, 2)) return std::nullopt;
  return conclude("Askey", e, Claim::kernel, {.with = {given("r", *r), given("l", l)}});
}

// (1 - r)_+^(m+1) ((m+1) r + 1) with m = floor(d/2) + 2
Found wendland(Prover& prover, const Expr& e) {
  if (!prover.dimension() || e->op != Op::product || e->args.size() != 2) return std::nullopt;
  const auto m = static_cast<std::int64_t>(*prover.dimension() / 2 + 2);
  for (const std::size_t i : {0UL, 1UL}) {
    const Expr& p = e->args[i];
    if (p->op != Op::power || !is_number(p->args[1], Rational(m + 1))) continue;
    const auto r = hat(p->args[0]);
    if (!r) continue;
    const Expr wanted = algebra::sum({{m + 1, *r}}, 1);
    const Expr& other = e->args[1 - i];
    if (other->op != Op::sum || other->number.sign() <= 0 ||
        !algebra::equal(algebra::scale(Rational(1) / other->number, other), wanted))
      continue;
    return conclude("Wendland", e, Claim::kernel,
                    {.with = {given("r", *r), given("m", Rational(m))}});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_compact_support() {
  return {
      {336,
       Claim::kernel,
       askey,
       {{"Askey", "max(0, 1 - a|x-z|)^l is a kernel in dimension d for l >= (d+1)/2.",
         "Askey 1973"}}},
      {337,
       Claim::kernel,
       wendland,
       {{"Wendland",
         "max(0, 1 - r)^(m+1) ((m+1) r + 1) with r = a|x-z| is a kernel in dimension d for m = "
         "floor(d/2) + 2.",
         "Wendland 1995, φ_(d,1)"}}},
  };
}

}  // namespace mercer::proof
