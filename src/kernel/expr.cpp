#include "kernel/expr.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "kernel/open_call.hpp"

namespace mercer::algebra {

namespace {

bool all_of(const std::vector<Expr>& args, bool Node::*flag) {
  return std::ranges::all_of(args, [&](const Expr& e) { return (*e).*flag; });
}

void derive_sum_sign(Node& n) {
  n.nonnegative = n.number.sign() >= 0;
  n.positive = n.number.sign() > 0;
  for (std::size_t i = 0; i < n.args.size(); ++i) {
    if (n.coefficients[i].is_zero()) continue;
    const bool up = n.coefficients[i].sign() > 0;
    n.nonnegative = n.nonnegative && up && n.args[i]->nonnegative;
    n.positive = n.positive || (up && n.args[i]->positive);
  }
  n.positive = n.positive && n.nonnegative;
}

void derive_power_sign(Node& n) {
  const Node& base = *n.args[0];
  const Node& exponent = *n.args[1];
  n.positive = base.positive;
  n.nonnegative = base.nonnegative;
  if (exponent.op != Op::number) {
    n.total = n.total && base.positive;
    n.nonnegative = n.nonnegative || n.positive;
    return;
  }
  const Rational& r = exponent.number;
  n.nonnegative = n.nonnegative || r.is_even() || !r.is_integer();
  n.positive = n.positive || (n.nonnegative && r.sign() < 0);
  const bool defined = base.positive || (r.sign() >= 0 && (r.is_integer() || base.nonnegative));
  n.total = n.total && defined;
}

void derive_function_sign(Node& n) {
  const Node& arg = *n.args[0];
  switch (n.fn) {
    case Function::exp:
    case Function::cosh:
      n.nonnegative = n.positive = true;
      break;
    case Function::abs:
      n.nonnegative = true;
      n.positive = arg.positive;
      break;
    case Function::sinh:
    case Function::tanh:
      n.nonnegative = arg.nonnegative;
      n.positive = arg.positive;
      break;
    case Function::asin:
      n.total = false;
      n.nonnegative = arg.nonnegative;
      break;
    case Function::log:
      n.total = n.total && arg.positive;
      break;
    case Function::cos:
    case Function::sin:
      break;
  }
}

// What is known of the value: its sign, and whether it is defined at all real points.
void derive_sign(Node& n) {
  n.total = all_of(n.args, &Node::total);
  switch (n.op) {
    case Op::number:
      n.nonnegative = n.number.sign() >= 0;
      n.positive = n.number.sign() > 0;
      break;
    case Op::pi:
    case Op::matern:
      n.nonnegative = n.positive = true;
      break;
    case Op::sum:
      derive_sum_sign(n);
      break;
    case Op::product:
    case Op::product_over:
    case Op::symmetric_over:
    case Op::sum_over:
    case Op::minimum:
      n.nonnegative = all_of(n.args, &Node::nonnegative);
      n.positive = n.op != Op::symmetric_over && all_of(n.args, &Node::positive);
      break;
    case Op::maximum:
      n.nonnegative = std::ranges::any_of(n.args, &Node::nonnegative);
      n.positive = std::ranges::any_of(n.args, &Node::positive);
      break;
    case Op::power:
      derive_power_sign(n);
      break;
    case Op::function:
      derive_function_sign(n);
      break;
    case Op::chi:
      n.total = false;
      break;
    case Op::normalize:
      n.total = n.total && n.has_norm;
      break;
    case Op::open_call:
      n.total = false;  // it depends on the parameters
      break;
    case Op::user:
    case Op::precomputed:
    case Op::coordinate:
      break;
  }
}

bool binds(Op op) {
  return op == Op::sum_over || op == Op::product_over || op == Op::symmetric_over;
}

std::size_t mix(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9E3779B97F4A7C15ULL + (seed << 6U) + (seed >> 2U));
}

// Open parameters hash as they are written, whatever their number in the text.
std::size_t hash_of(const Node& n) {
  std::size_t h = static_cast<std::size_t>(n.op) * 131 + static_cast<std::size_t>(n.fn);
  h = mix(h, static_cast<std::size_t>(n.side) * 7 + static_cast<std::size_t>(n.place));
  h = mix(h, n.index);
  h = mix(h, n.degree + (n.swapped ? 1U : 0U));
  if (!n.columns.all()) h = mix(h, n.columns.hash());
  h = mix(h, hash_value(n.number));
  for (const auto& c : n.coefficients) h = mix(h, hash_value(c));
  for (const auto& arg : n.args) h = mix(h, arg->hash);
  if (n.user) h = mix(h, std::hash<std::string>{}(n.user->name));
  if (n.open) h = mix(h, hash_value(*n.open));
  return h;
}

}  // namespace

