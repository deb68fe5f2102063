#include "scale/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mercer/error.hpp>
#include <numbers>
#include <optional>

#include "feature/mass.hpp"
#include "kernel/evaluate.hpp"
#include "kernel/print.hpp"
#include "scale/measures.hpp"

namespace mercer::scale {

namespace {

using algebra::Expr;
using algebra::Function;
using algebra::Op;
using algebra::Place;
using algebra::Side;

class Finder {
 public:
  Finder(std::size_t dimension, bool orthogonal, bool bound)
      : dimension_(dimension), orthogonal_(orthogonal), bound_(bound) {}

  Spectrum run(const Expr& e) {
    if (algebra::is_constant(e)) return {{{feature::mass_of(e), {}}}};
    switch (e->op) {
      case Op::sum:
        return sum(e);
      case Op::product:
        return product(e->args, e);
      case Op::power:
        return power(e);
      case Op::function:
        if (e->fn == Function::exp) return product({e}, e);
        if (e->fn == Function::cos) return cosine(e);
        break;
      case Op::matern:
        return matern(e);
      case Op::product_over:
        return each(e);
      default:
        break;
    }
    unknown(e);
  }

 private:
  [[noreturn]] static void unknown(const Expr& e) {
    throw Error(fmt::format(
        "{} has no spectral density that is known: Fourier features are for rbf, laplacian, "
        "matern, rq, periodic, and sums and products of them; for others use nystrom",
        algebra::print(e)));
  }

  static Spectrum times(const Spectrum& a, const Spectrum& b, const Expr& e) {
    constexpr std::size_t most = 1000;
    Spectrum product;
    if (a.terms.size() * b.terms.size() > most) unknown(e);
    for (const auto& s : a.terms)
      for (const auto& t : b.terms) {
        Spectrum::Term term{s.mass * t.mass, s.factors};
        term.factors.insert(term.factors.end(), t.factors.begin(), t.factors.end());
        product.terms.push_back(std::move(term));
      }
    return product;
  }

  Spectrum sum(const Expr& e) {
    Spectrum total;
    const auto negative = [&] {
      throw Error(fmt::format(
          "{} subtracts: random features are for sums with positive coefficients; for others use "
          "nystrom",
          algebra::print(e)));
    };
    if (e->number.sign() < 0) negative();
    if (e->number.sign() > 0) total.terms.push_back({algebra::number(e->number)->value, {}});
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      if (e->weights[i] < 0) negative();
      for (auto& term : run(e->args[i]).terms) {
        term.mass *= e->weights[i];
        total.terms.push_back(std::move(term));
      }
    }
    return total;
  }

  Spectrum power(const Expr& e) {
    const Expr& exponent = e->args[1];
    if (!algebra::is_number(exponent)) unknown(e);
    constexpr std::int64_t most = 16;
    const auto n = exponent->number.to_int();
    if (n && *n > 0 && *n <= most) {
      Spectrum total{{{1, {}}}};
      const Spectrum once = run(e->args[0]);
      for (std::int64_t i = 0; i < *n; ++i) total = times(total, once, e);
      return total;
    }
    if (exponent->number.sign() > 0) unknown(e);
    // (c + Σ a_j distance_j)^(-α)
    const Expr& base = e->args[0];
    if (base->op != Op::sum || base->number.sign() <= 0) unknown(e);
    const double c = algebra::number(base->number)->value;
    const double alpha = -exponent->value;
    std::vector<Distance> distances;
    for (std::size_t i = 0; i < base->args.size(); ++i) {
      auto d = distance(base->args[i]);
      if (!d || base->weights[i] < 0) unknown(e);
      d->factor *= base->weights[i] / c;
      distances.push_back(*d);
    }
    return one(std::pow(c, -alpha),
               std::make_shared<Exponential>(std::move(distances), Exponential::Width::gamma, alpha,
                                             orthogonal_));
  }

  static Spectrum one(double mass, std::shared_ptr<Measure> measure) {
    Spectrum s;
    s.terms.push_back({mass, {std::move(measure)}});
    return s;
  }

