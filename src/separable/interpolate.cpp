#include "separable/interpolate.hpp"

#include <arb_mat.h>

#include <cmath>

namespace mercer::separability {

namespace {

class BallMatrix {
 public:
  BallMatrix(std::size_t rows, std::size_t columns) {
    arb_mat_init(value_, static_cast<slong>(rows), static_cast<slong>(columns));
  }
  BallMatrix(const BallMatrix&) = delete;
  BallMatrix& operator=(const BallMatrix&) = delete;
  ~BallMatrix() { arb_mat_clear(value_); }
  [[nodiscard]] arb_ptr at(std::size_t i, std::size_t j) {
    return arb_mat_entry(value_, static_cast<slong>(i), static_cast<slong>(j));
  }
  [[nodiscard]] arb_mat_struct* get() { return value_; }

 private:
  arb_mat_t value_;
};

// A decimal within the accuracy of the ball.
std::optional<Rational> decimal(arb_srcptr ball, long precision) {
  char* text = arb_get_str(ball, static_cast<slong>(static_cast<double>(precision) * 0.3),
                           ARB_STR_NO_RADIUS);
  auto value = Rational::from_decimal(text);
  flint_free(text);
  return value;
}

std::optional<LinearRule> solution(const KernelFeatures& features, std::span<const int> y,
                                   const std::vector<std::size_t>& rows, long precision,
                                   Clock::time_point deadline) {
  const std::size_t n = rows.size();
  BallMatrix K(n, n);
  BallMatrix right(n, 1);
  BallMatrix c(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    if (Clock::now() > deadline) return std::nullopt;
    arb_set_si(right.at(i, 0), y[rows[i]]);
    for (std::size_t j = 0; j <= i; ++j) {
      const auto value = features.ball(rows[i], rows[j], precision);
      if (!value) return std::nullopt;
      arb_set(K.at(i, j), value->get());
      arb_set(K.at(j, i), value->get());
    }
  }
  if (arb_mat_solve(c.get(), K.get(), right.get(), precision) == 0) return std::nullopt;
  LinearRule rule;
  for (std::size_t i = 0; i < n; ++i) {
    const auto value = decimal(c.at(i, 0), precision);
    if (!value) return std::nullopt;
    rule.c.push_back(*value);
  }
  return rule;
}

}  // namespace

std::optional<Interpolation> interpolate(const KernelFeatures& features, std::span<const int> y,
                                         const std::vector<std::size_t>& rows,
                                         Clock::time_point deadline) {
  constexpr std::size_t most = 300;
  if (rows.size() > most) return std::nullopt;
  for (const long precision : {128L, 256L, 512L, 1024L, 2048L}) {
    if (Clock::now() > deadline) return std::nullopt;
    auto rule = solution(features, y, rows, precision, deadline);
    if (!rule) continue;
    const KernelFunctions h(features, rows, deadline);
    const auto proved = separates(h, *rule, y, deadline);
    if (!proved) continue;
    // y_i f(x_i) = 1 up to the last digits, so that |w|² = cᵀKc = cᵀy and the margin is 1/|w|.
    Big square;
    for (std::size_t i = 0; i < rows.size(); ++i)
      square = square + Big(rule->c[i]) * Big(static_cast<long>(y[rows[i]]));
    Certified certified{std::move(*rule), 1 / std::sqrt(square.to_double()), *proved};
    return Interpolation{rows, std::move(certified)};
  }
  return std::nullopt;
}

}  // namespace mercer::separability
