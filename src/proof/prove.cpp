#include <mercer/error.hpp>
#include <mercer/proof.hpp>

#include "kernel/form.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"
#include "proof/defined_check.hpp"
#include "proof/few_coordinates.hpp"
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

// Where a statement is looked at: in the dimensions asked for, and of large ones in few
// coordinates.
class Places {
 public:
  Places(const Expr& e, const ProofOptions& options, Clock::time_point deadline)
      : e_(e), domain_(options.domain), asked_(options.dimension), deadline_(deadline) {
    for (const auto d : proof::dimensions(e, options.dimension)) {
      if (d > proof::many_coordinates && !written_out_.empty() && d > written_out_.back()) break;
      if (d > proof::many_coordinates) {
        large_ = d;
        few_ = proof::FewCoordinates::of({e}, domain_, d);
        constexpr std::uint32_t bearable = 500;
        if (!few_ && d <= bearable) written_out_.push_back(d);
        break;
      }
      written_out_.push_back(d);
    }
  }

  [[nodiscard]] std::vector<Refuter> refuters() const {
    std::vector<Refuter> result;
    for (const auto d : written_out_)
      result.emplace_back(d == 1 ? algebra::in_dimension_one(e_) : e_, domain_, d, deadline_);
    if (few_) result.emplace_back(few_->expressions()[0], domain_, few_->dimension(), deadline_);
    return result;
  }

  // Throws Error where there is a point without a value.
  [[nodiscard]] bool defined() const {
    const bool all = proof::check_defined(e_, domain_, written_out_);
    if (all || !few_) return all;
    try {
      proof::check_defined(few_->expressions()[0], domain_, {few_->dimension()});
    } catch (const Error& error) {
      throw Error(error.what() + (" " + few_->others()));
    }
    return false;
  }

  // What holds in every dimension holds in a large one, and is found without its coordinates.
  [[nodiscard]] std::vector<std::optional<std::uint32_t>> to_prove_in() const {
    if (e_->as_number) return {1};
    if (asked_ && large_) return {std::nullopt, asked_};
    return {asked_};
  }

  [[nodiscard]] std::uint32_t largest() const { return written_out_.back(); }

  // A witness in few coordinates as one of the large dimension, checked there once more.
  [[nodiscard]] std::optional<Witness> whole(std::optional<Witness> w) const {
    if (!w || !few_ || w->dimension != few_->dimension()) return w;
    few_->check_writable(w->points.size(), e_name() + " is not a kernel");
    proof::Combination c;
    for (const auto& p : w->points) c.points.push_back(few_->whole(proof::from_texts(p)));
    if (w->coefficients.empty()) {
      w->dimension = large_;
      w->points = {proof::texts(c.points[0]), proof::texts(c.points[1])};
      return w;
    }
    c.coefficients = proof::from_texts(w->coefficients);
    constexpr long bits = 640;
    return proof::Certifier(e_, domain_, large_)(c, bits);
  }

 private:
  [[nodiscard]] std::string e_name() const { return algebra::print(e_); }

  Expr e_;
  Domain domain_;
  std::optional<std::uint32_t> asked_;
  Clock::time_point deadline_;
  std::vector<std::uint32_t> written_out_;
  std::uint32_t large_ = 0;
  std::optional<proof::FewCoordinates> few_;
};

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
  const Places places(e, options, deadline);
  auto refuters = places.refuters();
  const bool defined = places.defined();
  const bool symmetric = algebra::is_symmetric(e);
  Verdict verdict;
  if (!symmetric)
    for (auto& r : refuters)
      if (auto w = places.whole(r.asymmetry())) return refuted(std::move(*w));

  // Most of what is not a kernel fails on a few simple points; that a rule should say otherwise is
  // thereby out of the question.
  for (auto& r : refuters)
    if (auto w = places.whole(r.glance())) return refuted(std::move(*w));

  std::string why;
  for (const auto& dimension : places.to_prove_in()) {
    proof::Prover prover(options.domain, dimension, deadline);
    if (!defined && !prover.defined(e)) {
      why = "that it is defined on all of " + options.domain.text() + " could not be established";
      continue;
    }
    if (auto d = prover.prove(e, proof::Claim::kernel)) {
      verdict.kind = Verdict::Kind::kernel;
      verdict.derivation = std::move(d);
      return verdict;
    }
    why = "no derivation by the " + std::to_string(rules().size()) + " rules was found";
  }
  verdict.tried.push_back(why);
  const auto in_more_dimensions = [&]() -> std::optional<Witness> {
    if (options.dimension || refuters.size() < 2) return std::nullopt;
    return proof::many_dimensions(e, options.domain, places.largest(), deadline);
  };
  if (auto w = places.whole(proof::refute(refuters, in_more_dimensions)))
    return refuted(std::move(*w));
  verdict.tried.emplace_back(
      refuters.empty()
          ? "witnesses were not looked for: points of so many coordinates are too long"
          : "no witness was found on simple points, finite differences, grids, moved and random "
            "sets");
  for (auto& r : refuters)
    if (r.smallest_eigenvalue() &&
        (!verdict.smallest_eigenvalue || *r.smallest_eigenvalue() < *verdict.smallest_eigenvalue))
      verdict.smallest_eigenvalue = r.smallest_eigenvalue();
  if (Clock::now() > deadline) verdict.tried.emplace_back("the time limit was reached");
  return verdict;
}

}  // namespace mercer
