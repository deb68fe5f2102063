// Kernel values in bulk against the same kernels one pair at a time, on every instruction set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <optional>

#include "laws/roster.hpp"
#include "support/plain_eval.hpp"
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

// What the kernels give one pair at a time, and how much a rounding error may weigh there.
struct Reference {
  std::vector<double> values;
  std::vector<double> sizes;

  // The largest error relative to the sizes; sizes far below the largest count as a little larger.
  [[nodiscard]] double error(const std::vector<double>& K) const {
    const double largest = *std::ranges::max_element(sizes);
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      worst = std::max(worst, std::abs(K[i] - values[i]) / (sizes[i] + 1e-5 * largest + 1e-300));
    return worst;
  }
};

// Strict: by the values themselves.
Reference reference(const Kernel& k, const Values& x, const Values& z) {
  Reference r;
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t j = 0; j < z.n; ++j) {
      r.values.push_back(k(x.point(i), z.point(j)));
      r.sizes.push_back(std::abs(r.values.back()));
    }
  return r;
}

// By the plain evaluator, with the expression evaluated with absolute values as the size; nullopt
// where the text has no value.
std::optional<Reference> plain_reference(const std::string& text, const Values& x) {
  Reference r;
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t j = 0; j < x.n; ++j) {
      const auto outcome = plain::evaluate(text, x.point(i), x.point(j));
      if (!outcome.value || outcome.doubtful) return std::nullopt;
      r.values.push_back(static_cast<double>(outcome.value->value));
      r.sizes.push_back(
          std::max(std::abs(r.values.back()), static_cast<double>(outcome.value->scale)));
    }
  return r;
}

std::optional<Reference> reference_or_none(const Kernel& k, const Values& x) {
  try {
    return reference(k, x, x);
  } catch (const mercer::EvaluationError&) {
    return std::nullopt;
  }
}

