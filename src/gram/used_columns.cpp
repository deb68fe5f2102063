#include "gram/used_columns.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "gram/point_function.hpp"

namespace mercer::gram {

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

// The points with these columns first, and behind them those that only they have.
Points seen(const Points& points, const std::vector<std::int32_t>& first) {
  return points.scalar() == Points::Scalar::float32
             ? renumbered(points, points.values<float>(), first)
             : renumbered(points, points.values<double>(), first);
}

}  // namespace

bool in_used_columns(std::span<const Kernel> kernels, const Points& x, const Points& z) {
  constexpr std::size_t many = std::size_t{1} << 16U;
  constexpr std::size_t too_many = std::size_t{1} << 24U;
  if (!x.is_sparse() || !z.is_sparse() || x.columns() <= many) return false;
  for (const auto& k : kernels) {
    if (ignores_zeros(k.expression())) continue;
    if (x.columns() > too_many)
      throw Error(k.text() + " looks at every one of " + std::to_string(x.columns()) +
                  " coordinates; 2^24 are the most for such a kernel");
    return false;
  }
  return true;
}

InUsedColumns in_used_columns(const Points& x, const Points& z, bool same) {
  const auto columns = columns_in(z);
  InUsedColumns result;
  result.x = seen(x, columns);
  result.z = same ? result.x : seen(z, columns).with_columns(result.x.columns());
  return result;
}

}  // namespace mercer::gram
