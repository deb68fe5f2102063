#include "feature/finder.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "feature/separate.hpp"
#include "kernel/defined.hpp"
#include "kernel/multiply_out.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"

namespace mercer::feature {

namespace {

using algebra::diagonal;
using algebra::Function;
using algebra::is_constant;
using algebra::is_number;
using algebra::multiply;
using algebra::Op;
using algebra::swap_sides;

bool is_mixed(const Expr& e) { return e->uses_x && e->uses_z; }

// √(k(x,x) k(z,z)), which bounds |k(x,z)|: for a kernel k.
Expr bound_of(const Expr& k) {
  const Expr side = algebra::sqrt(diagonal(k));
  return multiply(side, swap_sides(side));
}

Expr magnitude(const Expr& f) { return algebra::apply_function(Function::abs, f); }

// |f(x) f(z)|
Expr on_both_sides(const Expr& f) { return multiply(magnitude(f), magnitude(swap_sides(f))); }

// What parts say besides their functions and tails.
void join(Found& whole, const Found& part) {
  const auto append = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
    for (const auto& text : from)
      if (std::ranges::find(to, text) == to.end()) to.push_back(text);
  };
  whole.infinite = whole.infinite || part.infinite;
  append(whole.where, part.where);
  append(whole.series, part.series);
  append(whole.notes, part.notes);
}

// k as f(x) k' f(z), for whatever is known of k'.
Found scaled(const Expr& f, Found k) {
  k.family = times(f, k.family);
  if (k.infinite) k.tail = multiply(on_both_sides(f), k.tail);
  return k;
}

// c(x,z) = g(x) + g(z) + m(x,z): the parts of an exponent.
struct Exponent {
  Expr g;
  Expr m;
};

std::optional<Exponent> parts_of_exponent(const Expr& e, std::uint32_t d) {
  const Expr flat = with_counts(algebra::multiplied_out(with_double_angles(e)), d);
  const auto terms = flat->op == Op::sum ? flat : algebra::sum({{1, flat}});
  if (terms->op != Op::sum) return Exponent{algebra::number(0), flat};
  std::vector<algebra::Term> of_x;
  std::vector<algebra::Term> of_z;
  std::vector<algebra::Term> mixed;
  const Rational half(1, 2);
  Rational constant = terms->number;
  for (std::size_t i = 0; i < terms->args.size(); ++i) {
    const algebra::Term term{terms->coefficients[i], terms->args[i]};
    if (is_mixed(term.expr)) {
      mixed.push_back(term);
    } else if (term.expr->uses_x) {
      of_x.push_back(term);
    } else if (term.expr->uses_z) {
      of_z.push_back(term);
    } else {
      of_x.push_back({term.coefficient * half, term.expr});
      of_z.push_back({term.coefficient * half, term.expr});
    }
  }
  Exponent parts{algebra::sum(of_x, constant * half), algebra::sum(mixed)};
  const Expr g_of_z = algebra::sum(of_z, constant * half);
  if (!equal(swap_sides(parts.g), g_of_z)) return std::nullopt;
  return parts;
}

}  // namespace

std::optional<Found> Finder::run(const Expr& e) {
  refusal_.reset();
  depth_ = 0;
  return any(e);
}

std::optional<Found> Finder::any(const Expr& e) {
  constexpr int deepest = 40;
  if (e->has_opaque || e->has_open || e->has_names || depth_ > deepest) return std::nullopt;
  ++depth_;
  auto found = is_constant(e) ? constant(e) : polynomial(e);
  if (!found && !refusal_ && !is_constant(e)) {
    found = by_form(e);
    if (!found) found = finite(e);
  }
  --depth_;
  return found;
}

std::optional<Found> Finder::by_form(const Expr& e) {
  if (!is_mixed(e)) return std::nullopt;
  switch (e->op) {
    case Op::sum:
      return sum(e);
    case Op::product:
      return product(e);
    case Op::power:
      return power(e);
    case Op::function:
      return function(e);
    case Op::normalize:
      return normalized(e);
    case Op::sum_over:
    case Op::product_over:
    case Op::symmetric_over:
      return reduction(e);
    default:
      return std::nullopt;
  }
}

// φ(x) = √c
std::optional<Found> Finder::constant(const Expr& e) const {
  if (is_number(e, 0)) return Found(listed({}));
  const bool nonnegative = is_number(e)
                               ? e->number.sign() > 0
                               : e->nonnegative || algebra::range_on(e, Domain()).nonnegative();
  if (!nonnegative) return std::nullopt;
  return Found(listed({algebra::sqrt(e)}));
}