double error(const Kernel& k, const Values& x, const Values& z, const std::vector<double>& K) {
  return reference(k, x, z).error(K);
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
    const Reference within = reference(k, x, x);
    const Reference between = reference(k, x, z);
    for (const auto& name : mercer::gram_instructions())
      for (const auto precision : {Precision::float32, Precision::float64}) {
        GramOptions options;
        options.precision = precision;
        options.instructions = name;
        const double limit = precision == Precision::float32 ? 1e-5 : 1e-12;
        const Gram square(k, x.points(), options);
        EXPECT_LT(within.error(bulk(square)), limit)
            << k << " d=" << d << " " << name << " " << square.report().precision << " "
            << square.report().distances;
        const Gram across(k, x.points(), z.points(), options);
        EXPECT_LT(between.error(bulk(across)), limit) << k << " d=" << d << " " << name;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Roster, EveryKernel, testing::ValuesIn(roster()),
                         [](const auto& member) { return std::to_string(member.index); });

TEST(Gram, RandomCompositesEqualOnePairAtATime) {
  Random random(11);
  std::size_t compared = 0;
  std::size_t single_precision = 0;
  for (int round = 0; round < 600; ++round) {
    const std::uint32_t d = 1 + static_cast<std::uint32_t>(random.below(4));
    RandomKernelOptions how;
    how.dimension = d;
    const std::string text = random_kernel_text(random, how);
    const Values x = random_points(random, 30, d, 0.1, 1.5);
    const auto exact = plain_reference(text, x);
    if (!exact) continue;
    const Kernel k = Kernel::parse(text, {.dimension = d});
    GramOptions options;
    options.precision = Precision::float64;
    const Gram gram(k, x.points(), options);
    EXPECT_LT(exact->error(bulk(gram)), 1e-13) << text;
    options.precision = Precision::float32;
    const Gram single(k, x.points(), options);
    EXPECT_LT(exact->error(bulk(single)), 1e-5)
        << text << " " << single.report().precision << " " << single.report().error;
    ++compared;
    if (single.report().precision == "float32") ++single_precision;
  }
  EXPECT_GT(compared, 200U);
  EXPECT_GT(single_precision, compared / 2);
}

// ---- points

// Constants among the arguments of min and max, before and behind the others, on both sides of
// them.
TEST(Gram, BoundsOnBothSides) {
  Random random(5);
  const Values x = random_points(random, 70, 3, -1, 1);
  for (const char* text :
       {"min(0.2, x.z, 0.5)", "max(-0.1, x.z)", "max(0, 1 - |x-z|)^2", "min(max(x.z, -0.25), 0.25)",
        "max(0.3, x.z, (x.z)^2, 0.1) + min(1, 2 - x.z)", "sum(i, max(0.1, x[i]*z[i]))"}) {
    const Kernel k = Kernel::parse(text);
    const auto exact = plain_reference(text, x);
    ASSERT_TRUE(exact) << text;
    for (const auto& name : mercer::gram_instructions()) {
      GramOptions options;
      options.instructions = name;
      EXPECT_LT(exact->error(bulk(Gram(k, x.points(), options))), 1e-5) << text << " " << name;
    }
  }
}

// Distances from nothing to where no value is left, and points that are the same.
TEST(Gram, MaternOfAnyOrderAtAllScales) {
  Random random(9);
  Values x = random_points(random, 80, 2, -1, 1);
  for (std::size_t i = 0; i < x.x.size(); i += 4)  // each with its opposite: the mean is 0
    for (std::size_t j = i; j < i + 2; ++j) {
      x.x[j] *= std::pow(10, static_cast<double>(i / 4 % 14) - 11);
      x.x[j + 2] = -x.x[j];
    }
  std::copy_n(x.x.begin() + 8, 4, x.x.begin());
  for (const char* text : {"matern(0.1)", "matern(0.3)", "matern(0.8)", "matern(1)", "matern(1.9)",
                           "matern(3.3, 0.5)", "matern(8)", "matern(30.2)", "matern(900)"}) {
    const Kernel k = Kernel::parse(text);
    const Reference exact = reference(k, x, x);
    for (const auto& name : mercer::gram_instructions())
      for (const auto precision : {Precision::float32, Precision::float64}) {
        GramOptions options;
        options.precision = precision;
        options.instructions = name;
        const Gram gram(k, x.points(), options);
        EXPECT_LT(exact.error(bulk(gram)), gram.report().precision == "float32" ? 1e-5 : 1e-12)
            << text << " " << name << " " << gram.report().precision;
      }
  }
}

// What floats cannot hold, or slopes that have no bound, are for doubles.
// The scale of a Gaussian goes into the coordinates: at all widths, beside others that want the
// coordinates as they are, on columns of their own, and of points too far away for floats.
TEST(Gram, GaussiansOfEveryWidth) {
  Random random(23);
  for (const char* text : {"rbf(1e-80)",
                           "rbf(1e-30)",
                           "rbf(1e-3)",
                           "rbf(1)",
                           "rbf(40)",
                           "rbf(1e6)",
                           "rbf(1e30)",
                           "rbf(1e70)",
                           "3*rbf(2)",
                           "rbf(2)*rbf(3)",
                           "rbf(2) + rbf(3)",
                           "rbf(2)*linear",
                           "rbf(2) + laplacian(1)",
                           "rbf(2)[1,3] + rbf(5)[2,4]",
                           "rbf(2)[1,3]*linear[1,3]",
                           "exp(1 - |x-z|^2)",
                           "exp(-|x-z|^2/3)*exp(x.z)",
                           "normalize(rbf(2) + 1)",
                           "matern(1.5) + 0.5*poly(2)*rbf(2)",
                           "matern(1.5) + 0.5*poly(2)*rbf(2) + 0.1*linear",
                           "matern(0.5)*rbf(2)*poly(3)",
                           "tanh(matern(2.5)*rbf(1))",
                           "min(1, laplacian(1)*rbf(2))",
                           "laplacian(2)*rbf(1)[1,2]",
                           "exp(-min(|x-z|^2, 1 + (x.z)^2))",
                           "exp(-max(|x-z|^2, (x.z)^2))"})
    // The squares of the last ones are too large for floats.
    for (const double size : {1e-12, 1.0, 1e12, 1e22}) {
      const Values x = random_points(random, 70, 5, 0, size);
      const Values z = random_points(random, 65, 5, 0, size);
      const Kernel k = Kernel::parse(text);
      const auto within = reference_or_none(k, x);
      if (!within) continue;
      const Reference between = reference(k, x, z);
      for (const auto& name : mercer::gram_instructions())
        for (const auto precision : {Precision::float32, Precision::float64}) {
          GramOptions options;
          options.precision = precision;
          options.instructions = name;
          const Gram square(k, x.points(), options);
          const auto limit = [](const Gram& g) {
            return g.report().precision == "float32" ? 1e-5 : 1e-11;
          };
          EXPECT_LE(within->error(bulk(square)), limit(square))
              << text << " " << size << " " << name;
          const Gram other(k, x.points(), z.points(), options);
          EXPECT_LE(between.error(bulk(other)), limit(other)) << text << " " << size << " " << name;
        }
    }
}

TEST(Gram, GaussiansAreOneAtDistanceZeroAndZeroFarAway) {
  Random random(24);
  Values x = random_points(random, 100, 3, -1, 1);
  for (std::size_t i = 0; i < 50; ++i) x.x[i * 3] += 1000;
  for (const auto& name : mercer::gram_instructions())
    for (const auto precision : {Precision::float32, Precision::float64}) {
      GramOptions options;
      options.precision = precision;
      options.instructions = name;
      const auto K = bulk(Gram(mercer::rbf(0.7), x.points(), options));
      for (std::size_t i = 0; i < x.n; ++i)
        for (std::size_t j = 0; j < x.n; ++j) {
          EXPECT_LE(K[i * x.n + j], 1);
          if (i == j) {
            EXPECT_EQ(K[i * x.n + j], 1);
          } else if ((i < 50) != (j < 50)) {
            EXPECT_EQ(K[i * x.n + j], 0);
          }
        }
    }
}

// Steps that are taken several at a time.
TEST(Gram, StepsThatFollowEachOther) {
  Random random(25);
  const Values x = random_points(random, 70, 4, 0.1, 1);
  for (const char* text :
       {"matern(1.5)", "matern(2.5)", "(1 + |x-z|)*exp(-|x-z|)", "(2*cos(x1-z1) + 3)^2",
        "(2*cos(x1-z1) + 3)^3", "(2*cos(x1-z1) + 3)^4", "3*sqrt(1 + x.z) + 2",
        "2*cos(x1-z1) + 3*cos(x2-z2) + 4*cos(x3-z3)", "rbf(2)*(3*cos(x1-z1) + 1)",
        "0.5*rbf(2)*cos(x1-z1) + laplacian(1)", "0.5*rbf(2)*rbf(2)[1,2] + cos(x1-z1)",
        "matern(1.5) + 0.5*poly(2)*rbf(2) + 0.1*linear",
        // dot products with functions of the points, and scales behind them
        "rq(1)", "2*|x-z|^2 + 1 + x.z", "sqrt(1 + 3*|x-z|^2) + linear", "3*cosine + 1", "cosine^2",
        "x1*linear", "z1*linear", "0.5 + 2*x1*linear + cos(x2-z2)", "3*z2*linear + z3",
        // scales behind other steps, and before bounds
        "3*cos(x1-z1)*cos(x2-z2) + 1", "2/(3 + cos(x1-z1)) + 1", "1 + 3*cos(x1-z1)/(2 + rbf(1))",
        "min(1, 2*cos(x1-z1) + 0.5)", "max(0.2, 1 - cos(x1-z1)) + 2",
        "2*min(cos(x1-z1), rbf(3)) + 1", "3*max(cos(x1-z1), rbf(3)) + 1",
        "2*(cos(x1-z1) + x2 + z2) + 1", "(2 - cos(x1-z1))^5", "3*(x.z)^4 + 1", "(x.z)^6 + x1",
        "(x.z)^7*cos(x1-z1)", "cos(x1-z1)*x1*z2*3 + x2", "3*cos(x1-z1) + rbf(2) + 2*rbf(1)[1,2]"}) {
    const Kernel k = Kernel::parse(text);
    const Reference within = reference(k, x, x);
    for (const auto& name : mercer::gram_instructions())
      for (const auto precision : {Precision::float32, Precision::float64}) {
        GramOptions options;
        options.precision = precision;
        options.instructions = name;
        EXPECT_LE(within.error(bulk(Gram(k, x.points(), options))),
                  precision == Precision::float32 ? 1e-5 : 1e-12)
            << text << " " << name;
      }
  }
}

TEST(Gram, RootsOfWhatIsAlmostNothing) {
  Random random(13);
  const Values x = random_points(random, 40, 3, -1, 1);
  for (const char* text : {"matern(0.01, length=1e22)", "matern(1e-300)", "(1e-44*|x-z|^2)^0.01",
                           "matern(0.05)", "sqrt(1e-44*|x-z|^2)*1e22", "matern(0.3, 1000)"}) {
    const Kernel k = Kernel::parse(text);
    const Gram gram(k, x.points());
    EXPECT_LT(error(k, x, x, bulk(gram)), 1e-5) << text << " " << gram.report().precision;
  }
}

TEST(Gram, FarFromTheOriginNothingIsLost) {
  Random random(3);
  for (const char* text : {"rbf(0.5)", "laplacian(1)", "matern(1.5)", "rq(1)", "periodic(2)",
                           "rbf(1)*poly(2)", "exp(-(x1-z1)^2) + |x-z|"}) {
    const Kernel k = Kernel::parse(text);
    const Values x = random_points(random, 60, 4, 10000, 10002);
    const Gram gram(k, x.points());
    EXPECT_LT(error(k, x, x, bulk(gram)), 1e-5) << text << " " << gram.report().precision;
  }
}

Points sparse_of(const Values& v) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (std::size_t i = 0; i < v.n; ++i) {
    for (std::size_t j = 0; j < v.d; ++j)
      if (v.x[i * v.d + j] != 0) {
        indices.push_back(static_cast<std::int32_t>(j));
        values.push_back(v.x[i * v.d + j]);
      }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return Points::own(offsets, indices, values, v.d);
}

// Points that are all but the same: |x|² + |z|² - 2 x·z has lost its digits there, and a root
// tells.
TEST(Gram, NearNeighbours) {
  Random random(29);
  for (const char* text :
       {"matern(0.5)", "matern(1.5)", "matern(2.5)", "matern(1.2)", "rq(1)", "rbf(20)",
        "exp(-|x-z|)", "matern(1.5) + 0.5*poly(2)*rbf(2) + 0.1*linear", "1/(1+|x-z|^0.5)",
        "(1+|x-z|)*exp(-|x-z|)", "sqrt(1+|x-z|^2)"})
    for (const std::size_t d : {3U, 64U, 200U})
      for (const double offset : {0.0, 30.0}) {
        Values x = random_points(random, 40, d, offset, offset + 2 / std::sqrt(double(d)));
        for (std::size_t i = 20; i < x.n; ++i)  // each of the second half beside one of the first
          for (std::size_t j = 0; j < d; ++j)
            x.x[i * d + j] =
                x.x[(i - 20) * d + j] +
                std::pow(10.0, -1.0 - static_cast<double>(i % 7)) * random.uniform(-1, 1);
        const Kernel k = Kernel::parse(text);
        const Gram gram(k, x.points());
        const auto limit = gram.report().precision == "float32" ? 1e-5 : 1e-12;
        EXPECT_LT(error(k, x, x, bulk(gram)), limit)
            << text << " d=" << d << " offset " << offset << " " << gram.report().precision << " "
            << gram.report().distances;
      }
}

// What a sum is off by may cancel in what is made of it: (1 + r) exp(-r) has no slope at 0, so that
// products serve for its distances, too.
TEST(Gram, ErrorsThatCancelCostNothing) {
  Random random(30);
  const Values x = random_points(random, 100, 64, 0, 0.25);
  const auto sums = [&](const char* text) {
    return Gram(Kernel::parse(text), x.points()).report().sums;
  };
  using testing::ElementsAre;
  EXPECT_THAT(sums("matern(1.5) + 0.5*poly(2)*rbf(2) + 0.1*linear"),
              ElementsAre("Σ a·b over 64 columns"));
  EXPECT_THAT(sums("matern(2.5)"), ElementsAre("Σ a·b over 64 columns"));
  EXPECT_THAT(sums("matern(0.5)"), ElementsAre("Σ (a-b)² over 64 columns"));
}

TEST_P(EveryKernel, SparsePointsGiveTheSame) {
  if (!GetParam().has_values) GTEST_SKIP();
  Random random(5);
  const Kernel k = Kernel::parse(GetParam().text);
  Values x = random_points(random, 70, 40, 0, 1);
  for (double& v : x.x)
    if (!random.one_in(10)) v = 0;
  for (std::size_t j = 0; j < x.d; ++j) x.x[3 * x.d + j] = 0;  // a point without entries
  const bool cancels = GetParam().text == "|x| + |z| - |x-z|";
  const auto exact = cancels ? plain_reference(GetParam().text, x) : reference_or_none(k, x);
  if (!exact) GTEST_SKIP() << "undefined at 0";
  for (const auto& name : mercer::gram_instructions())
    for (const auto precision : {Precision::float32, Precision::float64}) {
      GramOptions options;
      options.precision = precision;
      options.instructions = name;
      const Gram gram(k, sparse_of(x), options);
      EXPECT_LT(exact->error(bulk(gram)), precision == Precision::float32 ? 1e-5 : 1e-12)
          << k << " " << name << " " << gram.report().layout << " " << gram.report().precision;
    }
}

TEST(Gram, AMillionSparseColumns) {
  const std::size_t d = 1'000'000;
  Random random(9);
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<float> values;
  const std::size_t n = 200;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::int32_t> row(20);
    for (auto& j : row) j = static_cast<std::int32_t>(random.below(d));
    row.push_back(static_cast<std::int32_t>(random.below(5)));  // shared with many others
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const auto j : row) {
      indices.push_back(j);
      values.push_back(static_cast<float>(random.uniform(0, 1)));
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  const Points points = Points::own(offsets, indices, values, d);
  for (const char* text : {"rbf(0.5)", "poly(2)", "cosine", "laplacian(0.3)", "intersection"}) {
    const Kernel k = Kernel::parse(text);
    const Gram gram(k, points);
    EXPECT_EQ(gram.report().layout, "sparse") << text;
    const auto K = bulk(gram);
    std::vector<double> a(d);
    std::vector<double> b(d);
    for (const auto& [i, j] : {std::pair{0, 0}, {1, 2}, {7, 199}}) {
      points.row(static_cast<std::size_t>(i), std::span(a));
      points.row(static_cast<std::size_t>(j), std::span(b));
      EXPECT_NEAR(K[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)], k(a, b),
                  1e-5 * (1 + std::abs(k(a, b))))
          << text;
    }
  }
}

