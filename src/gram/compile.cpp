// From expressions to plans.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mercer/error.hpp>
#include <optional>
#include <utility>

#include "gram/body.hpp"
#include "gram/plan.hpp"
#include "kernel/evaluate.hpp"
#include "kernel/form.hpp"
#include "kernel/transform.hpp"

namespace mercer::gram {

bool Source::operator==(const Source& other) const {
  return columns == other.columns && centred == other.centred &&
         (map == nullptr) == (other.map == nullptr) &&
         (map == nullptr || algebra::equal(map, other.map));
}

namespace {

using algebra::Function;
using algebra::Node;
using algebra::Op;
using algebra::Side;

struct Before {
  bool operator()(const Expr& a, const Expr& b) const { return algebra::compare(a, b) < 0; }
};

// What an expression has become.
struct Value {
  enum class Kind : std::uint8_t { constant, row, column, tile };
  Kind kind = Kind::constant;
  double constant = 0;
  std::uint32_t n = 0;  // function, or register
};

class Compiler {
 public:
  Compiler(std::uint32_t dimension, const Choices& choices) : choices_(choices) {
    plan_.dimension = dimension;
    code_ = &plan_.steps;
  }

  Plan run(std::span<const Kernel> kernels) {
    for (const auto& k : kernels)
      plan_.kernels.push_back(algebra::in_dimension(k.expression(), plan_.dimension));
    plan_.sparse = choices_.sparse;
    plan_.centre_all = !choices_.sparse && std::ranges::all_of(plan_.kernels, [](const Expr& e) {
      return !e->has_opaque && algebra::is_stationary(e);
    });
    for (const auto& e : plan_.kernels) plan_.results.push_back(tile(value(e)));
    allocate_registers(plan_, registers_);
    plan_.symmetric = is_symmetric();
    return std::move(plan_);
  }

 private:
  // Sums of products and differences are, and so is what is made of tiles alone.
  [[nodiscard]] bool is_symmetric() const {
    return plan_.loops.empty() && plan_.leaves.empty() &&
           std::ranges::all_of(plan_.reductions, [](const Reduction& r) { return r.x == r.z; }) &&
           std::ranges::none_of(plan_.steps, [](const Step& s) {
             return s.code == Code::load_row || s.code == Code::load_column ||
                    s.code == Code::add_row || s.code == Code::add_column ||
                    s.code == Code::multiply_row || s.code == Code::multiply_column;
           });
  }

  // ---- registers: one for each value, never written again

  std::uint16_t fresh() {
    constexpr std::uint16_t most = 4096;
    if (registers_ == most) throw Error("the kernel is too large to be computed in bulk");
    return registers_++;
  }

  std::uint16_t emit(Step s) {
    s.to = fresh();
    code_->push_back(s);
    return s.to;
  }

  static Value in(std::uint16_t r) { return {.kind = Value::Kind::tile, .n = r}; }