// The maps side by side, each times the root of its weight.
std::optional<Found> Finder::sum(const Expr& e) {
  if (auto found = lowered_exponential(e)) return found;
  Found whole;
  std::vector<FamilyPtr> parts;
  std::vector<algebra::Term> tails;
  std::vector<algebra::Term> constants;
  const auto take = [&](const Found& part) {
    parts.push_back(part.family);
    if (part.infinite) tails.push_back({1, part.tail});
    join(whole, part);
  };
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Rational& c = e->coefficients[i];
    const Expr& arg = e->args[i];
    if (is_constant(arg)) {
      constants.push_back({c, arg});
    } else if (c.sign() > 0) {
      auto part = any(arg);
      if (!part) return std::nullopt;
      take(scaled(algebra::sqrt(algebra::number(c)), std::move(*part)));
    } else {
      auto part = negative_logarithm(c, arg);
      if (!part) return std::nullopt;
      const Expr& inside = arg->args[0];
      constants.push_back(
          {c, algebra::apply_function(Function::log, algebra::number(inside->number))});
      take(*part);
    }
  }
  const Expr rest = algebra::sum(constants, e->number);
  if (!is_number(rest, 0)) {
    const auto part = constant(rest);
    if (!part) return std::nullopt;
    parts.insert(parts.begin(), part->family);
  }
  whole.family = side_by_side(std::move(parts));
  if (whole.infinite) whole.tail = algebra::sum(tails);
  return whole;
}

// c exp(k) - b with 0 < b <= c, and kernels beside it: the series of exp with less of 1.
std::optional<Found> Finder::lowered_exponential(const Expr& e) {
  if (e->number.sign() >= 0) return std::nullopt;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Rational& c = e->coefficients[i];
    if (c.sign() <= 0 || c + e->number < Rational(0)) continue;
    if (!algebra::is_function(e->args[i], Function::exp)) continue;
    const auto exponent = parts_of_exponent(e->args[i]->args[0], d_);
    if (!exponent || !is_number(exponent->g, 0) || is_number(exponent->m, 0)) continue;
    PowerSeries series = exponential_series();
    const Rational first = Rational(1) + e->number / c;
    series.text = "exp(t) - " + (Rational(1) - first).text() + " = " +
                  (first.is_zero() ? "" : first.text() + " + ") + "Σ t^n/n! over n >= 1";
    series.coefficient = [first, all = series.coefficient](std::uint64_t n) {
      return n == 0 ? first : all(n);
    };
    auto part = series_of(series, exponent->m);
    if (!part) continue;
    Found whole = scaled(algebra::sqrt(algebra::number(c)), std::move(*part));
    if (e->args.size() == 1) return whole;
    auto rest = any(algebra::sum({{1, e}, {-c, e->args[i]}}, -e->number));
    if (!rest) continue;
    join(whole, *rest);
    whole.family = side_by_side({whole.family, rest->family});
    if (rest->infinite) whole.tail = algebra::add(whole.tail, rest->tail);
    return whole;
  }
  return std::nullopt;
}

// -|c| log(a - k) = -|c| log(a) + |c| Σ (k/a)ⁿ/n; the map of the series.
std::optional<Found> Finder::negative_logarithm(const Rational& c, const Expr& e) {
  if (!algebra::is_function(e, Function::log) || e->args[0]->op != Op::sum) return std::nullopt;
  const Expr& inside = e->args[0];
  const Rational& a = inside->number;
  if (a.sign() <= 0) return std::nullopt;
  const Expr k = scale(Rational(-1) / a, algebra::sum({{1, inside}}, -a));
  auto found = series_of(log_series(), k);
  if (!found) return std::nullopt;
  return scaled(algebra::sqrt(algebra::number(-c)), std::move(*found));
}

