// θ·φ(x) + b is the score of x, on points that the model has never seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mercer/error.hpp>
#include <mercer/mapped.hpp>
#include <mercer/theta.hpp>
#include <mercer/train.hpp>

#include "base/random.hpp"
#include "support/plain_learners.hpp"

namespace mercer {
namespace {

using mercer::testing::points_of;
using mercer::testing::random_matrix;
using ::testing::HasSubstr;

Table table_of(std::size_t n, std::size_t d, std::size_t classes, std::uint64_t seed) {
  Table table;
  table.points = points_of(random_matrix(n, d, seed));
  RandomNumbers random(seed);
  for (std::size_t i = 0; i < n; ++i)
    table.labels.numbers.push_back(static_cast<double>(i < classes ? i : random.below(classes)));
  return table;
}

void expect_scores(const Model& m, const std::string& about) {
  const Theta t = theta(m);
  ASSERT_EQ(t.why, "") << about;
  const Points x = points_of(random_matrix(50, m.dimension(), 77));
  const Points phi = mapped(t.map, x);
  const Prediction p =
      predict(m, x, {.threads = 0, .float64 = true, .instructions = {}, .rows_before = 0});
  double size = 0;
  for (const double s : p.scores.values) size = std::max(size, std::abs(s));
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t c = 0; c < m.scores(); ++c) {
      double score = m.offsets[c];
      for (std::size_t j = 0; j < phi.columns(); ++j) score += t.weights(j, c) * phi(i, j);
      ASSERT_NEAR(score, p.scores(i, c), 1e-9 * size) << about << ", point " << i;
    }
}

TEST(Theta, IsTheRuleInTheFeaturesOfItsKernel) {
  using Multiclass = TrainOptions::Multiclass;
  for (const char* text : {"linear", "poly(2)", "3*(x.z)^2 + 1", "poly(2)[1:2] + linear",
                           "x1*z1*(x.z + 2)", "exp(x1)*(x.z)*exp(z1)"})
    for (const std::size_t d : {2U, 3U})
      for (const std::size_t classes : {2U, 4U})
        for (const auto multiclass : {Multiclass::pairs, Multiclass::rest}) {
          const Kernel k = Kernel::parse(text, {.dimension = static_cast<std::uint32_t>(d)});
          const Table table = table_of(60, d, classes, d + classes);
          TrainOptions o;
          o.learner = Learner::svm;
          o.kernel = k;
          o.C = 2;
          o.multiclass = multiclass;
          expect_scores(train(table, Encoding::fit(table), o).model, text);
        }
}

TEST(Theta, OfSparsePointsRegressionAndMaps) {
  const Table table = table_of(40, 3, 2, 5);
  TrainOptions o;
  o.task = Model::Task::regression;
  o.lambda = 0.1;
  o.kernel = Kernel::parse("poly(2)");
  const Model dense = train(table, Encoding::fit(table), o).model;
  expect_scores(dense, "ridge");
  Model sparse = dense;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (std::size_t i = 0; i < dense.support.rows(); ++i) {
    for (std::int32_t j = 0; j < 3; ++j) {
      indices.push_back(j);
      values.push_back(dense.support(i, static_cast<std::size_t>(j)));
    }
    offsets.push_back(static_cast<std::int64_t>(indices.size()));
  }
  sparse.support = Points::own(offsets, indices, values, 3);
  EXPECT_EQ(theta(sparse).weights.values, theta(dense).weights.values);
  o.kernel.reset();
  o.map = FeatureMap::parse("[x1, x2*x3]", 3);
  const Model explicit_form = train(table, Encoding::fit(table), o).model;
  EXPECT_EQ(theta(explicit_form).weights.values, explicit_form.coefficients.values);
}

TEST(Theta, IsLeftOutWithAReason) {
  const Table table = table_of(20, 8, 2, 9);
  TrainOptions o;
  o.learner = Learner::svm;
  o.C = 1;
  const auto why = [&](const char* text, std::size_t most = 32) {
    o.kernel = Kernel::parse(text);
    const Theta t = theta(train(table, Encoding::fit(table), o).model, most);
    EXPECT_TRUE(t.weights.values.empty());
    return t.why;
  };
  EXPECT_THAT(why("rbf(1)"), HasSubstr("infinitely many"));
  EXPECT_THAT(why("poly(2)"), HasSubstr("45 features, more than the 32"));
  EXPECT_THAT(why("linear", 7), HasSubstr("8 features, more than the 7"));
  EXPECT_THAT(why("tanh(x.z)"), HasSubstr("φ"));
  EXPECT_THAT(why("x.z - 1"), HasSubstr("there is no φ"));
}

}  // namespace
}  // namespace mercer
