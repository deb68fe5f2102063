// Predictions against the formula, one point and one support point at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <mercer/mapped.hpp>
#include <mercer/model.hpp>
#include <numeric>

#include "support/random_model.hpp"

namespace {

using mercer::Kernel;
using mercer::Model;
using mercer::Points;
using mercer::Prediction;
using mercer::PredictOptions;
using testing::HasSubstr;
using Scheme = Model::Scheme;

std::vector<double> point(const Points& x, std::size_t i) {
  std::vector<double> row(x.columns());
  x.row(i, std::span(row));
  return row;
}

std::vector<double> absolute(std::vector<double> v) {
  for (double& c : v) c = std::abs(c);
  return v;
}

// Σ |α| |k| with all coordinates positive, against which rounding is measured.
double size_of(const Model& m, const std::vector<double>& x) {
  double size = 1;
  for (const double b : m.offsets) size += std::abs(b);
  for (std::size_t i = 0; i < m.coefficients.rows; ++i) {
    const double k =
        m.kernel ? (*m.kernel)(absolute(x), absolute(point(m.support, i))) : std::exp(2.0);
    for (const double a : m.coefficients.row(i)) size += std::abs(a) * std::max(1.0, std::abs(k));
  }
  return size;
}

// Σ_{a≠b} (r_ba p_a - r_ab p_b)², r given for the pairs a < b, p as it follows by the iteration of
// Wu, Lin and Weng, from scratch in every step.
std::vector<double> plain_coupling(const std::vector<double>& pairs, std::size_t k) {
  std::vector<std::vector<double>> r(k, std::vector<double>(k));
  std::size_t pair = 0;
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = a + 1; b < k; ++b) {
      r[a][b] = std::min(std::max(pairs[pair++], 1e-7), 1 - 1e-7);
      r[b][a] = 1 - r[a][b];
    }
  const auto q = [&](std::size_t a, std::size_t b) {
    if (a != b) return -r[b][a] * r[a][b];
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += j == a ? 0 : r[j][a] * r[j][a];
    return sum;
  };
  if (k == 2) return {r[0][1], r[1][0]};
  std::vector<double> p(k, 1.0 / static_cast<double>(k));
  const auto qp = [&](std::size_t a) {
    double sum = 0;
    for (std::size_t b = 0; b < k; ++b) sum += q(a, b) * p[b];
    return sum;
  };
  const auto pqp = [&] {
    double sum = 0;
    for (std::size_t a = 0; a < k; ++a) sum += p[a] * qp(a);
    return sum;
  };
  for (int round = 0; round < 100; ++round) {
    double largest = 0;
    for (std::size_t a = 0; a < k; ++a) largest = std::max(largest, std::abs(qp(a) - pqp()));
    if (largest < 0.005 / static_cast<double>(k)) break;
    for (std::size_t a = 0; a < k; ++a) {
      p[a] = (pqp() - qp(a) + q(a, a) * p[a]) / q(a, a);
      const double sum = std::accumulate(p.begin(), p.end(), 0.0);
      for (double& v : p) v /= sum;
    }
  }
  return p;
}

std::vector<double> plain_probabilities(const Model& m, std::span<const double> f) {
  std::vector<double> p;
  for (std::size_t s = 0; s < f.size(); ++s)
    p.push_back(1 / (1 + std::exp(m.calibration[s].slope * f[s] + m.calibration[s].offset)));
  if (m.scheme == Scheme::one) return {1 - p[0], p[0]};
  if (m.scheme == Scheme::pairs) return plain_coupling(p, m.classes.size());
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& v : p) v /= sum;
  return p;
}

// The class by its definition in the header, from plain scores.
std::int32_t plain_class(const Model& m, const std::vector<double>& f) {
  if (m.scheme == Scheme::one) return f[0] > 0 ? 1 : 0;
  std::vector<double> merit = f;
  if (m.scheme == Scheme::pairs) {
    merit.assign(m.classes.size(), 0);
    std::size_t pair = 0;
    for (std::size_t a = 0; a < merit.size(); ++a)
      for (std::size_t b = a + 1; b < merit.size(); ++b) merit[f[pair++] > 0 ? a : b] += 1;
  }
  std::int32_t best = 0;
  for (std::size_t c = 1; c < merit.size(); ++c)
    if (merit[c] > merit[static_cast<std::size_t>(best)]) best = static_cast<std::int32_t>(c);
  return best;
}