// All pairs of features of the factors, times f for f(x) … f(z).
std::optional<Found> Finder::product(const Expr& e) {
  std::vector<Expr> of_x;
  std::vector<Expr> of_z;
  std::vector<Expr> constants;
  std::vector<Expr> mixed;
  std::vector<algebra::Term> exponents;  // exp(a) exp(b) = exp(a + b)
  for (const auto& f : e->args) {
    if (!is_mixed(f)) {
      (f->uses_x ? of_x : f->uses_z ? of_z : constants).push_back(f);
    } else if (algebra::is_function(f, Function::exp)) {
      exponents.push_back({1, f->args[0]});
    } else {
      mixed.push_back(f);
    }
  }
  if (!exponents.empty())
    mixed.push_back(algebra::apply_function(Function::exp, algebra::sum(exponents)));
  const Expr f = multiply(of_x);
  if (!equal(swap_sides(f), multiply(of_z))) return std::nullopt;
  const auto weight = constant(multiply(constants));
  if (!weight || (mixed.size() == 1 && e->args.size() == 1)) return std::nullopt;
  Found whole;
  std::vector<FamilyPtr> families;
  std::vector<Found> parts;
  for (const auto& k : mixed) {
    auto part = any(k);
    if (!part) return std::nullopt;
    join(whole, *part);
    families.push_back(part->family);
    parts.push_back(std::move(*part));
  }
  // |Π k_i - Π k'_i| <= Σ_i tail_i Π_{j≠i} √(k_j(x,x) k_j(z,z)): cutting makes k(x,x) smaller.
  if (whole.infinite) {
    std::vector<algebra::Term> tails;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].infinite) continue;
      std::vector<Expr> factors{parts[i].tail};
      for (std::size_t j = 0; j < parts.size(); ++j)
        if (j != i) factors.push_back(bound_of(mixed[j]));
      tails.push_back({1, multiply(factors)});
    }
    whole.tail = algebra::sum(tails);
  }
  whole.family = families.empty() ? listed({algebra::number(1)}) : all_pairs(std::move(families));
  return scaled(multiply(f, weight->family->first(1).at(0)), std::move(whole));
}

std::optional<Found> Finder::power(const Expr& e) {
  const Expr& base = e->args[0];
  if (!is_number(e->args[1])) {
    if (!is_constant(base) || !base->positive) return std::nullopt;
    const Expr log = algebra::apply_function(Function::log, base);  // c^k = exp(k log c)
    return any(algebra::apply_function(Function::exp, multiply(log, e->args[1])));
  }
  const Rational& r = e->args[1]->number;
  if (const auto n = r.to_int(); n && *n > 0) {
    auto part = any(base);
    if (!part && *n % 2 == 0) {
      // In canonical form (exp(k) - 1)² is (1 - exp(k))².
      const Expr turned = scale(-1, base);
      part = any(turned);
      if (part && part->infinite)
        part->tail =
            scale(r, multiply(algebra::power(bound_of(turned), r - Rational(1)), part->tail));
      if (!part) return std::nullopt;
      part->family = symmetric_power(part->family, static_cast<std::uint64_t>(*n));
      return part;
    }
    if (!part) return std::nullopt;
    // |kⁿ - k'ⁿ| <= n √(k(x,x) k(z,z))ⁿ⁻¹ |k - k'|
    if (part->infinite)
      part->tail = scale(r, multiply(algebra::power(bound_of(base), r - Rational(1)), part->tail));
    part->family = symmetric_power(part->family, static_cast<std::uint64_t>(*n));
    return part;
  }
  // (a - k)^-r = a^-r (1 - k/a)^-r
  if (r.sign() > 0 || base->op != Op::sum || base->number.sign() <= 0) return std::nullopt;
  const Rational& a = base->number;
  const Expr k = scale(Rational(-1) / a, algebra::sum({{1, base}}, -a));
  auto found = series_of(binomial_series(-r), k);
  if (!found) return std::nullopt;
  return scaled(algebra::sqrt(algebra::power(algebra::number(a), r)), std::move(*found));
}

std::optional<Found> Finder::function(const Expr& e) {
  switch (e->fn) {
    case Function::exp:
      return exponential(e);
    case Function::cosh:
      return series_of(cosh_series(), e->args[0]);
    case Function::sinh:
      return series_of(sinh_series(), e->args[0]);
    case Function::asin:
      return series_of(asin_series(), e->args[0]);
    default:
      return std::nullopt;
  }
}

// exp(g(x) + g(z) + m(x,z)) = f(x) exp(m(x,z)) f(z) with f = exp(g).
std::optional<Found> Finder::exponential(const Expr& e) {
  const auto parts = parts_of_exponent(e->args[0], d_);
  if (!parts) return std::nullopt;
  const Expr f = algebra::apply_function(Function::exp, parts->g);
  if (is_number(parts->m, 0)) return Found(listed({f}));
  // What follows N terms, with f on both sides, is at most f(x) f(z) ρᴺ/N! exp(ρ), and that at most
  // f(x) f(z) exp((m(x,x) + m(z,z))/2) ρᴺ/N! = √(k(x,x) k(z,z)) ρᴺ/N!: for the Gaussian, ρᴺ/N!.
  PowerSeries series = exponential_series();
  series.tail = [](const Expr&, std::uint64_t) { return algebra::number(0); };
  auto found = series_of(series, parts->m);
  if (!found) return std::nullopt;
  const Rational N(static_cast<std::int64_t>(terms_));
  const Expr first = scale(series.coefficient(terms_), algebra::power(bound_of(parts->m), N));
  Found whole = scaled(f, std::move(*found));
  whole.tail = algebra::add(whole.tail, multiply(first, bound_of(e)));
  return whole;
}

