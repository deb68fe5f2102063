// What kernels are closed under: the rules of the notes, and those next to them.
#include <algorithm>

#include "kernel/print.hpp"
#include "kernel/transform.hpp"
#include "proof/point_value.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::equal;
using algebra::is_constant;
using algebra::is_number;
using algebra::multiply;
using algebra::scale;
using algebra::swap_sides;
using Found = std::optional<Derivation>;

std::string formula(const Expr& e) { return print(e, algebra::Naming::formulas); }

// A constant is decided by its ball.
std::optional<bool> is_nonnegative_constant(const Expr& e) {
  if (!is_constant(e)) return std::nullopt;
  if (is_number(e)) return e->number.sign() >= 0;
  if (e->nonnegative) return true;
  const auto value = ball_value(e, {}, {}, 128);
  if (!value) return std::nullopt;
  if (value->is_nonnegative()) return true;
  return value->is_negative() ? std::optional(false) : std::nullopt;
}

Found constant(Prover&, const Expr& e) {
  if (is_nonnegative_constant(e) != true) return std::nullopt;
  return conclude("constant", e, Claim::kernel);
}

Found conditional_constant(Prover&, const Expr& e) {
  if (!is_constant(e)) return std::nullopt;
  return conclude("constant, conditionally", e, Claim::conditional);
}

// Σ of non-negative multiples. A negative multiple of a part may still be a kernel: -log(1 - k).
Found sum(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || e->number.sign() < 0) return std::nullopt;
  std::vector<Derivation> premises;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const bool up = e->coefficients[i].sign() >= 0;
    if (!up && e->args.size() == 1 && e->number.is_zero()) return std::nullopt;
    const Expr part = up ? e->args[i] : scale(e->coefficients[i], e->args[i]);
    if (e->coefficients[i].is_zero()) continue;
    auto premise = prover.prove(part, Claim::kernel);
    if (!premise) return std::nullopt;
    premises.push_back(std::move(*premise));
  }
  const bool single = e->args.size() == 1 && e->number.is_zero();
  return conclude(single ? "multiple" : "sum", e, Claim::kernel, "", std::move(premises));
}

Found product(Prover& prover, const Expr& e) {
  if (e->op != Op::product) return std::nullopt;
  const Sides sides = split_sides(e);
  if (!equal(swap_sides(sides.of_x), sides.of_z)) return std::nullopt;
  const bool has_sides = !is_number(sides.of_x);
  std::vector<Derivation> premises;
  for (const auto& f : sides.mixed) {
    auto premise = prover.prove(f, Claim::kernel);
    if (!premise) return std::nullopt;
    premises.push_back(std::move(*premise));
  }
  if (!has_sides) return conclude("product", e, Claim::kernel, "", std::move(premises));
  std::string note = "f(x) = " + formula(sides.of_x);
  if (premises.empty()) return conclude("one feature", e, Claim::kernel, note);
  return conclude("f(x) k f(z)", e, Claim::kernel, note, std::move(premises));
}

