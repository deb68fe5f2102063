// The same function on the domain, in a form that other rules know.
#include <algorithm>

#include "kernel/domain_body.hpp"
#include "kernel/multiply_out.hpp"
#include "kernel/transform.hpp"
#include "proof/prover.hpp"
#include "proof/rewriting.hpp"

namespace mercer::proof {

namespace {

using algebra::apply_function;
using algebra::is_function;
using algebra::is_number;

std::vector<algebra::Term> terms_of(const Expr& e) {
  if (e->op != Op::sum) {
    const auto [c, rest] = algebra::split_coefficient(e);
    return {{c, rest}};
  }
  std::vector<algebra::Term> terms;
  for (std::size_t i = 0; i < e->args.size(); ++i)
    terms.push_back({e->coefficients[i], e->args[i]});
  if (!e->number.is_zero()) terms.push_back({e->number, algebra::number(1)});
  return terms;
}

class Forms {
 public:
  explicit Forms(const Prover& prover) : prover_(prover) {}

  [[nodiscard]] Expr run(const Expr& e) const {
    if (e->args.empty() || e->op == Op::normalize) return e;
    std::vector<Expr> args;
    for (const auto& arg : e->args) args.push_back(run(arg));
    Expr same = algebra::with_args(*e, std::move(args));
    switch (same->op) {
      case Op::function:
        return function(same);
      case Op::product:
        return with_one_length(same);
      default:
        return same;
    }
  }

 private:
  [[nodiscard]] Expr function(const Expr& e) const {
    switch (e->fn) {
      case Function::exp:
        return without_logarithms(e);
      case Function::log:
        return of_quotient(e);
      case Function::cos:
      case Function::sin:
        return at_whole_numbers(e);
      default:
        return e;
    }
  }

  // exp(c log u + v) = u^c exp(v): where log u is defined, u > 0.
  [[nodiscard]] static Expr without_logarithms(const Expr& e) {
    std::vector<algebra::Term> rest;
    std::vector<Expr> factors;
    for (const auto& t : terms_of(e->args[0])) {
      if (is_function(t.expr, Function::log)) {
        factors.push_back(algebra::power(t.expr->args[0], t.coefficient));
      } else {
        rest.push_back(t);
      }
    }
    if (factors.empty()) return e;
    factors.push_back(apply_function(Function::exp, algebra::sum(rest)));
    return algebra::multiply(factors);
  }

  // log(a/b) = log a - log b where both are positive.
  [[nodiscard]] Expr of_quotient(const Expr& e) const {
    const auto [up, down] = as_quotient(e->args[0]);
    if (is_number(down) || !prover_.positive(up) || !prover_.positive(down)) return e;
    return algebra::subtract(apply_function(Function::log, algebra::multiplied_out(up)),
                             apply_function(Function::log, algebra::multiplied_out(down)));
  }

  // |a| |b| = |a b|
  [[nodiscard]] static Expr with_one_length(const Expr& e) {
    std::vector<Expr> inside;
    std::vector<Expr> others;
    for (const auto& f : e->args) {
      if (is_function(f, Function::abs)) {
        inside.push_back(f->args[0]);
      } else {
        others.push_back(f);
      }
    }
    if (inside.size() < 2) return e;
    others.push_back(
        apply_function(Function::abs, algebra::multiplied_out(algebra::multiply(inside))));
    return algebra::multiply(others);
  }

  // Sums of products of coordinates, with whole coefficients: whole numbers on Z and N.
  [[nodiscard]] bool is_whole(const Expr& e) const {
    const auto kind = prover_.domain().kind();
    if (kind != Domain::Kind::integers && kind != Domain::Kind::naturals) return false;
    if (e->op == Op::coordinate) return true;
    if (e->op == Op::number) return e->number.is_integer();
    if (e->op == Op::power)
      return is_number(e->args[1]) && e->args[1]->number.is_integer() &&
             e->args[1]->number.sign() > 0 && is_whole(e->args[0]);
    const bool sums = e->op == Op::sum || e->op == Op::product || e->op == Op::sum_over ||
                      e->op == Op::minimum || e->op == Op::maximum || is_function(e, Function::abs);
    return sums && e->number.is_integer() &&
           std::ranges::all_of(e->coefficients, [](const Rational& c) { return c.is_integer(); }) &&
           std::ranges::all_of(e->args, [&](const Expr& arg) { return is_whole(arg); });
  }

