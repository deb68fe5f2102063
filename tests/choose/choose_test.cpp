// Choosing: what is shared must not change what is found. Every score of a search is compared with
// rules that are trained one by one; what measures must have no part in what is measured.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mercer/calibration.hpp>
#include <mercer/error.hpp>
#include <mercer/made_data.hpp>
#include <mercer/split.hpp>
#include <mercer/tune.hpp>
#include <set>
#include <utility>

#include "base/random.hpp"
#include "choose/on_ranks.hpp"
#include "comm/agree.hpp"
#include "support/plain_learners.hpp"

namespace mercer {
namespace {

using testing::points_of;
using testing::random_matrix;

// Labels from a rule with noise: numbers, or so many classes.
Table sample(std::size_t n, std::size_t classes, std::uint64_t seed, bool weights = false) {
  RandomNumbers random(seed);
  const Matrix x = random_matrix(n, 3, seed);
  Table t;
  for (std::size_t i = 0; i < n; ++i) {
    const double f = std::sin(2 * x(i, 0)) + x(i, 1) * x(i, 2) + 0.3 * random.normal();
    if (classes == 0) {
      t.labels.numbers.push_back(f);
    } else {
      const double level = (std::atan(f) + 1.5) / 3 * static_cast<double>(classes);
      t.labels.numbers.push_back(
          std::clamp(std::floor(level), 0.0, static_cast<double>(classes) - 1));
    }
    if (weights) t.weights.push_back(0.5 + static_cast<double>(i % 4));
  }
  t.points = points_of(x);
  return t;
}

// The score of a candidate by training on the rows of each fold, one by one.
double plainly(const Table& t, const TuneOptions& o, const Candidate& c, const Tuned& tuned) {
  const bool classes = tuned.task == Model::Task::classification;
  SplitOptions how;
  how.seed = o.train.seed;
  how.stratify = classes;
  double sum = 0;
  for (const Split& fold : folds(t.labels, o.folds, how)) {
    const Table train_rows = t.select(fold.train);
    const Table test_rows = t.select(fold.test);
    Tuned one = tuned;
    one.candidates = {c};
    one.chosen = 0;
    const Model m = train(train_rows, Encoding::fit(train_rows), chosen_options(one, o)).model;
    const Prediction p = predict(m, test_rows.points);
    if (classes) {
      ClassificationScore s(m.classes);
      std::vector<std::int32_t> truth;
      for (std::size_t i = 0; i < test_rows.rows(); ++i)
        truth.push_back(static_cast<std::int32_t>(test_rows.labels.numbers[i]));
      s.add(truth, p.classes, merits(m, p), {}, test_rows.weights);
      sum += *measure(metric_named(tuned.metric, tuned.task), s);
    } else {
      RegressionScore s;
      s.add(test_rows.labels.numbers, p.scores.values, test_rows.weights);
      sum += *measure(metric_named(tuned.metric, tuned.task), s);
    }
  }
  return sum / static_cast<double>(o.folds);
}

// Several ranks try the same candidates, in the same order, with the same scores to the last bit.
TEST(Tune, RanksAgreeWithOne) {
  for (const std::size_t classes : {0UL, 2UL, 3UL})
    for (const auto search :
         {classes == 2 ? TuneOptions::Search::halving : TuneOptions::Search::grid}) {
      const Table t = sample(150, classes, 5 + classes);
      TuneOptions o;
      o.search = search;
      o.kernels = {Kernel::parse("rbf(gamma=?)"), Kernel::parse("laplacian(gamma=?)"),
                   Kernel::parse("poly(2)")};
      o.grid["gamma"] = {0.05, 0.2, 0.5, 1, 2};
      o.grid[classes == 0 ? "lambda" : "C"] = {0.1, 10};
      o.compose = classes == 0;
      if (classes == 2) o.candidates = 20;  // a budget ends all of them at the same place
      const Tuned one = tune(t, o);
      for (const std::size_t ranks : {2UL, 3UL}) {
        std::vector<std::optional<Tuned>> found(ranks);
        std::size_t told = 0;
        comm::on_threads(ranks, [&](const comm::Comm& comm) {
          TuneOptions mine = o;
          mine.train.gram.threads = 1;
          mine.observe = [&](const std::vector<Candidate>&) {
            EXPECT_EQ(comm.rank(), 0U);
            ++told;
            return true;
          };
          found[comm.rank()] = choose::tune(t, mine, comm);
        });
        EXPECT_GT(told, 0U);
        for (const auto& f : found) {
          ASSERT_EQ(f->candidates.size(), one.candidates.size());
          EXPECT_EQ(f->chosen, one.chosen);
          EXPECT_EQ(f->kernel_values, one.kernel_values);
          EXPECT_EQ(f->interrupted, one.interrupted);
          for (std::size_t k = 0; k < one.candidates.size(); ++k) {
            EXPECT_EQ(f->candidates[k].kernel.text(), one.candidates[k].kernel.text());
            EXPECT_EQ(f->candidates[k].price, one.candidates[k].price);
            EXPECT_EQ(f->candidates[k].by_fold, one.candidates[k].by_fold);
            EXPECT_EQ(f->candidates[k].support, one.candidates[k].support);
          }
        }
        EXPECT_EQ(found[0]->story, one.story);
      }
    }
}

TEST(Tune, AMistakeOnRanksIsToldByTheFirst) {
  const Table t = sample(100, 2, 3);
  std::vector<std::string> said(3);
  comm::on_threads(3, [&](const comm::Comm& comm) {
    TuneOptions o;
    o.kernels = {Kernel::parse("linear"), Kernel::parse("rbf(1)"), Kernel::parse("poly(2)"),
                 Kernel::parse("poly(3)"), Kernel::parse("1 + sqrt(x1*z1)")};
    try {
      choose::tune(t, o, comm);
    } catch (const comm::Over&) {
      said[comm.rank()] = "over";
    } catch (const Error& error) {
      said[comm.rank()] = error.what();
    }
  });
  EXPECT_NE(said[0].find("sqrt"), std::string::npos) << said[0];
  EXPECT_EQ(said[1], "over");
  EXPECT_EQ(said[2], "over");
}

struct Case {
  std::string name;
  std::size_t classes;  // 0: regression
  Learner learner;
  std::string metric;
  bool rest = false;
  bool weights = false;
};

class EveryScore : public ::testing::TestWithParam<Case> {};

TEST_P(EveryScore, IsThatOfRulesTrainedOneByOne) {
  const Case& c = GetParam();
  const Table t = sample(150, c.classes, 3, c.weights);
  TuneOptions o;
  o.search = TuneOptions::Search::grid;
  o.kernels = {Kernel::parse("rbf(gamma=?)"), Kernel::parse("poly(2)")};
  o.grid["gamma"] = {0.2, 1};
  o.grid[c.learner == Learner::ridge ? "lambda" : "C"] = {0.1, 1, 30};
  o.metric = c.metric;
  o.folds = 4;
  o.train.learner = c.learner;
  o.train.seed = 7;
  o.train.svm.tolerance = 1e-6;
  o.train.gram.precision = GramOptions::Precision::float64;
  if (c.classes == 0) o.train.task = Model::Task::regression;
  if (c.classes != 0) o.train.task = Model::Task::classification;
  if (c.rest) o.train.multiclass = TrainOptions::Multiclass::rest;
  const Tuned tuned = tune(t, o);
  ASSERT_EQ(tuned.candidates.size(), 9U);
  for (const Candidate& found : tuned.candidates) {
    EXPECT_EQ(found.by_fold.size(), 4U);
    EXPECT_NEAR(found.score, plainly(t, o, found, tuned), 1e-4)
        << found.kernel << " with " << found.price;
    EXPECT_TRUE(tuned.more_is_better ? found.score <= tuned.best().score
                                     : found.score >= tuned.best().score);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryScore,
                         ::testing::Values(Case{"two", 2, Learner::svm, "accuracy"},
                                           Case{"pairs", 4, Learner::svm, "accuracy"},
                                           Case{"pairs_auc", 3, Learner::svm, "auc"},
                                           Case{"rest", 3, Learner::svm, "f1", true},
                                           Case{"weights", 3, Learner::svm, "balanced_accuracy",
                                                false, true},
                                           Case{"support_regression", 0, Learner::svm, "mae"},
                                           Case{"ridge", 0, Learner::ridge, "rmse", false, true},
                                           Case{"ridge_classes", 3, Learner::ridge, "accuracy"}),
                         [](const auto& test) { return test.param.name; });

// Each fold by sigmoids for the scores of the others, each score by a rule without its fold.
TEST(Tune, LogLossIsThatOfCalibratedScores) {
  for (const std::size_t classes : {2U, 3U}) {
    const Table t = sample(180, classes, 5);
    TuneOptions o;
    o.search = TuneOptions::Search::grid;
    o.kernels = {rbf(0.5)};
    o.grid["C"] = {0.3, 5};
    o.metric = "log_loss";
    o.folds = 3;
    o.train.svm.tolerance = 1e-7;
    o.train.gram.precision = GramOptions::Precision::float64;
    const Tuned tuned = tune(t, o);
    EXPECT_FALSE(tuned.more_is_better);
    EXPECT_TRUE(chosen_options(tuned, o).probability);
    SplitOptions how;
    how.seed = o.train.seed;
    how.stratify = true;
    const auto parts = folds(t.labels, o.folds, how);
    for (const Candidate& c : tuned.candidates) {
      Tuned one = tuned;
      one.candidates = {c};
      one.chosen = 0;
      TrainOptions plain = chosen_options(one, o);
      plain.probability = false;
      Model m;
      Matrix scores;
      for (const Split& fold : parts) {
        const Table rows = t.select(fold.train);
        m = train(rows, Encoding::fit(rows), plain).model;
        const Matrix f = predict(m, t.select(fold.test).points).scores;
        if (scores.rows == 0) scores = Matrix::zeros(t.rows(), f.columns);
        for (std::size_t k = 0; k < f.rows; ++k)
          for (std::size_t s = 0; s < f.columns; ++s) scores(fold.test[k], s) = f(k, s);
      }
      double mean = 0;
      for (const Split& fold : parts) {
        m.calibration.clear();
        for (std::size_t s = 0; s < scores.columns; ++s) {
          // The first of a pair, or the second of two.
          static constexpr std::array<std::pair<int, int>, 3> pairs{{{0, 1}, {0, 2}, {1, 2}}};
          std::vector<double> f;
          std::vector<char> positive;
          for (const std::size_t i : fold.train) {
            const int label = static_cast<int>(t.labels.numbers[i]);
            if (classes == 3 && label != pairs[s].first && label != pairs[s].second) continue;
            f.push_back(scores(i, s));
            positive.push_back(label == (classes == 3 ? pairs[s].first : 1) ? 1 : 0);
          }
          m.calibration.push_back(fit_sigmoid(f, positive));
        }
        Matrix own = Matrix::zeros(fold.test.size(), scores.columns);
        for (std::size_t k = 0; k < own.rows; ++k)
          for (std::size_t s = 0; s < own.columns; ++s) own(k, s) = scores(fold.test[k], s);
        const Matrix p = probabilities_by_score(m, own);
        double loss = 0;
        for (std::size_t k = 0; k < own.rows; ++k)
          loss -= std::log(p(k, static_cast<std::size_t>(t.labels.numbers[fold.test[k]])));
        mean += loss / static_cast<double>(own.rows) / static_cast<double>(parts.size());
      }
      EXPECT_NEAR(c.score, mean, 1e-4) << classes << " classes, C = " << c.price;
    }
  }
}

// Columns that say nothing are left out, and what is made of kernels is no mere multiple.
TEST(Tune, ComposesOfColumns) {
  Table t = sample(300, 0, 12);
  RandomNumbers random(3);
  Matrix x = Matrix::zeros(t.rows(), 6);
  for (std::size_t i = 0; i < t.rows(); ++i) {
    for (std::size_t c = 0; c < 6; ++c) x(i, c) = 2 * random.normal();
    t.labels.numbers[i] = std::sin(2 * x(i, 1)) + 0.05 * random.normal();
  }
  t.points = std::move(x).points();
  TuneOptions o;
  o.kernels = {Kernel::parse("rbf(gamma=?)"), Kernel::parse("linear")};
  o.train.task = Model::Task::regression;
  const Tuned plain = tune(t, o);
  o.compose = true;
  const Tuned composed = tune(t, o);
  EXPECT_LT(composed.best().score, 0.9 * plain.best().score) << composed.best().kernel;
  EXPECT_NE(composed.best().kernel.text().find('['), std::string::npos) << composed.best().kernel;
  std::set<std::string> seen;
  for (const Candidate& c : composed.candidates) {
    EXPECT_EQ(c.kernel.text().find("+ 2"), std::string::npos) << c.kernel;
    EXPECT_TRUE(seen.insert(fmt::format("{} {} {}", c.kernel.text(), c.price, c.rows)).second);
  }
  // Where all columns count and nothing is gained, it stays as it was.
  const Table all = sample(300, 2, 13);
  o.kernels = {rbf(0.5)};
  o.train.task = Model::Task::classification;
  EXPECT_EQ(tune(all, o).best().kernel, rbf(0.5));
}

TEST(Tune, KernelValuesDoNotGrowWithFoldsOrPrices) {
  const Table t = sample(120, 3, 4);
  TuneOptions o;
  o.search = TuneOptions::Search::grid;
  o.grid["gamma"] = {0.1, 1, 3};
  o.grid["C"] = {1};
  o.folds = 2;
  const double few = tune(t, o).kernel_values;
  EXPECT_EQ(few, 3.0 * 120 * 120);
  o.grid["C"] = {0.1, 1, 10, 100, 1000};
  o.folds = 10;
  EXPECT_EQ(tune(t, o).kernel_values, few);
}

TEST(Tune, TheSameWhateverTheThreads) {
  const Table t = sample(300, 3, 5);
  TuneOptions o;
  o.train.seed = 2;
  o.kernels = {Kernel::parse("rbf(gamma=?)"), Kernel::parse("linear")};
  o.compose = true;
  std::vector<Tuned> found;
  for (const unsigned threads : {1U, 2U}) {
    o.train.gram.threads = threads;
    found.push_back(tune(t, o));
  }
  ASSERT_EQ(found[0].candidates.size(), found[1].candidates.size());
  for (std::size_t k = 0; k < found[0].candidates.size(); ++k) {
    EXPECT_EQ(found[0].candidates[k].kernel, found[1].candidates[k].kernel);
    EXPECT_EQ(found[0].candidates[k].by_fold, found[1].candidates[k].by_fold);
  }
  EXPECT_EQ(found[0].chosen, found[1].chosen);
}

TEST(Tune, KnownScoresAreNotComputedAgain) {
  const Table t = sample(300, 2, 6);
  TuneOptions o;
  const Tuned whole = tune(t, o);
  std::size_t told = 0;
  o.observe = [&](const std::vector<Candidate>& so_far) {
    ++told;
    return so_far.size() < 20;
  };
  const Tuned part = tune(t, o);
  EXPECT_TRUE(part.interrupted);
  EXPECT_LT(part.candidates.size(), whole.candidates.size());
  o.observe = {};
  o.known = part.candidates;
  const Tuned rest = tune(t, o);
  EXPECT_LT(rest.kernel_values, whole.kernel_values);
  EXPECT_EQ(rest.best().kernel, whole.best().kernel);
  EXPECT_EQ(rest.best().price, whole.best().price);
  EXPECT_EQ(rest.candidates.size(), whole.candidates.size());
}

TEST(Tune, HalvingFindsWhatTheGridFinds) {
  const Table t = sample(1800, 2, 7);
  TuneOptions o;
  o.train.svm.tolerance = 1e-2;
  o.grid["C"] = {0.1, 1, 10};
  const Tuned halved = tune(t, o);
  o.search = TuneOptions::Search::grid;
  const Tuned all = tune(t, o);
  EXPECT_GT(halved.best().score, all.best().score - 0.005);
  EXPECT_EQ(halved.best().rows, 1800U);
  const auto on_all = std::ranges::count(halved.candidates, std::size_t{1800}, &Candidate::rows);
  EXPECT_LT(static_cast<std::size_t>(on_all), all.candidates.size());
}

TEST(Tune, Budgets) {
  const Table t = sample(200, 2, 8);
  TuneOptions o;
  o.candidates = 7;
  const Tuned tuned = tune(t, o);
  EXPECT_TRUE(tuned.interrupted);
  EXPECT_GE(tuned.candidates.size(), 7U);
  EXPECT_LT(tuned.candidates.size(), 20U);
  o.candidates = 0;
  o.memory = 200'000;  // bytes: not even 200 rows
  const Tuned small = tune(t, o);
  EXPECT_LE(small.rows, 180U);
  EXPECT_FALSE(small.notes.empty());
}

TEST(Tune, Mistakes) {
  const Table t = sample(60, 2, 9);
  TuneOptions o;
  o.metric = "rmse";
  EXPECT_THROW(tune(t, o), Error);
  o.metric = "log_loss";
  o.train.learner = Learner::ridge;
  EXPECT_THROW(tune(t, o), Error);
  o.train.learner.reset();
  o.metric = "";
  o.folds = 61;
  EXPECT_THROW(tune(t, o), Error);
  o.folds = 5;
  o.grid["delta"] = {1};
  EXPECT_THROW(tune(t, o), Error);
  o.grid.clear();
  o.train.learner = Learner::perceptron;
  EXPECT_THROW(tune(t, o), Error);
}

// Changing the labels of a part must not change what is chosen and predicted for it.
TEST(Nested, ChoosingNeverSeesWhatMeasures) {
  Table t = sample(240, 2, 10);
  TuneOptions o;
  o.train.seed = 1;
  CrossValidationOptions outer;
  outer.folds = 3;
  outer.stratify = false;
  const CrossValidation before = tune_nested(Examples(t), o, outer);
  for (std::size_t i = 0; i < t.rows(); ++i)
    if (before.fold[i] == 1) t.labels.numbers[i] = 1 - t.labels.numbers[i];
  const CrossValidation after = tune_nested(Examples(t), o, outer);
  ASSERT_EQ(after.fold, before.fold);
  EXPECT_EQ(after.parts[1].chosen, before.parts[1].chosen);
  for (std::size_t i = 0; i < t.rows(); ++i)
    if (before.fold[i] == 1) {
      EXPECT_EQ(after.predicted[i], before.predicted[i]);
    }
  EXPECT_NE(after.measures[0].by_part[1], before.measures[0].by_part[1]);
}

// Neither does the scale: a row far out, in the part that is predicted, changes its own prediction
// alone.
TEST(CrossValidation, EncodesEachPartByItself) {
  Table t = sample(90, 0, 11);
  EncodingOptions scaled;
  scaled.scaling = Scaling::standard;
  TrainOptions train_options;
  train_options.kernel = rbf(0.5);
  train_options.lambda = 0.1;
  train_options.task = Model::Task::regression;
  CrossValidationOptions how;
  how.folds = 3;
  const CrossValidation before = cross_validate(Examples(t, scaled), train_options, how);
  std::size_t far = 0;
  while (before.fold[far] != 2) ++far;
  Matrix x = dense(t.points);
  x(far, 0) = 1e4;
  t.points = std::move(x).points();
  const CrossValidation after = cross_validate(Examples(t, scaled), train_options, how);
  std::size_t others = 0;
  for (std::size_t i = 0; i < t.rows(); ++i) {
    if (i == far) continue;
    if (before.fold[i] == 2) {
      EXPECT_EQ(after.numbers[i], before.numbers[i]);
    }
    if (before.fold[i] != 2 && after.numbers[i] != before.numbers[i]) ++others;
  }
  EXPECT_GT(others, 0U);
}

TEST(CrossValidation, LeavingOneOutByTheFormulaIsLeavingOneOut) {
  const Table t = sample(40, 0, 12, true);
  TrainOptions train_options;
  train_options.learner = Learner::ridge;
  train_options.kernel = rbf(0.5);
  train_options.lambda = 0.3;
  train_options.task = Model::Task::regression;
  CrossValidationOptions how;
  how.folds = 0;
  const CrossValidation formula = cross_validate(Examples(t), train_options, how);
  EXPECT_TRUE(formula.closed_form);
  how.folds = 40;
  const CrossValidation each = cross_validate(Examples(t), train_options, how);
  EXPECT_FALSE(each.closed_form);
  for (std::size_t i = 0; i < t.rows(); ++i) EXPECT_NEAR(formula.numbers[i], each.numbers[i], 1e-6);
}

TEST(CrossValidation, LeavesOneOutOfClassesToo) {
  const Table t = sample(30, 2, 13);
  TrainOptions train_options;
  train_options.kernel = rbf(1);
  train_options.C = 1;
  CrossValidationOptions how;
  how.folds = 0;
  const CrossValidation cv = cross_validate(Examples(t), train_options, how);
  EXPECT_EQ(cv.parts.size(), 30U);
  double right = 0;
  for (std::size_t i = 0; i < 30; ++i) right += cv.predicted[i] == t.labels.text(i) ? 1 : 0;
  EXPECT_NEAR(*cv.measures[0].mean, right / 30, 1e-12);
}

TEST(Folds, OfGroupsKeepThemTogether) {
  RandomNumbers random(14);
  std::vector<std::int64_t> groups(200);
  for (auto& g : groups) g = static_cast<std::int64_t>(random.below(23));
  const auto parts = folds_of_groups(groups, 4, 1);
  std::set<std::size_t> seen;
  std::size_t least = 200;
  std::size_t most = 0;
  for (const Split& part : parts) {
    std::set<std::int64_t> test;
    for (const std::size_t i : part.test) {
      test.insert(groups[i]);
      EXPECT_TRUE(seen.insert(i).second);
    }
    for (const std::size_t i : part.train) EXPECT_FALSE(test.contains(groups[i]));
    least = std::min(least, part.test.size());
    most = std::max(most, part.test.size());
  }
  EXPECT_EQ(seen.size(), 200U);
  EXPECT_LE(most - least, 20U);
  EXPECT_THROW(folds_of_groups(groups, 24, 1), Error);
}

TEST(Automatic, HoldsOutWhatMeasures) {
  const Table t = sample(450, 2, 15);
  TuneOptions o;
  const AutoChoice found = choose_automatically(Examples(t), o);
  EXPECT_FALSE(found.nested);
  EXPECT_EQ(found.held_out.parts.size(), 1U);
  EXPECT_EQ(found.held_out.parts[0].test, 90U);
  EXPECT_EQ(found.tuned.rows, 360U);
  EXPECT_EQ(*found.trained.model.kernel, found.tuned.best().kernel);
  EXPECT_GT(*found.held_out.measures[0].mean, 0.7);
}

}  // namespace
}  // namespace mercer
