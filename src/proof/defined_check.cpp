#include "proof/defined_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <optional>

#include "kernel/defined.hpp"
#include "kernel/domain_body.hpp"
#include "kernel/evaluate.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"
#include "proof/candidates.hpp"
#include "proof/taylor.hpp"

namespace mercer::proof {

namespace {

using algebra::Function;
using algebra::Op;
using algebra::Side;
using Kind = Domain::Kind;

// A part of the expression that must not be zero, negative, beyond one…
struct Demand {
  enum class What : std::uint8_t { nonzero, positive, nonnegative, at_most_one };
  What what;
  Expr part;
  Expr owner;  // what is undefined where the demand is not met
};

class Demands {
 public:
  explicit Demands(std::uint32_t d) : d_(d) {}

  void collect(const Expr& e) {
    using What = Demand::What;
    switch (e->op) {
      case Op::power: {
        const Expr& exponent = e->args[1];
        if (!is_number(exponent)) {
          add(What::positive, e->args[0], e);
        } else if (!exponent->number.is_integer()) {
          add(exponent->number.sign() < 0 ? What::positive : What::nonnegative, e->args[0], e);
        } else if (exponent->number.sign() < 0) {
          add(What::nonzero, e->args[0], e);
        }
        break;
      }
      case Op::function:
        if (e->fn == Function::log) add(What::positive, e->args[0], e);
        if (e->fn == Function::asin) add(What::at_most_one, e->args[0], e);
        break;
      case Op::normalize: {
        const Expr norm = algebra::diagonal(e->args[0]);
        add(What::nonnegative, norm, e);
        add(What::nonnegative, algebra::swap_sides(norm), e);
        break;
      }
      case Op::chi:
        break;  // 0/0 is 0; a + b = 0 elsewhere is found by evaluation
      case Op::sum_over:
      case Op::product_over:
      case Op::symmetric_over:
        if (e->columns.has_names()) return;
        for (const auto& range : e->columns.ranges(d_))
          for (std::uint32_t i = range.first; i <= range.last; ++i)
            collect(algebra::substitute_bound(
                e->args[0], [&](Side side) { return algebra::coordinate(side, {}, i); }));
        return;
      default:
        break;
    }
    for (const auto& arg : e->args) collect(arg);
  }

  [[nodiscard]] const std::vector<Demand>& all() const { return all_; }

 private:
  void add(Demand::What what, const Expr& part, const Expr& owner) {
    if (part->free_levels != 0 || (part->positive && what != Demand::What::at_most_one)) return;
    all_.push_back({what, part, owner});
  }

