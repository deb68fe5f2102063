#include "kernel/feature_space.hpp"

#include <algorithm>

#include "kernel/count.hpp"
#include "kernel/form.hpp"
#include "kernel/polynomial.hpp"
#include "kernel/transform.hpp"

namespace mercer::algebra {

namespace {

using Space = Properties::FeatureSpace;
using Kind = Space::Kind;

struct Size {
  Kind kind = Kind::unknown;
  Count count;

  [[nodiscard]] bool finite() const { return kind == Kind::exactly || kind == Kind::at_most; }
};

const Size infinite{Kind::infinite, {}};
const Size unknown{};

Size precisely(Count c) { return {Kind::exactly, std::move(c)}; }
Size at_most(std::optional<Count> c) { return c ? Size{Kind::at_most, std::move(*c)} : unknown; }

bool mixed(const Expr& e) { return e->uses_x && e->uses_z; }

bool has_zero_coefficient(const Expr& e) {
  return std::ranges::any_of(e->coefficients, [](const Rational& c) { return c.is_zero(); }) ||
         std::ranges::any_of(e->args, has_zero_coefficient);
}

// Whether every coordinate in a body is the one that its own reduction runs over.
bool only_bound(const Expr& e) {
  if (e->op == Op::coordinate) return e->place == Place::bound && e->index == 0;
  return !e->has_opaque && !e->has_open && e->columns.all() && !depends_on_dimension(e) &&
         std::ranges::all_of(e->args, only_bound);
}

// A function of one point that is certainly not constant (x1/x1 is). All of these are continuous,
// so that a power or function of a value that varies varies too.
bool varies(const Expr& e) {
  switch (e->op) {
    case Op::coordinate:
      return true;
    case Op::power:
      return is_number(e->args[1]) && !e->args[1]->number.is_zero() && varies(e->args[0]);
    case Op::function:
      return varies(e->args[0]);
    case Op::sum_over:
    case Op::product_over:
      return only_bound(e->args[0]) && varies(e->args[0]);
    case Op::sum:
      if (e->args.size() == 1) return varies(e->args[0]);
      break;
    default:
      break;
  }
  const auto p = expand_polynomial(e, std::max<std::uint32_t>(e->least_dimension, 2), 1000);
  return p && std::ranges::any_of(*p, [](const auto& term) {
           return !term.first.first.empty() || !term.first.second.empty();
         });
}

bool is_nonzero(const Expr& e) { return e->positive || is_number(e) || varies(e); }

class Finder {
 public:
  explicit Finder(std::optional<std::uint32_t> dimension) : dimension_(dimension) {}

  Size run(const Expr& e) const {
    if (is_number(e, 0)) return precisely(Count::of(0));
    if (!mixed(e)) return {is_nonzero(e) ? Kind::exactly : Kind::at_most, Count::of(1)};
    if (const auto series = dot_series(e)) return of_series(*series);
    switch (e->op) {
      case Op::sum:
        return sum(*e);
      case Op::product:
        return product(*e);
      case Op::power:
        return power(e);
      case Op::function:
        return function(e);
      case Op::minimum:
      case Op::maximum:
        // min(x_i, z_j) has a kink along x_i = z_j: no finite sum of products has that.
        return e->args.size() == 2 && e->args[0]->op == Op::coordinate &&
                       e->args[1]->op == Op::coordinate
                   ? infinite
                   : unknown;
      case Op::chi:
      case Op::matern:
        return infinite;
      case Op::normalize:
        return run(e->args[0]);  // the same features, each divided by |φ(x)|
      case Op::sum_over:
      case Op::product_over:
      case Op::symmetric_over:
        return reduction(*e);
      default:
        return unknown;
    }
  }

 private:
  [[nodiscard]] Count dimension() const {
    if (dimension_) return Count::of(*dimension_);
    return {std::nullopt, "d", false};
  }

  [[nodiscard]] std::optional<Count> columns(const Node& n) const {
    if (const auto count = n.columns.count()) return Count::of(*count);
    if (n.columns.has_names()) return std::nullopt;
    return dimension();
  }

  // Σ a_k (x·z)^k has C(d+k-1, k) features for every k with a_k != 0, and all of them are needed.
  [[nodiscard]] Size of_series(const DotSeries& series) const {
    const auto d = columns_of(series);
    if (!d) return unknown;
    const auto& present = series.powers;
    const std::uint64_t degree = present.empty() ? 0 : present.back();
    if (present.size() == degree + 1) {  // all powers: C(d+p, p)
      const auto all = choose(*d, static_cast<std::int64_t>(degree), degree);
      return all ? precisely(*all) : unknown;
    }
    Count total = Count::of(0);
    for (const auto k : present) {
      const auto one = choose(*d, static_cast<std::int64_t>(k) - 1, k);
      if (!one) return unknown;
      total = total + *one;
    }
    return precisely(total);
  }

