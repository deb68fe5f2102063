#include "proof/prover.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "kernel/defined.hpp"
#include "kernel/latex.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"
#include "proof/calculus.hpp"
#include "proof/candidates.hpp"
#include "proof/features_gram.hpp"
#include "proof/on_domain.hpp"
#include "proof/rule_files.hpp"
#include "proof/taylor.hpp"
#include "proof/univariate.hpp"

namespace mercer::proof {

namespace {

constexpr int deepest = 40;
constexpr int most_goals = 3000;

bool separate(const Expr& e) {
  if (e->op == Op::sum) return std::ranges::all_of(e->args, separate);
  return !(e->uses_x && e->uses_z);
}

}  // namespace

Found Prover::prove(const Expr& e, Claim claim) {
  if (late() || e->has_opaque || e->has_open) return std::nullopt;
  // A sum of many kernels is as many goals, and no more work for each.
  if (depth_ == 0 && within_ == 0)
    most_goals_ = most_goals + 4 * static_cast<int>(e->op == Op::sum ? e->args.size() : 0);
  if (depth_ > deepest || goals_ >= most_goals_) {
    cut_ = 0;
    return std::nullopt;
  }
  const auto key = std::pair{e, claim};
  if (const auto found = known_.find(key); found != known_.end()) {
    // A goal does not rest on itself; what fails because of that may hold where it is not asked
    // for.
    if (found->second.open_at) cut_ = std::min(cut_, *found->second.open_at);
    return found->second.derivation;
  }
  ++goals_;
  if (hopeless(e, claim)) {
    known_[key] = {};
    return std::nullopt;
  }
  const int here = depth_++;
  known_[key].open_at = here;
  const int cut_before = cut_;
  cut_ = deepest + 1;
  Found result;
  for (const auto& entry : rule_table()) {
    if (entry.claim != claim) continue;
    if (late()) break;
    try {
      result = entry.apply(*this, e);
    } catch (const Error&) {
      result.reset();  // beyond the bounds on sizes
    }
    if (result) break;
  }
  depth_ = here;
  if (result || (cut_ >= here && !late())) {
    known_[key] = {result, std::nullopt};
  } else {
    known_.erase(key);
  }
  cut_ = result || cut_ >= here ? cut_before : std::min(cut_, cut_before);
  return result;
}

bool Prover::hopeless(const Expr& e, Claim claim) const {
  if (e->free_levels != 0 || e->has_names) return false;
  constexpr std::uint32_t largest = 6;
  const std::uint32_t d =
      e->as_number ? 1 : dimension_.value_or(std::max<std::uint32_t>(2, e->least_dimension));
  if (d > largest || d < e->least_dimension) return false;
  const auto at = glimpses_.try_emplace(d, domain_, d).first;
  return at->second.refutes(e, claim == Claim::conditional);
}

algebra::Interval Prover::range(const Expr& e) const { return algebra::range_on(e, domain_); }

namespace {

// e as a polynomial in one of its parts, and the bounds of that part.
struct Substituted {
  Univariate polynomial;
  algebra::Interval range;
};

std::optional<Substituted> as_polynomial(const Prover& prover, const Expr& e) {
  if (e->op != Op::sum) return std::nullopt;
  for (const auto& t : variables_of(e)) {
    Univariate p{e->number};
    bool all = true;
    for (std::size_t i = 0; all && i < e->args.size(); ++i) {
      const auto n = exponent_of(e->args[i], t);
      all = n && *n <= 40;
      if (!all) break;
      if (p.size() <= *n) p.resize(*n + 1);
      p[*n] += e->coefficients[i];
    }
    if (all) return Substituted{std::move(p), prover.range(t)};
  }
  return std::nullopt;
}

std::optional<Rational> finite(double v) {
  return std::isfinite(v) ? std::optional(Rational::exactly(v)) : std::nullopt;
}

}  // namespace

bool Prover::nonnegative(const Expr& e) const {
  if (e->nonnegative || range(e).nonnegative()) return true;
  const auto p = as_polynomial(*this, e);
  return p && nonnegative_between(p->polynomial, finite(p->range.low), finite(p->range.high));
}

bool Prover::positive(const Expr& e) const {
  if (e->positive || range(e).positive()) return true;
  const auto p = as_polynomial(*this, e);
  return p && positive_between(p->polynomial, finite(p->range.low), p->range.low_open,
                               finite(p->range.high), p->range.high_open);
}

bool Prover::defined(const Expr& e) {
  using Kind = algebra::Requirement::Kind;
  const auto one = algebra::number(1);
  const auto holds = [&](const algebra::Requirement& r) {
    const Expr& u = r.part;
    const auto of_negative_type = [&](const Expr& v) {
      return prove(algebra::scale(-1, v), Claim::conditional).has_value() &&
             positive_by_diagonal(v);
    };
    switch (r.kind) {
      case Kind::positive:
      case Kind::nonzero:
        return positive(u) || positive_on(u, domain_) || of_negative_type(u) || lorentzian(u) ||
               (r.kind == Kind::nonzero &&
                (positive(algebra::scale(-1, u)) || of_negative_type(algebra::scale(-1, u)) ||
                 lorentzian(u) || lorentzian(algebra::scale(-1, u))));
      case Kind::nonnegative:
        return nonnegative(u) || nonnegative_on(u, domain_) ||
               (prove(algebra::scale(-1, u), Claim::conditional) && nonnegative_by_diagonal(u));
      case Kind::at_most_1:
      case Kind::at_least_minus_1: {
        // |k(x,z)|² <= k(x,x) k(z,z) for a kernel.
        if (nonnegative(r.kind == Kind::at_most_1 ? algebra::subtract(one, u)
                                                  : algebra::add(one, u)))
          return true;
        if (contains_normalize(u) || !prove(u, Claim::kernel)) return false;
        const Expr rest = algebra::subtract(one, simplified_on(algebra::diagonal(u), domain_));
        return nonnegative(rest) || nonnegative_on(rest, domain_) ||
               nonnegative(without_denominators(rest, domain_));
      }
    }
    return false;
  };
  return std::ranges::all_of(algebra::requirements_on(e, domain_), holds);
}

// Never 0 where u(x,x) > 0: u = l(x) l(z) - κ(x,z) with |κ| < |l l|.
bool Prover::lorentzian(const Expr& u) {
  if (contains_normalize(u)) return false;
  const auto gram = feature_gram(u);
  if (!gram) return false;
  const auto signs = inertia(gram->G);
  if (!signs || signs->positive != 1) return false;
  const Expr diagonal = algebra::diagonal(u);
  if (!positive(diagonal) && !positive_on(simplified_on(diagonal, domain_), domain_)) return false;
  return algebra::is_number(gram->rest, 0) ||
         prove(algebra::scale(-1, gram->rest), Claim::kernel).has_value();
}

bool Prover::positive_by_diagonal(const Expr& u) const {
  if (positive(u)) return true;
  return !contains_normalize(u) && positive_on(algebra::diagonal(u), domain_);
}

bool Prover::nonnegative_by_diagonal(const Expr& u) const {
  if (nonnegative(u)) return true;
  return !contains_normalize(u) && nonnegative_on(algebra::diagonal(u), domain_);
}

Found Prover::prove_on(const Domain& domain, std::optional<std::uint32_t> dimension, const Expr& e,
                       Claim claim) {
  if (domain == domain_ && dimension == dimension_) return prove(e, claim);
  // A prover of its own does not see the goals that are open here: not too many within each other.
  constexpr int most_within = 3;
  if (within_ >= most_within) return std::nullopt;
  Prover other(domain, dimension, deadline_);
  other.within_ = within_ + 1;
  other.depth_ = depth_ + 1;
  other.goals_ = goals_;
  other.most_goals_ = most_goals_;
  auto found = other.prove(e, claim);
  goals_ = other.goals_;
  return found;
}

Found Prover::prove_for_coordinate(const Expr& body, Claim claim) {
  if (auto found = prove(body, claim)) return found;
  if (body->free_levels != 1 || body->as_number || body->least_dimension > 1) return std::nullopt;
  const Expr numbers = algebra::substitute_bound(
      body, [](algebra::Side side) { return algebra::only_coordinate(side, {}); });
  const auto kind = domain_.kind();
  const bool round = kind == Domain::Kind::ball || kind == Domain::Kind::sphere;
  return prove_on(round ? hull_of(domain_) : domain_, std::uint32_t{1}, numbers, claim);
}

bool Prover::has_point_of(const Rational& o) const {
  const auto kind = domain_.kind();
  if (kind == Domain::Kind::sphere) return false;
  if (kind == Domain::Kind::ball) return o.is_zero();
  return contains(domain_, {o});
}

Found Prover::same(const char* rule, const Expr& e, const Expr& other, Claim claim) {
  if (algebra::equal(other, e)) return std::nullopt;
  auto premise = prove(other, claim);
  if (!premise) return std::nullopt;
  return conclude(rule, e, claim, {}, {std::move(*premise)});
}

namespace {

Formula formula(const Expr& e) { return {algebra::print_for_reading(e), algebra::latex(e)}; }

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

std::vector<Inverse> inverse_forms(const Expr& e) {
  const auto [c, rest] = algebra::split_coefficient(e);
  if (rest->op != Op::power || !algebra::is_number(rest->args[1])) return {};
  const Rational r = -rest->args[1]->number;
  if (r.sign() <= 0) return {};
  const Expr& base = rest->args[0];
  std::vector<Inverse> forms;
  if (c.sign() > 0) forms.push_back({c, base, r});
  if (c.sign() > 0 ? r.is_even() : r.is_integer() && !r.is_even())
    forms.push_back({abs(c), algebra::scale(-1, base), r});
  return forms;
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
    } else if (f->uses_x == f->uses_z) {
      sides.mixed.push_back(f);  // of both, or a constant
    } else {
      (f->uses_x ? of_x : of_z).push_back(f);
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
