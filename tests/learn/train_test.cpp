// From a table to a model: which rows became its support points.
#include <gtest/gtest.h>

#include <mercer/made_data.hpp>
#include <mercer/train.hpp>

namespace mercer {
namespace {

struct Case {
  Learner learner;
  std::size_t classes;
  Model::Task task;
};

class TrainedRows : public ::testing::TestWithParam<Case> {};

TEST_P(TrainedRows, AreThoseOfTheSupportPoints) {
  const Case& c = GetParam();
  Table table = make_data("blobs", {.rows = 120, .noise = 1.5, .seed = 3, .classes = c.classes});
  TrainOptions options;
  options.learner = c.learner;
  options.kernel = rbf(0.5);
  options.task = c.task;
  options.C = 1;
  options.lambda = 1;
  const Trained t = train(table, Encoding{}, options);
  const Points& support = t.model.support;
  ASSERT_EQ(t.support_rows.size(), support.rows());
  ASSERT_GT(support.rows(), 0U);
  EXPECT_TRUE(c.learner != Learner::svm || support.rows() < table.rows());
  for (std::size_t i = 0; i < support.rows(); ++i)
    for (std::size_t j = 0; j < support.columns(); ++j)
      ASSERT_EQ(support(i, j), table.points(t.support_rows[i], j)) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Learners, TrainedRows,
    ::testing::Values(Case{Learner::svm, 2, Model::Task::classification},
                      Case{Learner::svm, 4, Model::Task::classification},
                      Case{Learner::svm, 4, Model::Task::regression},
                      Case{Learner::perceptron, 2, Model::Task::classification},
                      Case{Learner::perceptron, 3, Model::Task::classification},
                      Case{Learner::ridge, 3, Model::Task::regression}));

// What training says of its own examples is what the model says when it is asked; of most it knows.
TEST(TrainedSaid, IsWhatTheModelPredicts) {
  using Multiclass = TrainOptions::Multiclass;
  for (const std::size_t classes : {2U, 5U})
    for (const auto multiclass : {Multiclass::pairs, Multiclass::rest}) {
      const Table table =
          make_data("blobs", {.rows = 300, .noise = 2.5, .seed = 7, .classes = classes});
      TrainOptions options;
      options.learner = Learner::svm;
      options.kernel = rbf(0.5);
      options.C = 2;
      options.multiclass = multiclass;
      const Trained t = train(table, Encoding{}, options);
      const auto predicted = predict(t.model, table.points).classes;
      ASSERT_EQ(t.said.size(), table.rows());
      std::size_t known = 0;
      for (std::size_t i = 0; i < t.said.size(); ++i) {
        if (t.said[i] < 0) continue;
        ++known;
        EXPECT_EQ(t.said[i], predicted[i]) << i;
      }
      EXPECT_GT(known, table.rows() / 2);
      options.probability = true;  // the most probable class need not be that of the votes
      EXPECT_TRUE(train(table, Encoding{}, options).said.empty());
    }
}

// Pairs take rows of K as they are needed or all of it, as others before them did: the values are
// the same, and so is the model.
TEST(TrainedPairs, AreTheSameWithAnyNumberOfThreads) {
  const Table table =
      make_data("blobs", {.rows = 500, .noise = 3, .seed = 11, .dimension = 60, .classes = 5});
  for (const double gamma : {0.002, 0.1})
    for (const double C : {0.01, 10.0, 1e4}) {
      TrainOptions options;
      options.learner = Learner::svm;
      options.kernel = rbf(gamma);
      options.C = C;
      options.multiclass = TrainOptions::Multiclass::pairs;
      options.gram.threads = 1;
      const Trained one = train(table, Encoding{}, options);
      options.gram.threads = 2;
      for (int again = 0; again < 3; ++again) {
        const Trained two = train(table, Encoding{}, options);
        EXPECT_EQ(one.model.coefficients.values, two.model.coefficients.values);
        EXPECT_EQ(one.model.offsets, two.model.offsets);
      }
    }
}

}  // namespace
}  // namespace mercer