TEST(Gram, ViewsOfMemoryWithGapsAndFloats) {
  Random random(2);
  std::vector<float> memory(std::size_t{50} * 7);
  for (auto& v : memory) v = static_cast<float>(random.uniform(-1, 1));
  const Points view = Points::dense(memory.data(), 50, 5, 7);
  Values x{50, 5, {}};
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t j = 0; j < 5; ++j) x.x.push_back(static_cast<double>(memory[i * 7 + j]));
  const Kernel k = mercer::rbf(1);
  EXPECT_LT(error(k, x, x, bulk(Gram(k, view))), 1e-5);
}

// ---- parts, products, families

TEST(Gram, BlocksAreParts) {
  Random random(4);
  const Values x = random_points(random, 150, 6, -1, 1);
  const Kernel k = Kernel::parse("rbf(0.7)*poly(2) + laplacian(1)[2:4]");
  for (const auto storage :
       {GramOptions::Storage::recomputed, GramOptions::Storage::full, GramOptions::Storage::rows}) {
    GramOptions options;
    options.storage = storage;
    options.memory = sizeof(float) * 150 * 40;
    const Gram gram(k, x.points(), options);
    const auto K = bulk(gram);
    for (int round = 0; round < 5; ++round) {
      std::vector<std::size_t> I(40);
      std::vector<std::size_t> J(77);
      for (auto& i : I) i = random.below(150);
      for (auto& j : J) j = random.below(150);
      std::vector<float> out(I.size() * 80);
      gram.block(I, J, out.data(), 80);
      for (std::size_t r = 0; r < I.size(); ++r)
        for (std::size_t c = 0; c < J.size(); ++c)
          ASSERT_EQ(out[r * 80 + c], static_cast<float>(K[I[r] * 150 + J[c]]));
      std::vector<double> rows(I.size() * 150);
      gram.block(I, Rows::all(), rows.data(), 150);
      for (std::size_t r = 0; r < I.size(); ++r)
        for (std::size_t c = 0; c < 150; ++c) ASSERT_EQ(rows[r * 150 + c], K[I[r] * 150 + c]);
    }
  }
}

