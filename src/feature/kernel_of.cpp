// From φ back to k: Σ φ_i(x) φ_i(z), and the closed forms that are recognised in it.
#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/features.hpp>
#include <set>

#include "feature/check.hpp"
#include "kernel/elaborate.hpp"
#include "kernel/form.hpp"
#include "kernel/polynomial.hpp"
#include "kernel/transform.hpp"

namespace mercer {

namespace {

using algebra::Columns;
using algebra::Expr;
using algebra::Function;
using algebra::Monomial;
using algebra::multiply;
using algebra::number;
using algebra::Op;
using algebra::Polynomial;
using algebra::Side;

constexpr std::size_t most_terms = 20'000;

// ---- functions of x·z

Expr dot_over(std::uint32_t d, const Columns& columns) {
  if (d == 1)
    return multiply(algebra::only_coordinate(Side::x, {}), algebra::only_coordinate(Side::z, {}));
  return algebra::sum_over(columns, multiply(algebra::bound_coordinate(Side::x, 0),
                                             algebra::bound_coordinate(Side::z, 0)));
}

std::set<std::uint32_t> coordinates_of(const Polynomial& p) {
  std::set<std::uint32_t> used;
  for (const auto& [key, c] : p) {
    for (const auto& [i, power] : key.first) used.insert(i);
    for (const auto& [i, power] : key.second) used.insert(i);
  }
  return used;
}

// Σ a_k t^k, as a (t + q)^n where it is one.
Expr polynomial_in(const Expr& t, const std::map<std::uint32_t, Rational>& a) {
  const std::uint32_t n = a.rbegin()->first;
  const Rational lead = a.rbegin()->second;
  std::vector<algebra::Term> terms;
  terms.reserve(a.size());
  for (const auto& [k, c] : a)
    terms.push_back({c, algebra::power(t, Rational(static_cast<std::int64_t>(k)))});
  if (n >= 2 && a.contains(n - 1)) {
    const Rational q = a.at(n - 1) / (Rational(n) * lead);
    Rational expected = lead;  // of t^k: a_n C(n, k) q^(n-k)
    bool fits = a.size() == n + 1;
    for (std::uint32_t k = n; fits && k > 0; --k) {
      expected = expected * q * Rational(k) / Rational(n - k + 1);
      fits = a.contains(k - 1) && a.at(k - 1) == expected;
    }
    if (fits) return scale(lead, algebra::power(algebra::sum({{1, t}}, q), Rational(n)));
  }
  return algebra::sum(terms);
}

struct Closed {
  Expr form;
  bool of_dot = false;
};

std::optional<Closed> function_of_dot(const Polynomial& p, std::uint32_t d) {
  const auto used = coordinates_of(p);
  if (used.empty()) return std::nullopt;
  std::vector<algebra::Range> ranges;
  ranges.reserve(used.size());
  for (const auto i : used) ranges.push_back({i, i});
  const bool all = used.size() == d;
  const Expr t = dot_over(d, all ? Columns() : Columns::at(ranges));
  // The powers of the first coordinate tell the coefficients; then everything is compared.
  std::map<std::uint32_t, Rational> a;
  for (const auto& [key, c] : p) {
    if (key.first != key.second) continue;
    if (key.first.empty()) a[0] = c;
    if (key.first.size() == 1 && key.first[0].first == *used.begin()) a[key.first[0].second] = c;
  }
  if (a.empty()) return std::nullopt;
  const Expr form = polynomial_in(t, a);
  const auto q = algebra::expand_polynomial(form, d, most_terms);
  if (!q || *q != p) return std::nullopt;
  return Closed{form, all};
}

// Kernels over all coordinates that are not functions of x·z.
std::optional<Closed> named(const Polynomial& p, std::uint32_t d) {
  constexpr std::uint32_t many = 12;
  if (d < 2 || d > many) return std::nullopt;
  std::vector<std::string> names{"subsets"};
  names.reserve(d);
  for (std::uint32_t degree = 2; degree <= d; ++degree)
    names.push_back("anova(" + std::to_string(degree) + ")");
  for (const auto& name : names) {
    const Expr e = algebra::elaborate(name);
    const auto q = algebra::expand_polynomial(e, d, most_terms);
    if (q && *q == p) return Closed{e, false};
  }
  return std::nullopt;
}

std::optional<Closed> closed_polynomial(const std::vector<Expr>& functions, std::uint32_t d) {
  const auto p = algebra::expand_polynomial(feature::multiplied(functions), d, most_terms);
  if (!p) return std::nullopt;
  if (auto found = function_of_dot(*p, d)) return found;
  return named(*p, d);
}

// ---- factors that all coordinates share

std::vector<Expr> factors_of(const Expr& e) {
  if (e->op == Op::product) return e->args;
  return {e};
}

// f as g times the rest, g the factors that are no polynomials and no constants.
struct Factored {
  Expr g;
  Expr rest;
};

Factored factored(const Expr& f, std::uint32_t d) {
  const auto [c, product] = algebra::split_coefficient(f);
  std::vector<Expr> outside;
  std::vector<Expr> rest{number(c)};
  for (const auto& factor : factors_of(product)) {
    const bool stays = algebra::is_constant(factor) ||
                       algebra::expand_polynomial(factor, d, most_terms).has_value();
    (stays ? rest : outside).push_back(factor);
  }
  return {multiply(outside), multiply(rest)};
}

std::optional<Closed> closed_product(const std::vector<Expr>& functions, std::uint32_t d) {
  std::vector<Expr> rests;
  std::optional<Expr> shared;
  for (const auto& f : functions) {
    auto parts = factored(f, d);
    if (shared && !equal(*shared, parts.g)) return std::nullopt;
    shared = parts.g;
    rests.push_back(std::move(parts.rest));
  }
  auto found = closed_polynomial(rests, d);
  if (!found) return std::nullopt;
  if (is_number(*shared, 1)) return found;
  return Closed{multiply({*shared, found->form, algebra::swap_sides(*shared)}), false};
}

// ---- h cos(u) and h sin(u)

std::optional<Factored> with_function(const Expr& f, Function fn) {
  const auto [c, product] = algebra::split_coefficient(f);
  std::vector<Expr> rest{number(c)};
  std::optional<Expr> inside;
  for (const auto& factor : factors_of(product)) {
    if (!inside && algebra::is_function(factor, fn)) {
      inside = factor->args[0];
    } else {
      rest.push_back(factor);
    }
  }
  if (!inside) return std::nullopt;
  return Factored{*inside, multiply(rest)};
}

// h(x) h(z) cos(u(x) - u(z)) for each such pair, which is taken out of the list.
std::vector<algebra::Term> rotations(std::vector<Expr>& functions) {
  std::vector<algebra::Term> terms;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto even = with_function(functions[i], Function::cos);
    if (!even) continue;
    for (std::size_t j = 0; j < functions.size(); ++j) {
      const auto odd = with_function(functions[j], Function::sin);
      if (j == i || !odd || !equal(odd->g, even->g) || !equal(odd->rest, even->rest)) continue;
      const Expr turn = algebra::apply_function(
          Function::cos, algebra::subtract(even->g, algebra::swap_sides(even->g)));
      terms.push_back({1, multiply({even->rest, algebra::swap_sides(even->rest), turn})});
      functions.erase(functions.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      functions.erase(functions.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
      i = static_cast<std::size_t>(-1);  // from the start again
      break;
    }
  }
  return terms;
}

}  // namespace

KernelOfMap kernel_of(const FeatureMap& map) {
  std::vector<Expr> functions;
  for (const auto& c : map.coordinates) {
    if (c.expression()->uses_z) throw Error("a feature map is a function of x alone");
    functions.push_back(map.dimension == 1 ? algebra::in_dimension_one(c.expression())
                                           : c.expression());
  }
  auto terms = rotations(functions);
  const bool turned = !terms.empty();
  const auto closed = functions.empty() ? std::nullopt : closed_product(functions, map.dimension);
  if (!functions.empty())
    terms.push_back({1, closed ? closed->form : feature::multiplied(functions)});
  KernelOfMap result{Kernel(algebra::sum(terms))};
  result.function_of_dot = closed && closed->of_dot && !turned;
  result.closed_form = (functions.empty() || closed) && !map.coordinates.empty();
  return result;
}

}  // namespace mercer