  // c e for a constant c, which may be √3.
  struct Scaled {
    double c = 1;
    Expr e;
  };
  static Scaled scaled(const Expr& e) {
    if (e->op == Op::product) {
      Scaled s;
      std::vector<Expr> rest;
      for (const auto& f : e->args) {
        if (algebra::is_constant(f)) {
          s.c *= algebra::constant_value(f);
        } else {
          rest.push_back(f);
        }
      }
      s.e = algebra::multiply(rest);
      return s;
    }
    const auto multiple = algebra::split_coefficient(e);
    if (multiple.rest == e || multiple.rest->op == Op::number) return {1, e};
    Scaled inner = scaled(multiple.rest);
    inner.c *= algebra::number(multiple.coefficient)->value;
    return inner;
  }

  // exp(Σ parts) times other factors. matern with ν = p + 1/2 is a polynomial in t = c|x-z| times
  // exp(-t): where such a one is among the factors, its exp(-t) is taken from the parts.
  Spectrum product(const std::vector<Expr>& factors, const Expr& e) {
    std::vector<Scaled> parts;
    std::vector<Expr> others;
    double mass = 1;
    for (const auto& f : factors) {
      if (!algebra::is_function(f, Function::exp)) {
        others.push_back(f);
        continue;
      }
      const Expr& of = f->args[0];
      if (of->op != Op::sum) {
        parts.push_back(scaled(of));
        continue;
      }
      mass *= std::exp(algebra::number(of->number)->value);
      for (std::size_t i = 0; i < of->args.size(); ++i) {
        parts.push_back(scaled(of->args[i]));
        parts.back().c *= of->weights[i];
      }
    }
    Spectrum total{{{mass, {}}}};
    for (const auto& f : others) {
      auto half = half_integer(f);
      const auto at = !half ? parts.end() : std::ranges::find_if(parts, [&](const Scaled& part) {
        const auto d = distance(part.e);
        return d && d->kind == Distance::Kind::euclidean && d->which == half->distance.which &&
               near(-part.c * d->factor, half->c);
      });
      if (at == parts.end()) {
        total = times(total, run(f), e);
        continue;
      }
      parts.erase(at);
      half->distance.kind = Distance::Kind::squared;
      half->distance.factor = half->c * half->c / 4;
      total = times(total,
                    one(half->unit, std::make_shared<Exponential>(std::vector{half->distance},
                                                                  Exponential::Width::inverse_gamma,
                                                                  half->nu, orthogonal_)),
                    e);
    }
    for (const auto& [c, part] : parts) total = times(total, exponential(c, part, e), e);
    return total;
  }

  static bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

  // 1 + t, 1 + t + t²/3, 1 + t + 2t²/5 + t³/15, with t = c|x-z|.
  struct HalfInteger {
    double nu = 0;
    double c = 0;
    double unit = 1;  // what all of it is multiplied by
    Distance distance;
  };
  std::optional<HalfInteger> half_integer(const Expr& e) const {
    if (e->op != Op::sum || e->args.size() > 3 || e->number.sign() <= 0) return std::nullopt;
    const double unit = algebra::number(e->number)->value;
    std::array<double, 4> of{1, 0, 0, 0};  // by powers of |x-z|
    std::optional<Distance> which;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      const Scaled s = scaled(e->args[i]);
      std::optional<Distance> d;
      std::size_t power = 0;
      double factor = 1;
      if (s.e->op == Op::power && algebra::is_number(s.e->args[1]) &&
          s.e->args[1]->number == Rational(3) / Rational(2)) {
        d = distance(s.e->args[0]);
        power = 3;
        if (d) factor = std::pow(d->factor, 1.5);
      } else {
        d = distance(s.e);
        if (d) {
          power = d->kind == Distance::Kind::squared ? 2 : 1;
          factor = d->factor;
        }
      }
      if (!d || d->kind == Distance::Kind::absolute || (which && which->which != d->which))
        return std::nullopt;
      which = d;
      of[power] += s.c * e->weights[i] * factor / unit;
    }
    const double c = of[1];
    if (!(c > 0)) return std::nullopt;
    const auto is = [&](double second, double third) {
      return near(of[2] + 1, second * c * c + 1) && near(of[3] + 1, third * c * c * c + 1);
    };
    if (is(0, 0)) return HalfInteger{1.5, c, unit, *which};
    if (is(1.0 / 3, 0)) return HalfInteger{2.5, c, unit, *which};
    if (is(0.4, 1.0 / 15)) return HalfInteger{3.5, c, unit, *which};
    return std::nullopt;
  }

