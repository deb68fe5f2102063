#include "feature/separate.hpp"

#include <mercer/error.hpp>

#include "kernel/multiply_out.hpp"
#include "kernel/transform.hpp"

namespace mercer::feature {

namespace {

using algebra::Function;
using algebra::Node;
using algebra::Op;

class Separator {
 public:
  // `open`: functions of one point are taken apart too.
  Separator(std::uint32_t d, std::size_t limit, bool open) : d_(d), limit_(limit), open_(open) {}

  std::optional<Separated> run(const Expr& e) {
    if (e->has_opaque || e->has_open || e->has_names) return std::nullopt;
    const bool whole = !(e->uses_x && e->uses_z) && (!open_ || algebra::is_constant(e));
    auto parts = whole ? std::nullopt : taken_apart(e);
    if (parts || (e->uses_x && e->uses_z)) return parts;
    return one_sided(e);
  }

 private:
  std::optional<Separated> taken_apart(const Expr& e) {
    switch (e->op) {
      case Op::sum: {
        Separated total = constant(algebra::number(e->number));
        for (std::size_t i = 0; i < e->args.size(); ++i) {
          const auto part = run(e->args[i]);
          if (!part) return std::nullopt;
          for (const auto& [key, c] : *part) add(total, key, scale(e->coefficients[i], c));
          if (total.size() > limit_) return std::nullopt;
        }
        return total;
      }
      case Op::product: {
        std::optional<Separated> total = constant(algebra::number(1));
        for (const auto& arg : e->args) total = multiplied(total, run(arg));
        return total;
      }
      case Op::power:
        return power(*e);
      case Op::function:
        return function(*e);
      case Op::sum_over:
      case Op::product_over:
        return reduction(*e);
      default:
        return std::nullopt;
    }
  }

  static Separated constant(const Expr& c) {
    Separated result;
    if (!is_number(c, 0)) result[{algebra::number(1), algebra::number(1)}] = c;
    return result;
  }

  // A function of one point. Constants and numbers go to c, so that the others are comparable.
  static Separated one_sided(const Expr& e) {
    const auto [number, rest] = algebra::split_coefficient(e);
    std::vector<Expr> constants{algebra::number(number)};
    std::vector<Expr> functions;
    for (const auto& f : rest->op == Op::product ? rest->args : std::vector<Expr>{rest})
      (algebra::is_constant(f) ? constants : functions).push_back(f);
    const Expr c = algebra::multiply(constants);
    if (is_number(c, 0) && !functions.empty()) return {};
    const Expr f = algebra::multiply(functions);
    Separated result;
    if (is_number(c, 0)) return result;
    if (e->uses_z) {
      result[{algebra::number(1), algebra::swap_sides(f)}] = c;
    } else {
      result[{f, algebra::number(1)}] = c;
    }
    return result;
  }

  static void add(Separated& total, const std::pair<Expr, Expr>& key, const Expr& c) {
    auto [at, fresh] = total.try_emplace(key, c);
    if (!fresh) at->second = algebra::add(at->second, c);
    if (is_number(at->second, 0)) total.erase(at);
  }

  std::optional<Separated> multiplied(const std::optional<Separated>& a,
                                      const std::optional<Separated>& b) const {
    if (!a || !b || a->size() * b->size() > 20 * limit_) return std::nullopt;
    Separated result;
    for (const auto& [f, c] : *a)
      for (const auto& [g, e] : *b) {
        // Products of functions of x may leave a number in front: sin(x)*sin(x) does not, √2·√2
        // does.
        const Separated left = one_sided(algebra::multiply(f.first, g.first));
        const Separated right = one_sided(algebra::multiply(f.second, g.second));
        for (const auto& [u, p] : left)
          for (const auto& [v, q] : right)
            add(result, {u.first, v.first}, algebra::multiply({c, e, p, q}));
      }
    if (result.size() > limit_) return std::nullopt;
    return result;
  }

  std::optional<Separated> power(const Node& n) {
    const auto exponent = is_number(n.args[1]) ? n.args[1]->number.to_int() : std::nullopt;
    constexpr std::int64_t largest = 64;
    if (!exponent || *exponent < 1 || *exponent > largest) return std::nullopt;
    const auto base = run(n.args[0]);
    std::optional<Separated> total = constant(algebra::number(1));
    for (std::int64_t i = 0; total && i < *exponent; ++i) total = multiplied(total, base);
    return total;
  }

  // u(x) + v(z), with the constant in u.
  static std::optional<std::pair<Expr, Expr>> two_parts(const Expr& e) {
    if (e->op != Op::sum) return std::nullopt;
    std::vector<algebra::Term> of_x;
    std::vector<algebra::Term> of_z;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      if (e->args[i]->uses_x && e->args[i]->uses_z) return std::nullopt;
      (e->args[i]->uses_z ? of_z : of_x).push_back({e->coefficients[i], e->args[i]});
    }
    return std::pair{algebra::sum(of_x, e->number), algebra::sum(of_z)};
  }

