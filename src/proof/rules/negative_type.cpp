// Functions of negative type: -d is conditionally positive definite, as for squared distances d. By
// Schoenberg, completely monotone functions of them are kernels.
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::is_function;
using algebra::is_number;
using algebra::scale;
using Found = std::optional<Derivation>;

// u where e is -c*u with c > 0.
std::optional<Expr> negated(const Expr& e) {
  const auto [c, rest] = algebra::split_coefficient(e);
  if (c.sign() >= 0 || is_number(rest)) return std::nullopt;
  return rest;
}

Found squared_difference(Prover&, const Expr& e) {
  const auto u = negated(e);
  if (!u || (*u)->op != Op::power || !is_number((*u)->args[1], 2)) return std::nullopt;
  if (!is_difference((*u)->args[0])) return std::nullopt;
  return conclude("squared difference", e, Claim::conditional,
                  "-(f(x) - f(z))² = 2 f(x) f(z) - f(x)² - f(z)²");
}

Found absolute_difference(Prover&, const Expr& e) {
  const auto u = negated(e);
  if (!u || !is_function(*u, Function::abs) || !is_difference((*u)->args[0])) return std::nullopt;
  return conclude("absolute difference", e, Claim::conditional, "|D| = (D²)^(1/2)");
}

// sin(D)² = (1 - cos(2D))/2
Found squared_sine(Prover&, const Expr& e) {
  const auto u = negated(e);
  if (!u || (*u)->op != Op::power || !is_number((*u)->args[1], 2)) return std::nullopt;
  if (!is_function((*u)->args[0], Function::sin) || !is_difference((*u)->args[0]->args[0]))
    return std::nullopt;
  return conclude("squared sine of a difference", e, Claim::conditional,
                  "-sin(D)² = (cos(2D) - 1)/2, and cos(2D) is a kernel");
}