  // exp(c part).
  Spectrum exponential(double c, const Expr& part, const Expr& e) {
    if (auto d = distance(part)) {
      if (c > 0) unknown(e);
      d->factor *= -c;
      return one(1, std::make_shared<Exponential>(std::vector{*d}, Exponential::Width::one, 1.0,
                                                  orthogonal_));
    }
    if (const auto p = sines(part); p && c < 0)
      return one(1, std::make_shared<Periodic>(-c, p->first, p->second));
    if (c < 0) unknown(e);
    Spectrum inner = run(part);
    for (auto& term : inner.terms) term.mass *= c;
    const double all = inner.mass();
    return one(std::exp(all), std::make_shared<Compound>(std::move(inner)));
  }

  // Of t² = a|x-z|²: Student's t, normal vectors of variance a / χ²(2ν).
  Spectrum matern(const Expr& e) {
    const auto multiple = algebra::split_coefficient(e->args[0]);
    auto d = distance(multiple.rest);
    const double a = algebra::number(multiple.coefficient)->value;
    if (!d || d->kind != Distance::Kind::squared || a <= 0) unknown(e);
    const double nu = algebra::number(e->number)->value;
    // 2 c = a / (2 Gamma(ν)), as Exponential has it.
    d->factor *= a / 4;
    return one(1, std::make_shared<Exponential>(std::vector{*d}, Exponential::Width::inverse_gamma,
                                                nu, orthogonal_));
  }

  Spectrum each(const Expr& e) {
    if (bound_) unknown(e);
    Finder inner(1, false, true);
    Spectrum s = inner.run(e->args[0]);
    const Which which = columns(e);
    const double mass = std::pow(s.mass(), static_cast<double>(which.size()));
    return one(mass, std::make_shared<Each>(std::move(s), which));
  }

  Spectrum cosine(const Expr& e) {
    const auto d = differences(e->args[0]);
    if (!d) unknown(e);
    return one(1, std::make_shared<Cosine>(*d));
  }

  // ---- what is in an expression

  [[nodiscard]] Which columns(const Expr& e) const {
    Which which;
    for (const auto& r : e->columns.ranges(static_cast<std::uint32_t>(dimension_)))
      for (std::uint32_t j = r.first; j <= r.last; ++j) which.push_back(j - 1);
    return which;
  }

  // The coordinate that a node is about: of a bound one 0, where that is what this is about.
  [[nodiscard]] std::optional<std::size_t> place(const Expr& e, bool bound) const {
    if (e->op != Op::coordinate) return std::nullopt;
    if (e->place == Place::bound)
      return bound && e->index == 0 ? std::optional<std::size_t>(0) : std::nullopt;
    if (bound_ || bound) return std::nullopt;
    const Which all = columns(e);
    const std::size_t at = e->place == Place::only ? 0 : e->index - 1;
    return at < all.size() ? std::optional(all[at]) : std::nullopt;
  }

  // c (x_j - z_j): c and j.
  [[nodiscard]] std::optional<std::pair<double, std::size_t>> difference(const Expr& e,
                                                                         bool bound) const {
    if (e->op != Op::sum || e->args.size() != 2 || !e->number.is_zero() ||
        e->coefficients[0] != -e->coefficients[1])
      return std::nullopt;
    const auto a = place(e->args[0], bound);
    const auto b = place(e->args[1], bound);
    if (!a || a != b || e->args[0]->side == e->args[1]->side) return std::nullopt;
    return std::pair{e->weights[0], *a};
  }