  std::optional<Separated> function(const Node& n) {
    const auto parts = two_parts(algebra::multiplied_out(n.args[0]));
    if (!parts || !n.uses_x || !n.uses_z) return std::nullopt;
    const Expr& u = parts->first;
    const Expr& v = parts->second;
    // f(u + v) = a(u) b(v) + sign · c(u) d(v)
    const auto product = [&](Function a, Function b) {
      return multiplied(one_sided(algebra::apply_function(a, u)),
                        one_sided(algebra::apply_function(b, v)));
    };
    switch (n.fn) {
      case Function::exp:
        return product(Function::exp, Function::exp);
      case Function::cos:
        return sum_of(product(Function::cos, Function::cos), product(Function::sin, Function::sin),
                      -1);
      case Function::sin:
        return sum_of(product(Function::sin, Function::cos), product(Function::cos, Function::sin),
                      1);
      case Function::cosh:
        return sum_of(product(Function::cosh, Function::cosh),
                      product(Function::sinh, Function::sinh), 1);
      case Function::sinh:
        return sum_of(product(Function::sinh, Function::cosh),
                      product(Function::cosh, Function::sinh), 1);
      default:
        return std::nullopt;
    }
  }

  static std::optional<Separated> sum_of(std::optional<Separated> a,
                                         const std::optional<Separated>& b, int sign) {
    if (!a || !b) return std::nullopt;
    for (const auto& [key, c] : *b) add(*a, key, scale(sign, c));
    return a;
  }

  std::optional<Separated> reduction(const Node& n) {
    constexpr std::uint32_t many = 64;
    if (n.columns.has_names() || (n.columns.all() && d_ > many)) return std::nullopt;
    Separated total = constant(algebra::number(n.op == Op::sum_over ? 0 : 1));
    for (const auto& range : n.columns.ranges(d_))
      for (std::uint32_t i = range.first; i <= range.last; ++i) {
        const auto body = run(algebra::substitute_bound(
            n.args[0], [&](algebra::Side side) { return algebra::coordinate(side, {}, i); }));
        if (!body) return std::nullopt;
        if (n.op == Op::sum_over) {
          for (const auto& [key, c] : *body) add(total, key, c);
        } else {
          auto next = multiplied(total, body);
          if (!next) return std::nullopt;
          total = std::move(*next);
        }
        if (total.size() > limit_) return std::nullopt;
      }
    return total;
  }

  std::uint32_t d_;
  std::size_t limit_;
  bool open_;
};

}  // namespace

std::optional<Separated> separated(const Expr& e, std::uint32_t d, std::size_t limit) {
  try {
    return Separator(d, limit, false).run(e);
  } catch (const Error&) {
    return std::nullopt;  // beyond a bound on numbers or sizes
  }
}

std::optional<Combination> combination(const Expr& e, std::uint32_t d, std::size_t limit) {
  try {
    const auto parts = Separator(d, limit, true).run(e);
    if (!parts) return std::nullopt;
    Combination result;
    for (const auto& [key, c] : *parts) {
      const Expr flat = algebra::multiplied_out(c);
      if (!is_number(flat, 0)) result[key.first] = flat;
    }
    return result;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Expr with_counts(const Expr& e, std::uint32_t d) {
  if (e->args.empty()) return e;
  std::vector<Expr> args;
  args.reserve(e->args.size());
  for (const auto& arg : e->args) args.push_back(with_counts(arg, d));
  const bool same = (e->op == Op::sum_over || e->op == Op::product_over) &&
                    !e->columns.has_names() && (args[0]->free_levels & 1U) == 0;
  if (!same) return algebra::with_args(*e, std::move(args));
  Rational n = 0;
  for (const auto& range : e->columns.ranges(d))
    n += Rational(std::int64_t{range.last} - range.first + 1);
  const Expr body = algebra::shift_in(args[0]);
  return e->op == Op::sum_over ? scale(n, body) : algebra::power(body, n);
}

Expr with_double_angles(const Expr& e) {
  if (e->args.empty() || !(e->uses_x || e->uses_z)) return e;
  if (e->op == Op::power && is_number(e->args[1], 2) &&
      algebra::is_function(e->args[0], Function::sin)) {
    const Expr twice = algebra::apply_function(Function::cos, scale(2, e->args[0]->args[0]));
    return algebra::sum({{Rational(-1, 2), twice}}, Rational(1, 2));
  }
  if (e->op == Op::function) return e;
  std::vector<Expr> args;
  args.reserve(e->args.size());
  for (const auto& arg : e->args) args.push_back(with_double_angles(arg));
  return algebra::with_args(*e, std::move(args));
}

}  // namespace mercer::feature
