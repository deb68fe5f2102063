// All points of a small finite domain.
#include <array>

#include "kernel/transform.hpp"
#include "proof/calculus.hpp"
#include "proof/candidates.hpp"
#include "proof/definite.hpp"
#include "proof/features_gram.hpp"
#include "proof/point_value.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

// Cholesky's pivots, all of them positive: then the matrix is positive definite.
bool positive_pivots(std::vector<std::vector<Ball>> K) {
  for (std::size_t p = 0; p < K.size(); ++p) {
    if (!K[p][p].is_positive()) return false;
    for (std::size_t i = p + 1; i < K.size(); ++i)
      for (std::size_t j = p + 1; j < K.size(); ++j)
        K[i][j] = K[i][j] - K[i][p] * K[p][j] / K[p][p];
  }
  return true;
}

// cos and sin of multiples of π/2, which the canonical form leaves as they are.
Expr with_quarters(const Expr& e) {
  if (e->args.empty()) return e;
  std::vector<Expr> args;
  for (const auto& arg : e->args) args.push_back(with_quarters(arg));
  Expr same = algebra::with_args(*e, std::move(args));
  const bool cosine = algebra::is_function(same, Function::cos);
  if (!cosine && !algebra::is_function(same, Function::sin)) return same;
  const auto [c, rest] = algebra::split_coefficient(same->args[0]);
  const auto quarters = (c * Rational(2)).to_int();
  if (rest->op != Op::pi || !quarters) return same;
  constexpr std::array<int, 4> sines{0, 1, 0, -1};
  return algebra::number(
      sines[static_cast<std::size_t>(((*quarters + (cosine ? 1 : 0)) % 4 + 4) % 4)]);
}

// Elimination with the constants as they are written: it sees zeros that balls do not.
bool semidefinite_as_written(const Expr& e, const std::vector<Point>& points) {
  constexpr std::size_t few = 8;
  if (points.size() > few || points[0].size() != 1 || contains_normalize(e)) return false;
  const Expr k = algebra::in_dimension_one(e);
  std::vector<std::vector<Expr>> G;
  for (const auto& x : points) {
    G.emplace_back();
    for (const auto& z : points) {
      const Expr of_z = with_side(k, algebra::Side::x, algebra::number(x[0]));
      G.back().push_back(with_quarters(with_side(of_z, algebra::Side::z, algebra::number(z[0]))));
    }
  }
  const auto signs = inertia(std::move(G));
  return signs && signs->negative == 0;
}

Found all_of_them(Prover& prover, const Expr& e) {
  if (e->free_levels != 0) return std::nullopt;
  if (!e->as_number && !prover.dimension()) return std::nullopt;
  if (!algebra::equal(algebra::swap_sides(e), e)) return std::nullopt;
  constexpr std::size_t largest = 64;
  const auto all = all_points(prover.domain(), e->as_number ? 1 : *prover.dimension(), largest);
  if (!all || all->empty()) return std::nullopt;
  const auto& points = *all;
  Matrix exact;
  std::vector<std::vector<Ball>> balls;
  constexpr long precision = 256;
  bool rational = true;
  bool seen = true;  // in balls
  for (const auto& x : points) {
    exact.emplace_back();
    balls.emplace_back();
    for (const auto& z : points) {
      const auto value = rational ? exact_value(e, x, z) : std::nullopt;
      rational = rational && value;
      if (value) exact.back().push_back(*value);
      const auto ball = ball_value(e, x, z, precision);
      seen = seen && ball;
      if (ball) balls.back().push_back(*ball);
    }
  }
  bool good = false;
  if (rational) {
    const auto answer = definiteness(exact);
    good = answer && answer->semidefinite;
  } else {
    good = (seen && positive_pivots(std::move(balls))) || semidefinite_as_written(e, points);
  }
  if (!good) return std::nullopt;
  return conclude(
      "finite domain", e, Claim::kernel,
      {.note = std::to_string(points.size()) + (points.size() == 1 ? " point" : " points")});
}

}  // namespace

Rules rule_finite_domain() {
  return {{500,
           Claim::kernel,
           all_of_them,
           {{"finite domain",
             "k is a kernel on a finite set if the Gram matrix of all its points is symmetric and "
             "positive semidefinite.",
             "definition; exact elimination, or pivots whose signs ball arithmetic tells"}}}};
}

}  // namespace mercer::proof
