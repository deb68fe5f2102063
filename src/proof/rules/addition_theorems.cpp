// cos(a + b), cosh(a + b)… of sums of functions of x and of z; products of cosines as sums.
#include "kernel/transform.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::apply_function;
using algebra::is_function;
using algebra::is_number;

// arg = a(x) + b(z), both there.
std::optional<std::pair<Expr, Expr>> sides_of(const Expr& arg) {
  if (arg->op != Op::sum || !(arg->uses_x && arg->uses_z)) return std::nullopt;
  std::vector<algebra::Term> a;
  std::vector<algebra::Term> b;
  for (std::size_t i = 0; i < arg->args.size(); ++i) {
    const Expr& t = arg->args[i];
    if (t->uses_x && t->uses_z) return std::nullopt;
    (t->uses_z ? b : a).push_back({arg->coefficients[i], t});
  }
  return std::pair{algebra::sum(a, arg->number), algebra::sum(b)};
}

Expr expanded(const Expr& e) {
  if (e->args.empty() || e->op == Op::normalize) return e;
  std::vector<Expr> args;
  for (const auto& arg : e->args) args.push_back(expanded(arg));
  Expr same = algebra::with_args(*e, std::move(args));
  if (same->op != Op::function) return same;
  const auto sides = sides_of(multiplied_out(same->args[0]));  // π (x + z)
  if (!sides) return same;
  const auto of = [&](Function f, Function g) {
    return algebra::multiply(apply_function(f, sides->first), apply_function(g, sides->second));
  };
  switch (same->fn) {
    case Function::cos:
      return algebra::subtract(of(Function::cos, Function::cos), of(Function::sin, Function::sin));
    case Function::sin:
      return algebra::add(of(Function::sin, Function::cos), of(Function::cos, Function::sin));
    case Function::cosh:
      return algebra::add(of(Function::cosh, Function::cosh), of(Function::sinh, Function::sinh));
    case Function::sinh:
      return algebra::add(of(Function::sinh, Function::cosh), of(Function::cosh, Function::sinh));
    default:
      return same;
  }
}

Found kernel_expanded(Prover& prover, const Expr& e) {
  return prover.same("addition theorems", e, multiplied_out(expanded(e)), Claim::kernel);
}

// ---- the other way: cos(a) cos(b) = (cos(a - b) + cos(a + b))/2, and powers

bool is_wave(const Expr& e) {
  return is_function(e, Function::cos) || is_function(e, Function::sin);
}

Expr product_of_waves(const Expr& u, const Expr& v) {
  const Expr difference = algebra::subtract(u->args[0], v->args[0]);
  const Expr total = algebra::add(u->args[0], v->args[0]);
  const Rational half(1, 2);
  const bool cos_u = u->fn == Function::cos;
  const bool cos_v = v->fn == Function::cos;
  if (cos_u == cos_v)
    return algebra::sum({{half, apply_function(Function::cos, difference)},
                         {cos_u ? half : -half, apply_function(Function::cos, total)}});
  const Expr turned = cos_v ? difference : algebra::scale(-1, difference);
  return algebra::sum({{half, apply_function(Function::sin, total)},
                       {half, apply_function(Function::sin, turned)}});
}

// One product in one term replaced.
std::optional<Expr> linear_step(const Expr& term) {
  std::vector<Expr> waves;
  std::vector<Expr> others;
  for (const auto& f : term->op == Op::product ? term->args : std::vector<Expr>{term}) {
    const bool raised = f->op == Op::power && is_number(f->args[1]) && is_wave(f->args[0]);
    const auto n = raised ? f->args[1]->number.to_int() : std::nullopt;
    if (is_wave(f)) {
      waves.push_back(f);
    } else if (n && *n >= 2 && *n <= 12) {
      for (std::int64_t i = 0; i < *n; ++i) waves.push_back(f->args[0]);
    } else {
      others.push_back(f);
    }
  }
  if (waves.size() < 2) return std::nullopt;
  others.push_back(product_of_waves(waves[0], waves[1]));
  others.insert(others.end(), waves.begin() + 2, waves.end());
  return multiplied_out(algebra::multiply(others));
}

Found linear(Prover& prover, const Expr& e) {
  Expr now = e;
  constexpr int enough = 60;
  for (int round = 0; round < enough; ++round) {
    bool changed = false;
    std::vector<algebra::Term> terms;
    const auto add = [&](const Rational& c, const Expr& t) {
      const auto next = changed ? std::nullopt : linear_step(t);
      changed = changed || next.has_value();
      terms.push_back({c, next ? *next : t});
    };
    if (now->op == Op::sum) {
      for (std::size_t i = 0; i < now->args.size(); ++i) add(now->coefficients[i], now->args[i]);
    } else {
      add(1, now);
    }
    if (!changed) break;
    now = algebra::sum(terms, now->op == Op::sum ? now->number : Rational());
  }
  return prover.same("products of waves", e, now, Claim::kernel);
}

}  // namespace

Rules rule_addition_theorems() {
  return {
      {460,
       Claim::kernel,
       linear,
       {{"products of waves", "cos a cos b = (cos(a-b) + cos(a+b))/2, and the like for sin.",
         "algebra"}}},
      {470,
       Claim::kernel,
       kernel_expanded,
       {{"addition theorems",
         "cos(a+b) = cos a cos b - sin a sin b, cosh(a+b) = cosh a cosh b + sinh a sinh b, and the "
         "like.",
         "algebra"}}},
  };
}

}  // namespace mercer::proof
