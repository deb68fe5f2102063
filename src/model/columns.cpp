#include "model/columns.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "gram/point_function.hpp"

namespace mercer::model {

namespace {

std::vector<std::int32_t> columns_in(const Points& points) {
  const auto offsets = points.offsets();
  std::vector<std::int32_t> columns(points.indices() + offsets.front(),
                                    points.indices() + offsets.back());
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

template <class T>
Points renumbered(const Points& points, const T* values, const std::vector<std::int32_t>& first) {
  std::vector<std::int32_t> others;
  std::ranges::set_difference(columns_in(points), first, std::back_inserter(others));
  const auto place = [&](std::int32_t column) {
    const auto at = std::ranges::lower_bound(first, column);
    if (at != first.end() && *at == column) return at - first.begin();
    return std::ranges::lower_bound(others, column) - others.begin() +
           static_cast<std::ptrdiff_t>(first.size());
  };
  std::vector<std::int64_t> offsets{0};
  std::vector<std::pair<std::int32_t, T>> row;
  std::vector<std::int32_t> indices;
  std::vector<T> entries;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    row.clear();
    for (auto e = points.offsets()[i]; e < points.offsets()[i + 1]; ++e)
      row.emplace_back(static_cast<std::int32_t>(place(points.indices()[e])), values[e]);
    std::ranges::sort(row, {}, [](const auto& entry) { return entry.first; });
    for (const auto& [column, value] : row) {
      indices.push_back(column);
      entries.push_back(value);
    }
    offsets.push_back(static_cast<std::int64_t>(entries.size()));
  }
  return Points::own(std::move(offsets), std::move(indices), std::move(entries),
                     std::max<std::size_t>(first.size() + others.size(), 1));
}

}  // namespace

UsedColumns::UsedColumns(const Points& points) : columns_(columns_in(points)) {}

Points UsedColumns::seen(const Points& points) const {
  return points.scalar() == Points::Scalar::float32
             ? renumbered(points, points.values<float>(), columns_)
             : renumbered(points, points.values<double>(), columns_);
}

bool in_used_columns(const Kernel& kernel, const Points& support) {
  constexpr std::size_t many = std::size_t{1} << 16U;
  constexpr std::size_t too_many = std::size_t{1} << 24U;
  if (!support.is_sparse() || support.columns() <= many) return false;
  if (gram::ignores_zeros(kernel.expression())) return true;
  if (support.columns() > too_many)
    throw Error(kernel.text() + " looks at every one of " + std::to_string(support.columns()) +
                " coordinates; 2^24 are the most for such a kernel");
  return false;
}

}  // namespace mercer::model
