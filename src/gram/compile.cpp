// From expressions to plans: values.
#include <algorithm>
#include <array>
#include <cmath>
#include <mercer/error.hpp>
#include <optional>
#include <utility>

#include "gram/compiler.hpp"
#include "kernel/evaluate.hpp"
#include "kernel/transform.hpp"

namespace mercer::gram {

using algebra::Function;
using algebra::Node;
using algebra::Op;
using algebra::Side;

bool Source::operator==(const Source& other) const {
  return columns == other.columns && centred == other.centred && scale == other.scale &&
         (map == nullptr) == (other.map == nullptr) &&
         (map == nullptr || algebra::equal(map, other.map));
}

namespace {

Code code_of(Function f) {
  switch (f) {
    case Function::exp:
      return Code::exponential;
    case Function::log:
      return Code::logarithm;
    case Function::cos:
      return Code::cosine;
    case Function::sin:
      return Code::sine;
    case Function::cosh:
      return Code::hyperbolic_cosine;
    case Function::sinh:
      return Code::hyperbolic_sine;
    case Function::tanh:
      return Code::hyperbolic_tangent;
    case Function::asin:
      return Code::arc_sine;
    case Function::abs:
      break;
  }
  return Code::absolute;
}

}  // namespace

Plan Compiler::run(std::span<const Kernel> kernels) {
  for (const auto& k : kernels)
    plan_.kernels.push_back(algebra::in_dimension(k.expression(), plan_.dimension));
  plan_.sparse = choices_.sparse;
  plan_.centre_all = !choices_.sparse && !choices_.from_origin &&
                     std::ranges::all_of(plan_.kernels, [](const Expr& e) {
                       return !e->has_opaque && algebra::is_stationary(e);
                     });
  for (const auto& e : plan_.kernels) plan_.results.push_back(tile(value(e)));
  share_dots(plan_);
  fold_gaussians(plan_, registers_);
  mark_exponentials(plan_, registers_);
  allocate_registers(plan_, registers_);
  mark_seen(plan_);
  plan_.symmetric = is_symmetric();
  return std::move(plan_);
}

bool Compiler::is_symmetric() const {
  return plan_.loops.empty() && plan_.leaves.empty() &&
         std::ranges::all_of(plan_.reductions, [](const Reduction& r) { return r.x == r.z; }) &&
         std::ranges::none_of(plan_.steps, [](const Step& s) {
           return s.code == Code::load_row || s.code == Code::load_column ||
                  s.code == Code::add_row || s.code == Code::add_column ||
                  s.code == Code::multiply_row || s.code == Code::multiply_column;
         });
}

std::uint16_t Compiler::fresh() {
  constexpr std::uint16_t most = 4096;
  if (registers_ == most) throw Error("the kernel is too large to be computed in bulk");
  return registers_++;
}

std::uint16_t Compiler::emit(Step s) {
  s.to = fresh();
  code_->push_back(s);
  return s.to;
}

std::uint16_t Compiler::tile(const Value& v) {
  switch (v.kind) {
    case Value::Kind::constant:
      return emit({.code = Code::fill, .p = v.constant});
    case Value::Kind::row:
      return emit({.code = Code::load_row, .n = v.n});
    case Value::Kind::column:
      return emit({.code = Code::load_column, .n = v.n});
    case Value::Kind::tile:
      break;
  }
  return static_cast<std::uint16_t>(v.n);
}

std::uint32_t Compiler::function(const PointFunction& f) {
  for (std::size_t i = 0; i < plan_.functions.size(); ++i) {
    const auto& g = plan_.functions[i];
    if (g.kind == f.kind && g.source == f.source &&
        (f.expression == nullptr || algebra::equal(f.expression, g.expression)))
      return static_cast<std::uint32_t>(i);
  }
  plan_.functions.push_back(f);
  return static_cast<std::uint32_t>(plan_.functions.size() - 1);
}

Value Compiler::value(const Expr& e) {
  if (e->has_open) throw Error("the kernel has an open parameter: give it a value first");
  if (e->free_levels == 0 && !e->has_opaque) {
    if (!e->uses_x && !e->uses_z && !algebra::has_reduction(e))
      return {.kind = Value::Kind::constant, .constant = algebra::constant_value(e)};
    if (!e->uses_z) return {.kind = Value::Kind::row, .n = function({.expression = e})};
    if (!e->uses_x)
      return {.kind = Value::Kind::column, .n = function({.expression = algebra::swap_sides(e)})};
  }
  // Inside of a loop: what does not turn with it is computed before it.
  if (e->free_levels == 0 && before_loop_ != nullptr && code_ != before_loop_) {
    auto* before = std::exchange(before_loop_, nullptr);
    auto* here = std::exchange(code_, before);
    const Value v = value_here(e);
    code_ = here;
    before_loop_ = before;
    return v;
  }
  return value_here(e);
}

Value Compiler::value_here(const Expr& e) {
  auto& known = e->free_levels == 0 ? known_ : known_in_loop_;
  if (const auto found = known.find(e); found != known.end()) return found->second;
  const Value v = compute(*e);
  (e->free_levels == 0 ? known_ : known_in_loop_).insert_or_assign(e, v);
  return v;
}

Value Compiler::compute(const Node& n) {
  switch (n.op) {
    case Op::sum:
      return sum(n);
    case Op::product:
      return product(n.args);
    case Op::power:
      return power(n);
    case Op::function:
      return applied(n);
    case Op::minimum:
    case Op::maximum:
      return extremum(n);
    case Op::chi:
      return in(
          emit({.code = Code::chi, .a = tile(value(n.args[0])), .b = tile(value(n.args[1]))}));
    case Op::matern:
      return matern(n);
    case Op::normalize:
      return normalized(n);
    case Op::sum_over:
    case Op::product_over:
    case Op::symmetric_over:
      return reduced(n);
    case Op::coordinate:
      return in(emit(
          {.code = n.side == Side::x ? Code::coordinate_x : Code::coordinate_z, .n = n.index}));
    case Op::user:
    case Op::precomputed:
      plan_.leaves.push_back({std::make_shared<const Node>(n)});
      return in(
          emit({.code = Code::leaf, .n = static_cast<std::uint32_t>(plan_.leaves.size() - 1)}));
    case Op::number:
    case Op::pi:
    case Op::open_call:
      break;
  }
  throw Error("the kernel cannot be computed in bulk");
}

Value Compiler::sum(const Node& n) {
  Parts parts;
  double constant = n.value;
  for (std::size_t i = 0; i < n.args.size(); ++i) {
    const Expr& e = n.args[i];
    if (algebra::is_constant(e)) {
      constant += n.weights[i] * algebra::constant_value(e);
    } else {
      auto& part = of_x_alone(e) ? parts.x : of_z_alone(e) ? parts.z : parts.both;
      part.push_back({n.coefficients[i], e});
    }
  }
  std::vector<Weighted> both;
  for (const auto& term : parts.both)
    both.emplace_back(term.coefficient.to_double(), tile(value(term.expr)));
  // A term that is taken as it is goes first: the others are added to it, with their factors.
  if (constant == 0)
    std::stable_partition(both.begin(), both.end(),
                          [](const Weighted& term) { return term.first == 1; });
  return added(both, constant, parts.x, parts.z);
}

Value Compiler::added(const std::vector<Weighted>& both, double constant,
                      const std::vector<algebra::Term>& of_x,
                      const std::vector<algebra::Term>& of_z) {
  std::optional<std::uint16_t> total;
  for (const auto& [w, t] : both) {
    if (total) {
      total = emit({.code = Code::add_scaled, .a = *total, .b = t, .p = w});
    } else {
      total =
          w == 1 && constant == 0 ? t : emit({.code = Code::scale, .a = t, .p = w, .q = constant});
      constant = 0;
    }
  }
  std::array<Value, 2> sides;  // of x alone, of z alone
  if (!of_x.empty()) sides[0] = value(algebra::sum(of_x));
  if (!of_z.empty()) sides[1] = value(algebra::sum(of_z));
  if (total && sides[0].kind == Value::Kind::row && sides[1].kind == Value::Kind::column &&
      sides[0].n == sides[1].n) {
    total = emit({.code = Code::add_both, .a = *total, .n = sides[0].n, .p = 1});
    sides = {};
  }
  for (const bool row : {true, false}) {
    const Value& v = sides[row ? 0 : 1];
    if (v.kind == Value::Kind::constant) {
      constant += v.constant;
    } else if (total) {
      total = emit({.code = row ? Code::add_row : Code::add_column, .a = *total, .n = v.n, .p = 1});
    } else {
      total = tile(v);
    }
  }
  if (constant != 0) total = emit({.code = Code::scale, .a = *total, .p = 1, .q = constant});
  return in(*total);
}

Value Compiler::product(const std::vector<Expr>& factors) {
  std::vector<Expr> of_x;
  std::vector<Expr> of_z;
  double constant = 1;
  std::optional<std::uint16_t> above;
  std::optional<std::uint16_t> below;
  for (const auto& e : factors) {
    if (algebra::is_constant(e)) {
      constant *= algebra::constant_value(e);
    } else if (of_x_alone(e)) {
      of_x.push_back(e);
    } else if (of_z_alone(e)) {
      of_z.push_back(e);
    } else {
      const bool under =
          e->op == Op::power && algebra::is_number(e->args[1]) && e->args[1]->number.sign() < 0;
      const Expr factor = under ? algebra::power(e->args[0], -e->args[1]->number) : e;
      auto& side = under ? below : above;
      const std::uint16_t t = tile(value(factor));
      side = side ? emit({.code = Code::multiply, .a = *side, .b = t}) : t;
    }
  }
  if (above && below) {
    above = emit({.code = Code::divide, .a = *above, .b = *below});
  } else if (below) {
    above = emit({.code = Code::reciprocal, .a = *below});
  }
  std::optional<Value> row;
  std::optional<Value> column;
  if (!of_x.empty()) row = value(algebra::multiply(of_x));
  if (!of_z.empty()) column = value(algebra::multiply(of_z));
  if (above && row && column && row->n == column->n) {
    above = emit({.code = Code::multiply_both, .a = *above, .n = row->n});
  } else {
    if (row)
      above = above ? emit({.code = Code::multiply_row, .a = *above, .n = row->n})
                    : emit({.code = Code::load_row, .n = row->n});
    if (column)
      above = above ? emit({.code = Code::multiply_column, .a = *above, .n = column->n})
                    : emit({.code = Code::load_column, .n = column->n});
  }
  if (constant != 1) above = emit({.code = Code::scale, .a = *above, .p = constant});
  return in(*above);
}

Value Compiler::power(const Node& n) {
  if (!algebra::is_constant(n.args[1]))
    return in(
        emit({.code = Code::raise_to, .a = tile(value(n.args[0])), .b = tile(value(n.args[1]))}));
  const double r = algebra::constant_value(n.args[1]);
  const std::uint16_t base = tile(value(n.args[0]));
  const double size = std::abs(r);
  constexpr double most = 1024;
  std::uint16_t t = base;
  if (size == 0.5) {
    t = emit({.code = Code::square_root, .a = base});
  } else if (size == std::floor(size) && size <= most) {
    if (size != 1)
      t = emit({.code = Code::power, .a = base, .n = static_cast<std::uint32_t>(size)});
  } else {
    return in(emit({.code = Code::raise, .a = base, .p = r}));
  }
  return in(r < 0 ? emit({.code = Code::reciprocal, .a = t}) : t);
}

Value Compiler::applied(const Node& n) {
  Step s{.code = code_of(n.fn), .a = tile(value(n.args[0])), .p = 1};
  const bool scaled = !code_->empty() && code_->back().code == Code::scale;
  if (n.fn == Function::exp && scaled && code_->back().to == s.a)  // exp(p a + q) is one step
    s = {.code = s.code, .a = code_->back().a, .p = code_->back().p, .q = code_->back().q};
  return in(emit(s));
}

Value Compiler::extremum(const Node& n) {
  const bool least = n.op == Op::minimum;
  std::optional<double> bound;
  std::optional<std::uint16_t> t;
  for (const auto& e : n.args) {
    if (algebra::is_constant(e)) {
      const double c = algebra::constant_value(e);
      bound = !bound ? c : least ? std::min(*bound, c) : std::max(*bound, c);
    } else {
      const std::uint16_t next = tile(value(e));
      t = !t ? next : emit({.code = least ? Code::minimum : Code::maximum, .a = *t, .b = next});
    }
  }
  if (!bound) return in(*t);
  if (!t) return {.kind = Value::Kind::constant, .constant = *bound};
  return in(emit({.code = least ? Code::at_most : Code::at_least, .a = *t, .p = *bound}));
}

Value Compiler::matern(const Node& n) {
  const std::uint16_t squared = tile(value(n.args[0]));
  const double p = n.value - 0.5;
  constexpr double most = 8;
  const std::uint16_t t = emit({.code = Code::square_root, .a = squared});
  if (p != std::floor(p) || p > most)
    return in(emit({.code = Code::matern, .a = t, .n = table(n.value)}));
  const std::uint16_t decay = emit({.code = Code::exponential, .a = t, .p = -1});
  if (p == 0) return in(decay);
  const auto degree = static_cast<int>(p);
  std::vector<double> c(static_cast<std::size_t>(degree) + 1);  // of t^j
  for (int j = 0; j <= degree; ++j) {
    const int k = degree - j;
    c[static_cast<std::size_t>(j)] = std::exp2(j) * std::tgamma(degree + 1) /
                                     std::tgamma(2 * degree + 1) * std::tgamma(degree + k + 1) /
                                     (std::tgamma(k + 1) * std::tgamma(degree - k + 1));
  }
  for (double& v : c) v /= c[0];  // c[0] is 1 but for rounding
  auto j = static_cast<std::size_t>(degree);
  std::uint16_t total = emit({.code = Code::scale, .a = t, .p = c[j], .q = c[j - 1]});
  for (--j; j > 0; --j) {
    total = emit({.code = Code::multiply, .a = total, .b = t});
    total = emit({.code = Code::scale, .a = total, .p = 1, .q = c[j - 1]});
  }
  return in(emit({.code = Code::multiply, .a = total, .b = decay}));
}

std::uint32_t Compiler::table(double nu) {
  for (std::size_t i = 0; i < plan_.tables.size(); ++i)
    if (plan_.tables[i]->smoothness() == nu) return static_cast<std::uint32_t>(i);
  plan_.tables.push_back(MaternTable::of(nu));
  return static_cast<std::uint32_t>(plan_.tables.size() - 1);
}

Value Compiler::normalized(const Node& n) {
  const std::uint16_t k = tile(value(n.args[0]));
  const auto norm = function({.kind = PointFunction::Kind::inverse_norm, .expression = n.args[0]});
  return in(emit({.code = Code::multiply_both, .a = k, .n = norm}));
}

Plan compile(std::span<const Kernel> kernels, std::uint32_t dimension, const Choices& choices) {
  return Compiler(dimension, choices).run(kernels);
}

}  // namespace mercer::gram
