// From a kernel to the tables of its sketch.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mercer/error.hpp>
#include <mercer/sketch.hpp>
#include <optional>

#include "base/random.hpp"
#include "feature/fft.hpp"
#include "feature/mass.hpp"
#include "kernel/evaluate.hpp"
#include "kernel/expr.hpp"
#include "kernel/print.hpp"

namespace mercer {

namespace {

using algebra::Expr;
using algebra::Op;
using algebra::Place;
using algebra::Side;

// Σ_j c_j x_j z_j, the constant 1 being the column `dimension`: c by column, > 0.
using Inner = std::map<std::size_t, double>;

struct Product {
  double mass = 1;
  std::vector<Inner> factors;
};

class Finder {
 public:
  explicit Finder(std::size_t dimension) : dimension_(dimension) {}

  std::vector<Product> run(const Expr& e) {
    if (algebra::is_constant(e)) return {{feature::mass_of(e), {}}};
    if (auto inner = affine(e)) return {{1, {*inner}}};
    switch (e->op) {
      case Op::sum:
        return sum(e);
      case Op::product:
        return product(e);
      case Op::power:
        return power(e);
      default:
        unknown(e);
    }
  }

 private:
  static constexpr std::size_t most_terms = 64;
  static constexpr std::size_t most_factors = 16;

  [[noreturn]] static void unknown(const Expr& e) {
    throw Error(fmt::format(
        "{} is no sum of products of inner products, of which sketches are made: linear, poly, "
        "and sums, products and powers of them; for others use nystrom",
        algebra::print(e)));
  }
  [[noreturn]] static void negative(const Expr& e) {
    throw Error(fmt::format(
        "{} subtracts: a sketch is for sums with positive coefficients; for others use nystrom",
        algebra::print(e)));
  }

  // The column of a coordinate that is given by its number, from 0.
  [[nodiscard]] std::optional<std::size_t> place(const Expr& e) const {
    if (e->op != Op::coordinate || e->place == Place::bound) return std::nullopt;
    const auto all = columns(e);
    const std::size_t at = e->place == Place::only ? 0 : e->index - 1;
    return at < all.size() ? std::optional(all[at]) : std::nullopt;
  }

  [[nodiscard]] std::vector<std::size_t> columns(const Expr& e) const {
    std::vector<std::size_t> which;
    for (const auto& r : e->columns.ranges(static_cast<std::uint32_t>(dimension_)))
      for (std::uint32_t j = r.first; j <= r.last; ++j) which.push_back(j - 1);
    return which;
  }

  // x[i]*z[i] in a sum over i.
  static bool is_dot(const Expr& body) {
    const auto bound = [](const Expr& e) {
      return e->op == Op::coordinate && e->place == Place::bound && e->index == 0;
    };
    return body->op == Op::product && body->args.size() == 2 && bound(body->args[0]) &&
           bound(body->args[1]) && body->args[0]->side != body->args[1]->side;
  }

  static void add(Inner& to, const Inner& from, double c) {
    for (const auto& [j, w] : from)
      if (c * w != 0) to[j] += c * w;
  }

  // A sum of multiples of x_j z_j and a constant; none with a negative one.
  [[nodiscard]] std::optional<Inner> affine(const Expr& e) const {
    Inner inner;
    if (algebra::is_constant(e)) {
      const double v = algebra::constant_value(e);
      if (!(v >= 0)) return std::nullopt;
      if (v > 0) inner[dimension_] = v;
      return inner;
    }
    if (e->op == Op::sum_over) {
      const auto [c, body] = algebra::split_coefficient(e->args[0]);
      if (c.sign() < 0 || !is_dot(body)) return std::nullopt;
      for (const std::size_t j : columns(e)) inner[j] = c.to_double();
      return inner;
    }
    if (e->op == Op::sum) {
      if (e->number.sign() < 0) return std::nullopt;
      if (e->number.sign() > 0) inner[dimension_] = algebra::number(e->number)->value;
      for (std::size_t i = 0; i < e->args.size(); ++i) {
        const auto part = affine(e->args[i]);
        if (!part || e->weights[i] < 0) return std::nullopt;
        add(inner, *part, e->weights[i]);
      }
      return inner;
    }
    if (e->op != Op::product) return std::nullopt;
    double c = 1;
    std::optional<Inner> rest;
    std::vector<Expr> coordinates;
    for (const Expr& f : e->args) {
      if (algebra::is_constant(f)) {
        c *= algebra::constant_value(f);
      } else if (f->op == Op::coordinate) {
        coordinates.push_back(f);
      } else if (rest || !(rest = affine(f))) {
        return std::nullopt;
      }
    }
    if (!(c >= 0) || rest.has_value() == !coordinates.empty()) return std::nullopt;
    if (rest) {
      add(inner, *rest, c);
      return inner;
    }
    if (coordinates.size() != 2 || coordinates[0]->side == coordinates[1]->side)
      return std::nullopt;
    const auto j = place(coordinates[0]);
    if (!j || j != place(coordinates[1])) return std::nullopt;
    inner[*j] = c;
    return inner;
  }

