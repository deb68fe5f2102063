// Splits: every row once, shares of the classes, and the same on every machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/split.hpp>
#include <numeric>

#include "support/random.hpp"

namespace {

using mercer::folds;
using mercer::Labels;
using mercer::Split;
using mercer::split;
using testing::ElementsAre;

Labels random_labels(Random& random, std::size_t n, std::size_t classes) {
  Labels labels;
  for (std::size_t i = 0; i < n; ++i)
    labels.numbers.push_back(
        static_cast<double>(std::min(random.below(classes), random.below(classes))));
  return labels;
}

void expect_partition(const Split& s, std::size_t n) {
  std::vector<std::size_t> all(s.train);
  all.insert(all.end(), s.test.begin(), s.test.end());
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), n);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(all[i], i);
  EXPECT_TRUE(std::ranges::is_sorted(s.train));
  EXPECT_TRUE(std::ranges::is_sorted(s.test));
}

std::vector<std::size_t> counts(const Labels& labels, const std::vector<std::size_t>& rows) {
  const auto classes = mercer::classes_of(labels);
  std::vector<std::size_t> result(classes.names.size());
  for (const auto i : rows) ++result[static_cast<std::size_t>(classes.codes[i])];
  return result;
}

TEST(Split, EveryRowOnceAndEveryClassItsShare) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    const std::size_t n = 20 + random.below(300);
    const Labels labels = random_labels(random, n, 1 + random.below(5));
    mercer::SplitOptions options;
    options.test = random.uniform(0.1, 0.9);
    options.seed = random.bits();
    const Split s = split(labels, options);
    expect_partition(s, n);
    const auto whole = mercer::classes_of(labels).counts;
    const auto part = counts(labels, s.test);
    for (std::size_t c = 0; c < whole.size(); ++c)
      EXPECT_NEAR(static_cast<double>(part[c]), options.test * static_cast<double>(whole[c]), 1.51);
  }
}

TEST(Split, FoldsTestEveryRowOnce) {
  Random random(2);
  for (const std::size_t k : {2U, 3U, 10U}) {
    const Labels labels = random_labels(random, 103, 3);
    const auto parts = folds(labels, k);
    ASSERT_EQ(parts.size(), k);
    std::vector<int> tested(103);
    const auto whole = mercer::classes_of(labels).counts;
    for (const auto& part : parts) {
      expect_partition(part, 103);
      for (const auto i : part.test) ++tested[i];
      const auto share = counts(labels, part.test);
      for (std::size_t c = 0; c < whole.size(); ++c)
        EXPECT_NEAR(static_cast<double>(share[c]),
                    static_cast<double>(whole[c]) / static_cast<double>(k), 1.01);
    }
    EXPECT_EQ(std::accumulate(tested.begin(), tested.end(), 0), 103);
    EXPECT_EQ(std::ranges::max(tested), 1);
  }
}

TEST(Split, TheSeedDecides) {
  EXPECT_EQ(split(100, {.test = 0.3, .seed = 5, .stratify = {}}).test,
            split(100, {.test = 0.3, .seed = 5, .stratify = {}}).test);
  EXPECT_NE(split(100, {.test = 0.3, .seed = 5, .stratify = {}}).test,
            split(100, {.test = 0.3, .seed = 6, .stratify = {}}).test);
  // On every machine and in every version: written down.
  EXPECT_THAT(split(10, {.test = 0.3, .seed = 1, .stratify = {}}).test, ElementsAre(3, 7, 9));
}

TEST(Split, Mistakes) {
  EXPECT_THROW(split(1), mercer::Error);
  EXPECT_THROW(split(10, {.test = 0, .seed = 0, .stratify = {}}), mercer::Error);
  EXPECT_THROW(split(10, {.test = 1.5, .seed = 0, .stratify = {}}), mercer::Error);
  EXPECT_THROW(folds(3, 4), mercer::Error);
  EXPECT_THROW(folds(3, 1), mercer::Error);
}

}  // namespace
