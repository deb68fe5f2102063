#include <algorithm>
#include <mercer/equal.hpp>
#include <mercer/error.hpp>

#include "kernel/form.hpp"
#include "kernel/polynomial.hpp"
#include "kernel/transform.hpp"
#include "proof/candidates.hpp"
#include "proof/defined_check.hpp"
#include "proof/few_coordinates.hpp"
#include "proof/nonzero_point.hpp"
#include "proof/point_value.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/rewriting.hpp"
#include "proof/scope.hpp"
#include "proof/witness_search/certify.hpp"

namespace mercer {

namespace {

using algebra::Expr;
using proof::Point;
using Difference = Equality::Difference;

constexpr std::size_t most_terms = 20'000;

void check_kind(const Expr& e) {
  if (e->has_open) throw Error("kernels with open parameters cannot be compared: give them values");
  if (e->has_opaque)
    throw Error("nothing is known of a user's function or a precomputed matrix to compare");
  if (e->has_names) throw Error("columns by name are not known here: select them by number");
}

struct Pair {
  Expr first;
  Expr second;
};

// Both with x and z as numbers if one is so.
Pair alike(const Expr& a, const Expr& b) {
  if (!a->as_number && !b->as_number) return {a, b};
  if (std::max(a->least_dimension, b->least_dimension) > 1)
    throw Error("one uses x as a number, which needs dimension 1, and the other coordinate " +
                std::to_string(std::max(a->least_dimension, b->least_dimension)) +
                ": there is no dimension in which both make sense");
  return {algebra::in_dimension_one(a), algebra::in_dimension_one(b)};
}

// ---- equal

std::optional<std::string> equal_polynomials(const Pair& k,
                                             std::optional<std::uint32_t> dimension) {
  const auto p = algebra::dot_polynomial(k.first);
  const auto q = algebra::dot_polynomial(k.second);
  if (p && q && *p == *q) return "both are polynomials in x.z, and all coefficients agree";
  const bool any_dimension =
      algebra::depends_on_dimension(k.first) || algebra::depends_on_dimension(k.second);
  if (!dimension && any_dimension && !k.first->as_number) return std::nullopt;
  const std::uint32_t d =
      k.first->as_number || k.second->as_number
          ? 1
          : dimension.value_or(std::max(k.first->least_dimension, k.second->least_dimension));
  const auto a = algebra::expand_polynomial(k.first, d, most_terms);
  const auto b = a ? algebra::expand_polynomial(k.second, d, most_terms) : std::nullopt;
  if (!b || *a != *b) return std::nullopt;
  return "both are polynomials: multiplied out, all " + std::to_string(a->size()) +
         (a->size() == 1 ? " coefficient agrees" : " coefficients agree");
}

// On the sphere and on finite sets other polynomials than 0 vanish too.
bool equal_on_domain(const Pair& k, const EqualityOptions& options) {
  const auto gram = proof::polynomial_gram(algebra::subtract(k.first, k.second), options.dimension,
                                           options.domain);
  return gram && gram->monomials.empty();
}

// Sums and products over the coordinates written out, in a small dimension.
Expr written_out(const Expr& e, std::uint32_t d) {
  using algebra::Op;
  if (e->args.empty()) return e;
  const bool over = e->op == Op::sum_over || e->op == Op::product_over;
  if (over && e->columns.all()) {
    std::vector<algebra::Term> terms;
    std::vector<Expr> factors;
    for (std::uint32_t i = 1; i <= d; ++i) {
      const Expr part = written_out(
          algebra::substitute_bound(
              e->args[0], [&](algebra::Side side) { return algebra::coordinate(side, {}, i); }),
          d);
      terms.push_back({1, part});
      factors.push_back(part);
    }
    return e->op == Op::sum_over ? algebra::sum(terms) : algebra::multiply(factors);
  }
  std::vector<Expr> args;
  for (const auto& arg : e->args) args.push_back(written_out(arg, d));
  return algebra::with_args(*e, std::move(args));
}

std::optional<std::string> equal_written_out(const Pair& k, const EqualityOptions& options) {
  constexpr std::uint32_t small = 8;
  if (!options.dimension || *options.dimension > small || k.first->as_number) return std::nullopt;
  const Expr a = written_out(k.first, *options.dimension);
  const Expr b = written_out(k.second, *options.dimension);
  if (algebra::equal(a, b)) return "written out coordinate by coordinate, both are the same";
  return proof::equal_by_rewriting(a, b, options.domain);
}

// ---- different

std::vector<std::string> texts(const Point& point) {
  std::vector<std::string> result;
  for (const auto& v : point) result.push_back(v.fraction_text());
  return result;
}

std::optional<Difference> differ_at(const Pair& k, const Point& x, const Point& z) {
  Difference found{static_cast<std::uint32_t>(x.size()), texts(x), texts(z), "", "", "", false};
  const auto a = proof::exact_value(k.first, x, z);
  const auto b = a ? proof::exact_value(k.second, x, z) : std::nullopt;
  if (a && b) {
    if (*a == *b) return std::nullopt;
    found.first = a->fraction_text();
    found.second = b->fraction_text();
    found.gap = (*a - *b).fraction_text();
    found.exact = true;
    return found;
  }
  for (const long precision : {128L, 1024L}) {
    const auto u = proof::ball_value(k.first, x, z, precision);
    const auto v = u ? proof::ball_value(k.second, x, z, precision) : std::nullopt;
    if (!v || u->overlaps(*v)) continue;
    found.first = u->text();
    found.second = v->text();
    found.gap = (*u - *v).text();
    return found;
  }
  return std::nullopt;
}

std::optional<Difference> differ_as_polynomials(const Pair& k, const Domain& domain,
                                                std::uint32_t d) {
  auto p = algebra::expand_polynomial(algebra::subtract(k.first, k.second), d, most_terms);
  if (!p) return std::nullopt;
  const auto points = proof::nonzero_point(std::move(*p), d, domain);
  return points ? differ_at(k, points->x, points->z) : std::nullopt;
}

void collect_numbers(const Expr& e, std::vector<Rational>& numbers) {
  const auto add = [&](const Rational& v) {
    constexpr std::size_t most = 12;
    if (!v.is_zero() && numbers.size() < most && std::ranges::find(numbers, v) == numbers.end())
      numbers.push_back(v);
  };
  if (e->op == algebra::Op::number || e->op == algebra::Op::sum) add(e->number);
  for (const auto& c : e->coefficients) add(c);
  for (const auto& arg : e->args) collect_numbers(arg, numbers);
}

// Where min, max and |.| turn is told by the numbers in the text.
std::optional<Difference> differ_around_numbers(const Pair& k, const Domain& domain,
                                                std::uint32_t d) {
  std::vector<Rational> numbers;
  collect_numbers(k.first, numbers);
  collect_numbers(k.second, numbers);
  std::vector<Point> points;
  for (const auto& v : numbers)
    for (const auto& sign : {Rational(1), Rational(-1)})
      for (const auto& value :
           {sign * v, sign * (v + Rational(1)), sign * (v - Rational(1)), sign * v * Rational(2)}) {
        Point all(d, value);
        Point first(d);
        first[0] = value;
        for (auto& p : {all, first})
          if (proof::contains(domain, p)) points.push_back(p);
      }
  const auto simple = proof::simple_points(domain, d, 3);
  for (const auto& p : points) {
    if (auto found = differ_at(k, p, p)) return found;
    for (const auto& q : simple) {
      if (auto found = differ_at(k, p, q)) return found;
      if (auto found = differ_at(k, q, p)) return found;
    }
  }
  return std::nullopt;
}

// Pairs of simple points first, then what polynomials tell, then mixed ones.
std::optional<Difference> find_difference(const Pair& k, const Domain& domain, std::uint32_t d) {
  constexpr std::size_t few = 24;
  const auto points = proof::simple_points(domain, d, few);
  for (std::size_t last = 0; last < points.size(); ++last)
    for (std::size_t i = 0; i <= last; ++i) {
      if (auto found = differ_at(k, points[i], points[last])) return found;
      if (i == last) continue;
      if (auto found = differ_at(k, points[last], points[i])) return found;
    }
  if (auto found = differ_as_polynomials(k, domain, d)) return found;
  if (auto found = differ_around_numbers(k, domain, d)) return found;
  if (domain.kind() == Domain::Kind::sphere) return std::nullopt;
  const auto values = proof::simple_values(domain);
  if (values.empty()) return std::nullopt;
  std::uint64_t state = 1;
  const auto next = [&] {  // a linear congruence: the same on every machine
    state = state * 6364136223846793005U + 1442695040888963407U;
    return values[static_cast<std::size_t>((state >> 33U) % values.size())];
  };
  constexpr int tries = 400;
  for (int i = 0; i < tries; ++i) {
    Point x(d);
    Point z(d);
    for (auto& v : x) v = next();
    for (auto& v : z) v = next();
    if (!proof::contains(domain, x) || !proof::contains(domain, z)) continue;
    if (auto found = differ_at(k, x, z)) return found;
  }
  return std::nullopt;
}

// In a large dimension: in the few coordinates that matter, with one number in all others.
std::optional<Difference> find_difference_in_many(const Pair& k, const Domain& domain,
                                                  std::uint32_t d) {
  const auto few = proof::FewCoordinates::of({k.first, k.second}, domain, d);
  if (!few) return std::nullopt;
  const Pair there{few->expressions()[0], few->expressions()[1]};
  const auto found = find_difference(there, domain, few->dimension());
  if (!found) return std::nullopt;
  few->check_writable(2, "they are different");
  return differ_at(k, few->whole(proof::from_texts(found->x)),
                   few->whole(proof::from_texts(found->z)));
}

// ---- finite domains

// Both exactly alike at all pairs of points; nullopt where they are too many or not rational.
std::optional<bool> alike_everywhere(const Pair& k, const Domain& domain, std::uint32_t d) {
  if (domain.kind() != Domain::Kind::finite || d > proof::many_coordinates) return std::nullopt;
  constexpr std::size_t most = 200;
  const auto points = proof::simple_points(domain, d, most + 1);
  if (points.size() > most) return std::nullopt;
  for (const auto& x : points)
    for (const auto& z : points) {
      const auto a = proof::exact_value(k.first, x, z);
      const auto b = proof::exact_value(k.second, x, z);
      if (!a || !b) return std::nullopt;
      if (*a != *b) return false;
    }
  return true;
}

bool both_defined(const Pair& k, const Domain& domain, std::uint32_t d,
                  const std::vector<std::uint32_t>& in) {
  const auto look = [&](const Pair& there, const std::vector<std::uint32_t>& dimensions) {
    const bool first = proof::check_defined(there.first, domain, dimensions);
    return proof::check_defined(there.second, domain, dimensions) && first;
  };
  if (d <= proof::many_coordinates) return look(k, in);
  const auto few = proof::FewCoordinates::of({k.first, k.second}, domain, d);
  if (!few) return look(k, {});
  try {
    return look({few->expressions()[0], few->expressions()[1]}, {few->dimension()});
  } catch (const Error& error) {
    throw Error(error.what() + (" " + few->others()));
  }
}

Equality same(std::string reason, bool defined) {
  Equality result;
  result.kind = Equality::Kind::equal;
  result.reason = std::move(reason) + (defined ? "" : ", wherever both are defined");
  return result;
}

}  // namespace

Equality equal(const Kernel& k1, const Kernel& k2, const EqualityOptions& options) {
  check_kind(k1.expression());
  check_kind(k2.expression());
  const Pair k = alike(algebra::in_dimension(k1.expression(), options.dimension),
                       algebra::in_dimension(k2.expression(), options.dimension));
  if (algebra::equal(k.first, k.second))
    return same("both are the same expression after simplification", true);

  const Expr both = algebra::add(k.first, k.second);  // for the dimensions in which both make sense
  auto in = proof::dimensions(both, options.dimension);
  const std::uint32_t least = std::max(k.first->least_dimension, k.second->least_dimension);
  if (!options.dimension && in.front() < least) in = {least, least + 1, least + 2};
  if (in.back() > proof::many_coordinates) in = {in.front()};
  const bool defined = both_defined(k, options.domain, in[0], in);

  if (auto reason = equal_polynomials(k, options.dimension)) return same(*reason, defined);
  if (equal_on_domain(k, options))
    return same("both are polynomials that agree on the domain", defined);
  if (auto reason = proof::equal_by_rewriting(k.first, k.second, options.domain))
    return same(*reason, defined);
  if (auto reason = equal_written_out(k, options)) return same(*reason, defined);
  if (in.size() == 1 && alike_everywhere(k, options.domain, in[0]) == true)
    return same("at all pairs of points of the domain the values agree exactly", true);

  Equality result;
  for (const auto d : in) {
    const Pair there =
        d == 1 ? Pair{algebra::in_dimension_one(k.first), algebra::in_dimension_one(k.second)} : k;
    result.difference = d > proof::many_coordinates
                            ? find_difference_in_many(there, options.domain, d)
                            : find_difference(there, options.domain, d);
    if (!result.difference) continue;
    result.kind = Equality::Kind::different;
    return result;
  }
  result.tried = {"they are not both polynomials with equal coefficients",
                  "rewriting leads to different normal forms",
                  "the values agree at all points tried, as far as ball arithmetic can tell"};
  return result;
}

}  // namespace mercer
