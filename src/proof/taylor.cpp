#include "proof/taylor.hpp"

#include <algorithm>

#include "proof/constant_sign.hpp"

namespace mercer::proof {

namespace {

using algebra::Function;
using algebra::is_constant;
using algebra::is_number;
using algebra::Op;

bool is_reduction(const Expr& e) {
  return e->op == Op::sum_over || e->op == Op::product_over || e->op == Op::symmetric_over;
}

void collect_parts(const Expr& e, std::vector<Expr>& parts) {
  if (is_reduction(e)) return;
  for (const auto& arg : e->args) {
    if (!(arg->uses_x && arg->uses_z)) continue;
    if (std::ranges::none_of(parts, [&](const Expr& p) { return algebra::equal(p, arg); }))
      parts.push_back(arg);
    collect_parts(arg, parts);
  }
}

using Coefficients = std::vector<Expr>;

Expr number(std::int64_t n) { return algebra::number(n); }

class Expansion {
 public:
  Expansion(Expr t, std::size_t n) : t_(std::move(t)), n_(n) {}

  [[nodiscard]] std::optional<Coefficients> run(const Expr& e) const {
    if (!e->uses_x && !e->uses_z) return is_constant(e) ? std::optional(only(0, e)) : std::nullopt;
    if (const auto power = exponent_of(e, t_)) return only(*power, number(1));
    switch (e->op) {
      case Op::sum: {
        Coefficients total = only(0, algebra::number(e->number));
        for (std::size_t i = 0; i < e->args.size(); ++i) {
          const auto part = run(e->args[i]);
          if (!part) return std::nullopt;
          for (std::size_t k = 0; k < n_; ++k)
            total[k] = algebra::sum({{1, total[k]}, {e->coefficients[i], (*part)[k]}});
        }
        return total;
      }
      case Op::product: {
        Coefficients total = only(0, number(1));
        for (const auto& arg : factors_in(e, t_)) {
          if (algebra::equal(arg, e)) return std::nullopt;
          const auto part = run(arg);
          if (!part) return std::nullopt;
          total = times(total, *part);
        }
        return total;
      }
      case Op::power:
        return power(e);
      case Op::function: {
        const auto arg = run(e->args[0]);
        return arg ? function(e->fn, *arg) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

 private:
  [[nodiscard]] Coefficients only(std::uint64_t k, const Expr& c) const {
    Coefficients result(n_, number(0));
    if (k < n_) result[k] = c;
    return result;
  }

  [[nodiscard]] Coefficients times(const Coefficients& a, const Coefficients& b) const {
    Coefficients result;
    result.reserve(n_);
    for (std::size_t k = 0; k < n_; ++k) {
      std::vector<algebra::Term> terms;
      for (std::size_t j = 0; j <= k; ++j)
        if (!is_number(a[j], 0) && !is_number(b[k - j], 0))
          terms.push_back({1, algebra::multiply(a[j], b[k - j])});
      result.push_back(algebra::sum(terms));
    }
    return result;
  }

  // b^k and k^r
  [[nodiscard]] std::optional<Coefficients> power(const Expr& e) const {
    if (!is_number(e->args[1])) {
      if (!is_constant(e->args[0]) || constant_sign(e->args[0]) != 1) return std::nullopt;
      const auto exponent = run(e->args[1]);
      if (!exponent) return std::nullopt;
      const Expr log = algebra::apply_function(Function::log, e->args[0]);
      return function(Function::exp, times(only(0, log), *exponent));
    }
    const auto base = run(e->args[0]);
    if (!base) return std::nullopt;
    const Rational& r = e->args[1]->number;
    const auto n = r.to_int();
    if (n && *n >= 0 && *n <= 40) {
      Coefficients total = only(0, number(1));
      for (std::int64_t i = 0; i < *n; ++i) total = times(total, *base);
      return total;
    }
    const Expr& first = (*base)[0];
    const auto sign = constant_sign(first);
    if (!sign || (n ? *sign == 0 : *sign <= 0)) return std::nullopt;
    // k b_0 p_k = Σ_j (r j - (k - j)) b_j p_(k-j)
    Coefficients result{algebra::power(first, r)};
    for (std::size_t k = 1; k < n_; ++k) {
      std::vector<algebra::Term> terms;
      for (std::size_t j = 1; j <= k; ++j) {
        const Rational weight = r * whole(j) - whole(k - j);
        terms.push_back({weight / whole(k), algebra::multiply((*base)[j], result[k - j])});
      }
      result.push_back(algebra::divide(algebra::sum(terms), first));
    }
    return result;
  }

  [[nodiscard]] std::optional<Coefficients> function(Function fn, const Coefficients& f) const {
    switch (fn) {
      case Function::exp: {
        Coefficients result{algebra::apply_function(Function::exp, f[0])};
        for (std::size_t k = 1; k < n_; ++k) result.push_back(weighted(f, result, k));
        return result;
      }
      case Function::cosh:
      case Function::sinh:
      case Function::cos:
      case Function::sin: {
        const bool circular = fn == Function::cos || fn == Function::sin;
        const auto even_fn = circular ? Function::cos : Function::cosh;
        const auto odd_fn = circular ? Function::sin : Function::sinh;
        Coefficients even{algebra::apply_function(even_fn, f[0])};
        Coefficients odd{algebra::apply_function(odd_fn, f[0])};
        for (std::size_t k = 1; k < n_; ++k) {
          const Expr next_even = algebra::scale(circular ? -1 : 1, weighted(f, odd, k));
          odd.push_back(weighted(f, even, k));
          even.push_back(next_even);
        }
        return fn == even_fn ? even : odd;
      }
      case Function::tanh: {
        const auto up = function(Function::sinh, f);
        const auto down = function(Function::cosh, f);
        return divided(*up, *down);
      }
      case Function::log: {
        if (constant_sign(f[0]) != 1) return std::nullopt;
        // l' = f'/f
        return integrated(divided(derivative(f), f), algebra::apply_function(Function::log, f[0]));
      }
      case Function::asin: {
        const Expr room = algebra::sum({{-1, algebra::power(f[0], Rational(2))}}, 1);
        if (constant_sign(room) != 1) return std::nullopt;
        Coefficients below = times(f, f);
        for (auto& c : below) c = algebra::scale(-1, c);
        below[0] = algebra::add(below[0], number(1));
        // asin' = f' (1 - f²)^(-1/2), the square root by its own recurrence
        Coefficients root{algebra::power(below[0], Rational(-1, 2))};
        for (std::size_t k = 1; k < n_; ++k) {
          std::vector<algebra::Term> terms;
          for (std::size_t j = 1; j <= k; ++j) {
            const Rational weight = Rational(-1, 2) * whole(j) - whole(k - j);
            terms.push_back({weight / whole(k), algebra::multiply(below[j], root[k - j])});
          }
          root.push_back(algebra::divide(algebra::sum(terms), below[0]));
        }
        return integrated(times(derivative(f), root),
                          algebra::apply_function(Function::asin, f[0]));
      }
      case Function::abs:
        break;
    }
    return std::nullopt;
  }

  static Rational whole(std::size_t k) { return static_cast<std::int64_t>(k); }

  // Σ_j j f_j g_(k-j) / k, the k-th coefficient of ∫ f' g
  static Expr weighted(const Coefficients& f, const Coefficients& g, std::size_t k) {
    std::vector<algebra::Term> terms;
    for (std::size_t j = 1; j <= k; ++j)
      if (!is_number(f[j], 0))
        terms.push_back({whole(j) / whole(k), algebra::multiply(f[j], g[k - j])});
    return algebra::sum(terms);
  }

  [[nodiscard]] Coefficients derivative(const Coefficients& f) const {
    Coefficients result(n_, number(0));
    for (std::size_t k = 0; k + 1 < n_; ++k) result[k] = algebra::scale(whole(k + 1), f[k + 1]);
    return result;
  }

  [[nodiscard]] Coefficients integrated(const Coefficients& f, const Expr& constant) const {
    Coefficients result(n_, constant);
    for (std::size_t k = 1; k < n_; ++k)
      result[k] = algebra::scale(Rational(1) / whole(k), f[k - 1]);
    return result;
  }

  [[nodiscard]] Coefficients divided(const Coefficients& a, const Coefficients& b) const {
    Coefficients result;
    for (std::size_t k = 0; k < n_; ++k) {
      std::vector<algebra::Term> terms{{1, a[k]}};
      for (std::size_t j = 1; j <= k; ++j)
        terms.push_back({-1, algebra::multiply(b[j], result[k - j])});
      result.push_back(algebra::divide(algebra::sum(terms), b[0]));
    }
    return result;
  }

  Expr t_;
  std::size_t n_;
};

}  // namespace

std::optional<std::uint64_t> exponent_of(const Expr& e, const Expr& t) {
  if (algebra::equal(e, t)) return 1;
  // x^2*z^2 is (x*z)^2 in canonical form; the exponent shows in any of its factors.
  const Expr& factor = e->op == Op::product ? e->args[0] : e;
  if (factor->op != Op::power || !is_number(factor->args[1])) return std::nullopt;
  const auto shown = factor->args[1]->number.to_int();
  if (!shown || *shown < 2 || *shown > 1000) return std::nullopt;
  const Expr& inner = t->op == Op::product ? t->args[0] : t;
  std::int64_t n = *shown;
  if (inner->op == Op::power && is_number(inner->args[1])) {
    const auto of_t = inner->args[1]->number.to_int();
    if (!of_t || *of_t < 1 || n % *of_t != 0) return std::nullopt;
    n /= *of_t;
  }
  if (n < 2 || !algebra::equal(algebra::power(t, Rational(n)), e)) return std::nullopt;
  return static_cast<std::uint64_t>(n);
}

std::vector<Expr> factors_in(const Expr& e, const Expr& t) {
  if (e->op != Op::product) return {e};
  if (t->op != Op::product) return e->args;
  std::vector<Expr> factors;
  std::vector<Expr> together;
  for (const auto& f : e->args) {
    const Expr& base = f->op == Op::power ? f->args[0] : f;
    const bool of_t = std::ranges::any_of(t->args, [&](const Expr& p) {
      return algebra::equal(p->op == Op::power ? p->args[0] : p, base);
    });
    (of_t ? together : factors).push_back(f);
  }
  if (!together.empty()) factors.push_back(algebra::multiply(together));
  return factors;
}

bool is_function_of(const Expr& e, const Expr& t) {
  if (!e->uses_x && !e->uses_z) return e->free_levels == 0;
  if (exponent_of(e, t)) return true;
  if (e->op == Op::product && t->op == Op::product)
    return std::ranges::all_of(factors_in(e, t), [&](const Expr& f) {
      return !algebra::equal(f, e) && is_function_of(f, t);
    });
  if (e->args.empty() || is_reduction(e) || e->op == Op::normalize) return false;
  return std::ranges::all_of(e->args, [&](const Expr& arg) { return is_function_of(arg, t); });
}

std::vector<Expr> variables_of(const Expr& e) {
  std::vector<Expr> parts;
  collect_parts(e, parts);
  // In one dimension x*z hides in x^2*z^2.
  if (e->as_number) {
    const Expr dot = algebra::multiply(algebra::only_coordinate(algebra::Side::x, {}),
                                       algebra::only_coordinate(algebra::Side::z, {}));
    if (std::ranges::none_of(parts, [&](const Expr& p) { return algebra::equal(p, dot); }))
      parts.push_back(dot);
  }
  std::erase_if(parts, [&](const Expr& p) { return !is_function_of(e, p); });
  std::ranges::stable_sort(parts, [](const Expr& a, const Expr& b) { return a->size > b->size; });
  return parts;
}

std::optional<std::vector<Expr>> taylor(const Expr& e, const Expr& t, std::size_t n) {
  return Expansion(t, n).run(e);
}

}  // namespace mercer::proof
