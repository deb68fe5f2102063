// Functions of one point, for dense and sparse points.
#pragma once

#include <mercer/points.hpp>
#include <span>
#include <vector>

#include "gram/plan.hpp"

namespace mercer::gram {

// visit(column, value) for the entries of row i that are stored and not zero.
template <class Visit>
void for_entries(const Points& points, std::size_t i, const Visit& visit) {
  const auto run = [&](const auto* values) {
    if (points.is_sparse()) {
      for (auto e = points.offsets()[i]; e < points.offsets()[i + 1]; ++e)
        if (values[e] != 0)
          visit(static_cast<std::size_t>(points.indices()[e]), static_cast<double>(values[e]));
    } else {
      const auto* row = values + i * points.stride();
      for (std::size_t j = 0; j < points.columns(); ++j)
        if (row[j] != 0) visit(j, static_cast<double>(row[j]));
    }
  };
  if (points.scalar() == Points::Scalar::float32) {
    run(points.values<float>());
  } else {
    run(points.values<double>());
  }
}

class PointFunctions {
 public:
  using Workspace = std::vector<double>;

  PointFunctions(const Plan& plan, std::size_t columns, std::span<const double> centre);

  // Of function f of the plan (not a squared norm) at row i.
  double value(std::size_t f, const Points& points, std::size_t i, Workspace& point) const;

 private:
  const Plan& plan_;
  std::size_t columns_;
  std::span<const double> centre_;
  std::vector<bool> ignores_zeros_;  // of each function
};

// c·(x-c) + |c|²/2 over these columns.
double along(std::span<const double> centre, std::span<const std::uint32_t> columns,
             std::span<const double> point);

// Whether an expression has the same value when coordinates that are 0 in both points are left out.
bool ignores_zeros(const Expr& e);

}  // namespace mercer::gram