TEST(Predict, IsTheFormula) {
  Random random(1);
  for (const ModelShape& shape : model_shapes())
    for (int round = 0; round < 4; ++round) {
      const Model m = random_model(random, shape);
      const Points x = random_points(random, random.below(50), m.dimension(), random.one_in(2),
                                     random.one_in(2));
      for (const bool float64 : {false, true}) {
        PredictOptions options;
        options.float64 = float64;
        const Prediction p = predict(m, x, options);
        ASSERT_EQ(p.scores.rows, x.rows());
        ASSERT_EQ(p.classes.size(), shape.regression ? 0 : x.rows());
        for (std::size_t i = 0; i < x.rows(); ++i) {
          const double most = (float64 ? 1e-12 : 1e-5) * size_of(m, point(x, i));
          const auto f = plain_scores(m, point(x, i));
          bool clear = true;  // no score so near to another decision that rounding decides
          for (std::size_t s = 0; s < f.size(); ++s) {
            EXPECT_NEAR(p.scores(i, s), f[s], most);
            clear = clear && std::abs(f[s]) > most;
            for (std::size_t t = 0; t < s; ++t) clear = clear && std::abs(f[s] - f[t]) > most;
          }
          if (clear && !shape.regression && !shape.calibrated) {
            EXPECT_EQ(p.classes[i], plain_class(m, f));
          }
        }
      }
    }
}

TEST(Predict, ProbabilitiesAddUpToOneAndFollowTheSigmoid) {
  Random random(2);
  for (const ModelShape& shape : model_shapes()) {
    const Model m = random_model(random, shape);
    const Points x = random_points(random, 20, m.dimension(), false, false);
    const Prediction p = predict(m, x);
    if (!shape.calibrated) {
      EXPECT_EQ(p.probabilities.rows, 0U);
      continue;
    }
    ASSERT_EQ(p.probabilities.columns, m.classes.size());
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const auto row = p.probabilities.row(i);
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
      const auto plain = plain_probabilities(m, p.scores.row(i));
      for (std::size_t c = 0; c < row.size(); ++c) EXPECT_NEAR(row[c], plain[c], 1e-12);
      // The class is the most probable one, whatever the scores alone would say.
      EXPECT_EQ(p.classes[i], std::max_element(row.begin(), row.end()) - row.begin());
    }
    EXPECT_EQ(classes_by_score(m, p.scores), p.classes);
  }
}

// A calibrated model of pairs whose scores are given, not computed.
Model pairs_of(std::size_t classes) {
  Model m;
  m.scheme = Scheme::pairs;
  for (std::size_t c = 0; c < classes; ++c) m.classes.push_back(std::to_string(c));
  m.map = mercer::FeatureMap::parse("[x1]", 1);
  m.coefficients = mercer::Matrix::zeros(1, m.scores());
  m.offsets.assign(m.scores(), 0);
  m.calibration.assign(m.scores(), {-1, 0});
  return m;
}

// Where the pairs come from probabilities of classes, these are found again, as nearly as the
// iteration goes; and no other p does better by much.
TEST(Predict, ClassesAreCoupledFromPairs) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t k = 2 + random.below(8);
    const Model m = pairs_of(k);
    std::vector<double> truth(k);
    for (double& v : truth) v = random.uniform(0.01, 1);
    const double sum = std::accumulate(truth.begin(), truth.end(), 0.0);
    mercer::Matrix scores = mercer::Matrix::zeros(1, m.scores());
    std::size_t pair = 0;
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = a + 1; b < k; ++b) scores(0, pair++) = std::log(truth[a] / truth[b]);
    const auto p = probabilities_by_score(m, scores);
    for (std::size_t c = 0; c < k; ++c) EXPECT_NEAR(p(0, c), truth[c] / sum, 0.03);
  }
}

