// Scores of held-out examples against machines that are trained one by one, without sharing
// anything.
#include "svm/held_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mercer/gram.hpp>
#include <numeric>

#include "base/random.hpp"
#include "support/plain_learners.hpp"
#include "svm/corner.hpp"
#include "svm/float_inner.hpp"
#include "svm/float_passes.hpp"
#include "svm/inner.hpp"
#include "svm/passes.hpp"
#include "svm/score_all.hpp"

namespace mercer {
namespace {

using support::AllValues;
using support::filled;
using support::HeldOutOptions;
using testing::points_of;
using testing::random_matrix;

struct AllScores {
  std::vector<std::vector<double>> scores;  // of each price, and each row of K
  std::vector<std::size_t> support;
  bool converged = true;
};

template <class T>
AllScores all_scores(const AllValues<T>& K, const std::vector<std::size_t>& rows,
                     const std::vector<double>& y, const HeldOutOptions& o,
                     support::HeldOutMemory<T>& memory) {
  const std::vector<support::HeldOut> found{support::hold_out(K, rows, y, o, memory)};
  AllScores all{std::vector<std::vector<double>>(o.prices.size(), std::vector<double>(K.size)),
                found[0].support, found[0].converged};
  support::score_all(
      K, o, o.threads, found,
      [&](std::size_t, std::size_t price, std::size_t first, std::span<const double> scores) {
        std::ranges::copy(scores, all.scores[price].begin() + static_cast<std::ptrdiff_t>(first));
      });
  return all;
}

GramOptions precise() {
  GramOptions how;
  how.precision = GramOptions::Precision::float64;
  return how;
}

struct Sample {
  Points x;
  std::vector<double> y;
  std::size_t stride = 0;
  std::vector<double> values;  // of K