Expr finish(Node n) {
  for (const auto& arg : n.args) {
    n.size = std::min(max_size + 1, n.size + arg->size);
    n.depth = std::max(n.depth, arg->depth + 1);
    n.free_levels |= arg->free_levels;
    n.least_dimension = std::max(n.least_dimension, arg->least_dimension);
    n.uses_x = n.uses_x || arg->uses_x;
    n.uses_z = n.uses_z || arg->uses_z;
    n.as_number = n.as_number || arg->as_number;
    n.has_names = n.has_names || arg->has_names;
    n.has_open = n.has_open || arg->has_open;
    n.has_opaque = n.has_opaque || arg->has_opaque;
  }
  if (n.size > max_size)
    throw Error("the expression is too large (more than " + std::to_string(max_size) + " parts)");
  if (n.depth > max_depth)
    throw Error("the expression is nested too deeply (more than " + std::to_string(max_depth) +
                " levels)");
  if (binds(n.op)) n.free_levels >>= 1U;
  // normalize(f(x)) divides by the roots of f(x) and f(z).
  if (n.op == Op::normalize) n.uses_x = n.uses_z = n.uses_x || n.uses_z;
  n.least_dimension = std::max(n.least_dimension, n.columns.least_dimension());
  n.has_names = n.has_names || n.columns.has_names();
  n.value = n.number.to_double();
  n.weights.reserve(n.coefficients.size());
  for (const auto& c : n.coefficients) n.weights.push_back(c.to_double());
  derive_sign(n);
  n.hash = hash_of(n);
  return std::make_shared<const Node>(std::move(n));
}

Expr number(Rational value) {
  Node n;
  n.op = Op::number;
  n.number = std::move(value);
  return finish(std::move(n));
}

Expr pi() {
  Node n;
  n.op = Op::pi;
  return finish(std::move(n));
}

namespace {

Node coordinate_node(Side side, Place place) {
  Node n;
  n.op = Op::coordinate;
  n.side = side;
  n.place = place;
  n.uses_x = side != Side::z;
  n.uses_z = side != Side::x;
  return n;
}

}  // namespace

Expr coordinate(Side side, Columns columns, std::uint32_t index) {
  while (!columns.all() && columns.count()) std::tie(columns, index) = columns.nth(index);
  if (index == 0) throw Error("coordinates are counted from 1");
  Node n = coordinate_node(side, Place::fixed);
  n.index = index;
  if (columns.all()) n.least_dimension = index;
  n.columns = std::move(columns);
  return finish(std::move(n));
}

Expr only_coordinate(Side side, const Columns& columns) {
  if (const auto count = columns.count()) {
    if (*count != 1)
      throw Error("a number is needed, but the selection " + columns.kernel_suffix() + " has " +
                  std::to_string(*count) + " columns");
    return coordinate(side, columns, 1);
  }
  Node n = coordinate_node(side, Place::only);
  n.as_number = columns.all();
  n.columns = columns;
  return finish(std::move(n));
}

Expr bound_coordinate(Side side, std::uint32_t level) {
  Node n = coordinate_node(side, Place::bound);
  n.index = level;
  if (level >= max_reductions)
    throw Error("sums and products over coordinates are nested too deeply");
  n.free_levels = std::uint64_t{1} << level;
  return finish(std::move(n));
}

Expr user(std::shared_ptr<const UserFunctionEntry> entry, Columns columns, bool swapped) {
  Node n;
  n.op = Op::user;
  n.user = std::move(entry);
  n.columns = std::move(columns);
  n.swapped = swapped;
  n.uses_x = n.uses_z = n.has_opaque = true;
  return finish(std::move(n));
}

Expr precomputed(bool swapped) {
  Node n;
  n.op = Op::precomputed;
  n.swapped = swapped;
  n.uses_x = n.uses_z = n.has_opaque = true;
  return finish(std::move(n));
}

Expr open_call(std::shared_ptr<const OpenCall> call, Columns columns, std::uint32_t serial) {
  Node n;
  n.op = Op::open_call;
  n.open = std::move(call);
  n.columns = std::move(columns);
  n.serial = serial;
  n.uses_x = n.uses_z = n.has_open = true;
  return finish(std::move(n));
}

}  // namespace mercer::algebra
