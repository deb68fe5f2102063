#include "choose/left_out.hpp"

#include <mercer/mapped.hpp>
#include <nlohmann/json.hpp>

#include "learn/columns.hpp"

namespace mercer::choose {

LeftOut left_out(const EncodedTable& data, const TrainOptions& options) {
  // A factor in doubles, and the matrix it is made of.
  const double bytes =
      16.0 * static_cast<double>(data.table.rows()) * static_cast<double>(data.table.rows());
  if (bytes > static_cast<double>(options.ridge.memory)) return {};
  TrainOptions how = learn::in_columns_of(data.table, options);
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

}  // namespace mercer::choose
