#include "choose/imbalance.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::choose {

std::string imbalance(const Labels& labels, Model::Task task) {
  if (task != Model::Task::classification) return {};
  const Classes classes = classes_of(labels);
  if (classes.names.size() < 2) return {};
  const auto most =
      static_cast<std::size_t>(std::ranges::max_element(classes.counts) - classes.counts.begin());
  const double share =
      static_cast<double>(classes.counts[most]) / static_cast<double>(classes.codes.size());
  const double fair = 1.0 / static_cast<double>(classes.names.size());
  if (share < std::max(0.8, 1 - (1 - fair) / 4)) return {};
  return fmt::format(
      "{:.1f} % of the rows are of class {}: always saying so has that accuracy; look at "
      "balanced_accuracy, f1 or auc instead",
      100 * share, classes.names[most]);
}

}  // namespace mercer::choose