TEST(Gram, TheSameForAnyNumberOfThreadsAndAnyStorage) {
  Random random(6);
  const Values x = random_points(random, 333, 9, -1, 1);
  const Values z = random_points(random, 211, 9, -1, 1);
  const Kernel k = Kernel::parse("rbf(0.7) + 0.3*matern(2.5)");
  std::vector<double> V(z.n * 3);
  for (auto& v : V) v = random.uniform(-1, 1);
  std::vector<double> first_values;
  std::vector<double> first_products;
  for (const unsigned threads : {1U, 2U, 3U, 7U})
    for (const auto storage : {GramOptions::Storage::recomputed, GramOptions::Storage::full,
                               GramOptions::Storage::rows}) {
      GramOptions options;
      options.threads = threads;
      options.storage = storage;
      const Gram gram(k, x.points(), z.points(), options);
      const auto values = bulk(gram);
      std::vector<double> products(x.n * 3);
      gram.apply(V, 3, products);
      if (first_values.empty()) {
        first_values = values;
        first_products = products;
      }
      EXPECT_EQ(values, first_values) << threads;
      EXPECT_EQ(products, first_products) << threads;
    }
  for (std::size_t i = 0; i < 333; ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      double total = 0;
      for (std::size_t j = 0; j < 211; ++j) total += first_values[i * 211 + j] * V[j * 3 + c];
      EXPECT_NEAR(first_products[i * 3 + c], total, 1e-12 * 211);
    }
}

TEST(Gram, ProductsOfAnyWidthOnEveryInstructionSet) {
  Random random(21);
  const Values v = random_points(random, 131, 3, -1, 1);
  const Kernel k = Kernel::parse("rbf(0.7)");
  for (const auto& instructions : mercer::gram_instructions())
    for (const auto precision : {Precision::float32, Precision::float64})
      for (const std::size_t width : {1U, 2U, 3U, 5U, 8U, 13U, 26U}) {
        GramOptions options;
        options.precision = precision;
        options.instructions = instructions;
        const Gram gram(k, v.points(), options);
        const auto K = bulk(gram);
        std::vector<double> V(v.n * width);
        for (double& e : V) e = random.uniform(-1, 1);
        std::vector<double> KV(v.n * width);
        gram.apply(V, width, KV);
        const std::vector<std::size_t> some{130, 0, 64, 64, 7};
        std::vector<double> part(some.size() * width);
        gram.apply(some, V, width, part);
        for (std::size_t i = 0; i < v.n; ++i)
          for (std::size_t c = 0; c < width; ++c) {
            double sum = 0;
            for (std::size_t j = 0; j < v.n; ++j) sum += K[i * v.n + j] * V[j * width + c];
            ASSERT_NEAR(KV[i * width + c], sum, 1e-12 * static_cast<double>(v.n)) << instructions;
          }
        for (std::size_t r = 0; r < some.size(); ++r)
          for (std::size_t c = 0; c < width; ++c)
            ASSERT_EQ(part[r * width + c], KV[some[r] * width + c]) << instructions;
      }
}

// Sums over 64 points in floats: as exact as the values are, whatever the width, the number of rows
// and of threads.
TEST(Gram, RoughSumsAreAsExactAsTheValues) {
  Random random(22);
  const Values x = random_points(random, 131, 3, -1, 1);
  const Values z = random_points(random, 517, 3, -1, 1);
  for (const auto& instructions : mercer::gram_instructions())
    for (const auto precision : {Precision::float32, Precision::float64})
      for (const std::size_t width : {1U, 2U, 3U, 4U, 7U}) {
        GramOptions options;
        options.precision = precision;
        options.instructions = instructions;
        options.storage = GramOptions::Storage::recomputed;
        const Gram exact(mercer::rbf(0.7), x.points(), z.points(), options);
        options.rough_sums = true;
        options.threads = 1;
        const Gram rough(mercer::rbf(0.7), x.points(), z.points(), options);
        std::vector<double> V(z.n * width);
        for (double& e : V) e = random.uniform(-1, 1);
        std::vector<double> KV(x.n * width);
        std::vector<double> about(x.n * width);
        exact.apply(V, width, KV);
        rough.apply(V, width, about);
        // Values up to 1, of which each group of 64 is rounded by a few parts in 2^24.
        const double limit = (precision == Precision::float32 ? 3e-7 : 1e-15) * double(z.n);
        for (std::size_t e = 0; e < KV.size(); ++e)
          ASSERT_NEAR(about[e], KV[e], limit) << instructions << " " << width;
        const std::vector<std::size_t> some{130, 0, 64, 64, 7};
        std::vector<double> part(some.size() * width);
        options.threads = 2;
        Gram(mercer::rbf(0.7), x.points(), z.points(), options).apply(some, V, width, part);
        for (std::size_t r = 0; r < some.size(); ++r)
          for (std::size_t c = 0; c < width; ++c)
            ASSERT_EQ(part[r * width + c], about[some[r] * width + c]) << instructions;
      }
}

TEST(Gram, APartHasTheSameValues) {
  Random random(23);
  const Values v = random_points(random, 150, 4, 0, 1);
  for (const char* text : {"rbf(0.7)", "min(x,z) + poly(2)", "log(x.z)", "x1*z1"}) {
    const Gram whole(Kernel::parse(text, {.dimension = 4}), v.points());
    const auto K = bulk(whole);
    const std::vector<std::size_t> some{149, 3, 3, 77, 0, 120};
    const Gram part = whole.part(some);
    ASSERT_EQ(part.rows(), some.size());
    const auto P = bulk(part);
    for (std::size_t i = 0; i < some.size(); ++i)
      for (std::size_t j = 0; j < some.size(); ++j)
        EXPECT_EQ(P[i * some.size() + j], K[some[i] * v.n + some[j]]) << text;
    // A part of a part, a block of it, and products with some of its columns.
    const std::vector<std::size_t> fewer{5, 1, 0};
    const auto Q = bulk(part.part(fewer));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_EQ(Q[i * 3 + j], K[some[fewer[i]] * v.n + some[fewer[j]]]) << text;
    const std::vector<double> V{1, -2, 0.5};
    std::vector<double> products(some.size());
    part.apply(Rows::all(), fewer, V, 1, products);
    for (std::size_t i = 0; i < some.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 3; ++j) sum += V[j] * P[i * some.size() + fewer[j]];
      EXPECT_NEAR(products[i], sum, 1e-14) << text;
    }
    std::vector<double> diagonal(some.size());
    part.diagonal(diagonal);
    EXPECT_NEAR(diagonal[4], K[0], 1e-5) << text;
  }
  const Values bad{3, 1, {1, 2, -1}};
  const Gram undefined(Kernel::parse("log(x.z)", {.dimension = 1}), bad.points());
  try {
    bulk(undefined.part(std::vector<std::size_t>{1, 2}));
    FAIL();
  } catch (const mercer::GramError& error) {  // by the numbers of the whole
    EXPECT_EQ(error.row(), 1U);
    EXPECT_EQ(error.column(), 2U);
  }
}

