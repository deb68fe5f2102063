// Sums and products over coordinates.
#include <mercer/error.hpp>

#include "kernel/expr.hpp"
#include "kernel/transform.hpp"

namespace mercer::algebra {

namespace {

Expr node(Op op, const Columns& columns, const Expr& body, std::uint32_t degree = 0) {
  Node n;
  n.op = op;
  n.columns = columns.sorted();
  n.degree = degree;
  n.args = {body};
  return finish(std::move(n));
}

bool runs(const Expr& e) { return (e->free_levels & 1U) != 0; }  // depends on the coordinate

// Over a single column, the body there.
Expr at_the_only_column(const Columns& columns, const Expr& body) {
  return substitute_bound(body, [&](Side side) { return coordinate(side, columns, 1); });
}

std::vector<Expr> factors_of(const Expr& e) {
  return e->op == Op::product ? e->args : std::vector<Expr>{e};
}

}  // namespace

Expr sum_over(const Columns& columns, const Expr& body) {
  const auto count = columns.count();
  if (count == 1) return at_the_only_column(columns, body);
  if (!runs(body)) {
    const Expr how_many =
        count ? number(static_cast<std::int64_t>(*count)) : node(Op::sum_over, columns, number(1));
    return multiply(shift_in(body), how_many);
  }
  if (body->op == Op::sum) {
    std::vector<Term> terms;
    for (std::size_t i = 0; i < body->args.size(); ++i)
      terms.push_back({body->coefficients[i], sum_over(columns, body->args[i])});
    if (!body->number.is_zero()) terms.push_back({body->number, sum_over(columns, number(1))});
    return sum(terms);
  }
  // What does not depend on the coordinate comes out.
  std::vector<Expr> outside;
  std::vector<Expr> inside;
  for (const auto& e : factors_of(body)) {
    if (runs(e)) {
      inside.push_back(e);
    } else {
      outside.push_back(shift_in(e));
    }
  }
  if (outside.empty()) return node(Op::sum_over, columns, body);
  outside.push_back(sum_over(columns, multiply(inside)));
  return multiply(outside);
}

Expr product_over(const Columns& columns, const Expr& body) {
  const auto count = columns.count();
  if (count == 1) return at_the_only_column(columns, body);
  if (is_number(body, 1)) return body;
  if (count && !runs(body))
    return power(shift_in(body), Rational(static_cast<std::int64_t>(*count)));
  return node(Op::product_over, columns, body);
}

Expr symmetric_over(std::uint32_t degree, const Columns& columns, const Expr& body) {
  const auto count = columns.count();
  if (degree == 0) return number(1);
  if (degree == 1) return sum_over(columns, body);
  if (count && *count < degree && body->total) return number(0);
  if (count && *count == degree) return product_over(columns, body);
  return node(Op::symmetric_over, columns, body, degree);
}

}  // namespace mercer::algebra