Found whole_power(Prover& prover, const Expr& e) {
  if (e->op != Op::power || !is_number(e->args[1])) return std::nullopt;
  const Rational& n = e->args[1]->number;
  if (!n.is_integer() || n.sign() <= 0) return std::nullopt;
  auto premise = prover.prove(e->args[0], Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("power", e, Claim::kernel, "", {std::move(*premise)});
}

Found normalized(Prover& prover, const Expr& e) {
  if (e->op != Op::normalize) return std::nullopt;
  auto premise = prover.prove(e->args[0], Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("normalization", e, Claim::kernel, "", {std::move(*premise)});
}

Found over_coordinates(Prover& prover, const Expr& e) {
  const bool sums = e->op == Op::sum_over || e->op == Op::symmetric_over;
  if (!sums && e->op != Op::product_over) return std::nullopt;
  auto premise = prover.prove(e->args[0], Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude(e->op == Op::sum_over       ? "sum over coordinates"
                  : e->op == Op::product_over ? "product over coordinates"
                                              : "sum over sets of coordinates",
                  e, Claim::kernel, "", {std::move(*premise)});
}

// ---- conditionally positive definite

Found weaker(Prover& prover, const Expr& e) {
  if (e->op == Op::sum && e->args.size() == 1 && e->coefficients[0].sign() < 0) return std::nullopt;
  auto premise = prover.prove(e, Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("a kernel, conditionally", e, Claim::conditional, "", {std::move(*premise)});
}

// A constant, f(x) + f(z), and parts: f(x) + f(z) adds nothing where Σ a_i = 0.
Found conditional_sum(Prover& prover, const Expr& e) {
  if (e->op != Op::sum) return std::nullopt;
  std::vector<algebra::Term> separate;
  std::vector<Derivation> premises;
  std::size_t mixed = 0;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Expr& part = e->args[i];
    if (!(part->uses_x && part->uses_z)) {
      separate.push_back({e->coefficients[i], part});
      continue;
    }
    ++mixed;
    if (e->args.size() == 1 && e->number.is_zero() && e->coefficients[i].sign() < 0)
      return std::nullopt;  // no smaller goal
    const Expr goal = e->coefficients[i].sign() > 0 ? part : scale(-1, part);
    auto premise = prover.prove(goal, Claim::conditional);
    if (!premise) return std::nullopt;
    premises.push_back(std::move(*premise));
  }
  const Expr f = algebra::sum(separate);
  if (!equal(swap_sides(f), f)) return std::nullopt;
  return conclude("sum, conditionally", e, Claim::conditional,
                  is_number(f) ? "" : "f(x) + f(z) = " + formula(f), std::move(premises));
}

Found conditional_over_coordinates(Prover& prover, const Expr& e) {
  const auto [c, rest] = algebra::split_coefficient(e);
  if (rest->op != Op::sum_over) return std::nullopt;
  auto premise = prover.prove(scale(c.sign() < 0 ? -1 : 1, rest->args[0]), Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("sum over coordinates, conditionally", e, Claim::conditional, "",
                  {std::move(*premise)});
}

}  // namespace

std::vector<RuleEntry> closure_rules() {
  const Claim kernel = Claim::kernel;
  const Claim conditional = Claim::conditional;
  return {
      {{"constant", "A constant c >= 0 is a kernel.", "notes, rule (0): φ(x) = √c"},
       kernel,
       constant},
      {{"sum", "Sums of kernels and non-negative multiples of kernels are kernels.",
        "notes, rule (2): the feature maps side by side"},
       kernel,
       sum},
      {{"multiple", "A non-negative multiple of a kernel is a kernel.", "notes, rules (0) and (3)"},
       kernel,
       sum},
      {{"product", "Products of kernels are kernels.", "notes, rule (3); Schur 1911"},
       kernel,
       product},
      {{"one feature", "f(x) f(z) is a kernel for every f.", "notes, rules (0) and (1): φ = f"},
       kernel,
       product},
      {{"f(x) k f(z)", "f(x) k(x,z) f(z) is a kernel for every kernel k and every f.",
        "notes, rule (1)"},
       kernel,
       product},
      {{"power", "Whole powers of kernels are kernels.", "notes, rule (3)"}, kernel, whole_power},
      {{"normalization", "k(x,z)/√(k(x,x) k(z,z)), 0 where that is 0/0, is a kernel if k is.",
        "notes, rule (1) with f(x) = 1/√k(x,x) or 0"},
       kernel,
       normalized},
      {{"sum over coordinates", "Σ_i k(x_i, z_i) is a kernel if k is.",
        "column restriction and rule (2)"},
       kernel,
       over_coordinates},
      {{"product over coordinates", "Π_i k(x_i, z_i) is a kernel if k is.",
        "column restriction and rule (3)"},
       kernel,
       over_coordinates},
      {{"sum over sets of coordinates",
        "The sum over all sets of p coordinates of Π k(x_i, z_i) is a kernel if k is.",
        "column restriction, rules (2) and (3)"},
       kernel,
       over_coordinates},
      {{"constant, conditionally", "Every constant is conditionally positive definite.",
        "Σ a_i = 0"},
       conditional,
       conditional_constant},
      {{"sum, conditionally",
        "Sums of conditionally positive definite functions with non-negative weights, constants "
        "and "
        "f(x) + f(z) are conditionally positive definite.",
        "Berg, Christensen and Ressel 1984, chapter 3"},
       conditional,
       conditional_sum},
      {{"sum over coordinates, conditionally",
        "Σ_i c(x_i, z_i) is conditionally positive definite if c is.", "column restriction, sum"},
       conditional,
       conditional_over_coordinates},
      {{"a kernel, conditionally", "A kernel is conditionally positive definite.", "definition"},
       conditional,
       weaker},
  };
}

}  // namespace mercer::proof