// Columns from a panel's beginning on are computed as the points lie, others are laid out anew.
TEST(Gram, RangesOfColumnsWhereverTheyBegin) {
  Random random(79);
  const Values dense = random_points(random, 300, 3, -1, 1);
  Values thin = random_points(random, 300, 40, -1, 1);
  for (double& v : thin.x)
    if (random.uniform(0, 1) > 0.05) v = 0;
  for (const Values* x : std::array<const Values*, 2>{&dense, &thin})
    for (const char* text : {"rbf(0.5)", "poly(2) + laplacian(0.3)", "x1*z2 + |z|"}) {
      const Gram gram(Kernel::parse(text), x->points());
      const auto K = bulk(gram);
      std::vector<std::size_t> gap{64, 65, 67};
      const std::vector<Rows> ranges{Rows(0, 10),   Rows(64, 128), Rows(64, 300), Rows(256, 257),
                                     Rows(63, 200), Rows(gap),     Rows(64, 64)};
      for (const Rows& J : ranges) {
        const auto columns = J.of(x->n);
        const std::size_t m = columns.size();
        const Rows I(5, 95);
        std::vector<double> block(90 * (m + 1), -7);
        gram.block(I, J, block.data(), m + 1);
        std::vector<double> V;
        for (std::size_t j = 0; j < m; ++j) V.push_back(random.uniform(-1, 1));
        std::vector<double> products(90);
        gram.apply(I, J, V, 1, products);
        for (std::size_t i = 0; i < 90; ++i) {
          double sum = 0;
          for (std::size_t j = 0; j < m; ++j) {
            const double k = K[(i + 5) * x->n + columns[j]];
            ASSERT_EQ(block[i * (m + 1) + j], k) << text << ' ' << i << ' ' << columns[j];
            sum += k * V[j];
          }
          ASSERT_EQ(block[i * (m + 1) + m], -7);
          ASSERT_NEAR(products[i], sum, 1e-12) << text;
        }
      }
    }
  // However far beyond the end.
  EXPECT_THROW((void)Rows(64, std::numeric_limits<std::size_t>::max()).of(300), mercer::Error);
  EXPECT_THROW((void)Rows(400, 500).of(300), mercer::Error);
  EXPECT_TRUE(Rows(300, 300).of(300).empty());
  EXPECT_TRUE(Rows(500, 400).of(300).empty());
  // Errors name the points all the same.
  Values some = random_points(random, 200, 1, 1, 2);
  some.x[150] = -1;
  const Gram undefined(Kernel::parse("log(x.z)", {.dimension = 1}), some.points());
  std::vector<double> block(200);
  try {
    undefined.block(Rows(7, 8), Rows(128, 200), block.data(), 72);
    FAIL();
  } catch (const mercer::GramError& error) {
    EXPECT_EQ(error.row(), 7U);
    EXPECT_EQ(error.column(), 150U);
  }
}

TEST(Gram, BothWaysAreTheBlockAndTheOneTheOtherWayRound) {
  Random random(77);
  const Values x = random_points(random, 210, 3, -1, 1);
  // The last one is not symmetric.
  for (const char* text : {"rbf(0.5)", "poly(3) + 0.1*linear", "x1*z2"}) {
    for (const auto precision : {Precision::float32, Precision::float64})
      for (const auto storage : {GramOptions::Storage::recomputed, GramOptions::Storage::full}) {
        GramOptions how;
        how.precision = precision;
        how.storage = storage;
        const Gram gram(Kernel::parse(text), x.points(), how);
        const Rows some(3, 70);
        const Rows others(70, 203);
        const std::size_t n = 67;
        const std::size_t m = 133;
        std::vector<double> block(n * m);
        std::vector<double> other(n * m);
        gram.block(some, others, block.data(), m);
        gram.block(others, some, other.data(), n);
        std::vector<double> out(n * 140, -7);
        std::vector<double> back(m * 80, -7);
        gram.block_both_ways(some, others, out.data(), 140, back.data(), 80);
        std::vector<float> narrow(n * 140, -7);
        std::vector<float> narrow_back(m * 80, -7);
        gram.block_both_ways(some, others, narrow.data(), 140, narrow_back.data(), 80);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < m; ++j) {
            ASSERT_NEAR(out[i * 140 + j], block[i * m + j], 1e-6) << text;
            ASSERT_NEAR(back[j * 80 + i], other[j * n + i], 1e-6) << text;
            ASSERT_NEAR(narrow[i * 140 + j], block[i * m + j], 1e-5) << text;
            ASSERT_NEAR(narrow_back[j * 80 + i], other[j * n + i], 1e-5) << text;
          }
        // Nothing is written beyond.
        EXPECT_EQ(out[m], -7);
        EXPECT_EQ(back[n], -7);
        EXPECT_EQ(narrow[m], -7.0F);
        EXPECT_EQ(narrow_back[n], -7.0F);
      }
  }
  const Values z = random_points(random, 5, 3, -1, 1);
  std::vector<double> out(1050);
  EXPECT_THROW(Gram(mercer::rbf(1), x.points(), z.points())
                   .block_both_ways(Rows::all(), Rows::all(), out.data(), 5, out.data(), 210),
               mercer::Error);
}

TEST(Gram, ProductsWithSomeColumnsWhateverIsKept) {
  Random random(24);
  const Values v = random_points(random, 100, 4, 0, 1);
  const std::vector<std::size_t> rows{99, 0, 50};
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < 100; j += 1 + j % 2) columns.push_back(99 - j);
  std::vector<double> V(columns.size() * 2);
  for (double& e : V) e = random.uniform(-1, 1);
  std::vector<std::vector<double>> answers;
  for (const auto storage : {GramOptions::Storage::full, GramOptions::Storage::recomputed}) {
    GramOptions options;
    options.storage = storage;
    const Gram gram(mercer::rbf(0.5), v.points(), options);
    answers.emplace_back(rows.size() * 2);
    gram.apply(rows, columns, V, 2, answers.back());
  }
  EXPECT_EQ(answers[0], answers[1]);
}

TEST(Gram, LargeBlocksAreWrittenPastTheCaches) {
  Random random(22);
  const Values v = random_points(random, 2100, 2, -1, 1);
  const Kernel k = Kernel::parse("rbf(0.7)");
  for (const auto& instructions : mercer::gram_instructions()) {
    GramOptions options;
    options.storage = GramOptions::Storage::recomputed;
    options.instructions = instructions;
    const Gram gram(k, v.points(), options);
    // Rows of whole lines, not beginning with one: 17.7 MB, and nothing beside the rows is touched.
    constexpr std::size_t stride = 2112;
    std::vector<float> large(v.n * stride + 3, -1.0F);
    gram.block(Rows::all(), Rows::all(), large.data() + 3, stride);
    std::vector<float> row(v.n);
    for (std::size_t i = 0; i < v.n; i += 61) {
      gram.block(Rows(i, i + 1), Rows::all(), row.data(), v.n);
      const float* from = large.data() + 3 + i * stride;
      ASSERT_TRUE(std::equal(row.begin(), row.end(), from)) << instructions << ", row " << i;
      ASSERT_TRUE(std::all_of(from + v.n, from + stride, [](float e) { return e == -1; }));
    }
  }
}