  [[nodiscard]] std::optional<Count> columns_of(const DotSeries& series) const {
    if (series.in_numbers) return Count::of(1);
    if (const auto count = series.columns.count()) return Count::of(*count);
    if (series.columns.has_names()) return std::nullopt;
    return dimension();
  }

  [[nodiscard]] Size sum(const Node& n) const {
    bool of_x = false;
    bool of_z = false;
    bool both_vary = true;
    bool constant = !n.number.is_zero();
    std::size_t infinite_terms = 0;
    bool all_kernels = true;
    bool any_unknown = false;
    std::size_t parts = 0;
    bool exact = true;
    Count total = Count::of(0);
    for (std::size_t i = 0; i < n.args.size(); ++i) {
      const Expr& e = n.args[i];
      if (!mixed(e)) {
        of_x = of_x || e->uses_x;
        of_z = of_z || e->uses_z;
        constant = constant || (!e->uses_x && !e->uses_z);
        both_vary = both_vary && varies(e) && n.args.size() == 2;
        continue;
      }
      const Size s = run(e);
      if (s.kind == Kind::infinite) {
        ++infinite_terms;
        all_kernels = all_kernels && n.coefficients[i].sign() > 0 && kernel_by_form(e);
      } else if (s.kind == Kind::unknown) {
        any_unknown = true;
      } else {
        ++parts;
        exact = exact && s.kind == Kind::exactly;
        total = total + s.count;
      }
    }
    if (any_unknown) return unknown;
    // Finitely many features cannot cancel infinitely many; two infinite parts might, unless they
    // are kernels with positive weights, or exponentials of different polynomials.
    if (infinite_terms == 1 || (infinite_terms > 1 && all_kernels)) return infinite;
    if (infinite_terms > 1) return independent_exponentials(n) ? infinite : unknown;
    const int rest = (of_x ? 1 : 0) + (of_z ? 1 : 0) + (constant && !of_x && !of_z ? 1 : 0);
    if (rest > 0) total = total + Count::of(rest);
    if (parts == 0) return {both_vary ? Kind::exactly : Kind::at_most, total};  // f(x) + g(z)
    return {parts == 1 && rest == 0 && exact ? Kind::exactly : Kind::at_most, total};
  }

  // The exponent p where e is q*exp(p) for polynomials q and p, written out.
  [[nodiscard]] std::optional<Polynomial> exponent_of(const Expr& e) const {
    std::vector<Term> exponents;
    for (const auto& f : e->op == Op::product ? e->args : std::vector<Expr>{e}) {
      if (is_function(f, Function::exp)) {
        exponents.push_back({1, f->args[0]});
      } else if (!written_out(f)) {
        return std::nullopt;
      }
    }
    return written_out(algebra::sum(exponents));
  }

  // Σ q_i exp(p_i) with polynomials p_i that differ by more than a constant: such functions of x,
  // for different z, are independent.
  [[nodiscard]] bool independent_exponentials(const Node& n) const {
    std::vector<Polynomial> exponents;
    for (const auto& e : n.args) {
      auto p = exponent_of(e);
      if (!p) return false;
      p->erase(std::pair<Monomial, Monomial>());  // the constant
      if (std::ranges::find(exponents, *p) != exponents.end()) return false;
      exponents.push_back(std::move(*p));
    }
    return true;
  }

  // A normalized kernel has the features of the kernel, each divided by the length of φ(x).
  static Expr without_norms(const Expr& e) {
    if (e->op == Op::normalize) return e->args[0];
    if (e->op == Op::power && e->args[0]->op == Op::normalize)
      return algebra::power(e->args[0]->args[0], e->args[1]);
    return e;
  }

  // A polynomial with positive coefficients in |x-z|, or a power of |x-z|.
  static bool grows_with_distance(const Expr& e) {
    if (e->op == Op::power)
      return is_squared_distance(e->args[0]) && is_number(e->args[1]) &&
             e->args[1]->number.sign() > 0;
    if (is_squared_distance(e)) return true;
    if (e->op == Op::product)
      return std::ranges::all_of(e->args, [](const Expr& f) {
        return is_constant(f) ? f->positive : grows_with_distance(f);
      });
    if (e->op != Op::sum || e->number.sign() < 0) return false;
    for (std::size_t i = 0; i < e->args.size(); ++i)
      if (e->coefficients[i].sign() < 0 || !grows_with_distance(e->args[i])) return false;
    return true;
  }

