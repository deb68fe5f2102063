// c - a for a conditionally positive definite c that is a wherever z = o.
#include "proof/calculus.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

// With the point o and the coefficient -Σ a_i added, the sum over all points is that of c - a over
// the given ones.
Found centred(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || !(e->uses_x && e->uses_z) || contains_normalize(e)) return std::nullopt;
  for (const Rational& o : {Rational(0), Rational(1)}) {
    if (!prover.has_point_of(o)) continue;
    const auto there = constant_of(with_side(e, algebra::Side::z, algebra::number(o)));
    if (!there || there->sign() < 0) continue;
    auto premise = prover.prove(e, Claim::conditional);
    if (!premise) return std::nullopt;
    return conclude("centred", e, Claim::kernel, {.with = {given("o", o), given("a", *there)}},
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
