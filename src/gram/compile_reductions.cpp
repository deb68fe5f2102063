// From expressions to plans: sums, products and symmetric sums over coordinates.
#include <cmath>
#include <memory>
#include <mercer/error.hpp>
#include <utility>

#include "gram/compiler.hpp"
#include "kernel/evaluate.hpp"
#include "kernel/transform.hpp"

namespace mercer::gram {

using algebra::Function;
using algebra::Node;
using algebra::Op;
using algebra::Side;

namespace {

bool zero_at_zero(const Expr& map) {
  try {
    const double zero = 0;
    return algebra::evaluate(map, std::span(&zero, 1), std::span(&zero, 1)) == 0;
  } catch (const EvaluationError&) {
    return false;
  }
}

// t(a,0) or t(0,b), of the coordinate of one side; null where it is 0.
Expr beside_overlap(Reduce kind, Side side) {
  Expr v = algebra::bound_coordinate(side, 0);
  switch (kind) {
    case Reduce::absolute_difference:
      return algebra::apply_function(Function::abs, v);
    case Reduce::minimum:
      return algebra::minimum({v, algebra::number(0)});
    case Reduce::maximum:
      return algebra::maximum({v, algebra::number(0)});
    case Reduce::chi:
      return v;
    default:
      return nullptr;
  }
}

bool is_difference(Reduce kind) {
  return kind == Reduce::squared_difference || kind == Reduce::absolute_difference;
}

bool stationary_body(const Node& n) {
  return n.free_levels == 0 && algebra::is_stationary(std::make_shared<const Node>(n));
}

}  // namespace

std::uint32_t Compiler::source(const algebra::Columns& columns, const Expr& map, bool centred) {
  const bool away = centred && choices_.centre && !choices_.sparse && !plan_.centre_all;
  Source s{.columns = {}, .map = map, .centred = away};
  if (map != nullptr && choices_.sparse && !zero_at_zero(map)) plan_.suits_sparse = false;
  for (const auto& range : columns.ranges(plan_.dimension))
    for (std::uint32_t i = range.first; i <= range.last; ++i) s.columns.push_back(i - 1);
  return place(plan_.sources, s);
}

std::uint16_t Compiler::reduction(const Reduction& r) {
  const std::uint32_t n = place(plan_.reductions, r);
  if (n < reduced_.size()) return reduced_[n];
  // Outside of all loops, where it holds for each of their turns.
  const std::uint16_t to = fresh();
  plan_.steps.insert(plan_.steps.begin() + static_cast<std::ptrdiff_t>(reduced_.size()),
                     {.code = Code::reduction, .to = to, .n = n});
  reduced_.push_back(to);
  return to;
}

Value Compiler::reduced(const Node& n) {
  if (n.free_levels != 0) return looped(n);
  const Expr& body = n.args[0];
  if (n.op == Op::sum_over)
    if (const auto terms = fast_sum(body, choices_.cancelling)) return summed(n, *terms);
  if (n.op == Op::product_over)
    if (const auto p = linear_in_product(body)) {
      if (p->constant != 1) plan_.suits_sparse = false;
      return in(reduction({.kind = Reduce::product,
                           .x = source(n.columns, nullptr, false),
                           .z = source(n.columns, nullptr, false),
                           .shift = p->constant,
                           .scale = p->factor}));
    }
  if (n.op == Op::symmetric_over && n.degree >= 2 && n.degree <= max_fast_degree)
    if (const auto p = linear_in_product(body); p && p->constant == 0) {
      const std::uint16_t t = reduction({.kind = Reduce::symmetric,
                                         .x = source(n.columns, nullptr, false),
                                         .z = source(n.columns, nullptr, false),
                                         .degree = n.degree});
      if (p->factor == 1) return in(t);
      return in(emit({.code = Code::scale, .a = t, .p = std::pow(p->factor, n.degree)}));
    }
  return looped(n);
}

Value Compiler::summed(const Node& n, const FastSum& s) {
  std::vector<algebra::Term> alone;  // of x or of z alone, and constants
  std::vector<Weighted> both;
  double count = 0;
  for (const auto& range : n.columns.ranges(plan_.dimension))
    count += static_cast<double>(range.last - range.first) + 1;
  for (const auto& term : s.alone)
    alone.push_back({term.coefficient, algebra::sum_over(n.columns, term.expr)});
  for (const auto& term : s.both) {
    const std::uint32_t x = source(n.columns, term.x, is_difference(term.kind));
    const std::uint32_t z =
        term.z == term.x ? x : source(n.columns, term.z, is_difference(term.kind));
    both.emplace_back(term.coefficient, distance_or(term.kind, x, z));
    if (choices_.sparse)
      for (const Side side : {Side::x, Side::z})
        if (const Expr rest = beside_overlap(term.kind, side))
          alone.push_back(
              {Rational::exactly(term.coefficient), algebra::sum_over(n.columns, rest)});
  }
  std::vector<algebra::Term> of_x;
  std::vector<algebra::Term> of_z;
  for (const auto& term : alone) (term.expr->uses_z ? of_z : of_x).push_back(term);
  return added(both, s.constant * count, of_x, of_z);
}

std::uint16_t Compiler::distance_or(Reduce kind, std::uint32_t x, std::uint32_t z) {
  if (kind != Reduce::squared_difference || !choices_.cancelling)
    return reduction(
        {.kind = kind, .x = x, .z = z, .overlap = choices_.sparse && kind != Reduce::dot});
  const std::uint16_t dot = reduction({.kind = Reduce::dot, .x = x, .z = z});
  if (const auto found = distances_.find(dot); found != distances_.end()) return found->second;
  const auto norm =
      function({.kind = PointFunction::Kind::squared_norm, .expression = {}, .source = x});
  // Right after the reductions, as outside of all loops.
  const std::uint16_t to = fresh();
  plan_.steps.insert(plan_.steps.begin() + static_cast<std::ptrdiff_t>(reduced_.size()),
                     {.code = Code::distance, .to = to, .a = dot, .n = norm});
  distances_.emplace(dot, to);
  return to;
}

Value Compiler::looped(const Node& n) {
  plan_.suits_sparse = false;
  Loop loop;
  loop.kind = n.op == Op::sum_over       ? Loop::Kind::sum
              : n.op == Op::product_over ? Loop::Kind::product
                                         : Loop::Kind::symmetric;
  loop.degree = n.degree;
  loop.source = source(n.columns, nullptr, stationary_body(n));
  const std::uint32_t own = loop.kind == Loop::Kind::symmetric ? n.degree : 1;
  for (std::uint32_t i = 0; i < own; ++i) loop.own.push_back(fresh());

  std::vector<Step> before;
  const bool outermost = before_loop_ == nullptr;
  if (outermost) before_loop_ = &before;
  auto* outer_code = std::exchange(code_, &loop.body);
  auto outer_known = std::exchange(known_in_loop_, {});
  loop.value = tile(value(n.args[0]));
  known_in_loop_ = std::move(outer_known);
  code_ = outer_code;
  if (outermost) {
    before_loop_ = nullptr;
    code_->insert(code_->end(), before.begin(), before.end());
  }
  plan_.loops.push_back(std::move(loop));
  return in(emit({.code = Code::loop, .n = static_cast<std::uint32_t>(plan_.loops.size() - 1)}));
}

}  // namespace mercer::gram