  // exp(-c |x-z|^p) times such polynomials: a stationary function that is not 0 and vanishes far
  // out. A finite sum of f(x) g(z) that is stationary is made of polynomials times exponentials of
  // x-z on each line, which do not vanish on both sides.
  static bool vanishes_far_out(const std::vector<Expr>& factors) {
    bool decays = false;
    for (const auto& f : factors) {
      if (is_function(f, Function::exp)) {
        const auto [c, u] = split_coefficient(f->args[0]);
        if (c.sign() >= 0 || !grows_with_distance(u)) return false;
        decays = true;
      } else if (!grows_with_distance(f)) {
        return false;
      }
    }
    return decays;
  }

  // Factors of x alone and of z alone change the features, not their number.
  [[nodiscard]] Size product(const Node& n) const {
    std::vector<Expr> stripped;
    for (const auto& e : n.args) stripped.push_back(without_norms(e));
    if (!std::ranges::equal(stripped, n.args)) return run(multiply(stripped));
    std::vector<Expr> both;
    bool others_nonzero = true;
    for (const auto& e : n.args) {
      if (mixed(e)) {
        both.push_back(e);
      } else {
        others_nonzero = others_nonzero && is_nonzero(e);
      }
    }
    if (both.size() < 2) {
      Size s = both.empty() ? precisely(Count::of(1)) : run(both[0]);
      if (others_nonzero) return s;
      if (s.kind == Kind::exactly) s.kind = Kind::at_most;
      return s.kind == Kind::infinite ? unknown : s;
    }
    if (others_nonzero && vanishes_far_out(both)) return infinite;
    bool any_infinite = false;
    bool all_kernels = true;
    Count total = Count::of(1);
    for (const auto& e : both) {
      const Size s = run(e);
      if (s.kind == Kind::unknown) return unknown;
      any_infinite = any_infinite || s.kind == Kind::infinite;
      all_kernels = all_kernels && kernel_by_form(e);
      if (s.finite()) total = total * s.count;
    }
    if (any_infinite) return all_kernels && others_nonzero ? infinite : unknown;
    return at_most(total);
  }

  // The terms of a sum (or the expression itself) that depend on both points.
  static std::vector<Expr> mixed_terms(const Expr& e) {
    if (e->op != Op::sum) return mixed(e) ? std::vector<Expr>{e} : std::vector<Expr>{};
    std::vector<Expr> result;
    for (const auto& arg : e->args)
      if (mixed(arg)) result.push_back(arg);
    return result;
  }

  // f(x) + g(z) with neither of them constant.
  static bool is_varying_sum(const Expr& e) {
    return e->op == Op::sum && e->args.size() == 2 && e->args[0]->uses_x != e->args[1]->uses_x &&
           varies(e->args[0]) && varies(e->args[1]);
  }

  [[nodiscard]] Size power(const Expr& e) const {
    const Expr& base = e->args[0];
    if (!is_number(e->args[1])) return unknown;
    const Rational& r = e->args[1]->number;
    if (const auto n = r.to_int(); n && *n > 0) {
      if (base->op == Op::normalize) return run(without_norms(e));
      const Size s = run(base);
      if (!s.finite()) return s.kind == Kind::infinite && kernel_by_form(base) ? infinite : unknown;
      return at_most(choose(s.count, *n - 1, static_cast<std::uint64_t>(*n)));
    }
    // (f(x) + g(z))^r and (c + |x-z|^2)^r, (c + x.z)^r for other r: no finite sum of products.
    const auto terms = mixed_terms(base);
    if (terms.empty()) return is_varying_sum(base) ? infinite : unknown;
    if (terms.size() == 1 && base->op == Op::sum && base->args.size() == 1 &&
        (is_squared_distance(terms[0]) || is_dot_product(terms[0])))
      return infinite;
    return is_squared_distance(base) && !r.is_integer() ? infinite : unknown;
  }