// Of many points only half of the values are computed: the others are these, to the bit.
TEST_P(EveryKernel, HalfOfTheValuesSayTheOthers) {
  if (!GetParam().has_values) GTEST_SKIP();
  Random random(31);
  const Kernel k = Kernel::parse(GetParam().text);
  const std::size_t d = k.only_dimension_one() ? 1 : std::max<std::size_t>(k.least_dimension(), 7);
  const Values v = random_points(random, 461, d, 0, 2 / std::sqrt(static_cast<double>(d)));
  for (const auto& name : mercer::gram_instructions())
    for (const auto precision : {Precision::float32, Precision::float64}) {
      GramOptions options;
      options.precision = precision;
      options.instructions = name;
      options.storage = GramOptions::Storage::recomputed;
      const Gram gram(k, v.points(), options);
      const auto K = bulk(gram);
      std::vector<double> rows(v.n * v.n);
      for (std::size_t i = 0; i < v.n; i += 50)
        gram.block(Rows(i, std::min(v.n, i + 50)), Rows::all(), rows.data() + i * v.n, v.n);
      ASSERT_EQ(K, rows) << name;
      std::vector<std::size_t> some;  // the same points on both sides, in any order
      for (std::size_t i = 0; i < 400; ++i) some.push_back(i * 7 % v.n);
      std::vector<double> part(some.size() * some.size());
      gram.block(some, some, part.data(), some.size());
      for (std::size_t i = 0; i < some.size(); ++i)
        for (std::size_t j = 0; j < some.size(); ++j)
          ASSERT_EQ(part[i * some.size() + j], K[some[i] * v.n + some[j]]) << name;
    }
}

TEST(Gram, ProductsFromHalfOfTheValues) {
  Random random(32);
  const Values v = random_points(random, 1300, 5, -1, 1);
  for (const char* text : {"rbf(0.7)", "cosine", "laplacian(1) + 0.3*linear", "x1*z1^3"})
    for (const auto& instructions : mercer::gram_instructions())
      for (const std::size_t width : {1U, 3U, 10U}) {
        std::vector<double> V(v.n * width);
        for (double& e : V) e = random.uniform(-1, 1);
        std::vector<double> first;
        for (const unsigned threads : {1U, 2U, 5U})
          for (const auto storage : {GramOptions::Storage::recomputed, GramOptions::Storage::full,
                                     GramOptions::Storage::rows}) {
            GramOptions options;
            options.threads = threads;
            options.storage = storage;
            options.instructions = instructions;
            const Gram gram(Kernel::parse(text), v.points(), options);
            std::vector<double> KV(v.n * width);
            gram.apply(V, width, KV);
            if (first.empty()) {
              first = KV;
              const auto K = bulk(gram);
              for (std::size_t i = 0; i < v.n; ++i)
                for (std::size_t c = 0; c < width; ++c) {
                  double sum = 0;
                  for (std::size_t j = 0; j < v.n; ++j) sum += K[i * v.n + j] * V[j * width + c];
                  ASSERT_NEAR(KV[i * width + c], sum, 1e-13 * static_cast<double>(v.n))
                      << text << " " << instructions;
                }
            }
            ASSERT_EQ(KV, first) << text << " " << instructions << " " << threads;
          }
      }
}

TEST(Gram, NormsBeyondFloats) {
  const Values v{4, 2, {1e25, 2e25, -3e25, 1e25, 0, 1, 1e25, 2e25}};
  for (const auto& instructions : mercer::gram_instructions()) {
    GramOptions options;
    options.precision = Precision::float32;
    options.instructions = instructions;
    const auto K = bulk(Gram(mercer::rbf(0.5), v.points(), options));
    for (std::size_t i = 0; i < v.n; ++i)
      for (std::size_t j = 0; j < v.n; ++j)
        EXPECT_EQ(K[i * v.n + j], i % 3 == j % 3 ? 1 : 0) << instructions << i << j;
  }
}

TEST(Gram, IsSymmetricWithADiagonalOfExactDistances) {
  Random random(8);
  for (const std::size_t d : {3U, 40U}) {
    const Values x = random_points(random, 130, d, -1, 1);
    for (const auto& name : mercer::gram_instructions()) {
      GramOptions options;
      options.instructions = name;
      const auto K = bulk(Gram(mercer::rbf(0.5), x.points(), options));
      for (std::size_t i = 0; i < x.n; ++i) {
        EXPECT_EQ(K[i * x.n + i], 1) << name << " d=" << d;
        for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(K[i * x.n + j], K[j * x.n + i]) << name;
      }
    }
  }
}

TEST(Gram, SeveralKernelsShareTheSums) {
  Random random(12);
  const Values x = random_points(random, 80, 12, -1, 1);
  std::vector<Kernel> kernels;
  for (const double gamma : {0.1, 0.5, 2.0, 8.0}) kernels.push_back(mercer::rbf(gamma));
  const Gram family(kernels, x.points());
  EXPECT_EQ(family.report().sums.size(), 1U);
  std::vector<std::vector<float>> blocks(4, std::vector<float>(x.n * x.n));
  std::vector<float*> out(blocks.size());
  std::ranges::transform(blocks, out.begin(), [](auto& b) { return b.data(); });
  family.blocks(Rows::all(), Rows::all(), out, 80);
  for (std::size_t k = 0; k < 4; ++k) {
    const std::vector<double> K(blocks[k].begin(), blocks[k].end());
    EXPECT_LT(error(kernels[k], x, x, K), 1e-5);
  }
}

TEST(Gram, ASumUsedFiveTimesIsComputedOnce) {
  Random random(12);
  const Values x = random_points(random, 20, 12, -1, 1);
  const auto sums = [&](const char* text) {
    return Gram(Kernel::parse(text), x.points()).report().sums.size();
  };
  EXPECT_EQ(sums("rbf(1) + rbf(2) + rq(1) + matern(1.5) + exp(-|x-z|)"), 1U);
  EXPECT_EQ(sums("poly(2) + poly(3) + linear + exp(x.z) + tanh(x.z)"), 1U);
  EXPECT_EQ(sums("linear[1:3] + linear[1:3]^2 + linear[4:5]"), 2U);
  EXPECT_EQ(sums("rbf(1)*poly(2) + linear"), 1U);  // |x-z|² from x·z, near the origin
}

// ---- leaves

// Where distances want points seen from their middle, products are taken from the same sum.
TEST(Gram, ProductsAndDistancesShareASumFarFromTheOrigin) {
  Random random(29);
  for (const double offset : {0.0, 3.0, 1e3}) {
    const std::size_t d = 20;
    Values x = random_points(random, 40, d, offset - 1, offset + 1);
    // One point far from the others, where what is added to the sum cancels.
    for (std::size_t j = 0; j < d; ++j) x.x[j] = random.uniform(-1, 1);
    for (const bool product : {false, true}) {
      const Kernel rbf = mercer::rbf(0.01);
      const Kernel k =
          product ? rbf * mercer::poly(2) + 0.1 * mercer::linear() : rbf + mercer::linear();
      Reference truth = reference(k, x, x);
      for (std::size_t i = 0; i < x.n; ++i)
        for (std::size_t j = 0; j < x.n; ++j) {
          double dot = 0;
          for (std::size_t c = 0; c < d; ++c) dot += std::abs(x.x[i * d + c] * x.x[j * d + c]);
          const double near = rbf(x.point(i), x.point(j));
          truth.sizes[i * x.n + j] =
              product ? near * (dot + 1) * (dot + 1) + 0.1 * dot : near + dot;
        }
      for (const auto& name : mercer::gram_instructions())
        for (const auto precision : {Precision::float32, Precision::float64}) {
          GramOptions how;
          how.instructions = name;
          how.precision = precision;
          EXPECT_LT(truth.error(bulk(Gram(k, x.points(), how))),
                    precision == Precision::float32 ? 1e-5 : 1e-12)
              << k.text() << " " << name << " " << offset;
        }
    }
  }
  // Without such a point one sum is enough.
  const Values x = random_points(random, 300, 70, 2, 4);
  const Gram K(Kernel::parse("rbf(0.05)*poly(2) + 0.1*linear"), x.points());
  EXPECT_EQ(K.report().sums.size(), 1U);
  EXPECT_TRUE(K.report().centred);
  EXPECT_EQ(K.report().precision, "float32");
}