  std::uint32_t d_;
  std::vector<Demand> all_;
};

// The sign of the part's value where that is certain.
std::optional<int> sign_at(const Expr& part, const Point& x, const Point& z) {
  if (const auto exact = exact_value(part, x, z)) return exact->sign();
  for (const long precision : {128L, 512L}) {
    const auto ball = ball_value(part, x, z, precision);
    if (ball && ball->is_positive()) return 1;
    if (ball && ball->is_negative()) return -1;
  }
  return std::nullopt;
}

bool fails(const Demand& demand, const Point& x, const Point& z) {
  if (demand.what == Demand::What::at_most_one) {
    const Expr beyond = algebra::subtract(algebra::power(demand.part, 2), algebra::number(1));
    return sign_at(beyond, x, z) == 1;
  }
  const auto sign = sign_at(demand.part, x, z);
  if (!sign) return false;
  switch (demand.what) {
    case Demand::What::nonzero:
      return *sign == 0;
    case Demand::What::positive:
      return *sign <= 0;
    default:
      return *sign < 0;
  }
}

std::vector<double> doubles(const Point& p) {
  std::vector<double> result;
  for (const auto& v : p) result.push_back(v.to_double());
  return result;
}

// Simple points, large and small ones, and some close to the ends of the domain.
std::vector<Point> points_to_try(const Domain& domain, std::uint32_t d) {
  auto points = simple_points(domain, d, 40);
  const auto& body = domain.body();
  for (const int k : {1, 2, 3, 4, 6, 9})
    for (const auto& v : {*power(Rational(10), k), *power(Rational(10), -k)}) {
      std::vector<Rational> values{v, -v};
      if (body.low) values.push_back(*body.low + v);
      if (body.high) values.push_back(*body.high - v);
      for (const auto& value : values) {
        Point p(d, value);
        if (contains(domain, p) && std::ranges::find(points, p) == points.end())
          points.push_back(std::move(p));
      }
    }
  return points;
}

[[noreturn]] void undefined_at(const std::string& what, const Domain& domain) {
  throw Error(what + " (a point of the domain " + domain.text() + ")");
}

// A point without a value.
void look_for_point(const Expr& e, const Domain& domain, const std::vector<Demand>& demands,
                    const std::vector<Point>& points) {
  for (const auto& x : points)
    for (const auto& z : points) {
      try {
        algebra::evaluate(e, doubles(x), doubles(z));
      } catch (const UndefinedError& error) {
        // Doubles may see a zero or a negative number where there is none.
        const bool sure =
            std::ranges::any_of(demands, [&](const Demand& demand) { return fails(demand, x, z); });
        if (sure || demands.empty()) undefined_at(error.what(), domain);
      } catch (const Error&) {
        continue;  // an overflow says nothing
      }
    }
}

// Continuous wherever it is defined: all but normalize, which is 0 where k(x,x) is.
bool is_continuous(const Expr& e, const Domain& domain) {
  if (e->op == Op::normalize &&
      !algebra::range_on(algebra::diagonal(e->args[0]), domain).positive())
    return false;
  return std::ranges::all_of(e->args, [&](const Expr& arg) { return is_continuous(arg, domain); });
}

bool is_connected(const Domain& domain, std::uint32_t d) {
  switch (domain.kind()) {
    case Kind::reals:
    case Kind::interval:
    case Kind::ball:
      return true;
    case Kind::sphere:
      return d > 1;
    default:
      return false;
  }
}

std::string text(const Point& p) {
  std::string result = "(";
  for (const auto& v : p) result += (result.size() > 1 ? ", " : "") + v.text();
  return result + ")";
}

std::string place(const Expr& part, const Point& x, const Point& z) {
  std::string result;
  if (part->uses_x) result = "x = " + text(x);
  if (part->uses_z) result += (result.empty() ? "z = " : ", z = ") + text(z);
  return result;
}

// Two places where the part minus a level has different signs, close together where possible.
struct Change {
  Point x, z;              // below
  Point other_x, other_z;  // above
};
std::optional<Change> sign_change(const Expr& part, const std::vector<Point>& points) {
  struct Place {
    std::size_t x, z;
    double value;
  };
  std::vector<Place> places;
  const std::size_t n = std::min<std::size_t>(points.size(), 60);
  for (std::size_t i = 0; i < (part->uses_x ? n : 1); ++i)
    for (std::size_t j = 0; j < (part->uses_z ? n : 1); ++j) {
      try {
        const double v = algebra::evaluate(part, doubles(points[i]), doubles(points[j]));
        if (v != 0) places.push_back({i, j, v});
      } catch (const Error&) {
        continue;
      }
    }
  const auto weight = [](const Place& p) { return p.x + p.z; };
  std::ranges::stable_sort(places, {}, weight);
  int attempts = 0;
  for (const bool sharing : {true, false})
    for (std::size_t j = 0; j < places.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        const Place& a = places[i];
        const Place& b = places[j];
        if ((a.value < 0) == (b.value < 0)) continue;
        if (sharing && a.x != b.x && a.z != b.z) continue;
        if (++attempts > 8) return std::nullopt;
        const auto sign_a = sign_at(part, points[a.x], points[a.z]);
        const auto sign_b = sign_at(part, points[b.x], points[b.z]);
        if (sign_a && sign_b && *sign_a * *sign_b < 0)
          return Change{points[a.x], points[a.z], points[b.x], points[b.z]};
      }
  return std::nullopt;
}

// cos and sin of a multiple of π/2 as numbers.
std::optional<Rational> at_quarter(Function fn, const Expr& angle) {
  if (fn != Function::cos && fn != Function::sin) return std::nullopt;
  const auto [coefficient, rest] = algebra::split_coefficient(angle);
  const auto quarters = (coefficient * Rational(2)).to_int();
  if (rest->op != Op::pi || !quarters) return std::nullopt;
  switch (((*quarters + (fn == Function::cos ? 1 : 0)) % 4 + 4) % 4) {
    case 1:
      return 1;
    case 3:
      return -1;
    default:
      return 0;
  }
}

// The expression with a constant in place of a part.
Expr with_constant(const Expr& e, const Expr& part, const Expr& constant) {
  if (algebra::equal(e, part)) return constant;
  std::vector<Expr> args;
  for (const auto& arg : e->args) args.push_back(with_constant(arg, part, constant));
  if (e->op == Op::function)
    if (const auto value = at_quarter(e->fn, args[0])) return algebra::number(*value);
  return args.empty() ? e : algebra::with_args(*e, std::move(args));
}

// A denominator that changes its sign vanishes somewhere; so does one that is 0 at a value which a
// part of it takes: 1 + cos(x-z), as x - z takes the value π.
void look_for_zero(const Demand& demand, const Domain& domain, const std::vector<Point>& points) {
  if (!is_continuous(demand.part, domain)) return;
  const std::string denominator = algebra::print_for_reading(demand.part);
  if (const auto change = sign_change(demand.part, points))
    throw Error(algebra::print_for_reading(demand.owner) +
                " is undefined at some point of the domain " + domain.text() + ": " + denominator +
                " changes its sign between " + place(demand.part, change->x, change->z) + " and " +
                place(demand.part, change->other_x, change->other_z));
  if (demand.what == Demand::What::nonnegative) return;  // may be 0
  for (const auto& t : variables_of(demand.part))
    for (const auto& factor : {Rational(1), Rational(-1), Rational(1, 2), Rational(-1, 2),
                               Rational(3, 2), Rational(2)}) {
      const Expr level = algebra::scale(factor, algebra::pi());
      if (!is_number(with_constant(demand.part, t, level), 0)) continue;
      const auto change = sign_change(algebra::subtract(t, level), points);
      if (!change) continue;
      throw Error(algebra::print_for_reading(demand.owner) +
                  " is undefined at some point of the domain " + domain.text() + ": " +
                  denominator + " is 0 where " + algebra::print_for_reading(t) + " is " +
                  algebra::print(level) + ", between " + place(t, change->x, change->z) + " and " +
                  place(t, change->other_x, change->other_z));
    }
}

}  // namespace

bool check_defined(const Expr& e, const Domain& domain,
                   const std::vector<std::uint32_t>& dimensions) {
  if (algebra::conditions_on(e, domain).empty()) return true;
  for (const auto d : dimensions) {
    const Expr there = d == 1 ? algebra::in_dimension_one(e) : e;
    Demands demands(d);
    demands.collect(there);
    const auto points = points_to_try(domain, d);
    look_for_point(there, domain, demands.all(), points);
    if (!is_connected(domain, d)) continue;
    for (const auto& demand : demands.all())
      if (demand.what != Demand::What::at_most_one) look_for_zero(demand, domain, points);
  }
  return false;
}

}  // namespace mercer::proof