  static std::vector<Product> times(const std::vector<Product>& a, const std::vector<Product>& b,
                                    const Expr& e) {
    std::vector<Product> all;
    for (const auto& s : a)
      for (const auto& t : b) {
        Product p{s.mass * t.mass, s.factors};
        p.factors.insert(p.factors.end(), t.factors.begin(), t.factors.end());
        all.push_back(std::move(p));
        if (all.size() > most_terms || all.back().factors.size() > most_factors)
          throw Error(fmt::format(
              "{}: multiplied out it has more than {} terms, or one of more than {} factors: too "
              "many for a sketch; use nystrom",
              algebra::print(e), most_terms, most_factors));
      }
    return all;
  }

  // What is affine in it stays together: one factor of its own.
  std::vector<Product> sum(const Expr& e) {
    std::vector<Product> all;
    Inner together;
    if (e->number.sign() < 0) negative(e);
    if (e->number.sign() > 0) together[dimension_] = algebra::number(e->number)->value;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      if (e->weights[i] < 0) negative(e);
      if (const auto part = affine(e->args[i])) {
        add(together, *part, e->weights[i]);
        continue;
      }
      for (auto& p : run(e->args[i])) {
        p.mass *= e->weights[i];
        all.push_back(std::move(p));
      }
    }
    if (!together.empty()) all.push_back({1, {together}});
    return all;
  }

  // Powers of single coordinates come apart, x1^2*z1^2: as many of x as of z.
  std::vector<Product> product(const Expr& e) {
    std::vector<Product> all{{1, {}}};
    std::map<std::size_t, std::array<std::int64_t, 2>> powers;
    for (const Expr& f : e->args) {
      const bool power = f->op == Op::power;
      const Expr& base = power ? f->args[0] : f;
      if (const auto j = place(base)) {
        std::optional<std::int64_t> n = 1;
        if (power) n = algebra::is_number(f->args[1]) ? f->args[1]->number.to_int() : std::nullopt;
        if (!n || *n < 1) unknown(e);
        powers[*j][base->side == Side::x ? 0 : 1] += *n;
        continue;
      }
      all = times(all, run(f), e);
    }
    for (const auto& [j, n] : powers) {
      if (n[0] != n[1] || n[0] > static_cast<std::int64_t>(most_factors)) unknown(e);
      const Product once{1, {Inner{{j, 1.0}}}};
      for (std::int64_t i = 0; i < n[0]; ++i) all = times(all, {once}, e);
    }
    return all;
  }

  std::vector<Product> power(const Expr& e) {
    if (!algebra::is_number(e->args[1])) unknown(e);
    const auto n = e->args[1]->number.to_int();
    if (!n || *n < 1 || *n > static_cast<std::int64_t>(most_factors)) unknown(e);
    const auto once = run(e->args[0]);
    std::vector<Product> all{{1, {}}};
    for (std::int64_t i = 0; i < *n; ++i) all = times(all, once, e);
    return all;
  }

  std::size_t dimension_;
};

// How many entries the tensor has; at most `most` + 1.
std::size_t entries(const Product& p, std::size_t most) {
  std::size_t count = 1;
  for (const auto& f : p.factors) {
    count *= f.size();
    if (count > most) return most + 1;
  }
  return count;
}

// The features that all of it takes. A convolution is cyclic: behind the last entry of the tensor
// there may be buckets for none.
std::size_t needs(const Product& p, std::size_t most) {
  const std::size_t count = entries(p, most);
  return count > most || p.factors.size() < 2 ? count : feature::smooth_above(count);
}

// What each term gets: all that it needs where that is little, and the others the same share.
std::vector<std::size_t> shares(const std::vector<Product>& terms, std::size_t count) {
  std::vector<std::size_t> sizes(terms.size(), 0);
  std::size_t left = count;
  std::size_t open = terms.size();
  bool changed = true;
  while (changed && open > 0) {
    changed = false;
    const std::size_t share = left / open;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      if (sizes[t] > 0 || share == 0) continue;
      const std::size_t all = needs(terms[t], share);
      if (all > share) continue;
      sizes[t] = all;
      left -= all;
      --open;
      changed = true;
      break;
    }
  }
  for (auto& s : sizes)
    if (s == 0) {
      s = left / open;
      left -= s;
      --open;
    }
  return sizes;
}

