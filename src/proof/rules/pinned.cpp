// A kernel pinned to 0 at a point: what is left when its value there is known.
#include "kernel/transform.hpp"
#include "proof/calculus.hpp"
#include "proof/constant_sign.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::Side;

Found pinned(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || contains_normalize(e)) return std::nullopt;
  std::vector<algebra::Term> mixed;
  for (std::size_t i = 0; i < e->args.size(); ++i)
    if (!split_sides(e->args[i]).mixed.empty() && e->coefficients[i].sign() > 0)
      mixed.push_back({e->coefficients[i], e->args[i]});
  if (mixed.empty() || mixed.size() == e->args.size()) return std::nullopt;
  const Expr k = algebra::sum(mixed);
  for (const Rational& o : {Rational(0), Rational(1)}) {
    if (!prover.has_point_of(o)) continue;
    const Expr at = algebra::number(o);
    const Expr of_x = with_side(k, Side::z, at);
    const Expr there = with_side(of_x, Side::x, at);
    if (constant_sign(there) != 1) continue;
    const Expr part = algebra::divide(algebra::multiply(of_x, algebra::swap_sides(of_x)), there);
    if (!algebra::equal(algebra::subtract(k, part), e)) continue;
    auto premise = prover.prove(k, Claim::kernel);
    if (!premise) continue;
    return conclude("pinned", e, Claim::kernel, {.with = {given("o", o)}}, {std::move(*premise)});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_pinned() {
  return {{345,
           Claim::kernel,
           pinned,
           {{"pinned",
             "k(x,z) - k(x,o) k(o,z)/k(o,o) is a kernel if k is, where all coordinates of the "
             "point o are equal and k(o,o) > 0.",
             "Schur complement; the part of φ orthogonal to φ(o)"}}}};
}

}  // namespace mercer::proof
