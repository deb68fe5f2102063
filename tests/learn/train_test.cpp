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

}  // namespace
}  // namespace mercer
