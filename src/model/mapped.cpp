#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/mapped.hpp>
#include <optional>

#include "base/parallel.hpp"
#include "kernel/evaluate.hpp"
#include "model/images.hpp"

namespace mercer {

namespace {

using algebra::Expr;
using algebra::Op;

// c x_a x_b …, with x_a as often as its power says: most maps are made of these, and a product is
// much faster than a walk through the expression.
struct Monomial {
  double coefficient = 1;
  std::vector<std::size_t> factors;
};

// Whether e is the coordinate of a point; its number is put behind the factors.
bool add_coordinate(const Expr& e, std::size_t times, Monomial& m) {
  if (e->op != Op::coordinate || !e->columns.all() || e->place == algebra::Place::bound)
    return false;
  const std::size_t place = e->place == algebra::Place::fixed ? e->index - 1 : 0;
  m.factors.insert(m.factors.end(), times, place);
  return true;
}

bool add_factor(const Expr& e, Monomial& m) {
  if (!e->uses_x && !e->uses_z && !e->has_opaque) {
    m.coefficient *= algebra::constant_value(e);
    return true;
  }
  if (e->op != Op::power) return add_coordinate(e, 1, m);
  constexpr double most = 16;
  const double power = e->args[1]->value;
  return is_number(e->args[1]) && e->args[1]->number.is_integer() && power >= 1 && power <= most &&
         add_coordinate(e->args[0], static_cast<std::size_t>(power), m);
}

std::optional<Monomial> monomial(const Expr& e) {
  const auto [coefficient, rest] = algebra::split_coefficient(e);
  Monomial m{coefficient.to_double(), {}};
  const std::vector<Expr> factors = rest->op == Op::product ? rest->args : std::vector<Expr>{rest};
  for (const auto& factor : factors)
    if (!add_factor(factor, m)) return std::nullopt;
  return m;
}

// One coordinate of a map.
class Feature {
 public:
  explicit Feature(Expr e) : expression_(std::move(e)), monomial_(monomial(expression_)) {}

  // Throws EvaluationError.
  [[nodiscard]] double at(std::span<const double> x) const {
    if (monomial_) {
      double value = monomial_->coefficient;
      for (const std::size_t j : monomial_->factors) value *= x[j];
      if (std::isfinite(value)) return value;
    }
    return algebra::evaluate(expression_, x, x);
  }

 private:
  Expr expression_;
  std::optional<Monomial> monomial_;
};

}  // namespace

Points model::images(const FeatureMap& map, const Points& x, unsigned threads, std::size_t before) {
  if (x.columns() != map.dimension)
    throw Error("the feature map is for points of dimension " + std::to_string(map.dimension) +
                ", and these have " + std::to_string(x.columns()));
  std::vector<Feature> features;
  for (const auto& f : map.coordinates) features.emplace_back(f.expression());
  const std::size_t count = features.size();
  std::vector<double> values(x.rows() * count);
  constexpr std::size_t piece = 64;
  parallel_for((x.rows() + piece - 1) / piece, threads, [&](std::size_t task) {
    std::vector<double> point(x.columns());
    for (std::size_t i = task * piece; i < std::min(x.rows(), (task + 1) * piece); ++i) {
      x.row(i, std::span(point));
      for (std::size_t j = 0; j < count; ++j) {
        try {
          values[i * count + j] = features[j].at(point);
        } catch (const EvaluationError& error) {
          throw EvaluationError("row " + std::to_string(before + i + 1) + ", feature " +
                                map.text(j) + ": " + error.what());
        }
      }
    }
  });
  return Points::own(std::move(values), x.rows(), count);
}

Points mapped(const FeatureMap& map, const Points& x, unsigned threads) {
  return model::images(map, x, threads, 0);
}

}  // namespace mercer
