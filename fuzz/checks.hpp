// Laws that every table keeps, whatever it was read from.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mercer/data.hpp>

namespace fuzz {

[[noreturn]] inline void violation(const char* law) {
  std::fprintf(stderr, "%s\n", law);
  std::abort();
}

inline void check(const mercer::Table& table) {
  const auto& points = table.points;
  if (table.rows() == 0 || table.columns() == 0) violation("an empty table");
  if (!table.names.empty() && table.names.size() != table.columns()) violation("names do not fit");
  if (!table.sources.empty() && table.sources.size() != table.columns())
    violation("sources do not fit");
  if (!table.labels.empty() && table.labels.size() != table.rows()) violation("labels do not fit");
  if (!table.weights.empty() && table.weights.size() != table.rows())
    violation("weights do not fit");
  if (!table.groups.empty() && table.groups.size() != table.rows()) violation("groups do not fit");
  const auto number = [&](std::size_t at) {
    return points.scalar() == mercer::Points::Scalar::float32
               ? static_cast<double>(points.values<float>()[at])
               : points.values<double>()[at];
  };
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!points.is_sparse()) {
      for (std::size_t j = 0; j < table.columns(); ++j)
        if (!std::isfinite(number(i * points.stride() + j))) violation("a value is not finite");
      continue;
    }
    for (auto e = points.offsets()[i]; e < points.offsets()[i + 1]; ++e) {
      const auto index = points.indices()[e];
      if (!std::isfinite(number(static_cast<std::size_t>(e)))) violation("a value is not finite");
      if (index < 0 || static_cast<std::size_t>(index) >= table.columns())
        violation("an index is out of range");
      if (e > points.offsets()[i] && points.indices()[e - 1] >= index)
        violation("indices do not ascend");
    }
  }
}

}  // namespace fuzz