TEST(Gram, UsersFunctionsAndMatrices) {
  Random random(13);
  const Values x = random_points(random, 70, 3, -1, 1);
  const Kernel own =
      mercer::user("gram_test_own", [](std::span<const double> a, std::span<const double> b) {
        return a[0] * b[0] + 2 * a[1] * b[1];
      });
  const Kernel k = own * mercer::rbf(1) + 1;
  const auto K = bulk(Gram(k, x.points()));
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t j = 0; j < x.n; ++j)
      ASSERT_NEAR(K[i * x.n + j], k(x.point(i), x.point(j)), 1e-5);
  mercer::forget_user("gram_test_own");

  std::vector<double> matrix(std::size_t{70} * 70);
  for (auto& v : matrix) v = random.uniform(-1, 1);
  GramOptions options;
  options.precomputed = GramOptions::Matrix{matrix.data(), 70, 70};
  options.precision = Precision::float64;
  const auto P = bulk(Gram(mercer::precomputed() + mercer::linear(), x.points(), options));
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t j = 0; j < x.n; ++j)
      ASSERT_NEAR(P[i * 70 + j], matrix[i * 70 + j] + mercer::linear()(x.point(i), x.point(j)),
                  1e-12);
  EXPECT_THROW(bulk(Gram(mercer::precomputed(), x.points())), mercer::Error);

  const Gram whole(mercer::precomputed() + mercer::linear(), x.points(), options);
  std::vector<double> diagonal(70);
  whole.diagonal(diagonal);
  for (std::size_t i = 0; i < 70; ++i) ASSERT_EQ(diagonal[i], P[i * 70 + i]);
  options.precision = Precision::float32;
  const Gram coarse(mercer::precomputed() + mercer::linear(), x.points(), options);
  EXPECT_EQ(coarse.report().precision, "float32");
  EXPECT_EQ(bulk(coarse.in_double()), P);
  const std::vector<std::size_t> some{69, 3, 3, 20};
  const auto part = bulk(coarse.part(some).in_double());
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) ASSERT_EQ(part[i * 4 + j], P[some[i] * 70 + some[j]]);
  const auto rbf_part = bulk(Gram(mercer::rbf(0.5), x.points()).part(some).in_double());
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      ASSERT_NEAR(rbf_part[i * 4 + j], mercer::rbf(0.5)(x.point(some[i]), x.point(some[j])), 1e-13);
  std::vector<double> of_part(4);
  whole.part(some).diagonal(of_part);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(of_part[i], P[some[i] * 70 + some[i]]);
}

// ---- mistakes

std::string mistake(const std::string& kernel, const Values& x) {
  try {
    bulk(Gram(Kernel::parse(kernel), x.points()));
  } catch (const mercer::Error& error) {
    return error.what();
  }
  return "";
}

TEST(Gram, UndefinedValuesAreNamed) {
  const Values x{3, 1, {1, 2, -3}};
  EXPECT_THAT(mistake("log(x.z)", x), testing::HasSubstr("rows 1 and 3: log(x*z) is undefined"));
  EXPECT_THAT(mistake("exp(-1/(x.z + 3))", x), testing::HasSubstr("rows 1 and 3"));
  EXPECT_THAT(mistake("sqrt(x.z)", x), testing::HasSubstr("rows 1 and 3"));
  // … also where other steps follow in the same pass, or hide it
  EXPECT_THAT(mistake("2/(x.z + 3) + 1", x), testing::HasSubstr("rows 1 and 3"));
  EXPECT_THAT(mistake("min(1, 1/(x.z + 3))", x), testing::HasSubstr("rows 1 and 3"));
  EXPECT_THAT(mistake("1/(1 + 1/(x.z + 3))", x), testing::HasSubstr("rows 1 and 3"));
  EXPECT_THAT(mistake("rbf(1)/(x.z + 3)", x), testing::HasSubstr("rows 1 and 3"));
  EXPECT_THAT(mistake("3*sqrt(x.z) + 1", x), testing::HasSubstr("rows 1 and 3"));
  EXPECT_THAT(mistake("min(1, 2*sqrt(x.z) + 1)", x), testing::HasSubstr("rows 1 and 3"));
  EXPECT_THAT(mistake("sum(i, 1/(x[i]*z[i] + 3))", x), testing::HasSubstr("rows 1 and 3"));
  EXPECT_THAT(mistake("exp(exp(10*x.z))", x), testing::HasSubstr("too large for a double"));
  const Values nan{2, 1, {1, std::nan("")}};
  EXPECT_THAT(mistake("linear", nan), testing::HasSubstr("row 2, column 1"));
  EXPECT_THAT(mistake("x3*z3", x), testing::HasSubstr("3"));
  EXPECT_THAT(mistake("rbf(gamma=?)", x), testing::HasSubstr("open parameter"));
  EXPECT_THAT(mistake("linear[\"age\"]", x), testing::HasSubstr("names columns"));
}

TEST(Gram, ValuesBeyondFloatsAreComputedInDoubles) {
  const Values x{3, 1, {1, 9, 10}};
  const Kernel k = Kernel::parse("exp(x.z)*exp(-|x|^2)*exp(-|z|^2)");
  EXPECT_LT(error(k, x, x, bulk(Gram(k, x.points()))), 1e-5);
}

// There and back: Kᵀ(a·(K V) + b) by the values one after the other, on every instruction set.
// Of one register, where tiles are computed where they stay, and of more.
class BothProducts : public ::testing::TestWithParam<const char*> {};

