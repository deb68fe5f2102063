#include "learn/width.hpp"

#include <algorithm>
#include <mercer/gram.hpp>
#include <mercer/train.hpp>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"

namespace mercer {

namespace {

double median_squared_distance(const Points& x, std::uint64_t seed) {
  const auto rows = RandomNumbers(seed).sample(x.rows(), 300);
  const Points some = x.select(rows);
  const Gram distances(Kernel::parse("|x-z|^2"), some);
  std::vector<double> block(rows.size() * rows.size());
  distances.block(Rows::all(), Rows::all(), block.data(), rows.size());
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (block[i * rows.size() + j] > 0) values.push_back(block[i * rows.size() + j]);
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

double learn::width_from_data(const Points& x, std::uint64_t seed) {
  const double median = median_squared_distance(x, seed);
  if (!(median > 0)) return 1;
  return with_digits(1 / median, 2);
}

Kernel rbf_from_data(const Points& x, std::uint64_t seed) {
  return rbf(learn::width_from_data(x, seed));
}

}  // namespace mercer
