// Measures against their definitions, pair by pair and row by row.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <mercer/error.hpp>
#include <mercer/metrics.hpp>
#include <set>

#include "support/random.hpp"

namespace {

using mercer::ClassificationScore;
using mercer::Matrix;
using mercer::RegressionScore;

struct Made {
  std::size_t n = 0;
  std::size_t classes = 0;
  std::vector<std::int32_t> truth;
  std::vector<std::int32_t> predicted;
  Matrix merits;
  Matrix probabilities;
  std::vector<double> weights;
};

Made made(Random& random) {
  Made m;
  m.n = 1 + random.below(60);
  m.classes = 2 + random.below(4);
  const bool single = m.classes == 2 && random.one_in(2);
  m.merits.rows = m.probabilities.rows = m.n;
  m.merits.columns = single ? 1 : m.classes;
  m.probabilities.columns = m.classes;
  const bool weighted = random.one_in(2);
  for (std::size_t i = 0; i < m.n; ++i) {
    const std::size_t kinds = m.classes + (random.one_in(5) ? 1 : 0);
    const auto k = static_cast<std::int32_t>(random.below(kinds));
    m.truth.push_back(k);  // the last is the label of no class
    m.predicted.push_back(static_cast<std::int32_t>(random.below(m.classes)));
    // Few different values, so that there are ties.
    for (std::size_t c = 0; c < m.merits.columns; ++c)
      m.merits.values.push_back(static_cast<double>(random.below(6)));
    double sum = 0;
    for (std::size_t c = 0; c < m.classes; ++c) {
      m.probabilities.values.push_back(random.one_in(9) ? 0 : random.uniform(0, 1));
      sum += m.probabilities.values.back();
    }
    for (std::size_t c = 0; sum > 0 && c < m.classes; ++c) m.probabilities(i, c) /= sum;
    if (weighted) m.weights.push_back(static_cast<double>(random.below(4)) / 2);
  }
  return m;
}

double weight(const Made& m, std::size_t i) { return m.weights.empty() ? 1 : m.weights[i]; }

ClassificationScore scored(const Made& m, Random& random) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < m.classes; ++c) names.push_back(std::to_string(c));
  ClassificationScore score(names);
  EXPECT_EQ(score.other("none of them"), static_cast<std::int32_t>(m.classes));
  EXPECT_EQ(score.other("none of them"), static_cast<std::int32_t>(m.classes));
  const auto part = [](const Matrix& all, std::size_t begin, std::size_t count) {
    Matrix rows = all;
    rows.rows = count;
    rows.values.assign(
        all.values.begin() + static_cast<std::ptrdiff_t>(begin * all.columns),
        all.values.begin() + static_cast<std::ptrdiff_t>((begin + count) * all.columns));
    return rows;
  };
  for (std::size_t at = 0; at < m.n;) {
    const std::size_t count = std::min(m.n - at, random.below(20));
    score.add(
        std::span(m.truth).subspan(at, count), std::span(m.predicted).subspan(at, count),
        part(m.merits, at, count), part(m.probabilities, at, count),
        m.weights.empty() ? std::span<const double>() : std::span(m.weights).subspan(at, count));
    at += count;
  }
  return score;
}

// Every pair of rows; nothing where there is none.
std::optional<double> plain_auc(const Made& m, std::size_t k) {
  const auto merit = [&](std::size_t i) {
    if (m.merits.columns == 1) return k == 1 ? m.merits(i, 0) : -m.merits(i, 0);
    if (m.classes == 2) return m.merits(i, k) - m.merits(i, 1 - k);
    return m.merits(i, k);
  };
  double won = 0;
  double all = 0;
  for (std::size_t i = 0; i < m.n; ++i)
    for (std::size_t j = 0; j < m.n; ++j) {
      if (m.truth[i] != static_cast<std::int32_t>(k) ||
          m.truth[j] == static_cast<std::int32_t>(m.classes) || m.truth[j] == m.truth[i])
        continue;
      const double w = weight(m, i) * weight(m, j);
      all += w;
      won += w * (merit(i) > merit(j) ? 1 : merit(i) == merit(j) ? 0.5 : 0);
    }
  if (all <= 0) return std::nullopt;
  return won / all;
}

