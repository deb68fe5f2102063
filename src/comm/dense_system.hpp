// A symmetric positive definite matrix A of n × n doubles that no rank could hold alone: square
// blocks of rows and columns are dealt out in turn to a grid of ranks (block-cyclic), and all ranks
// together factor it and solve with it.
//
// What is behind it is ScaLAPACK, in a module of its own (src/mpi).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.hpp"

namespace mercer::comm {

class DenseSystem {
 public:
  DenseSystem() = default;
  DenseSystem(const DenseSystem&) = delete;
  DenseSystem& operator=(const DenseSystem&) = delete;
  virtual ~DenseSystem() = default;

  // The rows and the columns whose crossings are here, ascending.
  [[nodiscard]] virtual const std::vector<std::size_t>& rows() const = 0;
  [[nodiscard]] virtual const std::vector<std::size_t>& columns() const = 0;
  // These numbers, column by column, rows().size() of each. Of A, what is on and below the
  // diagonal counts.
  [[nodiscard]] virtual double* part() = 0;

  // By all ranks together: A becomes its Cholesky factor; false where it has none.
  virtual bool factor() = 0;
  // B of n rows and `width` columns, row by row and the same at all ranks, becomes A⁻¹ B there.
  virtual void solve(std::span<double> B, std::size_t width) = 0;
  [[nodiscard]] virtual std::string name() const = 0;
};

// By all ranks together, for so many rows. Throws Error.
using MakeDenseSystem = std::function<std::unique_ptr<DenseSystem>(std::size_t n)>;

}  // namespace mercer::comm