std::size_t with_several(const Product& p) {
  return static_cast<std::size_t>(
      std::ranges::count_if(p.factors, [](const Inner& f) { return f.size() > 1; }));
}

}  // namespace

std::size_t Sketch::size() const {
  std::size_t sum = 0;
  for (const auto& t : terms) sum += t.size;
  return sum;
}

void Sketch::check() const {
  const auto refuse = [](const char* what) { throw Error(std::string("sketch: ") + what); };
  constexpr std::size_t most = std::size_t{1} << 24U;
  if (dimension == 0 || dimension > most) refuse("points of no dimension that is possible");
  if (terms.empty()) refuse("no features");
  for (const auto& t : terms) {
    if (t.size == 0 || t.size > most) refuse("a term of no size that is possible");
    if (!std::isfinite(t.amplitude) || !(t.variance >= 0)) refuse("a number that is not finite");
    const bool convolved = t.factors.size() > 1;
    if (convolved && feature::smooth_below(t.size) != t.size)
      refuse("a size that is not a product of 2, 3 and 5");
    if (t.factors.empty() && t.size != 1) refuse("a constant of several features");
    for (const auto& f : t.factors) {
      if (f.bucket.size() != dimension + 1 || f.weight.size() != dimension + 1)
        refuse("a factor of another dimension");
      if (std::ranges::any_of(f.bucket, [&](std::uint32_t b) { return b >= t.size; }))
        refuse("a bucket that is not there");
      if (std::ranges::any_of(f.weight, [](double w) { return !std::isfinite(w); }))
        refuse("a number that is not finite");
    }
  }
}

Sketch sketch(const Kernel& k, std::size_t dimension, const SketchOptions& options) {
  if (!k.open_parameters().empty())
    throw Error(k.text() + " has an open parameter: give it a value first");
  if (k.has_named_columns())
    throw Error(k.text() + " names columns, but the points have no names: use with_columns");
  auto terms = Finder(dimension).run(k.expression());
  std::erase_if(terms, [](const Product& p) {
    return p.mass == 0 || std::ranges::any_of(p.factors, [](const Inner& f) { return f.empty(); });
  });
  if (terms.empty()) throw Error(k.text() + " is 0: there are no features");
  if (options.count < terms.size())
    throw Error(fmt::format("{} features are too few for {}: at least {}", options.count, k.text(),
                            terms.size()));
  const auto sizes = shares(terms, options.count);
  RandomNumbers random(options.seed);
  Sketch s;
  s.dimension = dimension;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Product& p = terms[i];
    Sketch::Term t;
    t.amplitude = std::sqrt(p.mass);
    const bool exact = needs(p, sizes[i]) <= sizes[i];
    t.size = p.factors.size() > 1 ? feature::smooth_below(sizes[i]) : sizes[i];
    const std::size_t q = with_several(p);
    if (!exact && q > 0)
      t.variance =
          (q == 1 ? 2 : 2 + std::pow(3.0, static_cast<double>(q))) / static_cast<double>(t.size);
    std::size_t step = 1;
    for (const Inner& inner : p.factors) {
      Sketch::Factor f{std::vector<std::uint32_t>(dimension + 1),
                       std::vector<double>(dimension + 1)};
      std::size_t number = 0;
      for (const auto& [j, c] : inner) {
        double sign = 1;
        if (exact) {
          f.bucket[j] = static_cast<std::uint32_t>(step * number++);
        } else {
          f.bucket[j] = static_cast<std::uint32_t>(random.below(t.size));
          sign = (random.bits() >> 63U) != 0 ? 1 : -1;
        }
        f.weight[j] = sign * std::sqrt(c);
      }
      step *= inner.size();
      t.factors.push_back(std::move(f));
    }
    s.terms.push_back(std::move(t));
  }
  return s;
}

}  // namespace mercer
