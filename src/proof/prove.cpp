#include <mercer/error.hpp>
#include <mercer/proof.hpp>

#include "kernel/form.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"
#include "proof/defined_check.hpp"
#include "proof/prover.hpp"
#include "proof/refuter.hpp"
#include "proof/scope.hpp"

namespace mercer {

namespace {

using algebra::Expr;
using proof::Refuter;
using Clock = std::chrono::steady_clock;

Verdict refuted(Witness witness) {
  Verdict v;
  v.kind = Verdict::Kind::not_a_kernel;
  v.witness = std::move(witness);
  return v;
}

}  // namespace

Verdict prove(const Kernel& k, const ProofOptions& options) {
  const Expr e = algebra::in_dimension(k.expression(), options.dimension);
  if (e->has_open) throw Error("a kernel with open parameters cannot be judged: give them values");
  if (e->has_opaque)
    throw Error("nothing can be proved about a user's function or a precomputed matrix");
  if (e->has_names) throw Error("columns by name are not known here: select them by number");
  const auto start = Clock::now();
  const auto seconds = [&](double s) {
    return start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
  };
  const auto deadline = seconds(options.timeout);
  const auto in = proof::dimensions(e, options.dimension);
  const bool defined = proof::check_defined(e, options.domain, in);

  std::vector<Refuter> refuters;
  for (const auto d : in) {
    const Expr there = d == 1 ? algebra::in_dimension_one(e) : e;
    refuters.emplace_back(there, options.domain, d, deadline);
  }
  const bool symmetric = algebra::is_symmetric(e);
  Verdict verdict;
  if (!symmetric)
    for (auto& r : refuters)
      if (auto w = r.asymmetry()) return refuted(std::move(*w));

  // Most of what is not a kernel fails on a few simple points; that a rule should say otherwise is
  // thereby out of the question.
  for (auto& r : refuters)
    if (auto w = r.glance()) return refuted(std::move(*w));

  proof::Prover prover(options.domain, e->as_number ? std::uint32_t{1} : options.dimension,
                       deadline);
  if (defined || prover.defined(e)) {
    if (auto d = prover.prove(e, proof::Claim::kernel)) {
      verdict.kind = Verdict::Kind::kernel;
      verdict.derivation = std::move(d);
      return verdict;
    }
    verdict.tried.emplace_back("no derivation by the " + std::to_string(rules().size()) +
                               " rules was found");
  } else {
    verdict.tried.emplace_back("that it is defined on all of " + options.domain.text() +
                               " could not be established");
  }
  const auto in_more_dimensions = [&]() -> std::optional<Witness> {
    if (options.dimension || in.size() == 1) return std::nullopt;
    return proof::many_dimensions(e, options.domain, in.back(), deadline);
  };
  if (auto w = proof::refute(refuters, in_more_dimensions)) return refuted(std::move(*w));
  verdict.tried.emplace_back(
      "no witness was found on simple points, finite differences, grids, moved and random sets");
  for (auto& r : refuters)
    if (r.smallest_eigenvalue() &&
        (!verdict.smallest_eigenvalue || *r.smallest_eigenvalue() < *verdict.smallest_eigenvalue))
      verdict.smallest_eigenvalue = r.smallest_eigenvalue();
  if (Clock::now() > deadline) verdict.tried.emplace_back("the time limit was reached");
  return verdict;
}

}  // namespace mercer
