#include "kernel/form.hpp"

#include <algorithm>
#include <map>

#include "kernel/transform.hpp"

namespace mercer::algebra {

namespace {

bool is_the_number(const Expr& e, Side side) {
  return e->op == Op::coordinate && e->place == Place::only && e->side == side && e->columns.all();
}

bool is_difference(const Expr& e, bool (*is_side)(const Expr&, Side)) {
  return e->op == Op::sum && e->args.size() == 2 && e->number.is_zero() &&
         is_side(e->args[0], Side::x) && is_side(e->args[1], Side::z) &&
         e->coefficients[0] == -e->coefficients[1];
}

bool is_number_product(const Expr& e) {
  return e->op == Op::product && e->args.size() == 2 && is_the_number(e->args[0], Side::x) &&
         is_the_number(e->args[1], Side::z);
}

// x^p * z^p among the factors of a product of numbers: p, and the other factors.
std::optional<std::pair<Rational, std::vector<Expr>>> split_number_power(const Node& n) {
  Rational of_x;
  Rational of_z;
  std::vector<Expr> rest;
  for (const auto& e : n.args) {
    const bool is_power = e->op == Op::power && is_number(e->args[1]);
    const Expr& base = is_power ? e->args[0] : e;
    const Rational exponent = is_power ? e->args[1]->number : Rational(1);
    if (is_the_number(base, Side::x)) {
      of_x += exponent;
    } else if (is_the_number(base, Side::z)) {
      of_z += exponent;
    } else {
      rest.push_back(e);
    }
  }
  if (of_x != of_z || !of_x.is_integer()) return std::nullopt;
  return std::pair{of_x, rest};
}

// Coefficients of a polynomial in one inner product.
using Series = std::map<std::uint64_t, Rational>;
constexpr std::uint64_t max_series_degree = 256;

class SeriesFinder {
 public:
  std::optional<Series> run(const Expr& e) {
    if (is_number(e)) return constant(e->number);
    if (!e->uses_x && !e->uses_z) return std::nullopt;  // not rational, or too large to be folded
    if (is_dot_product(e)) return same_columns(e) ? std::optional(power_of(1)) : std::nullopt;
    switch (e->op) {
      case Op::sum: {
        Series total = *constant(e->number);
        for (std::size_t i = 0; i < e->args.size(); ++i) {
          const auto s = run(e->args[i]);
          if (!s || e->coefficients[i].is_zero()) return std::nullopt;
          for (const auto& [k, c] : *s) add(total, k, e->coefficients[i] * c);
        }
        return total;
      }
      case Op::product: {
        Series total = *constant(1);
        std::vector<Expr> factors = e->args;
        if (e->as_number) {
          const auto split = split_number_power(*e);
          const auto p = split ? split->first.to_int() : std::nullopt;
          if (!p || *p < 0 || *p > static_cast<std::int64_t>(max_series_degree))
            return std::nullopt;
          total = power_of(static_cast<std::uint64_t>(*p));
          found_ = found_ || *p > 0;
          factors = split->second;
        }
        for (const auto& f : factors)
          if (!times(total, run(f))) return std::nullopt;
        return total;
      }
      case Op::power: {
        const auto n = is_number(e->args[1]) ? e->args[1]->number.to_int() : std::nullopt;
        if (!n || *n < 0) return std::nullopt;
        const auto base = run(e->args[0]);
        if (!base) return std::nullopt;
        const std::uint64_t degree = base->empty() ? 0 : base->rbegin()->first;
        if (degree * static_cast<std::uint64_t>(std::min<std::int64_t>(*n, 1 << 20)) >
            max_series_degree)
          return std::nullopt;
        Series total = *constant(1);
        for (std::int64_t i = 0; i < *n; ++i)
          if (!times(total, base)) return std::nullopt;
        return total;
      }
      default:
        return std::nullopt;
    }
  }

  [[nodiscard]] bool found() const { return found_; }
  [[nodiscard]] const Columns& columns() const { return columns_; }

 private:
  static std::optional<Series> constant(const Rational& c) {
    Series s;
    if (!c.is_zero()) s[0] = c;
    return s;
  }

  static Series power_of(std::uint64_t k) { return {{k, Rational(1)}}; }

  static void add(Series& s, std::uint64_t k, const Rational& c) {
    s[k] += c;
    if (s[k].is_zero()) s.erase(k);
  }