  Sample(std::size_t n, std::uint64_t seed, bool regression) {
    RandomNumbers random(seed);
    const Matrix points = random_matrix(n, 3, seed);
    for (std::size_t i = 0; i < n; ++i) {
      const double f = points(i, 0) + points(i, 1) * points(i, 2) + 0.4 * random.normal();
      y.push_back(regression ? f : f > 0 ? 1.0 : -1.0);
    }
    x = points_of(points);
    const Gram K(rbf(0.7), x, precise());
    stride = filled(n);
    values.resize(n * stride);
    K.block(Rows::all(), Rows::all(), values.data(), stride);
  }
};

// Trained alone, on the rows of the machine that are not of the fold.
std::vector<double> alone(const Sample& sample, const std::vector<std::size_t>& rows,
                          std::size_t begin, std::size_t end, double C, const HeldOutOptions& o) {
  std::vector<std::size_t> train;
  SvmOptions how;
  how.C = C;
  how.tolerance = o.tolerance;
  how.epsilon = o.epsilon;
  how.offset = o.offset;
  if (o.regression) how.problem = SvmOptions::Problem::regression;
  std::vector<double> y;
  for (const std::size_t i : rows) {
    if (i >= begin && i < end) continue;
    train.push_back(i);
    y.push_back(sample.y[i]);
    if (!o.weights.empty()) how.weights.push_back(o.weights[i]);
  }
  const Svm s = svm(Gram(rbf(0.7), sample.x.select(train), precise()), y, how);
  std::vector<std::size_t> test;
  for (std::size_t i = begin; i < end; ++i) test.push_back(i);
  std::vector<double> f(test.size());
  Gram(rbf(0.7), sample.x.select(test), sample.x.select(train), precise())
      .apply(s.coefficients, 1, f);
  for (double& v : f) v += s.offset;
  return f;
}

struct Case {
  bool regression;
  bool offset;
  bool weights;
  bool some;  // of the rows are the machine's
};

class HeldOutScoresOf : public ::testing::TestWithParam<Case> {};

TEST_P(HeldOutScoresOf, AreThoseOfMachinesTrainedAlone) {
  const Case& c = GetParam();
  const std::size_t n = 211;
  const Sample sample(n, 5, c.regression);
  support::HeldOutMemory<double> memory;
  HeldOutOptions o;
  o.prices = {0.01, 0.3, 1, 20, 1000};
  o.folds = {0, 50, 93, 160, n};
  o.regression = c.regression;
  o.offset = c.offset;
  o.tolerance = 1e-7;
  if (c.weights)
    for (std::size_t i = 0; i < n; ++i) o.weights.push_back(0.5 + 0.1 * static_cast<double>(i % 9));
  std::vector<std::size_t> rows;
  std::vector<double> y;
  for (std::size_t i = 0; i < n; ++i) {
    if (c.some && i % 3 == 1) continue;
    rows.push_back(i);
    y.push_back(sample.y[i]);
  }
  const auto shared =
      all_scores(AllValues<double>{sample.values.data(), n, sample.stride}, rows, y, o, memory);
  EXPECT_TRUE(shared.converged);
  for (std::size_t p = 0; p < o.prices.size(); ++p)
    for (std::size_t f = 0; f + 1 < o.folds.size(); ++f) {
      const auto expected = alone(sample, rows, o.folds[f], o.folds[f + 1], o.prices[p], o);
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(shared.scores[p][o.folds[f] + i], expected[i],
                    2e-5 * (1 + std::abs(expected[i])))
            << "C = " << o.prices[p] << ", fold " << f;
    }
  // Sharing nothing between folds gives the same to within the tolerance.
  o.apart = true;
  const auto apart =
      all_scores(AllValues<double>{sample.values.data(), n, sample.stride}, rows, y, o, memory);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(apart.scores[3][i], shared.scores[3][i],
                2e-5 * (1 + std::abs(shared.scores[3][i])));
}

INSTANTIATE_TEST_SUITE_P(All, HeldOutScoresOf,
                         ::testing::Values(Case{false, true, false, false},
                                           Case{false, true, true, true},
                                           Case{false, false, false, true},
                                           Case{true, true, false, false},
                                           Case{true, true, true, true}));

// Searches are content with float kernel values and gradients: the scores are those of exact
// machines to within what the tolerance leaves open.
TEST(HeldOut, InFloats) {
  const std::size_t n = 400;
  const Sample sample(n, 3, false);
  const std::vector<float> values(sample.values.begin(), sample.values.end());
  support::HeldOutMemory<float> floats;
  support::HeldOutMemory<double> doubles;
  HeldOutOptions o;
  o.prices = {0.05, 1, 30, 3000};
  o.folds = {0, 80, 160, 240, 320, n};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) rows.push_back(i);
  o.tolerance = 1e-6;
  const auto exact = all_scores(AllValues<double>{sample.values.data(), n, sample.stride}, rows,
                                sample.y, o, doubles);
  o.tolerance = 1e-3;
  for (const auto& instructions : support::all_float_passes()) {
    o.instructions = instructions.name;
    const auto found =
        all_scores(AllValues<float>{values.data(), n, sample.stride}, rows, sample.y, o, floats);
    EXPECT_TRUE(found.converged);
    for (std::size_t p = 0; p < o.prices.size(); ++p)
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(found.scores[p][i], exact.scores[p][i],
                    0.02 * (1 + std::abs(exact.scores[p][i])))
            << instructions.name << " C = " << o.prices[p];
  }
}

// Beside plain loops, with ties, bounds and a tail.
// Prices of houses: floats tell their differences, not the numbers to a thousandth. Scores of
// labels s y + t with the price s C and epsilon s ε are those of y, times s, plus t.
TEST(HeldOut, LargeLabelsEndInFloats) {
  const std::size_t n = 120;
  const Sample small(n, 8, true);
  constexpr double scale = 1e5;
  constexpr double shift = 2e5;
  std::vector<double> large;
  for (const double v : small.y) large.push_back(scale * v + shift);
  std::vector<float> values(small.values.begin(), small.values.end());
  const AllValues<float> K{values.data(), n, small.stride};
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  support::HeldOutMemory<float> memory;
  HeldOutOptions o;
  o.regression = true;
  o.folds = {0, 40, 80, n};
  o.prices = {0.1, 1, 10};
  const auto expected = all_scores(K, rows, small.y, o, memory);
  for (double& price : o.prices) price *= scale;
  o.epsilon *= scale;
  const auto found = all_scores(K, rows, large, o, memory);
  for (std::size_t c = 0; c < o.prices.size(); ++c)
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR((found.scores[c][i] - shift) / scale, expected.scores[c][i], 5e-3)
          << c << " " << i;
}

TEST(FloatPasses, FindWhatPlainLoopsFind) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  for (const auto& passes : support::all_float_passes())
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      RandomNumbers random(seed);
      const std::size_t size = filled(1 + random.below(70));
      const auto numbers = [&] {
        std::vector<float> v(size);
        for (float& x : v)
          x = static_cast<float>(random.below(9)) / 4 - 1;  // exact, and often equal
        return v;
      };
      auto F = numbers();
      const auto row_i = numbers();
      const auto row_j = numbers();
      const std::vector<float> diagonal(size, 2);
      std::vector<float> up(size);
      std::vector<float> low(size);
      for (std::size_t k = 0; k < size; ++k) {
        up[k] = seed == 0 || random.uniform() < 0.3 ? infinite : 0;
        low[k] = seed == 0 || random.uniform() < 0.3 ? -infinite : 0;
      }
      const float t = 0.5;
      auto moved = F;
      std::size_t least = size;
      for (std::size_t k = 0; k < size; ++k) {
        moved[k] += t * (row_i[k] - row_j[k]);
        if (up[k] == 0 && (least == size || moved[k] < moved[least])) least = k;
      }
      const auto found = passes.move(F.data(), up.data(), row_i.data(), row_j.data(), t, size);
      EXPECT_EQ(F, moved);
      EXPECT_EQ(found.index, least == size ? support::nobody : least) << passes.name;
      if (least == size) continue;
      EXPECT_EQ(found.value, moved[least]);
      std::size_t best = size;
      float most = 0;
      float largest = -infinite;
      for (std::size_t k = 0; k < size; ++k) {
        if (low[k] != 0) continue;
        largest = std::max(largest, F[k]);
        const float b = std::max(0.0F, F[k] - found.value);
        const float gain = b * b / std::max(2 + diagonal[k] - 2 * row_i[k], 1e-12F);
        if (gain > most) {
          most = gain;
          best = k;
        }
      }
      const auto partner =
          passes.partner(F.data(), low.data(), row_i.data(), diagonal.data(), found.value, 2, size);
      EXPECT_EQ(partner.largest, largest);
      EXPECT_EQ(partner.gain.value, most);
      EXPECT_EQ(partner.gain.index, best == size ? support::nobody : best) << passes.name;
    }
}

