// Kernel values in bulk against the same kernels one pair at a time, on every instruction set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>

#include "laws/roster.hpp"
#include "support/random.hpp"
#include "support/random_kernel.hpp"

namespace {

using mercer::Gram;
using mercer::GramOptions;
using mercer::Kernel;
using mercer::Points;
using mercer::Rows;
using Precision = GramOptions::Precision;

struct Values {
  std::size_t n;
  std::size_t d;
  std::vector<double> x;

  [[nodiscard]] std::span<const double> point(std::size_t i) const {
    return std::span(x).subspan(i * d, d);
  }
  [[nodiscard]] Points points() const { return Points::dense(x.data(), n, d); }
};

Values random_points(Random& random, std::size_t n, std::size_t d, double low, double high) {
  Values v{n, d, {}};
  for (std::size_t i = 0; i < n * d; ++i) v.x.push_back(random.uniform(low, high));
  return v;
}

std::vector<double> bulk(const Gram& gram) {
  std::vector<double> out(gram.rows() * gram.columns());
  gram.block(Rows::all(), Rows::all(), out.data(), gram.columns());
  return out;
}

// The largest error relative to the values, where those far below the largest count as larger.
double error(const Kernel& k, const Values& x, const Values& z, const std::vector<double>& K) {
  std::vector<double> exact;
  double largest = 0;
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t j = 0; j < z.n; ++j) {
      exact.push_back(k(x.point(i), z.point(j)));
      largest = std::max(largest, std::abs(exact.back()));
    }
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    worst = std::max(worst, std::abs(K[i] - exact[i]) /
                                (std::abs(exact[i]) + 1e-4 * largest + 1e-300));
  return worst;
}

class EveryKernel : public testing::TestWithParam<Member> {};

TEST_P(EveryKernel, EqualsOnePairAtATime) {
  if (!GetParam().has_values) GTEST_SKIP();
  Random random(7);
  for (const std::size_t d : {1U, 2U, 5U, 33U}) {
    const Kernel k = Kernel::parse(GetParam().text);
    if (d < k.least_dimension() || (k.only_dimension_one() && d > 1)) continue;
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    const Values x = random_points(random, 71, d, 0, 2 * scale);
    const Values z = random_points(random, 90, d, 0, 2 * scale);
    for (const auto& name : mercer::gram_instructions())
      for (const auto precision : {Precision::float32, Precision::float64}) {
        GramOptions options;
        options.precision = precision;
        options.instructions = name;
        const double limit = precision == Precision::float32 ? 1e-5 : 1e-12;
        const Gram square(k, x.points(), options);
        EXPECT_LT(error(k, x, x, bulk(square)), limit)
            << k << " d=" << d << " " << name << " " << square.report().precision << " "
            << square.report().distances;
        const Gram across(k, x.points(), z.points(), options);
        EXPECT_LT(error(k, x, z, bulk(across)), limit) << k << " d=" << d << " " << name;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Roster, EveryKernel, testing::ValuesIn(roster()),
                         [](const auto& member) { return std::to_string(member.index); });

TEST(Gram, RandomCompositesEqualOnePairAtATime) {
  Random random(11);
  std::size_t compared = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint32_t d = 1 + static_cast<std::uint32_t>(random.below(4));
    RandomKernelOptions how;
    how.dimension = d;
    const std::string text = random_kernel_text(random, how);
    const Values x = random_points(random, 30, d, 0.1, 1.5);
    try {
      const Kernel k = Kernel::parse(text, {.dimension = d});
      std::vector<double> probe;
      for (std::size_t i = 0; i < x.n; ++i)
        for (std::size_t j = 0; j < x.n; ++j) probe.push_back(k(x.point(i), x.point(j)));
      GramOptions options;
      options.precision = Precision::float64;
      const Gram gram(k, x.points(), options);
      EXPECT_LT(error(k, x, x, bulk(gram)), 1e-9 + 10 * gram.report().error) << text;
      options.precision = Precision::float32;
      const Gram single(k, x.points(), options);
      EXPECT_LT(error(k, x, x, bulk(single)), 2e-5 + 10 * single.report().error) << text;
      ++compared;
    } catch (const mercer::Error&) {
      continue;  // undefined at some of these points, or no value of a double
    }
  }
  EXPECT_GT(compared, 150U);
}

}  // namespace