  static bool times(Series& s, const std::optional<Series>& t) {
    if (!t) return false;
    Series product;
    for (const auto& [j, a] : s)
      for (const auto& [k, b] : *t) {
        if (j + k > max_series_degree) return false;
        add(product, j + k, a * b);
      }
    s = std::move(product);
    return true;
  }

  bool same_columns(const Expr& e) {
    const Columns columns = e->op == Op::sum_over ? e->columns : Columns();
    if (found_ && columns != columns_) return false;
    found_ = true;
    columns_ = columns;
    return true;
  }

  bool found_ = false;
  Columns columns_;
};

}  // namespace

bool is_bound(const Expr& e, Side side) {
  return e->op == Op::coordinate && e->place == Place::bound && e->side == side && e->index == 0;
}

std::optional<LinearVector> linear_vector(const Expr& e) {
  LinearVector terms;
  const auto append = [&](const Rational& c, const Expr& term) {
    const bool is_x = is_bound(term, Side::x);
    if (c.is_zero() || (!is_x && !is_bound(term, Side::z))) return false;
    terms.emplace_back(c, is_x ? Side::x : Side::z);
    return true;
  };
  if (e->op != Op::sum) return append(1, e) ? std::optional(terms) : std::nullopt;
  if (!e->number.is_zero()) return std::nullopt;
  for (std::size_t i = 0; i < e->args.size(); ++i)
    if (!append(e->coefficients[i], e->args[i])) return std::nullopt;
  return terms;
}

bool is_dot_product(const Expr& e) {
  if (is_number_product(e)) return true;
  if (e->op != Op::sum_over) return false;
  const Expr& body = e->args[0];
  return body->op == Op::product && body->args.size() == 2 && is_bound(body->args[0], Side::x) &&
         is_bound(body->args[1], Side::z);
}

bool is_squared_distance(const Expr& e) {
  const Expr& square = e->op == Op::sum_over ? e->args[0] : e;
  if (square->op != Op::power || !is_number(square->args[1], 2)) return false;
  return is_difference(square->args[0], e->op == Op::sum_over ? is_bound : is_the_number);
}

std::optional<DotSeries> dot_series(const Expr& e) {
  if (e->op == Op::power && is_number(e->args[1]) && e->args[0]->op == Op::sum &&
      e->args[0]->args.size() == 1 && is_dot_product(e->args[0]->args[0]) &&
      !e->args[0]->number.is_zero()) {
    // (a x·z + b)^n has every power, however large n is.
    const auto n = e->args[1]->number.to_int();
    if (n && *n > static_cast<std::int64_t>(max_series_degree) && *n < 100'000) {
      DotSeries all;
      for (std::int64_t k = 0; k <= *n; ++k) all.powers.push_back(static_cast<std::uint64_t>(k));
      const Expr& dot = e->args[0]->args[0];
      all.in_numbers = dot->op == Op::product;
      all.columns = dot->columns;
      return all;
    }
  }
  SeriesFinder finder;
  const auto series = finder.run(e);
  if (!series || !finder.found() || series->empty()) return std::nullopt;
  DotSeries result{{}, finder.columns(), e->as_number};
  for (const auto& [k, c] : *series) result.powers.push_back(k);
  return result;
}

std::optional<std::map<std::uint64_t, Rational>> dot_polynomial(const Expr& e) {
  SeriesFinder finder;
  auto series = finder.run(e);
  if (!series || !finder.columns().all()) return std::nullopt;
  return series;
}

namespace {

// Whether an expression sees the points only through parts of a kind.
bool sees_points_through(const Expr& e, bool (*is_of_kind)(const Expr&)) {
  switch (e->op) {
    case Op::coordinate:
    case Op::normalize:
    case Op::chi:
    case Op::sum_over:
    case Op::product_over:
    case Op::symmetric_over:
      return false;
    default:
      return std::ranges::all_of(e->args, is_of_kind);
  }
}

}  // namespace

bool is_function_of_dot(const Expr& e) {
  if (e->has_opaque || e->has_open) return false;
  if (!e->uses_x && !e->uses_z) return true;
  if (is_dot_product(e)) return e->op == Op::product || e->columns.all();
  if (e->op == Op::product && e->as_number) {
    const auto split = split_number_power(*e);
    return split && std::ranges::all_of(split->second, is_function_of_dot);
  }
  return sees_points_through(e, is_function_of_dot);
}

bool is_symmetric(const Expr& e) { return equal(swap_sides(e), e); }

bool is_stationary(const Expr& e) {
  if (e->has_opaque || e->has_open) return false;
  return equal(shifted(e), e);
}

namespace {

bool of_distance(const Expr& e) {
  if (!e->uses_x && !e->uses_z) return true;
  if (is_squared_distance(e)) return e->op != Op::sum_over || e->columns.all();
  return sees_points_through(e, of_distance);
}

}  // namespace

bool is_isotropic(const Expr& e) {
  if (e->has_opaque || e->has_open) return false;
  if (e->as_number) return is_stationary(e) && is_symmetric(e);  // even in x - z
  return of_distance(e);
}

namespace {

// exp(-c*e) is a kernel for every c > 0.
bool is_negative_type(const Expr& e) {
  if (is_squared_distance(e)) return true;
  if (e->op == Op::power && is_squared_distance(e->args[0]) && is_number(e->args[1]))
    return e->args[1]->number.sign() > 0 && e->args[1]->number <= Rational(1);
  if (e->op != Op::sum_over) return false;
  const Expr& body = e->args[0];
  return body->op == Op::chi ||
         (is_function(body, Function::abs) && is_difference(body->args[0], is_bound));
}

bool kernel_exponent(const Expr& e) {
  if (e->op != Op::sum) return kernel_by_form(e);
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const bool up = e->coefficients[i].sign() >= 0;
    if (!(up ? kernel_by_form(e->args[i]) : is_negative_type(e->args[i]))) return false;
  }
  return true;
}

}  // namespace