// Σ a_n kⁿ, cut: the symmetric powers of the map of k side by side.
std::optional<Found> Finder::series_of(const PowerSeries& series, const Expr& k) {
  auto inner = any(k);
  if (!inner) return std::nullopt;
  const Expr rho = bound_of(k);
  std::vector<FamilyPtr> parts;
  std::vector<algebra::Term> slope;  // of the part that is kept, at ρ
  for (std::uint64_t n = 0; n < terms_; ++n) {
    const std::uint64_t exponent = series.exponent(n);
    const Rational a = series.coefficient(n);
    if (a.is_zero()) continue;
    const FamilyPtr one =
        exponent == 0 ? listed({algebra::number(1)}) : symmetric_power(inner->family, exponent);
    parts.push_back(times(algebra::sqrt(algebra::number(a)), one));
    if (exponent == 0) continue;
    const Rational e(static_cast<std::int64_t>(exponent));
    slope.push_back({a * e, algebra::power(rho, e - Rational(1))});
  }
  if (parts.empty()) parts.push_back(listed({}));  // one term, and that is 0
  Expr tail = series.tail(rho, terms_);
  if (inner->infinite) tail = algebra::add(tail, multiply(algebra::sum(slope), inner->tail));
  Found found;
  join(found, *inner);
  found.family = side_by_side(std::move(parts));
  found.infinite = true;
  found.tail = tail;
  found.series.push_back(series.text + ", t = " + print(k, algebra::Naming::formulas));
  if (!series.condition.empty())
    found.where.push_back(print(rho, algebra::Naming::formulas) + " " + series.condition);
  return found;
}

// φ(x)/|φ(x)|
std::optional<Found> Finder::normalized(const Expr& e) {
  const Expr& k = e->args[0];
  auto found = any(k);
  if (!found) return std::nullopt;
  const Expr square = diagonal(k);
  if (!square->positive)
    found->notes.push_back("where " + print(square, algebra::Naming::formulas) +
                           " = 0, coordinates that are divided by its root are 0");
  return scaled(algebra::power(square, Rational(-1, 2)), std::move(*found));
}

namespace {

// No point has it: it stands for the coordinate that a reduction runs over.
constexpr std::uint32_t placeholder = Columns::max_index;

// x2147483647 as x[i]
std::string with_index(std::string text) {
  const std::string number = std::to_string(placeholder);
  for (auto at = text.find(number); at != std::string::npos; at = text.find(number))
    text.replace(at, number.size(), "[i]");
  return text;
}

Expr bound_again(const Expr& e) {
  const auto leaf = [](const Expr& l, std::uint32_t depth) {
    const bool is_it =
        l->op == Op::coordinate && l->place == algebra::Place::fixed && l->index == placeholder;
    return is_it ? algebra::bound_coordinate(l->side, depth) : l;
  };
  return algebra::rewrite(e, {.leaf = leaf, .columns = {}});
}

}  // namespace

// Σ_i, Π_i and sums over sets: the maps of the bodies side by side, or their products.
std::optional<Found> Finder::reduction(const Expr& e) {
  if (e->columns.has_names() || e->free_levels != 0) return std::nullopt;
  const auto columns = e->columns.ranges(d_);
  if (columns.empty()) return std::nullopt;
  const Expr body = algebra::substitute_bound(
      e->args[0], [](algebra::Side side) { return algebra::coordinate(side, {}, placeholder); });
  auto found = any(body);
  if (!found) return std::nullopt;
  for (auto* texts : {&found->where, &found->series, &found->notes})
    for (auto& text : *texts) text = with_index(std::move(text));
  if (found->infinite) {
    // |Π k_i - Π k'_i| <= Π (b_i + tail_i) - Π b_i with b_i = √(k_i(x,x) k_i(z,z)), and so for
    // sets.
    const Expr b = bound_again(bound_of(body));
    const Expr tail = bound_again(found->tail);
    const auto over = [&](const Expr& inner) {
      return e->op == Op::product_over ? algebra::product_over(e->columns, inner)
                                       : algebra::symmetric_over(e->degree, e->columns, inner);
    };
    found->tail = e->op == Op::sum_over ? algebra::sum_over(e->columns, tail)
                                        : algebra::subtract(over(algebra::add(b, tail)), over(b));
    for (auto& text : found->where) text += " for all i";
  }
  const auto at = [family = found->family](std::uint32_t i) {
    return with_coordinate(family, placeholder, i);
  };
  found->family = e->op == Op::sum_over       ? side_by_side_over(columns, at)
                  : e->op == Op::product_over ? all_pairs_over(columns, at)
                                              : over_sets(e->degree, columns, at);
  return found;
}

}  // namespace mercer::feature