  std::uint16_t tile(const Value& v) {
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

  // ---- what the plan holds, each thing once

  template <class T>
  static std::uint32_t place(std::vector<T>& all, const T& one) {
    const auto found = std::ranges::find(all, one);
    if (found != all.end()) return static_cast<std::uint32_t>(found - all.begin());
    all.push_back(one);
    return static_cast<std::uint32_t>(all.size() - 1);
  }

  std::uint32_t function(const PointFunction& f) {
    for (std::size_t i = 0; i < plan_.functions.size(); ++i) {
      const auto& g = plan_.functions[i];
      if (g.kind == f.kind && g.source == f.source &&
          (f.expression == nullptr || algebra::equal(f.expression, g.expression)))
        return static_cast<std::uint32_t>(i);
    }
    plan_.functions.push_back(f);
    return static_cast<std::uint32_t>(plan_.functions.size() - 1);
  }

  std::uint32_t source(const algebra::Columns& columns, const Expr& map, bool centred) {
    const bool away = centred && choices_.centre && !choices_.sparse && !plan_.centre_all;
    Source s{.columns = {}, .map = map, .centred = away};
    if (map != nullptr && choices_.sparse && !zero_at_zero(map)) plan_.suits_sparse = false;
    for (const auto& range : columns.ranges(plan_.dimension))
      for (std::uint32_t i = range.first; i <= range.last; ++i) s.columns.push_back(i - 1);
    return place(plan_.sources, s);
  }

  static bool zero_at_zero(const Expr& map) {
    try {
      const double zero = 0;
      return algebra::evaluate(map, std::span(&zero, 1), std::span(&zero, 1)) == 0;
    } catch (const EvaluationError&) {
      return false;
    }
  }

  std::uint16_t reduction(const Reduction& r) {
    const std::uint32_t n = place(plan_.reductions, r);
    if (n < reduced_.size()) return reduced_[n];
    // Outside of all loops, where it holds for each of their turns.
    const std::uint16_t to = fresh();
    plan_.steps.insert(plan_.steps.begin() + static_cast<std::ptrdiff_t>(reduced_.size()),
                       {.code = Code::reduction, .to = to, .n = n});
    reduced_.push_back(to);
    return to;
  }

  // ---- expressions

  Value value(const Expr& e) {
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

  Value value_here(const Expr& e) {
    auto& known = e->free_levels == 0 ? known_ : known_in_loop_;
    if (const auto found = known.find(e); found != known.end()) return found->second;
    const Value v = compute(*e);
    (e->free_levels == 0 ? known_ : known_in_loop_).insert_or_assign(e, v);
    return v;
  }

  Value compute(const Node& n) {
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

  // The terms of x alone, of z alone, and the others.
  struct Parts {
    std::vector<algebra::Term> x;
    std::vector<algebra::Term> z;
    std::vector<algebra::Term> both;
  };

  static bool of_x_alone(const Expr& e) {
    return !e->uses_z && e->free_levels == 0 && !e->has_opaque;
  }
  static bool of_z_alone(const Expr& e) {
    return !e->uses_x && e->free_levels == 0 && !e->has_opaque;
  }

  Value sum(const Node& n) {
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
    return added(both, constant, parts.x, parts.z);
  }

  using Weighted = std::pair<double, std::uint16_t>;  // times a register

  // constant + Σ w t + the terms of x alone + those of z alone. Not all of them are empty.
  Value added(const std::vector<Weighted>& both, double constant,
              const std::vector<algebra::Term>& of_x, const std::vector<algebra::Term>& of_z) {
    std::optional<std::uint16_t> total;
    for (const auto& [w, t] : both) {
      if (total) {
        total = emit({.code = Code::add_scaled, .a = *total, .b = t, .p = w});
      } else {
        total = w == 1 && constant == 0
                    ? t
                    : emit({.code = Code::scale, .a = t, .p = w, .q = constant});
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
        total =
            emit({.code = row ? Code::add_row : Code::add_column, .a = *total, .n = v.n, .p = 1});
      } else {
        total = tile(v);
      }
    }
    if (constant != 0) total = emit({.code = Code::scale, .a = *total, .p = 1, .q = constant});
    return in(*total);
  }

  // f(x) k g(z): the factors of x alone as one function, likewise of z.
  Value product(const std::vector<Expr>& factors) {
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

  Value power(const Node& n) {
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

  static Code code_of(Function f) {
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

  Value applied(const Node& n) {
    Step s{.code = code_of(n.fn), .a = tile(value(n.args[0])), .p = 1};
    const bool scaled = !code_->empty() && code_->back().code == Code::scale;
    if (n.fn == Function::exp && scaled && code_->back().to == s.a)  // exp(p a + q) is one step
      s = {.code = s.code, .a = code_->back().a, .p = code_->back().p, .q = code_->back().q};
    return in(emit(s));
  }

  Value extremum(const Node& n) {
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

  // Of smoothness p + 1/2 the function is exp(-t) times a polynomial in t,
  //   p!/(2p)! Σ_k (p+k)!/(k!(p-k)!) (2t)^(p-k).
  Value matern(const Node& n) {
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

  std::uint32_t table(double nu) {
    for (std::size_t i = 0; i < plan_.tables.size(); ++i)
      if (plan_.tables[i]->smoothness() == nu) return static_cast<std::uint32_t>(i);
    plan_.tables.push_back(MaternTable::of(nu));
    return static_cast<std::uint32_t>(plan_.tables.size() - 1);
  }

  Value normalized(const Node& n) {
    const std::uint16_t k = tile(value(n.args[0]));
    const auto norm =
        function({.kind = PointFunction::Kind::inverse_norm, .expression = n.args[0]});
    return in(emit({.code = Code::multiply_both, .a = k, .n = norm}));
  }

  // ---- reductions

  Value reduced(const Node& n) {
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

  // Σ over the coordinates, term by term.
  Value summed(const Node& n, const FastSum& s) {
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

  // t(a,0) or t(0,b), of the coordinate of one side; null where it is 0.
  static Expr beside_overlap(Reduce kind, Side side) {
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

  static bool is_difference(Reduce kind) {
    return kind == Reduce::squared_difference || kind == Reduce::absolute_difference;
  }

  std::uint16_t distance_or(Reduce kind, std::uint32_t x, std::uint32_t z) {
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

  Value looped(const Node& n) {
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

  static bool stationary_body(const Node& n) {
    return n.free_levels == 0 && algebra::is_stationary(std::make_shared<const Node>(n));
  }

  Plan plan_;
  Choices choices_;
  std::vector<Step>* code_ = nullptr;
  std::vector<Step>* before_loop_ = nullptr;  // where the invariants of the outermost loop go
  std::uint16_t registers_ = 0;               // values, until registers are allocated
  std::vector<std::uint16_t> reduced_;        // by reduction
  std::map<std::uint16_t, std::uint16_t> distances_;  // by dot product
  std::map<Expr, Value, Before> known_;
  std::map<Expr, Value, Before> known_in_loop_;
};

}  // namespace

Plan compile(std::span<const Kernel> kernels, std::uint32_t dimension, const Choices& choices) {
  return Compiler(dimension, choices).run(kernels);
}

}  // namespace mercer::gram