bool kernel_by_form(const Expr& e) {
  if (is_number(e)) return e->number.sign() >= 0;
  if (is_dot_product(e) || e->op == Op::matern) return true;
  switch (e->op) {
    case Op::pi:
      return true;
    case Op::sum:
      if (e->number.sign() < 0) return false;
      for (std::size_t i = 0; i < e->args.size(); ++i)
        if (e->coefficients[i].sign() < 0 || !kernel_by_form(e->args[i])) return false;
      return true;
    case Op::product: {
      // Pairs f(x) f(z), and kernels.
      std::vector<Expr> of_x;
      std::vector<Expr> of_z;
      for (const auto& f : e->args) {
        if (f->uses_x != f->uses_z) {
          (f->uses_x ? of_x : of_z).push_back(f);
        } else if (!kernel_by_form(f)) {
          return false;
        }
      }
      return equal(swap_sides(multiply(of_x)), multiply(of_z));
    }
    case Op::power: {
      if (!is_number(e->args[1])) return false;
      const Rational& r = e->args[1]->number;
      if (r.is_integer() && r.sign() > 0) return kernel_by_form(e->args[0]);
      const Expr& base = e->args[0];  // (c + |x-z|^2)^-r
      return r.sign() < 0 && base->op == Op::sum && base->args.size() == 1 &&
             base->number.sign() > 0 && base->coefficients[0].sign() > 0 &&
             is_negative_type(base->args[0]);
    }
    case Op::function:
      return (e->fn == Function::exp && kernel_exponent(e->args[0])) ||
             ((e->fn == Function::cosh || e->fn == Function::sinh) && kernel_by_form(e->args[0]));
    case Op::normalize:
    case Op::sum_over:
    case Op::product_over:
    case Op::symmetric_over:
      return kernel_by_form(e->args[0]);
    case Op::minimum:  // on R+
      return e->args.size() == 2 && equal(swap_sides(e->args[0]), e->args[1]) &&
             e->args[0]->op == Op::coordinate;
    default:
      return false;
  }
}

namespace {

bool is_of_positive_numbers(const Expr& e) {
  return e->op == Op::minimum || e->op == Op::chi ||
         std::ranges::any_of(e->args, is_of_positive_numbers);
}

}  // namespace

bool kernel_on_reals_by_form(const Expr& e) {
  return kernel_by_form(e) && !is_of_positive_numbers(e);
}

bool depends_on_dimension(const Expr& e) {
  const bool reduces =
      e->op == Op::sum_over || e->op == Op::product_over || e->op == Op::symmetric_over;
  if (reduces && e->columns.all()) return true;
  return std::ranges::any_of(e->args, depends_on_dimension);
}

}  // namespace mercer::algebra
