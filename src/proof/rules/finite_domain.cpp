// All points of a small finite domain.
#include "kernel/transform.hpp"
#include "proof/candidates.hpp"
#include "proof/definite.hpp"
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

Found all_points(Prover& prover, const Expr& e) {
  if (prover.domain().kind() != Domain::Kind::finite || e->free_levels != 0) return std::nullopt;
  if (!e->as_number && !prover.dimension()) return std::nullopt;
  if (!algebra::equal(algebra::swap_sides(e), e)) return std::nullopt;
  constexpr std::size_t largest = 64;
  const std::uint32_t d = e->as_number ? 1 : *prover.dimension();
  const auto points = simple_points(prover.domain(), d, largest + 1);
  if (points.size() > largest) return std::nullopt;
  Matrix exact;
  std::vector<std::vector<Ball>> balls;
  constexpr long precision = 256;
  bool rational = true;
  for (const auto& x : points) {
    exact.emplace_back();
    balls.emplace_back();
    for (const auto& z : points) {
      const auto value = rational ? exact_value(e, x, z) : std::nullopt;
      rational = rational && value;
      if (value) exact.back().push_back(*value);
      const auto ball = ball_value(e, x, z, precision);
      if (!ball && !rational) return std::nullopt;
      if (ball) balls.back().push_back(*ball);
    }
  }
  bool good = false;
  if (rational) {
    const auto answer = definiteness(exact);
    good = answer && answer->semidefinite;
  } else {
    for (const auto& row : balls)
      if (row.size() != points.size()) return std::nullopt;
    good = positive_pivots(std::move(balls));
  }
  if (!good) return std::nullopt;
  return conclude("finite domain", e, Claim::kernel,
                  {.note = std::to_string(points.size()) + " points"});
}

}  // namespace

Rules rule_finite_domain() {
  return {{500,
           Claim::kernel,
           all_points,
           {{"finite domain",
             "k is a kernel on a finite set if the Gram matrix of all its points is symmetric and "
             "positive semidefinite.",
             "definition; exact elimination, or pivots in ball arithmetic"}}}};
}

}  // namespace mercer::proof
