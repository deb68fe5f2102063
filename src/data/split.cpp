#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mercer/error.hpp>
#include <mercer/split.hpp>
#include <numeric>

#include "base/random.hpp"
#include "base/text.hpp"

namespace mercer {

namespace {

// Rows in random order, class after class where they are stratified: every k-th of them is then a
// fair part.
std::vector<std::size_t> arranged(const std::vector<std::int32_t>& codes, std::size_t classes,
                                  RandomNumbers& random) {
  std::vector<std::vector<std::size_t>> by_class(classes);
  for (std::size_t i = 0; i < codes.size(); ++i)
    by_class[static_cast<std::size_t>(codes[i])].push_back(i);
  std::vector<std::size_t> rows;
  for (auto& members : by_class) {
    random.shuffle(members);
    rows.insert(rows.end(), members.begin(), members.end());
  }
  return rows;
}

struct Strata {
  std::vector<std::int32_t> codes;
  std::size_t count = 1;
};

Strata strata_of(const Labels& labels, const SplitOptions& options) {
  constexpr std::size_t most_classes = 100;
  if (!options.stratify.value_or(true)) return {std::vector<std::int32_t>(labels.size()), 1};
  Classes classes = classes_of(labels);
  const bool quantities =
      !labels.numbers.empty() &&
      (classes.names.size() > most_classes ||
       std::ranges::any_of(labels.numbers, [](double v) { return v != std::floor(v); }));
  if (!options.stratify && quantities) return {std::vector<std::int32_t>(labels.size()), 1};
  return {std::move(classes.codes), std::max<std::size_t>(classes.names.size(), 1)};
}

Split split_by(const Strata& strata, const SplitOptions& options) {
  const std::size_t n = strata.codes.size();
  if (!(options.test > 0 && options.test < 1))
    throw Error("the share for testing is " + shortest(options.test) +
                "; expected a number between 0 and 1");
  const auto wanted = static_cast<std::size_t>(std::llround(options.test * static_cast<double>(n)));
  if (wanted == 0 || wanted == n)
    throw Error(std::to_string(n) + (n == 1 ? " row" : " rows") +
                " cannot be split: " + std::to_string(wanted) + " would be for testing");
  RandomNumbers random(options.seed);
  const auto rows = arranged(strata.codes, strata.count, random);
  // Row number r of the arrangement is for testing where floor((r+1)·wanted/n) steps up: evenly
  // spread, hence over the classes, too.
  Split result;
  for (std::size_t r = 0; r < n; ++r) {
    const bool test = (r + 1) * wanted / n > r * wanted / n;
    (test ? result.test : result.train).push_back(rows[r]);
  }
  std::ranges::sort(result.test);
  std::ranges::sort(result.train);
  return result;
}

// The splits, given the part of each row.
std::vector<Split> splits_of(const std::vector<std::size_t>& part, std::size_t k) {
  std::vector<Split> result(k);
  for (std::size_t i = 0; i < part.size(); ++i)
    for (std::size_t f = 0; f < k; ++f)
      (part[i] == f ? result[f].test : result[f].train).push_back(i);
  return result;
}

std::vector<Split> folds_by(const Strata& strata, std::size_t k, const SplitOptions& options) {
  const std::size_t n = strata.codes.size();
  if (k < 2 || k > n)
    throw Error(std::to_string(n) + " rows cannot be cut into " + std::to_string(k) +
                " parts; expected 2 to " + std::to_string(n));
  RandomNumbers random(options.seed);
  const auto rows = arranged(strata.codes, strata.count, random);
  std::vector<std::size_t> part(n);
  for (std::size_t r = 0; r < n; ++r) part[rows[r]] = r % k;
  return splits_of(part, k);
}

Strata one_stratum(std::size_t rows) { return {std::vector<std::int32_t>(rows), 1}; }

}  // namespace

Split split(const Labels& labels, const SplitOptions& options) {
  return split_by(strata_of(labels, options), options);
}
Split split(std::size_t rows, const SplitOptions& options) {
  return split_by(one_stratum(rows), options);
}
std::vector<Split> folds(const Labels& labels, std::size_t k, const SplitOptions& options) {
  return folds_by(strata_of(labels, options), k, options);
}
std::vector<Split> folds(std::size_t rows, std::size_t k, const SplitOptions& options) {
  return folds_by(one_stratum(rows), k, options);
}

// The largest groups first, each to the part that has fewest rows; equal ones in random order.
std::vector<Split> folds_of_groups(std::span<const std::int64_t> groups, std::size_t k,
                                   std::uint64_t seed) {
  std::map<std::int64_t, std::size_t> sizes;
  for (const std::int64_t g : groups) ++sizes[g];
  if (k < 2 || k > sizes.size())
    throw Error(std::to_string(sizes.size()) + (sizes.size() == 1 ? " group" : " groups") +
                " cannot be cut into " + std::to_string(k) + " parts" +
                (sizes.size() < 2 ? "" : "; expected 2 to " + std::to_string(sizes.size())));
  std::vector<std::pair<std::int64_t, std::size_t>> order(sizes.begin(), sizes.end());
  RandomNumbers(seed).shuffle(order);
  std::ranges::stable_sort(order, std::greater<>(), &std::pair<std::int64_t, std::size_t>::second);
  std::vector<std::size_t> rows(k);
  std::map<std::int64_t, std::size_t> part_of;
  for (const auto& [group, size] : order) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(rows) - rows.begin());
    part_of[group] = least;
    rows[least] += size;
  }
  std::vector<std::size_t> part;
  for (const std::int64_t g : groups) part.push_back(part_of[g]);
  return splits_of(part, k);
}

}  // namespace mercer