TEST(ClassificationScore, IsItsDefinition) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    const Made m = made(random);
    const ClassificationScore score = scored(m, random);
    double all = 0;
    double right = 0;
    double loss = 0;
    double known = 0;
    std::size_t unknown = 0;
    for (std::size_t i = 0; i < m.n; ++i) {
      const double w = weight(m, i);
      all += w;
      if (m.truth[i] == m.predicted[i]) right += w;
      if (m.truth[i] == static_cast<std::int32_t>(m.classes)) {
        ++unknown;
        continue;
      }
      known += w;
      loss -=
          w * std::log(std::max(m.probabilities(i, static_cast<std::size_t>(m.truth[i])), 1e-15));
    }
    EXPECT_EQ(score.rows(), m.n);
    EXPECT_EQ(score.other_rows(), unknown);
    EXPECT_NEAR(score.accuracy(), all > 0 ? right / all : 0, 1e-12);
    ASSERT_EQ(score.log_loss().has_value(), known > 0);
    if (known > 0) {
      EXPECT_NEAR(*score.log_loss(), loss / known, 1e-10);
    }
    // Class by class.
    double f1 = 0;
    double classes = 0;
    for (std::size_t k = 0; k <= m.classes; ++k) {
      double both = 0;
      double is = 0;
      double said = 0;
      for (std::size_t i = 0; i < m.n; ++i) {
        const bool t = m.truth[i] == static_cast<std::int32_t>(k);
        const bool p = m.predicted[i] == static_cast<std::int32_t>(k);
        if (t && p) both += weight(m, i);
        if (t) is += weight(m, i);
        if (p) said += weight(m, i);
      }
      const auto of = score.per_class()[k];
      EXPECT_NEAR(of.precision, said > 0 ? both / said : 0, 1e-12);
      EXPECT_NEAR(of.recall, is > 0 ? both / is : 0, 1e-12);
      EXPECT_NEAR(of.rows, is, 1e-12);
      const double sum = of.precision + of.recall;
      EXPECT_NEAR(of.f1, sum > 0 ? 2 * of.precision * of.recall / sum : 0, 1e-12);
      if (is + said > 0) {
        f1 += of.f1;
        ++classes;
      }
    }
    EXPECT_NEAR(score.macro_f1(), classes > 0 ? f1 / classes : 0, 1e-12);
    // AUC: of two classes that of the second, of more the mean.
    double sum = 0;
    double count = 0;
    for (std::size_t k = m.classes == 2 ? 1 : 0; k < m.classes; ++k)
      if (const auto one = plain_auc(m, k)) {
        sum += *one;
        ++count;
      }
    ASSERT_EQ(score.auc().has_value(), count > 0);
    if (count > 0) {
      EXPECT_NEAR(*score.auc(), sum / count, 1e-12);
    }
  }
}

TEST(ClassificationScore, AucByHand) {
  const auto positive = std::to_array({true, false, true, false});
  EXPECT_EQ(mercer::auc(std::vector<double>{4, 3, 2, 1}, positive), 0.75);
  EXPECT_EQ(mercer::auc(std::vector<double>{1, 1, 1, 1}, positive), 0.5);
  EXPECT_EQ(mercer::auc(std::vector<double>{2, 1, 2, 1}, positive), 1.0);
  EXPECT_FALSE(mercer::auc(std::vector<double>{1, 2}, std::to_array({true, true})).has_value());
}

TEST(ClassificationScore, Mistakes) {
  EXPECT_THROW(ClassificationScore({"a"}), mercer::Error);
  ClassificationScore score({"a", "b", "c"});
  const std::vector<std::int32_t> one{0};
  const std::vector<std::int32_t> beyond{3};
  EXPECT_THROW(score.add(one, beyond), mercer::Error);
  EXPECT_THROW(score.add(beyond, one), mercer::Error);
  EXPECT_THROW(score.add(one, std::vector<std::int32_t>{0, 1}), mercer::Error);
  EXPECT_THROW(score.add(one, one, Matrix{1, 1, {0}, {}}), mercer::Error);
  EXPECT_THROW(score.add(one, one, Matrix{1, 3, {0, NAN, 1}, {}}), mercer::Error);
  EXPECT_THROW(score.add(one, one, {}, {}, std::vector<double>{-1}), mercer::Error);
  EXPECT_EQ(score.rows(), 0U);
}

TEST(RegressionScore, IsItsDefinition) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random.below(50);
    const double offset = round % 2 == 0 ? 0 : 1e6;
    std::vector<double> y;
    std::vector<double> f;
    std::vector<double> w;
    for (std::size_t i = 0; i < n; ++i) {
      y.push_back(offset + random.uniform(-1, 1));
      f.push_back(y.back() + random.uniform(-1, 1));
      w.push_back(round % 3 == 0 ? 1 : static_cast<double>(1 + random.below(3)));
    }
    RegressionScore score;
    const std::size_t cut = random.below(n);
    const std::span<const double> all_w = round % 3 == 0 ? std::span<const double>() : std::span(w);
    const auto weights = [&](std::size_t begin, std::size_t count) {
      return all_w.empty() ? all_w : all_w.subspan(begin, count);
    };
    score.add(std::span(y).first(cut), std::span(f).first(cut), weights(0, cut));
    score.add(std::span(y).subspan(cut), std::span(f).subspan(cut), weights(cut, n - cut));
    double sum_w = 0;
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
      sum_w += w[i];
      mean += w[i] * y[i];
    }
    mean /= sum_w;
    double squares = 0;
    double absolute = 0;
    double spread = 0;
    for (std::size_t i = 0; i < n; ++i) {
      squares += w[i] * (f[i] - y[i]) * (f[i] - y[i]);
      absolute += w[i] * std::abs(f[i] - y[i]);
      spread += w[i] * (y[i] - mean) * (y[i] - mean);
    }
    EXPECT_NEAR(score.rmse(), std::sqrt(squares / sum_w), 1e-12);
    EXPECT_NEAR(score.mae(), absolute / sum_w, 1e-12);
    ASSERT_EQ(score.r2().has_value(), n > 1);
    if (n > 1) {
      EXPECT_NEAR(*score.r2(), 1 - squares / spread, 1e-7 * (1 + squares / spread));
    }
  }
  RegressionScore constant;
  constant.add(std::vector<double>{3, 3}, std::vector<double>{1, 2});
  EXPECT_FALSE(constant.r2().has_value());
}

}  // namespace
