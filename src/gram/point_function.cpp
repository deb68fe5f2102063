#include "gram/point_function.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "kernel/evaluate.hpp"
#include "kernel/transform.hpp"

namespace mercer::gram {

namespace {

using algebra::Op;

// The body of a reduction at x[i] = z[i] = 0; nullopt where it has no value there, or depends on
// more than that coordinate.
std::optional<double> at_zero(const Expr& body) {
  constexpr std::uint64_t own_level = 1;
  if ((body->free_levels & ~own_level) != 0 || algebra::has_reduction(body)) return std::nullopt;
  try {
    const Expr e =
        algebra::substitute_bound(body, [](algebra::Side) { return algebra::number(0); });
    if (!algebra::is_constant(e)) return std::nullopt;
    return algebra::constant_value(e);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

bool ignores_zeros(const Expr& e) {
  switch (e->op) {
    case Op::coordinate:
      return e->place == algebra::Place::bound;
    case Op::user:
    case Op::precomputed:
    case Op::open_call:
      return false;
    case Op::sum_over:
    case Op::symmetric_over:
      return e->columns.all() && at_zero(e->args[0]) == 0.0;
    case Op::product_over:
      return e->columns.all() && at_zero(e->args[0]) == 1.0;
    default:
      return std::ranges::all_of(e->args, ignores_zeros);
  }
}

double along(std::span<const double> centre, std::span<const std::uint32_t> columns,
             std::span<const double> point) {
  double total = 0;
  for (const std::uint32_t j : columns) total += centre[j] * (point[j] - centre[j] / 2);
  return total;
}

PointFunctions::PointFunctions(const Plan& plan, std::size_t columns,
                               std::span<const double> centre)
    : plan_(plan), columns_(columns), centre_(centre) {
  for (const auto& f : plan.functions)
    ignores_zeros_.push_back(plan.sparse && f.expression != nullptr && ignores_zeros(f.expression));
}

double PointFunctions::value(std::size_t f, const Points& points, std::size_t i,
                             Workspace& point) const {
  point.clear();
  if (ignores_zeros_[f]) {
    for_entries(points, i, [&](std::size_t, double v) { point.push_back(v); });
    if (point.empty()) point.push_back(0);
  } else {
    point.resize(columns_);
    points.row(i, std::span(point));
    if (plan_.centre_all)
      for (std::size_t j = 0; j < columns_; ++j) point[j] -= centre_[j];
  }
  const PointFunction& function = plan_.functions[f];
  if (function.kind == PointFunction::Kind::along_centre)
    return along(centre_, plan_.sources[function.source].columns, point);
  const double v = algebra::evaluate(function.expression, point, point);
  if (function.kind == PointFunction::Kind::value) return v;
  if (v < 0)
    throw EvaluationError("normalize is undefined at row " + std::to_string(i + 1) +
                          ": k(x,x) is negative");
  return v == 0 ? 0 : 1 / std::sqrt(v);
}

}  // namespace mercer::gram