  // Σ c_j (x_j - z_j), times a constant.
  [[nodiscard]] std::optional<std::vector<std::pair<std::size_t, double>>> differences(
      const Expr& e) const {
    if (e->op == Op::product) {  // pi*(x - z)
      double c = 1;
      std::optional<std::vector<std::pair<std::size_t, double>>> found;
      for (const auto& f : e->args) {
        if (algebra::is_constant(f)) {
          c *= algebra::constant_value(f);
        } else if (found || !(found = differences(f))) {
          return std::nullopt;
        }
      }
      if (found)
        for (auto& d : *found) d.second *= c;
      return found;
    }
    const auto multiple = algebra::split_coefficient(e);
    if (multiple.rest->op == Op::product) {
      auto found = differences(multiple.rest);
      if (found)
        for (auto& d : *found) d.second *= algebra::number(multiple.coefficient)->value;
      return found;
    }
    if (e->op != Op::sum || !e->number.is_zero()) return std::nullopt;
    std::vector<std::pair<std::size_t, double>> of_x;
    std::vector<std::pair<std::size_t, double>> of_z;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      const auto j = place(e->args[i], bound_);
      if (!j) return std::nullopt;
      if (e->args[i]->side == Side::x) {
        of_x.emplace_back(*j, e->weights[i]);
      } else {
        of_z.emplace_back(*j, -e->weights[i]);
      }
    }
    std::ranges::sort(of_x);
    std::ranges::sort(of_z);
    return of_x == of_z ? std::optional(of_x) : std::nullopt;
  }

  std::optional<Distance> of_difference(const Expr& e, bool bound) const {
    if (algebra::is_function(e, Function::abs)) {
      if (const auto d = difference(e->args[0], bound))
        return Distance{Distance::Kind::absolute, std::abs(d->first), {d->second}};
    } else if (e->op == Op::power && algebra::is_number(e->args[1], 2)) {
      if (const auto d = difference(e->args[0], bound))
        return Distance{Distance::Kind::squared, d->first * d->first, {d->second}};
    }
    return std::nullopt;
  }

  std::optional<Distance> distance(const Expr& e) const {
    if (e->op == Op::sum_over && !bound_) {
      auto d = of_difference(e->args[0], true);
      if (d) d->which = columns(e);
      return d;
    }
    if (e->op == Op::power && algebra::is_number(e->args[1]) &&
        e->args[1]->number == Rational(1) / Rational(2)) {
      const auto multiple = algebra::split_coefficient(e->args[0]);
      auto d = distance(multiple.rest);
      const double c = algebra::number(multiple.coefficient)->value;
      if (!d || d->kind != Distance::Kind::squared || c <= 0) return std::nullopt;
      d->kind = Distance::Kind::euclidean;
      d->factor = std::sqrt(d->factor * c);
      return d;
    }
    return of_difference(e, bound_);
  }

  // Σ_i sin(b (x_i - z_i))²: b and the coordinates.
  std::optional<std::pair<double, Which>> sines(const Expr& e) const {
    const bool over = e->op == Op::sum_over && !bound_;
    const Expr& body = over ? e->args[0] : e;
    if (body->op != Op::power || !algebra::is_number(body->args[1], 2) ||
        !algebra::is_function(body->args[0], Function::sin))
      return std::nullopt;
    const Finder inner(over ? 1 : dimension_, false, over || bound_);
    const auto d = inner.differences(body->args[0]->args[0]);
    if (!d || d->size() != 1) return std::nullopt;
    return std::pair{d->front().second, over ? columns(e) : Which{d->front().first}};
  }

  std::size_t dimension_;
  bool orthogonal_;
  bool bound_;  // inside of a product over the coordinates
};

}  // namespace

double Spectrum::mass() const {
  double sum = 0;
  for (const auto& t : terms) sum += t.mass;
  return sum;
}

Spectrum spectrum_of(const algebra::Expr& k, std::size_t dimension, bool orthogonal) {
  Spectrum s = Finder(dimension, orthogonal, false).run(k);
  if (orthogonal && std::ranges::none_of(s.terms, [](const Spectrum::Term& t) {
        return std::ranges::any_of(t.factors, [](const auto& f) { return f->has_directions(); });
      }))
    throw Error(
        fmt::format("{} has no Euclidean distance |x-z| of several coordinates, and with it "
                    "no directions to make orthogonal: use fourier",
                    algebra::print(k)));
  return s;
}

}  // namespace mercer::scale