// Of those that are not aside: the worst, and no others than those that violate.
TEST(FloatPasses, NameThoseThatViolate) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  for (const auto& passes : support::all_float_passes())
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      RandomNumbers random(seed);
      const std::size_t size = filled(1 + random.below(70));
      std::vector<float> F(size);
      std::vector<float> up(size);
      std::vector<float> low(size);
      std::vector<float> aside(size);
      for (std::size_t k = 0; k < size; ++k) {
        F[k] = static_cast<float>(random.uniform()) - 0.5F;
        up[k] = random.uniform() < 0.3 ? infinite : 0;
        low[k] = random.uniform() < 0.3 ? -infinite : 0;
        aside[k] = seed == 0 || random.uniform() < 0.3 ? infinite : 0;
      }
      const float level = 0.1F;
      const auto by = [&](std::size_t k) {
        float most = 0;
        if (aside[k] == 0 && up[k] == 0) most = std::max(most, level - F[k]);
        if (aside[k] == 0 && low[k] == 0) most = std::max(most, F[k] - level);
        return most;
      };
      float worst = 0;
      for (std::size_t k = 0; k < size; ++k) worst = std::max(worst, by(k));
      std::array<support::FloatExtreme, support::pass_step> found;
      const std::size_t count = passes.violating(F.data(), up.data(), low.data(), aside.data(),
                                                 level, size, found.data());
      ASSERT_LE(count, found.size());
      EXPECT_EQ(count == 0, worst == 0) << passes.name;
      float named = 0;
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_LT(found[i].index, size);
        EXPECT_FLOAT_EQ(found[i].value, by(found[i].index)) << passes.name;
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(found[i].index, found[j].index);
        named = std::max(named, found[i].value);
      }
      EXPECT_FLOAT_EQ(named, worst) << passes.name;
    }
}