  // cos(2πn) = 1, sin(πn) = 0
  [[nodiscard]] Expr at_whole_numbers(const Expr& e) const {
    const bool cosine = e->fn == Function::cos;
    const Expr turns = algebra::multiplied_out(
        algebra::divide(e->args[0], algebra::scale(cosine ? 2 : 1, algebra::pi())));
    return is_whole(turns) ? algebra::number(cosine ? 1 : 0) : e;
  }

  const Prover& prover_;
};

Found in_form(Prover& prover, const Expr& e, Claim claim) {
  return prover.same("another form", e, Forms(prover).run(e), claim);
}

Found kernel(Prover& prover, const Expr& e) { return in_form(prover, e, Claim::kernel); }
Found conditional(Prover& prover, const Expr& e) { return in_form(prover, e, Claim::conditional); }
Found divisible(Prover& prover, const Expr& e) { return in_form(prover, e, Claim::divisible); }

// A sum of quotients over one bar. What stands below it is not 0 where the sum is defined.
Found one_quotient(Prover& prover, const Expr& e) {
  constexpr std::uint32_t large = 500;
  if (e->op != Op::sum || e->size > large || contains_normalize(e)) return std::nullopt;
  const auto [up, down] = as_quotient(e);
  if (is_number(down)) return std::nullopt;
  return prover.same(
      "another form", e,
      algebra::multiply(algebra::multiplied_out(up), algebra::power(down, Rational(-1))),
      Claim::kernel);
}

// c/|a| for a term -c |D|/(a x + …): what such a term may come to where D is of the size of x.
std::optional<Rational> reach_of(const Rational& c, const Expr& term) {
  if (c.sign() >= 0 || term->op != Op::product) return std::nullopt;
  for (const auto& f : term->args) {
    if (f->op != Op::power || !is_number(f->args[1], -1)) continue;
    const Expr& below = f->args[0];
    return below->op == Op::sum ? -c / abs(below->coefficients[0]) : -c;
  }
  return std::nullopt;
}

// -c u/v may be a kernel but for a constant: -|x-z|/(x+z) = 2 min(x,z)/(x+z) - 1.
Found with_constant(Prover& prover, const Expr& e) {
  const auto [factor, term] = algebra::split_coefficient(e);
  const auto c = reach_of(factor, term);
  if (!c) return std::nullopt;
  auto premise = prover.prove(algebra::sum({{1, e}}, *c), Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("sum, conditionally", e, Claim::conditional,
                  {.with = {given("c1", Rational(1)), given("f(x) + f(z)", -*c)}},
                  {std::move(*premise)});
}

// 1 - |x-z|/(2x+2z): a constant may be more than the quotient needs.
Found less_constant(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || e->args.size() != 1) return std::nullopt;
  const auto c = reach_of(e->coefficients[0], e->args[0]);
  if (!c || e->number <= *c) return std::nullopt;
  const Rational rest = e->number - *c;
  auto premise = prover.prove(algebra::sum({{1, e}}, -rest), Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("sum", e, Claim::kernel,
                  {.with = {given("c1", Rational(1)), given("constant", rest)}},
                  {std::move(*premise)});
}

}  // namespace

Rules rule_other_forms() {
  const Rule rule{"another form",
                  "The same values at all points of the domain: exp(c log u) = u^c, |a||b| = |ab|, "
                  "log(a/b) = log a - log b, cos(2πn) = 1 for whole n, a/b + c/d = (ad + bc)/(bd).",
                  "algebra"};
  return {{455, Claim::kernel, kernel, {rule}},         {455, Claim::conditional, conditional, {}},
          {455, Claim::divisible, divisible, {}},       {456, Claim::kernel, one_quotient, {}},
          {457, Claim::conditional, with_constant, {}}, {457, Claim::kernel, less_constant, {}}};
}

}  // namespace mercer::proof
