#include "proof/prover.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "kernel/defined.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"

namespace mercer::proof {

namespace {

constexpr int deepest = 60;

bool separate(const Expr& e) {
  if (e->op == Op::sum) return std::ranges::all_of(e->args, separate);
  return !(e->uses_x && e->uses_z);
}

}  // namespace

std::optional<Derivation> Prover::prove(const Expr& e, Claim claim) {
  if (late() || depth_ > deepest || e->has_opaque || e->has_open) return std::nullopt;
  const auto key = std::pair{e, claim};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  known_[key] = std::nullopt;  // a goal does not rest on itself
  ++depth_;
  std::optional<Derivation> result;
  for (const auto& entry : rule_table()) {
    if (entry.claim != claim) continue;
    try {
      result = entry.apply(*this, e);
    } catch (const Error&) {
      result.reset();  // beyond the bounds on sizes
    }
    if (result) break;
  }
  --depth_;
  if (depth_ == 0 || result)
    known_[key] = result;
  else
    known_.erase(key);
  return result;
}

algebra::Interval Prover::range(const Expr& e) const { return algebra::range_on(e, domain_); }

bool Prover::nonnegative(const Expr& e) const { return e->nonnegative || range(e).nonnegative(); }

bool Prover::positive(const Expr& e) const { return e->positive || range(e).positive(); }

Derivation conclude(const char* rule, const Expr& e, Claim claim, std::string note,
                    std::vector<Derivation> premises) {
  return {rule, print(e, algebra::Naming::formulas),
          claim == Claim::kernel ? "is a kernel" : "is conditionally positive definite",
          std::move(note), std::move(premises)};
}

const std::vector<RuleEntry>& rule_table() {
  static const std::vector<RuleEntry> table = [] {
    std::vector<RuleEntry> all;
    for (auto family : {closure_rules(), series_rules(), order_rules(), negative_type_rules(),
                        polynomial_rules()})
      all.insert(all.end(), family.begin(), family.end());
    return all;
  }();
  return table;
}

Sides split_sides(const Expr& e) {
  std::vector<Expr> of_x;
  std::vector<Expr> of_z;
  Sides sides;
  for (const auto& f : e->op == Op::product ? e->args : std::vector<Expr>{e}) {
    if (f->uses_x && f->uses_z) {
      sides.mixed.push_back(f);
    } else if (f->uses_z) {
      of_z.push_back(f);
    } else if (f->uses_x) {
      of_x.push_back(f);
    } else {
      sides.mixed.push_back(f);  // a constant
    }
  }
  sides.of_x = algebra::multiply(of_x);
  sides.of_z = algebra::multiply(of_z);
  return sides;
}

bool is_difference(const Expr& e) {
  Expr core = algebra::split_coefficient(e).rest;  // constant factors do not matter
  if (core->op == Op::product) {
    std::vector<Expr> others;
    for (const auto& f : core->args)
      if (!algebra::is_constant(f)) others.push_back(f);
    core = algebra::multiply(others);
  }
  return separate(core) && algebra::equal(algebra::swap_sides(core), algebra::scale(-1, core));
}

}  // namespace mercer::proof

namespace mercer {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> result;
    for (const auto& entry : proof::rule_table())
      if (std::ranges::none_of(result, [&](const Rule& r) { return r.name == entry.rule.name; }))
        result.push_back(entry.rule);
    return result;
  }();
  return all;
}

}  // namespace mercer