// Every instruction set against plain loops, whatever the size.
TEST(HeldOut, PassesOverDoublesAndRowsEqualPlainLoops) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const auto& passes : support::all_passes<float>())
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      RandomNumbers random(seed);
      const std::size_t count = 1 + random.below(90);
      const auto numbers = [&](std::size_t size) {
        std::vector<double> v(size);
        for (double& x : v) x = static_cast<double>(random.below(5));
        return v;
      };
      const auto f = numbers(count);
      const auto linear = numbers(count);
      const auto beta = numbers(count);
      const auto lower = numbers(count);
      const auto upper = numbers(count);
      double least = infinite;
      double largest = -infinite;
      for (std::size_t i = 0; i < count; ++i) {
        if (beta[i] < upper[i]) least = std::min(least, f[i] + linear[i]);
        if (beta[i] > lower[i]) largest = std::max(largest, f[i] + linear[i]);
      }
      double found_least = 0;
      double found_largest = 0;
      passes.extremes(f.data(), linear.data(), beta.data(), lower.data(), upper.data(), count,
                      found_least, found_largest);
      EXPECT_EQ(found_least, least) << passes.name;
      EXPECT_EQ(found_largest, largest) << passes.name;

      const std::size_t size = filled(count);
      const std::size_t begin = random.below(size / support::pass_step + 1) * support::pass_step;
      std::vector<std::vector<float>> rows(random.below(40));
      std::vector<const float*> pointers;
      std::vector<float> by;
      auto sums = numbers(size);
      auto plain = sums;
      for (auto& row : rows) {
        for (std::size_t i = 0; i < size; ++i) row.push_back(static_cast<float>(random.normal()));
        pointers.push_back(row.data());
        by.push_back(static_cast<float>(random.normal()));
        for (std::size_t i = begin; i < size; ++i)
          plain[i] += static_cast<double>(by.back()) * static_cast<double>(row[i]);
      }
      passes.add_roughly(sums.data(), pointers.data(), by.data(), rows.size(), begin, size);
      for (std::size_t i = 0; i < size; ++i)
        EXPECT_NEAR(sums[i], plain[i], i < begin ? 0 : 2e-5) << passes.name << ' ' << i;
    }
}