TEST(Predict, CouplingStaysInRangeWherePairsAreCertain) {
  for (const double f : {1e4, -1e4, 0.0}) {
    const Model m = pairs_of(5);
    mercer::Matrix scores = mercer::Matrix::zeros(1, m.scores());
    std::ranges::fill(scores.values, f);
    const auto p = probabilities_by_score(m, scores);
    double sum = 0;
    for (const double v : p.values) {
      EXPECT_GE(v, 0);
      sum += v;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_EQ(classes_by_score(m, scores)[0], f < 0 ? 4 : 0);
  }
}

// A sigmoid may put the border elsewhere than at 0.
TEST(Predict, TheCalibrationDecides) {
  Model m;
  m.classes = {"no", "yes"};
  m.map = mercer::FeatureMap::parse("[x1]", 1);
  m.coefficients = {1, 1, {1}, {}};
  m.offsets = {0};
  const Points x = Points::own(std::vector<double>{-1, 0.4, 0.5, 0.6}, 4, 1);
  EXPECT_EQ(predict(m, x).classes, (std::vector<std::int32_t>{0, 1, 1, 1}));
  m.calibration = {{-2, 1}};  // 1/2 at f = 1/2
  EXPECT_EQ(predict(m, x).classes, (std::vector<std::int32_t>{0, 0, 0, 1}));
  m.scheme = Scheme::per_class;
  m.coefficients = {1, 2, {1, 0}, {}};
  m.offsets = {0, 0};
  m.calibration = {{-1, 0}, {-1, -0.5}};
  EXPECT_EQ(predict(m, x).classes, (std::vector<std::int32_t>{1, 1, 0, 0}));
}

Model steep() {
  Model m;
  m.classes = {"a", "b", "c"};
  m.scheme = Scheme::per_class;
  m.map = mercer::FeatureMap::parse("[x1]", 1);
  m.coefficients = {1, 3, {1, 1, 1}, {}};
  m.offsets = {0, 0, 0};
  m.calibration = {{1e300, 0}, {1e300, 0}, {1e300, 0}};
  return m;
}

TEST(Predict, ProbabilitiesStayNumbersWhereSigmoidsVanish) {
  const Prediction p = predict(steep(), Points::own(std::vector<double>{1e5, -1e5, 0}, 3, 1));
  for (const double v : p.probabilities.values) EXPECT_NEAR(v, 1.0 / 3, 1e-15);
}

TEST(Predict, SameBitsForAnyNumberOfThreads) {
  Random random(3);
  for (const ModelShape& shape : model_shapes()) {
    const Model m = random_model(random, shape);
    const Points x = random_points(random, 700, m.dimension(), shape.sparse, shape.single);
    PredictOptions one;
    one.threads = 1;
    const Prediction p = predict(m, x, one);
    for (const unsigned threads : {2U, 5U}) {
      PredictOptions more;
      more.threads = threads;
      EXPECT_EQ(predict(m, x, more).scores.values, p.scores.values);
    }
  }
}

TEST(Predict, OtherRowsDoNotMatterBeyondRounding) {
  Random random(4);
  for (const ModelShape& shape : model_shapes()) {
    const Model m = random_model(random, shape);
    const Points x = random_points(random, 5000, m.dimension(), shape.sparse, shape.single);
    const Prediction all = predict(m, x);
    const std::vector<std::size_t> some{4999, 7, 4096, 4095};
    const Prediction few = predict(m, x.select(some));
    for (std::size_t r = 0; r < some.size(); ++r)
      for (std::size_t s = 0; s < all.scores.columns; ++s)
        EXPECT_NEAR(few.scores(r, s), all.scores(some[r], s), 2e-5 * size_of(m, point(x, some[r])));
  }
}

// A dimension that nobody could lay out.
// Large coefficients that cancel: of values in floats nothing would be left.
TEST(Predict, IsMoreThanRoundingErrors) {
  Random random(4);
  constexpr std::size_t n = 60;
  for (const bool classes : {false, true}) {
    Model m;
    m.task = classes ? Model::Task::classification : Model::Task::regression;
    if (classes) m.classes = {"a", "b"};
    m.kernel = mercer::rbf(1e-7);
    std::vector<double> x(n * 2);
    for (double& v : x) v = random.uniform(-1, 1);
    m.support = Points::own(x, n, 2);
    m.offsets = {0.25};
    m.coefficients = mercer::Matrix::zeros(n, 1);
    // Differences of differences: Σ α = 0 to the bit.
    for (std::size_t i = 0; i < n; i += 2) {
      const double a = random.uniform(-5e5, 5e5);
      m.coefficients(i, 0) = a;
      m.coefficients(i + 1, 0) = -a;
    }
    const Prediction p = mercer::predict(m, m.support);
    for (std::size_t i = 0; i < n; ++i) {
      double f = 0.25;
      for (std::size_t j = 0; j < n; ++j)
        f += m.coefficients(j, 0) * (*m.kernel)(point(m.support, i), point(m.support, j));
      EXPECT_NEAR(p.scores(i, 0), f, 1e-6 * (1 + std::abs(f)));
    }
  }
}

TEST(Predict, FollowsTheEntriesOfSparsePoints) {
  Random random(7);
  constexpr std::size_t d = 2147483647;
  const auto sparse = [&](std::size_t rows, const std::vector<std::int32_t>& columns) {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> indices;
    std::vector<double> values;
    for (std::size_t i = 0; i < rows; ++i) {
      for (const auto c : columns)
        if (random.one_in(2)) {
          indices.push_back(c);
          values.push_back(random.uniform(-2, 2));
        }
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
    return Points::own(offsets, indices, values, d);
  };
  Model m;
  m.task = Model::Task::regression;
  m.support = sparse(5, {0, 7, 70000, 2147483646});
  m.coefficients = {5, 1, {1, -1, 2, 0.5, -0.25}, {}};
  m.offsets = {0.25};
  const Points x = sparse(20, {3, 7, 70000, 80000, 2147483646});
  // The same points, where each column has a small number.
  const auto small = [](const Points& wide) {
    std::vector<double> values(wide.rows() * 6);
    const std::vector<std::int32_t> order{0, 3, 7, 70000, 80000, 2147483646};
    for (std::size_t i = 0; i < wide.rows(); ++i)
      for (auto e = wide.offsets()[i]; e < wide.offsets()[i + 1]; ++e)
        values[i * 6 +
               static_cast<std::size_t>(std::find(order.begin(), order.end(), wide.indices()[e]) -
                                        order.begin())] = wide.values<double>()[e];
    return Points::own(values, wide.rows(), 6);
  };
  for (const char* kernel : {"rbf(0.5)", "poly(2)", "laplacian(1)", "prod(i, 1 + x[i]*z[i])"}) {
    m.kernel = Kernel::parse(kernel);
    PredictOptions options;
    options.float64 = true;
    Model same = m;
    same.support = small(m.support);
    const Prediction p = predict(m, x, options);
    const Prediction q = predict(same, small(x), options);
    for (std::size_t i = 0; i < x.rows(); ++i)
      EXPECT_NEAR(p.scores(i, 0), q.scores(i, 0), 1e-11) << kernel;
  }
  m.kernel = Kernel::parse("sum(i, exp(-(x[i]-z[i])^2))");
  EXPECT_THROW(static_cast<void>(predict(m, x)), mercer::Error);
}

TEST(Predict, NamesTheRowWithoutAValue) {
  Model m;
  m.task = Model::Task::regression;
  m.kernel = Kernel::parse("log(x.z)");
  m.support = Points::own(std::vector<double>{1, 2}, 2, 1);
  m.coefficients = {2, 1, {1, 1}, {}};
  m.offsets = {0};
  std::vector<double> x(6000, 1);
  x[5000] = -1;
  const auto message = [&](const Model& model) {
    try {
      static_cast<void>(predict(model, Points::own(x, x.size(), 1)));
    } catch (const mercer::EvaluationError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(m), HasSubstr("row 5001 and support point 1: "));
  m.kernel.reset();
  m.support = {};
  m.map = mercer::FeatureMap::parse("[x1, log(x1)]", 1);
  EXPECT_THAT(message(m), HasSubstr("row 5001, feature log(x): "));
  EXPECT_THROW(static_cast<void>(predict(m, Points::own(x, 3000, 2))), mercer::Error);
}

TEST(Mapped, IsTheMapOfEachRow) {
  Random random(5);
  for (const bool sparse : {false, true}) {
    const Points x = random_points(random, 300, 3, sparse, sparse);
    const auto map = mercer::FeatureMap::parse("[1, x1*x2, sqrt(2)*x3^2, exp(x1), |x|^2]", 3);
    const Points images = mapped(map, x, 2);
    ASSERT_EQ(images.rows(), 300U);
    ASSERT_EQ(images.columns(), 5U);
    for (std::size_t i = 0; i < 300; ++i) {
      const auto p = point(x, i);
      EXPECT_DOUBLE_EQ(images(i, 1), p[0] * p[1]);
      EXPECT_NEAR(images(i, 2), std::sqrt(2.0) * p[2] * p[2], 1e-14);
      EXPECT_NEAR(images(i, 3), std::exp(p[0]), 1e-14);
      EXPECT_NEAR(images(i, 4), p[0] * p[0] + p[1] * p[1] + p[2] * p[2], 1e-14);
    }
  }
}

// Monomials take a way of their own.
TEST(Mapped, AgreesWithTheExpressionOfEachCoordinate) {
  Random random(6);
  const auto map = mercer::FeatureMap::parse(
      "[3, -x1, sqrt(2)*x1*x3/7, x2^5, x1^2*x2^3*x3, pi*x3^2, x1 + x2, 2*(x1 + 1), x1^20, 1/(2 + "
      "x2^2), "
      "sqrt(x1^2), x2^0.5*0 + x3, cos(x1)*x2, sum(i, x[i])^2, 1e200*x1]",
      3);
  std::vector<double> values;
  for (int i = 0; i < 200; ++i)
    for (int j = 0; j < 3; ++j)
      values.push_back(j == 1 ? random.uniform(0, 2) : random.uniform(-2, 2));
  const Points x = Points::own(values, 200, 3);
  const Points images = mapped(map, x);
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t j = 0; j < map.coordinates.size(); ++j) {
      const double plain = map.coordinates[j](point(x, i), point(x, i));
      EXPECT_NEAR(images(i, j), plain, 1e-14 * std::abs(plain)) << map.text(j);
    }
  const auto line = mercer::FeatureMap::parse("[x, x^3, 2*x^2]", 1);
  EXPECT_EQ(mapped(line, Points::own(std::vector<double>{-3}, 1, 1))(0, 1), -27);
  const auto large = mercer::FeatureMap::parse("[1e200*x1^2]", 1);
  EXPECT_THROW(mapped(large, Points::own(std::vector<double>{1e100}, 1, 1)),
               mercer::EvaluationError);
}

}  // namespace
