#include "learn/columns.hpp"

#include <mercer/error.hpp>

namespace mercer::learn {

Kernel in_columns_of(const Table& table, const Kernel& kernel) {
  if (!kernel.has_named_columns()) return kernel;
  if (table.source_names().empty())
    throw Error(kernel.text() + " names columns, but the data have no names; use k[1:3]");
  return kernel.with_columns(table.source_names());
}

TrainOptions in_columns_of(const Table& table, const TrainOptions& options) {
  TrainOptions result = options;
  if (result.kernel) result.kernel = in_columns_of(table, *result.kernel);
  if (result.map)
    for (auto& c : result.map->coordinates) c = in_columns_of(table, c);
  return result;
}

}  // namespace mercer::learn
