// Is every rule in one map a rule in the other? Linear algebra over constants, exactly.
//
// Coordinates are written as combinations of functions that are independent of one another:
// monomials, and monomials times exponentials of polynomials. Their coefficients are rationals and
// roots of rationals; roots of different primes are independent over the rationals (Besicovitch
// 1940), so that a sum of such products is 0 only if it is empty.
#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/features.hpp>
#include <set>

#include "feature/separate.hpp"
#include "feature/text.hpp"
#include "kernel/multiply_out.hpp"
#include "kernel/polynomial.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"

namespace mercer {

namespace {

using algebra::Expr;
using algebra::Function;
using algebra::is_number;
using algebra::number;
using algebra::Op;
using feature::Combination;

Expr times(const Expr& a, const Expr& b) {
  return algebra::multiplied_out(algebra::multiply(a, b));
}

// a*u - b*v
Combination difference(const Expr& a, const Combination& u, const Expr& b, const Combination& v) {
  Combination result;
  const auto add = [&](const Expr& f, const Expr& c) {
    const auto at = result.try_emplace(f, number(0)).first;
    at->second = algebra::add(at->second, c);
    if (is_number(at->second, 0)) result.erase(at);
  };
  for (const auto& [f, c] : u) add(f, times(a, c));
  for (const auto& [f, c] : v) add(f, scale(-1, times(b, c)));
  return result;
}

bool is_single(const Expr& c) {
  return c->op != Op::sum || c->args.size() + (c->number.is_zero() ? 0 : 1) == 1;
}

// What is written as scale * vector = Σ_j weights[j] φ_j, in echelon form.
struct Row {
  Combination vector;
  Combination weights;  // by the number of φ_j; as an expression, to be a key
  Expr pivot;
};

void reduce(Combination& vector, Combination& weights, Expr& scale, const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    const auto at = vector.find(row.pivot);
    if (at == vector.end()) continue;
    const Expr q = at->second;
    const Expr p = row.vector.at(row.pivot);
    vector = difference(p, vector, q, row.vector);
    weights = difference(p, weights, q, row.weights);
    scale = times(scale, p);
  }
}

Expr key(std::size_t j) { return number(Rational(static_cast<std::int64_t>(j))); }

class Span {
 public:
  void add(const Combination& vector, std::size_t j) {
    Row row{vector, {{key(j), number(1)}}, {}};
    Expr scale = number(1);
    reduce(row.vector, row.weights, scale, rows_);
    if (row.vector.empty()) return;
    // A pivot that can be divided by keeps the numbers small.
    auto at = std::ranges::find_if(row.vector, [](const auto& e) { return is_single(e.second); });
    if (at == row.vector.end()) at = row.vector.begin();
    row.pivot = at->first;
    if (is_single(at->second)) {
      const Expr inverse = algebra::power(at->second, Rational(-1));
      row.vector = difference(inverse, row.vector, number(0), {});
      row.weights = difference(inverse, row.weights, number(0), {});
    }
    rows_.push_back(std::move(row));
  }

  // scale * vector - Σ weights φ = rest
  struct Rest {
    Combination vector;
    Combination weights;
    Expr scale = number(1);
  };
  [[nodiscard]] Rest rest_of(const Combination& vector) const {
    Rest rest{vector, {}, number(1)};
    reduce(rest.vector, rest.weights, rest.scale, rows_);
    return rest;
  }

