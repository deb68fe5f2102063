// c - a for a conditionally positive definite c that is a wherever z = o.
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Expr with_z_at(const Expr& e, const Rational& o) {
  return algebra::rewrite(e, {.leaf =
                                  [&](const Expr& leaf, std::uint32_t) {
                                    return leaf->op == Op::coordinate &&
                                                   leaf->side == algebra::Side::z
                                               ? algebra::number(o)
                                               : leaf;
                                  },
                              .columns = {}});
}

// With the point o and the coefficient -Σ a_i added, the sum over all points is that of c - a over
// the given ones.
Found centred(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || !(e->uses_x && e->uses_z) || contains_normalize(e)) return std::nullopt;
  const Domain& domain = prover.domain();
  const auto bounds = domain.bounds();
  for (const Rational& o : {Rational(0), Rational(1)}) {
    const double v = o.to_double();
    const auto kind = domain.kind();
    if (kind == Domain::Kind::sphere || (kind == Domain::Kind::ball && !o.is_zero())) continue;
    if (v < bounds.low || v > bounds.high || (v == bounds.low && bounds.low_open) ||
        (v == bounds.high && bounds.high_open))
      continue;
    if (kind == Domain::Kind::finite && !domain.contains(std::vector<double>{v})) continue;
    const Expr there = with_z_at(e, o);
    if (!algebra::is_number(there) || there->number.sign() < 0) continue;
    auto premise = prover.prove(e, Claim::conditional);
    if (!premise) return std::nullopt;
    return conclude("centred", e, Claim::kernel, {.with = {given("o", o), given("a", there)}},
                    {std::move(*premise)});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_centred() {
  return {{340,
           Claim::kernel,
           centred,
           {{"centred",
             "A conditionally positive definite c with c(x,o) = a >= 0 for all x, where all "
             "coordinates of the point o are equal, is a kernel.",
             "Berg, Christensen and Ressel 1984, lemma 3.2.1"}}}};
}

}  // namespace mercer::proof
