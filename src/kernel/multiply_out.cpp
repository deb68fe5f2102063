#include "kernel/multiply_out.hpp"

#include <optional>

namespace mercer::algebra {

namespace {

constexpr std::size_t most_terms = 400;

std::vector<Term> terms_of(const Expr& e) {
  if (e->op != Op::sum) return {{1, e}};
  std::vector<Term> terms;
  for (std::size_t i = 0; i < e->args.size(); ++i)
    terms.push_back({e->coefficients[i], e->args[i]});
  if (!e->number.is_zero()) terms.push_back({e->number, number(1)});
  return terms;
}

std::optional<Expr> times(const Expr& a, const Expr& b) {
  const auto left = terms_of(a);
  const auto right = terms_of(b);
  if (left.size() * right.size() > most_terms) return std::nullopt;
  std::vector<Term> terms;
  for (const auto& s : left)
    for (const auto& t : right)
      terms.push_back({s.coefficient * t.coefficient, multiply(s.expr, t.expr)});
  return sum(terms);
}

}  // namespace

Expr multiplied_out(const Expr& e) {
  switch (e->op) {
    case Op::sum: {
      std::vector<Term> terms;
      for (std::size_t i = 0; i < e->args.size(); ++i)
        terms.push_back({e->coefficients[i], multiplied_out(e->args[i])});
      return sum(terms, e->number);
    }
    case Op::product: {
      Expr total = number(1);
      for (const auto& arg : e->args) {
        const auto next = times(total, multiplied_out(arg));
        if (!next) return e;
        total = *next;
      }
      return total;
    }
    case Op::power: {
      const auto n = is_number(e->args[1]) ? e->args[1]->number.to_int() : std::nullopt;
      if (!n || *n < 2 || *n > 12) return e;
      Expr total = number(1);
      const Expr base = multiplied_out(e->args[0]);
      if (base->op != Op::sum) return power(base, *n);
      for (std::int64_t i = 0; i < *n; ++i) {
        const auto next = times(total, base);
        if (!next) return e;
        total = *next;
      }
      return total;
    }
    case Op::sum_over:
      return sum_over(e->columns, multiplied_out(e->args[0]));
    default:
      return e;
  }
}

}  // namespace mercer::algebra