 private:
  std::vector<Row> rows_;
};

// ---- what is certainly independent

bool is_radical(const Expr& c) {
  if (is_number(c)) return true;
  if (c->op == Op::power) return is_number(c->args[0]) && is_number(c->args[1]);
  return (c->op == Op::sum || c->op == Op::product) && std::ranges::all_of(c->args, is_radical);
}

// A monomial times an exponential of a polynomial without a constant.
bool is_tame(const Expr& f, std::uint32_t d) {
  if (is_number(f, 1)) return true;
  for (const auto& factor : f->op == Op::product ? f->args : std::vector<Expr>{f}) {
    const bool is_power = factor->op == Op::power && is_number(factor->args[1]) &&
                          factor->args[1]->number.is_integer() &&
                          factor->args[1]->number.sign() > 0;
    const Expr& base = is_power ? factor->args[0] : factor;
    if (base->op == Op::coordinate) continue;
    if (!algebra::is_function(factor, Function::exp)) return false;
    const auto p = algebra::expand_polynomial(factor->args[0], d, 1000);
    if (!p || p->contains({})) return false;
  }
  return true;
}

bool surely_independent(const std::vector<Combination>& all, std::uint32_t d) {
  return std::ranges::all_of(all, [&](const Combination& c) {
    return std::ranges::all_of(
        c, [&](const auto& term) { return is_radical(term.second) && is_tame(term.first, d); });
  });
}

// ----

// x as a number is the first coordinate of a vector too.
Expr of_vectors(const Expr& e) {
  const auto leaf = [](const Expr& l, std::uint32_t) {
    const bool is_number = l->op == Op::coordinate && l->place == algebra::Place::only;
    return is_number ? algebra::coordinate(l->side, {}, 1) : l;
  };
  return algebra::rewrite(e, {.leaf = leaf, .columns = {}});
}

std::vector<Combination> combinations_of(const FeatureMap& map, std::uint32_t d) {
  constexpr std::size_t most = 2000;
  std::vector<Combination> result;
  for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
    const Expr f = of_vectors(map.coordinates[i].expression());
    auto parts = feature::combination(f, d, most);
    if (!parts)
      throw Error("coordinate " + std::to_string(i + 1) + " (" + map.text(i) +
                  ") is too large to be multiplied out");
    result.push_back(std::move(*parts));
  }
  return result;
}

std::string text_of(const Combination& c) {
  std::vector<algebra::Term> terms;
  for (const auto& [f, weight] : c) terms.push_back({1, algebra::multiply(weight, f)});
  return print(algebra::sum(terms), algebra::Naming::formulas);
}

}  // namespace

Containment contains(const FeatureMap& map, const FeatureMap& other, bool offset) {
  constexpr std::size_t most = 500;
  if (map.coordinates.size() > most || other.coordinates.size() > most)
    throw Error("maps of more than " + std::to_string(most) + " coordinates are not compared");
  const std::uint32_t d = std::max(map.dimension, other.dimension);
  const auto own = combinations_of(map, d);
  const auto wanted = combinations_of(other, d);
  const std::size_t constant = own.size();
  Span span;
  for (std::size_t j = 0; j < own.size(); ++j) span.add(own[j], j);
  if (offset) span.add({{number(1), number(1)}}, constant);
  Containment result;
  result.kind = Containment::Kind::yes;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto rest = span.rest_of(wanted[i]);
    if (!rest.vector.empty()) {
      std::vector<Combination> all = own;
      all.insert(all.end(), wanted.begin(), wanted.end());
      result.kind = surely_independent(all, d) ? Containment::Kind::no : Containment::Kind::unknown;
      result.missing = i;
      result.missing_part = text_of(
          difference(is_single(rest.scale) ? algebra::power(rest.scale, Rational(-1)) : number(1),
                     rest.vector, number(0), {}));
      result.combinations.clear();
      result.offsets.clear();
      return result;
    }
    // scale ψ_i + Σ weights φ = 0
    const auto weight = [&](std::size_t j) {
      const auto at = rest.weights.find(key(j));
      if (at == rest.weights.end()) return std::string("0");
      return feature::coordinate_text(algebra::divide(scale(-1, at->second), rest.scale));
    };
    std::vector<std::string> row;
    for (std::size_t j = 0; j < own.size(); ++j) row.push_back(weight(j));
    result.combinations.push_back(std::move(row));
    result.offsets.push_back(offset ? weight(constant) : "0");
  }
  return result;
}

}  // namespace mercer
