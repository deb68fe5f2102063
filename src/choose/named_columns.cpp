#include "choose/named_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/mapped.hpp>
#include <nlohmann/json.hpp>

#include "learn/task.hpp"

namespace mercer::choose {

Kernel in_columns_of(const Table& table, const Kernel& kernel) {
  if (!kernel.has_named_columns()) return kernel;
  if (table.source_names().empty())
    throw Error(kernel.text() + " names columns, and the data have no names; use numbers, k[1,2]");
  return kernel.with_columns(table.source_names());
}

TrainOptions in_columns_of(const Table& table, const TrainOptions& options) {
  TrainOptions result = options;
  if (result.kernel) result.kernel = in_columns_of(table, *result.kernel);
  if (result.map)
    for (auto& c : result.map->coordinates) c = in_columns_of(table, c);
  return result;
}

LeftOut left_out(const EncodedTable& data, const TrainOptions& options) {
  // A factor in doubles, and the matrix it is made of.
  const double bytes =
      16.0 * static_cast<double>(data.table.rows()) * static_cast<double>(data.table.rows());
  if (bytes > static_cast<double>(options.ridge.memory)) return {};
  TrainOptions how = in_columns_of(data.table, options);
  how.learner = Learner::ridge;
  const Trained trained = train(data.table, data.encoding, how);
  // The λ and the kernel that were chosen, once more with the errors.
  RidgeOptions ridge_options = how.ridge;
  ridge_options.lambda =
      nlohmann::json::parse(trained.model.training).at("options").at("lambda").get<double>();
  ridge_options.leave_one_out = true;
  ridge_options.gram = how.gram;
  ridge_options.weights = data.table.weights;
  const Matrix y{data.table.rows(), 1, data.table.labels.numbers, {}};
  Ridge r;
  if (trained.model.map) {
    r = ridge(mapped(*trained.model.map, data.table.points, how.gram.threads), y, ridge_options);
  } else {
    r = ridge(*trained.model.kernel, data.table.points, y, ridge_options);
  }
  return {r.leave_one_out.values, trained.chosen};
}

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