  [[nodiscard]] Size function(const Expr& e) const {
    const Expr& arg = e->args[0];
    const auto terms = mixed_terms(arg);
    if (terms.empty()) {  // of f(x) + g(z)
      switch (e->fn) {
        case Function::exp:
          return precisely(Count::of(1));
        case Function::cos:
        case Function::sin:
        case Function::cosh:
        case Function::sinh:
          return {is_varying_sum(arg) ? Kind::exactly : Kind::at_most, Count::of(2)};
        case Function::log:
        case Function::tanh:
          return is_varying_sum(arg) ? infinite : unknown;
        default:
          return unknown;
      }
    }
    if (e->fn == Function::abs) return unknown;
    if (e->fn == Function::exp && has_mixed_monomial(arg)) return infinite;
    if (e->fn == Function::exp && terms.size() == 1 && is_known_distance(terms[0])) return infinite;
    // A function with an infinite power series, of a polynomial in x.z.
    const auto series = dot_series(arg);
    if (series && series->powers.back() > 0 &&
        (e->fn != Function::log || series->powers.back() == 1))
      return infinite;
    return unknown;
  }

  // |x-z|^r, |x-z|_1, sums over coordinates of chi, of min, and of sin(…(x-z))^2.
  static bool is_known_distance(const Expr& e) {
    if (e->op == Op::power)
      return is_squared_distance(e->args[0]) ||
             (is_function(e->args[0], Function::sin) && is_stationary(e));
    if (is_function(e, Function::abs)) return is_stationary(e);
    if (e->op != Op::sum_over) return false;
    const Expr& body = e->args[0];
    return body->op == Op::chi || body->op == Op::minimum || is_function(body, Function::abs) ||
           (body->op == Op::power && is_function(body->args[0], Function::sin) && is_stationary(e));
  }

  // As a polynomial, in a dimension that is large enough to tell terms apart.
  [[nodiscard]] std::optional<Polynomial> written_out(const Expr& e) const {
    const std::uint32_t d = dimension_.value_or(std::max<std::uint32_t>(e->least_dimension, 2));
    return expand_polynomial(e, e->as_number ? 1 : d, 2000);
  }

  // Whether a polynomial, written out, has a term in both x and z.
  [[nodiscard]] bool has_mixed_monomial(const Expr& e) const {
    const auto p = written_out(e);
    return p && std::ranges::any_of(*p, [](const auto& term) {
             return !term.first.first.empty() && !term.first.second.empty();
           });
  }

  // A polynomial body is one of two numbers: its features are counted exactly.
  [[nodiscard]] Size body_size(const Expr& body) const {
    if (only_bound(body)) {
      const Expr of_numbers =
          substitute_bound(body, [](Side side) { return coordinate(side, {}, 1); });
      if (const auto p = expand_polynomial(of_numbers, 1, 2000))
        if (const auto r = rank(*p)) return precisely(Count::of(*r));
    }
    return run(body);
  }

  [[nodiscard]] Size reduction(const Node& n) const {
    const Size body = body_size(n.args[0]);
    const auto d = columns(n);
    if (body.kind == Kind::infinite)
      return n.op == Op::sum_over && only_bound(n.args[0]) ? infinite : unknown;
    if (!body.finite() || !d) return unknown;
    if (!only_bound(n.args[0])) {  // the features for different coordinates may coincide
      if (n.op == Op::sum_over) return at_most(*d * body.count);
      return n.op == Op::product_over ? at_most(raise(body.count, *d)) : unknown;
    }
    const bool one = body.count.number && *body.count.number == 1;
    switch (n.op) {
      case Op::sum_over:
        // f(x_i) g(z_i) for different i are independent.
        return one && body.kind == Kind::exactly ? precisely(*d) : at_most(*d * body.count);
      case Op::product_over: {
        const auto total = raise(body.count, *d);  // functions of separate variables
        return total ? Size{body.kind, *total} : unknown;
      }
      default: {
        const auto sets = choose(*d, 0, n.degree);
        if (!sets) return unknown;
        if (one && body.kind == Kind::exactly) return precisely(*sets);
        const auto each = raise(body.count, Count::of(n.degree));
        return each ? at_most(*sets * *each) : unknown;
      }
    }
  }

  std::optional<std::uint32_t> dimension_;
};

}  // namespace

Properties::FeatureSpace feature_space_of(const Expr& e, std::optional<std::uint32_t> dimension) {
  if (has_zero_coefficient(e)) return {};  // 0*log(x): there for its domain only
  Size size = Finder(e->as_number ? std::uint32_t{1} : dimension).run(e);
  if (size.kind != Kind::exactly && size.kind != Kind::infinite) {
    // A polynomial in given coordinates: by exact elimination.
    const std::uint32_t d = dimension.value_or(e->least_dimension);
    if (dimension || !depends_on_dimension(e)) {
      if (const auto p = expand_polynomial(e, e->as_number ? 1 : d, 4'000))
        if (const auto r = rank(*p)) size = precisely(Count::of(*r));
    }
  }
  return {size.kind, size.count.text};
}

}  // namespace mercer::algebra
