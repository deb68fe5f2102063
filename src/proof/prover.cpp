#include "proof/prover.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "kernel/defined.hpp"
#include "kernel/latex.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"
#include "proof/rule_files.hpp"

namespace mercer::proof {

namespace {

constexpr int deepest = 60;

bool separate(const Expr& e) {
  if (e->op == Op::sum) return std::ranges::all_of(e->args, separate);
  return !(e->uses_x && e->uses_z);
}

}  // namespace

Found Prover::prove(const Expr& e, Claim claim) {
  if (late() || depth_ > deepest || e->has_opaque || e->has_open) return std::nullopt;
  const auto key = std::pair{e, claim};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  known_[key] = std::nullopt;  // a goal does not rest on itself
  ++depth_;
  Found result;
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

Found Prover::same(const char* rule, const Expr& e, const Expr& other, Claim claim) {
  if (algebra::equal(other, e)) return std::nullopt;
  auto premise = prove(other, claim);
  if (!premise) return std::nullopt;
  return conclude(rule, e, claim, {}, {std::move(*premise)});
}

namespace {

Formula formula(const Expr& e) {
  return {algebra::print(e, algebra::Naming::formulas), algebra::latex(e)};
}

std::string text_of(Claim claim) {
  switch (claim) {
    case Claim::kernel:
      return "is a kernel";
    case Claim::conditional:
      return "is conditionally positive definite";
    case Claim::divisible:
      break;
  }
  return "is infinitely divisible";
}

}  // namespace

Given given(std::string name, const Expr& value) { return {std::move(name), formula(value)}; }

Given given(std::string name, const Rational& value) {
  return given(std::move(name), algebra::number(value));
}

Derivation conclude(const char* rule, const Expr& e, Claim claim, Details details,
                    std::vector<Derivation> premises) {
  return {rule,
          formula(e),
          text_of(claim),
          std::move(details.note),
          std::move(details.with),
          std::move(premises)};
}

const Rules& rule_table() {
  static const Rules table = [] {
    Rules all = rules_of_all_files();
    std::ranges::stable_sort(all, {}, &RuleEntry::order);
    return all;
  }();
  return table;
}

bool contains_normalize(const Expr& e) {
  return e->op == Op::normalize || std::ranges::any_of(e->args, contains_normalize);
}

std::optional<Expr> negated(const Expr& e) {
  const auto [c, rest] = algebra::split_coefficient(e);
  if (c.sign() >= 0 || algebra::is_number(rest)) return std::nullopt;
  return rest;
}

Sides split_sides(const Expr& e) {
  std::vector<Expr> of_x;
  std::vector<Expr> of_z;
  Sides sides;
  for (const auto& f : e->op == Op::product ? e->args : std::vector<Expr>{e}) {
    if (algebra::is_function(f, Function::exp) && f->uses_x && f->uses_z && separate(f->args[0]) &&
        !f->has_open) {
      // exp(f(x) + g(z))
      const Expr& arg = f->args[0];
      std::vector<algebra::Term> by_x;
      std::vector<algebra::Term> by_z;
      for (std::size_t i = 0; i < arg->args.size(); ++i)
        (arg->args[i]->uses_x ? by_x : by_z).push_back({arg->coefficients[i], arg->args[i]});
      of_x.push_back(algebra::apply_function(Function::exp, algebra::sum(by_x)));
      of_z.push_back(algebra::apply_function(Function::exp, algebra::sum(by_z)));
      if (!arg->number.is_zero())
        sides.mixed.push_back(algebra::apply_function(Function::exp, algebra::number(arg->number)));
    } else if (f->uses_x && f->uses_z) {
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
      for (const auto& rule : entry.cites)
        if (std::ranges::none_of(result, [&](const Rule& r) { return r.name == rule.name; }))
          result.push_back(rule);
    return result;
  }();
  return all;
}

}  // namespace mercer