// Whatever comes and goes: K among those who are there, and zeros behind.
TEST(HeldOut, CornerHoldsTheValuesOfItsPoints) {
  constexpr std::size_t points = 900;
  const auto value = [](std::size_t i, std::size_t j) {
    return static_cast<float>(1000 * std::min(i, j) + std::max(i, j));
  };
  std::vector<float> K(points * points);
  for (std::size_t i = 0; i < points; ++i)
    for (std::size_t j = 0; j < points; ++j) K[i * points + j] = value(i, j);
  support::Corner<float> corner(points);
  RandomNumbers random(3);
  std::size_t smaller = 0;
  for (const std::size_t count : std::vector<std::size_t>{5, 300, 20, 700, 100, 650, 40, 900, 1}) {
    std::vector<std::uint32_t> asked(points);
    for (std::uint32_t i = 0; i < points; ++i) asked[i] = i;
    random.shuffle(asked);
    asked.resize(count);
    std::ranges::sort(asked);
    const std::size_t before = corner.size();
    corner.hold(asked, [&](std::uint32_t p) { return K.data() + p * points; });
    if (corner.size() < before) ++smaller;
    std::vector<std::uint32_t> there;
    for (std::size_t a = 0; a < corner.size(); ++a) {
      there.push_back(corner.point(a));
      for (std::size_t b = 0; b < filled(corner.size()); ++b)
        ASSERT_EQ(corner.row(a)[b],
                  b < corner.size() ? value(corner.point(a), corner.point(b)) : 0.0F)
            << count << ": " << a << ' ' << b;
    }
    std::ranges::sort(there);
    EXPECT_TRUE(std::ranges::includes(there, asked)) << count;
    EXPECT_EQ(std::ranges::adjacent_find(there), there.end()) << count;
  }
  EXPECT_GE(smaller, 3U);
}

// Two variables at a time would take 10⁵ moves here: a wide kernel, and a large C.
TEST(HeldOut, InnerInFloatsEqualsInnerInDoubles) {
  constexpr std::size_t n = 200;
  RandomNumbers random(5);
  const Matrix points = random_matrix(n, 2, 5);
  const Gram K(rbf(0.05), points_of(points), precise());
  const std::size_t stride = filled(n);
  std::vector<double> values(n * stride);
  K.block(Rows::all(), Rows::all(), values.data(), stride);
  const std::vector<float> floats(values.begin(), values.end());
  support::FloatInner in_floats({});
  support::Inner<double> in_doubles(n, 0, true);
  in_floats.begin(n);
  constexpr double C = 10'000;
  std::vector<double> y;
  for (std::size_t i = 0; i < n; ++i) {
    y.push_back(points(i, 0) * points(i, 1) + 0.2 * random.normal() > 0 ? 1 : -1);
    const double lower = y[i] > 0 ? 0 : -C;
    const double upper = y[i] > 0 ? C : 0;
    in_floats.set(i, floats.data() + i * stride, 0, -y[i], lower, upper);
    const double* row = values.data() + i * stride;
    in_doubles.set_with(row[i], i, row, nullptr, 0, -y[i], lower, upper);
  }
  const auto rough = in_floats.solve(1e-2F, 1'000'000);
  const auto exact = in_doubles.solve(1e-5, 100'000'000);
  EXPECT_LT(rough.violation, 1e-2F);
  EXPECT_GT(exact.moves, 20 * rough.moves);
  const auto objective = [&](const auto& inner) {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      total += inner.beta(i);
      sum -= y[i] * inner.beta(i);
      for (std::size_t j = 0; j < n; ++j)
        sum += 0.5 * inner.beta(i) * values[i * stride + j] * inner.beta(j);
    }
    EXPECT_NEAR(total, 0, 1e-8);
    return sum;
  };
  const double best = objective(in_doubles);
  EXPECT_NEAR(objective(in_floats), best, 1e-5 * std::abs(best));
}

// More free variables than are solved for at a time, and a corner that has to grow.
TEST(HeldOut, ManySupportVectors) {
  const std::size_t n = 2600;
  const Sample sample(n, 8, true);
  support::HeldOutMemory<double> memory;
  HeldOutOptions o;
  o.prices = {100};
  o.folds = {0, 100, n};
  o.regression = true;
  o.epsilon = 0.001;
  o.tolerance = 1e-2;
  std::vector<std::size_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = i;
  const auto shared = all_scores(AllValues<double>{sample.values.data(), n, sample.stride}, rows,
                                 sample.y, o, memory);
  EXPECT_TRUE(shared.converged);
  EXPECT_GT(shared.support[0], 2048U);
  const auto expected = alone(sample, rows, 0, 100, 100, o);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(shared.scores[0][i], expected[i], 0.1);
}

}  // namespace
}  // namespace mercer