TEST_P(BothProducts, InOnePass) {
  Random random(77);
  const Kernel k = Kernel::parse(GetParam());
  const Values x = random_points(random, 600, 3, -1, 1);
  const Values z = random_points(random, 333, 3, -1, 1);
  std::vector<double> K(x.n * z.n);
  for (std::size_t i = 0; i < x.n; ++i)
    for (std::size_t j = 0; j < z.n; ++j) K[i * z.n + j] = k(x.point(i), z.point(j));
  const auto middle = [&](std::size_t first, std::size_t rows, std::span<const double> F,
                          std::span<double> T) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < T.size() / rows; ++c)
        T[r * (T.size() / rows) + c] =
            (F.empty() ? 0 : 0.5 * F[r * (F.size() / rows) + c % (F.size() / rows)]) +
            std::sin(static_cast<double>(first + r + c));
  };
  for (const auto& [v, t] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {2, 1}, {1, 0}, {5, 5}, {30, 13}, {0, 2}}) {
    std::vector<double> V(z.n * v);
    for (double& value : V) value = random.uniform(-1, 1);
    std::vector<double> expected(z.n * t);
    std::vector<double> sizes(z.n * t);
    for (std::size_t i = 0; i < x.n; ++i) {
      std::vector<double> F(v);
      for (std::size_t j = 0; j < z.n; ++j)
        for (std::size_t c = 0; c < v; ++c) F[c] += K[i * z.n + j] * V[j * v + c];
      std::vector<double> T(t);
      middle(i, 1, F, T);
      for (std::size_t j = 0; j < z.n; ++j)
        for (std::size_t c = 0; c < t; ++c) {
          expected[j * t + c] += K[i * z.n + j] * T[c];
          sizes[j * t + c] += std::abs(K[i * z.n + j] * T[c]);
        }
    }
    for (const std::string& name : mercer::gram_instructions())
      for (const auto precision : {Precision::float32, Precision::float64})
        for (const bool rough : {false, true}) {
          GramOptions options;
          options.precision = precision;
          options.rough_sums = rough;
          options.instructions = name;
          // Neither memory nor threads change a bit.
          std::optional<std::vector<double>> first;
          for (const auto storage : {GramOptions::Storage::recomputed, GramOptions::Storage::full})
            for (const unsigned threads : {1U, 2U}) {
              options.storage = storage;
              options.threads = threads;
              std::vector<double> out(z.n * t, 17.0);
              const Gram gram(k, x.points(), z.points(), options);
              gram.apply_both(V, v, middle, t, out);
              for (std::size_t e = 0; e < out.size(); ++e)
                ASSERT_NEAR(out[e], expected[e],
                            (precision == Precision::float32 ? 1e-5 : 1e-12) * sizes[e])
                    << name << ' ' << v << ' ' << t << ' ' << rough;
              if (first) {
                EXPECT_EQ(out, *first) << name;
              }
              first = out;
              gram.apply_both(V, v, middle, t, out);
              EXPECT_EQ(out, *first) << name;
            }
        }
  }
}

// Values that are kept are computed in an order in which neighbours share their zeros.
TEST(BothProducts, OfPointsWithZerosAreTheSameKeptOrNot) {
  Random random(78);
  constexpr std::size_t d = 300;
  const auto mostly_zero = [&](std::size_t n) {
    Values v = random_points(random, n, d, 0, 1);
    for (double& value : v.x)
      if (random.uniform(0, 1) < 0.8) value = 0;
    return v;
  };
  const Values x = mostly_zero(530);
  const Values z = mostly_zero(200);
  std::vector<double> V(z.n);
  for (double& value : V) value = random.uniform(-1, 1);
  std::vector<std::vector<double>> answers;
  for (const auto storage : {GramOptions::Storage::recomputed, GramOptions::Storage::full}) {
    GramOptions options;
    options.precision = Precision::float32;
    options.storage = storage;
    answers.emplace_back(z.n);
    Gram(mercer::rbf(0.02), x.points(), z.points(), options)
        .apply_both(
            V, 1,
            [](std::size_t, std::size_t, std::span<const double> F, std::span<double> T) {
              std::ranges::copy(F, T.begin());
            },
            1, answers.back());
  }
  EXPECT_EQ(answers[0], answers[1]);
}

INSTANTIATE_TEST_SUITE_P(Gram, BothProducts,
                         ::testing::Values("rbf(0.3)", "poly(3)", "rbf(0.3)*poly(2)"));

// Seen from their mean, all others would be one point.
TEST(Gram, OneFarPointLeavesTheOthersAsTheyAre) {
  Random random(79);
  for (const double far : {1e6, 1e12, 1e17, 1e20, 1e30}) {
    Values v = random_points(random, 60, 2, -1, 1);
    v.x[31] = far;
    for (const char* text :
         {"rbf(1)", "matern(1.5)", "laplacian(1)", "rq(1)", "rbf(1) + 0.5*matern(2.5)"})
      for (const auto precision : {GramOptions().precision, Precision::float64}) {
        GramOptions options;
        options.precision = precision;
        const Kernel k = Kernel::parse(text);
        const Gram gram(k, v.points(), options);
        const double error = precision == Precision::float64 ? 1e-12 : 2e-5;
        // What cannot be is told.
        const double told = std::max(error, 10 * gram.report().error);
        EXPECT_LT(gram.report().error, 1e-5) << text << ' ' << far;
        const auto K = bulk(gram);
        for (std::size_t i = 0; i < v.n; ++i)
          for (std::size_t j = 0; j < v.n; ++j)
            ASSERT_NEAR(K[i * v.n + j], k(v.point(i), v.point(j)), told)
                << text << ' ' << far << ' ' << i << ' ' << j;
      }
  }
}

// A sine of 1e8 knows seven digits of it less, in doubles too, and the answer says so.
TEST(Gram, FunctionsOfLargeCoordinatesAreAsExactAsTold) {
  Random random(81);
  for (const std::size_t d : {1U, 2U, 3U}) {
    Values v = random_points(random, 60, d, 0, 3);
    for (std::size_t i = 0; i < v.n; i += 2)
      for (std::size_t j = 0; j < d; ++j) v.x[i * d + j] += 1e8;
    for (const char* text : {"periodic(2)", "prod(i, 2 + cos(x[i]-z[i]))"}) {
      const Kernel k = Kernel::parse(text, {.dimension = static_cast<std::uint32_t>(d)});
      GramOptions options;
      options.precision = Precision::float64;
      const Gram gram(k, v.points(), options);
      const auto K = bulk(gram);
      double worst = 0;
      for (std::size_t i = 0; i < v.n; ++i)
        for (std::size_t j = 0; j < v.n; ++j) {
          const double exact = k(v.point(i), v.point(j));
          worst = std::max(worst, std::abs(K[i * v.n + j] - exact) / exact);
        }
      EXPECT_LT(worst, 4 * gram.report().error) << text << ' ' << d;
      EXPECT_LT(gram.report().error, 1e-5) << text << ' ' << d;
    }
  }
}

// Points that are too large for floats, be it one among thousands.
TEST(Gram, NumbersTooLargeForFloatsAreDoubles) {
  Random random(80);
  Values v = random_points(random, 3000, 2, -1, 1);
  v.x[2468] = 2e40;
  v.x[4690] = 1e40;
  for (const char* text : {"rbf(1)", "laplacian(1)", "rbf(1)*matern(0.5)", "0.5*rbf(2)"}) {
    const Kernel k = Kernel::parse(text);
    const Gram gram(k, v.points());
    EXPECT_EQ(gram.report().precision, "float64") << text;
    EXPECT_NE(gram.report().why, "");
    const std::vector<std::size_t> some{0, 1234, 2345, 77};
    std::vector<double> K(some.size() * some.size());
    gram.block(some, some, K.data(), some.size());
    for (std::size_t i = 0; i < some.size(); ++i)
      for (std::size_t j = 0; j < some.size(); ++j)
        ASSERT_NEAR(K[i * some.size() + j], k(v.point(some[i]), v.point(some[j])), 1e-12) << text;
  }
}

TEST(Gram, UnknownInstructionsAreRefused) {
  const Values x{1, 1, {1}};
  GramOptions options;
  options.instructions = "abacus";
  EXPECT_THROW(Gram(mercer::linear(), x.points(), options), mercer::Error);
}

}  // namespace