// -u^a for 0 < a <= 1 and u >= 0 of negative type.
Found root(Prover& prover, const Expr& e) {
  const auto u = negated(e);
  if (!u || (*u)->op != Op::power || !is_number((*u)->args[1])) return std::nullopt;
  const Rational& a = (*u)->args[1]->number;
  const Expr& base = (*u)->args[0];
  if (a.sign() <= 0 || a >= Rational(1) || !prover.nonnegative(base)) return std::nullopt;
  auto premise = prover.prove(scale(-1, base), Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("power of negative type", e, Claim::conditional, "", {std::move(*premise)});
}

Found logarithm(Prover& prover, const Expr& e) {
  const auto u = negated(e);
  if (!u || !is_function(*u, Function::log) || !prover.positive((*u)->args[0])) return std::nullopt;
  auto premise = prover.prove(scale(-1, (*u)->args[0]), Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("logarithm of negative type", e, Claim::conditional, "", {std::move(*premise)});
}

Found chi_squared(Prover& prover, const Expr& e) {
  const auto u = negated(e);
  if (!u || (*u)->op != Op::chi) return std::nullopt;
  if (!prover.nonnegative((*u)->args[0]) || !prover.nonnegative((*u)->args[1])) return std::nullopt;
  return conclude("chi-squared distance", e, Claim::conditional,
                  "(a-b)²/(a+b) = a + b - 4ab/(a+b), and ab/(a+b) is a kernel on R+");
}

// A conditionally positive definite c with c(x,o) = a >= 0 for all x: with the point o and the
// coefficient -Σ a_i added, the sum over all points is that of c - a over the given ones.
Found centred(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || !(e->uses_x && e->uses_z)) return std::nullopt;
  const auto bounds = prover.domain().bounds();
  for (const Rational& o : {Rational(0), Rational(1)}) {
    const double v = o.to_double();
    const auto kind = prover.domain().kind();
    if (kind == Domain::Kind::sphere || (kind == Domain::Kind::ball && !o.is_zero())) continue;
    if (v < bounds.low || v > bounds.high || (v == bounds.low && bounds.low_open) ||
        (v == bounds.high && bounds.high_open))
      continue;
    if (kind == Domain::Kind::finite && !prover.domain().contains(std::vector<double>{v})) continue;
    const Expr there = algebra::rewrite(e, {.leaf =
                                                [&](const Expr& leaf, std::uint32_t) {
                                                  return leaf->op == Op::coordinate &&
                                                                 leaf->side == algebra::Side::z
                                                             ? algebra::number(o)
                                                             : leaf;
                                                },
                                            .columns = {}});
    if (!is_number(there) || there->number.sign() < 0) continue;
    auto premise = prover.prove(e, Claim::conditional);
    if (!premise) return std::nullopt;
    const std::string at = o.text();
    return conclude("centred", e, Claim::kernel,
                    "it is " + there->number.text() + " wherever all coordinates of z are " + at,
                    {std::move(*premise)});
  }
  return std::nullopt;
}

// max(0, c - |D|), and c - |D| where that is not negative: Pólya's triangle.
Found triangle(Prover& prover, const Expr& e) {
  Expr slope = e;
  if (e->op == Op::maximum) {
    if (e->args.size() != 2 || !is_number(e->args[1], 0)) return std::nullopt;
    slope = e->args[0];
  } else if (!prover.nonnegative(e)) {
    return std::nullopt;
  }
  if (slope->op != Op::sum || slope->args.size() != 1 || slope->number.sign() <= 0 ||
      slope->coefficients[0].sign() >= 0)
    return std::nullopt;
  if (!is_function(slope->args[0], Function::abs) || !is_difference(slope->args[0]->args[0]))
    return std::nullopt;
  return conclude("triangle", e, Claim::kernel, "it is max(0, c - a|D|)");
}

// u^(-r) = ∫ exp(-t u) t^(r-1) dt / Γ(r)
Found inverse_power(Prover& prover, const Expr& e) {
  if (e->op != Op::power || !is_number(e->args[1]) || e->args[1]->number.sign() >= 0)
    return std::nullopt;
  const Expr& u = e->args[0];
  if (!prover.positive(u)) return std::nullopt;
  auto premise = prover.prove(scale(-1, u), Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("inverse power of negative type", e, Claim::kernel,
                  "u^(-r) is an integral of exp(-t u) over t > 0", {std::move(*premise)});
}

Found matern(Prover& prover, const Expr& e) {
  if (e->op != Op::matern || !prover.nonnegative(e->args[0])) return std::nullopt;
  auto premise = prover.prove(scale(-1, e->args[0]), Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("Matérn of negative type", e, Claim::kernel,
                  "t^ν K_ν(t) is an integral of exp(-s t²) over s > 0", {std::move(*premise)});
}

// (1 + t) exp(-t) and (1 + t + t²/3) exp(-t), the Matérn functions of smoothness 3/2 and 5/2, among
// the factors of a product.
Found closed_matern(Prover& prover, const Expr& e) {
  if (e->op != Op::product) return std::nullopt;
  for (const auto& exponential : e->args) {
    if (!is_function(exponential, Function::exp)) continue;
    const Expr t = scale(-1, exponential->args[0]);
    if (!prover.nonnegative(t)) continue;
    const Expr square = algebra::power(t, Rational(2));
    const Expr smooth = algebra::sum({{1, t}}, 1);
    const Expr smoother = algebra::sum({{1, t}, {Rational(1) / Rational(3), square}}, 1);
    for (const auto& factor : e->args) {
      if (factor->op != Op::sum) continue;
      // Sums in products have whole coefficients; the number is outside.
      const Rational constant = factor->number.is_zero() ? Rational(1) : factor->number;
      const Expr scaled = scale(Rational(1) / constant, factor);
      const bool first = algebra::equal(scaled, smooth);
      if (constant.sign() < 0 || (!first && !algebra::equal(scaled, smoother))) continue;
      auto premise = prover.prove(scale(-1, square), Claim::conditional);
      if (!premise) continue;
      std::vector<Derivation> premises{std::move(*premise)};
      std::vector<Expr> others;
      for (const auto& f : e->args)
        if (f != exponential && f != factor) others.push_back(f);
      if (!others.empty()) {
        auto rest = prover.prove(algebra::multiply(others), Claim::kernel);
        if (!rest) return std::nullopt;
        premises.push_back(std::move(*rest));
      }
      return conclude("Matérn of negative type", e, Claim::kernel,
                      std::string("ν = ") + (first ? "3/2" : "5/2") + ", u = t²",
                      std::move(premises));
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<RuleEntry> negative_type_rules() {
  const Claim conditional = Claim::conditional;
  return {
      {{"squared difference", "-(f(x) - f(z))² is conditionally positive definite.",
        "expand the square"},
       conditional,
       squared_difference},
      {{"squared sine of a difference", "-sin(f(x) - f(z))² is conditionally positive definite.",
        "double angle"},
       conditional,
       squared_sine},
      {{"absolute difference", "-|f(x) - f(z)| is conditionally positive definite.",
        "Schoenberg 1938"},
       conditional,
       absolute_difference},
      {{"power of negative type",
        "-u^a is conditionally positive definite for 0 < a <= 1 if -u is and u >= 0.",
        "Schoenberg 1938; Berg, Christensen and Ressel 1984, corollary 3.2.10"},
       conditional,
       root},
      {{"logarithm of negative type",
        "-log(u) is conditionally positive definite if -u is and u > 0.",
        "log u = ∫ (exp(-t) - exp(-t u))/t dt over t > 0"},
       conditional,
       logarithm},
      {{"chi-squared distance", "-(a-b)²/(a+b) is conditionally positive definite for a, b >= 0.",
        "Fowlkes, Belongie, Chung and Malik 2004"},
       conditional,
       chi_squared},
      {{"triangle", "max(0, c - a|f(x) - f(z)|) is a kernel for a, c >= 0.",
        "Pólya 1949; the overlap of two intervals of length c/a"},
       Claim::kernel,
       triangle},
      {{"centred",
        "A conditionally positive definite c with c(x,o) = a >= 0 for all x and some o is a "
        "kernel.",
        "Berg, Christensen and Ressel 1984, lemma 3.2.1"},
       Claim::kernel,
       centred},
      {{"inverse power of negative type",
        "u^(-r) is a kernel for r > 0 if -u is conditionally positive definite and u > 0.",
        "Schoenberg 1938; a mixture of exp(-t u)"},
       Claim::kernel,
       inverse_power},
      {{"Matérn of negative type",
        "The Matérn function of √u is a kernel if -u is conditionally positive definite and u >= "
        "0.",
        "a mixture of exp(-s u); DLMF 10.32.10"},
       Claim::kernel,
       matern},
      {{"Matérn of negative type",
        "The Matérn function of √u is a kernel if -u is conditionally positive definite and u >= "
        "0.",
        "a mixture of exp(-s u); DLMF 10.32.10"},
       Claim::kernel,
       closed_matern},
  };
}

}  // namespace mercer::proof
