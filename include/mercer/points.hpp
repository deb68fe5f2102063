// Points x_1 … x_n in R^d, one per row, as the library sees them: in the user's own memory, or in
// memory that the Points keep alive.
//
//     std::vector<float> values = …;                          // row by row
//     Points x = Points::dense(values.data(), n, d);           // a view: nothing is copied
//     Points y = Points::own(std::move(values), n, d);         // the same, and the memory is its
//     own
//
// Rows are dense, with any distance between them, or sparse (CSR: the entries that are not zero);
// numbers are float or double. A Points is a cheap value: copies share the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mercer {

class Points {
 public:
  enum class Scalar { float32, float64 };
  using Owner = std::shared_ptr<const void>;  // what keeps the memory alive; none: the caller does

  Points() = default;  // no rows

  // Row i begins at values[i * stride]; stride 0 means rows one after the other.
  static Points dense(const float* values, std::size_t rows, std::size_t columns,
                      std::size_t stride = 0, Owner owner = {});
  static Points dense(const double* values, std::size_t rows, std::size_t columns,
                      std::size_t stride = 0, Owner owner = {});
  // Entry e with offsets[i] <= e < offsets[i+1] puts values[e] into column indices[e] (from 0) of
  // row i; within a row the indices ascend. offsets has rows + 1 entries.
  static Points sparse(const std::int64_t* offsets, const std::int32_t* indices,
                       const float* values, std::size_t rows, std::size_t columns,
                       Owner owner = {});
  static Points sparse(const std::int64_t* offsets, const std::int32_t* indices,
                       const double* values, std::size_t rows, std::size_t columns,
                       Owner owner = {});

  static Points own(std::vector<float> values, std::size_t rows, std::size_t columns);
  static Points own(std::vector<double> values, std::size_t rows, std::size_t columns);
  static Points own(std::vector<std::int64_t> offsets, std::vector<std::int32_t> indices,
                    std::vector<float> values, std::size_t columns);
  static Points own(std::vector<std::int64_t> offsets, std::vector<std::int32_t> indices,
                    std::vector<double> values, std::size_t columns);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] bool is_sparse() const { return offsets_ != nullptr; }
  [[nodiscard]] Scalar scalar() const { return scalar_; }
  [[nodiscard]] std::size_t entries() const;  // stored numbers

  // Row i with all its zeros; out has columns() entries.
  void row(std::size_t i, std::span<double> out) const;
  void row(std::size_t i, std::span<float> out) const;
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const;

  // These rows in this order, in memory of their own.
  [[nodiscard]] Points select(std::span<const std::size_t> rows) const;
  // Rows [begin, end), in the same memory.
  [[nodiscard]] Points part(std::size_t begin, std::size_t end) const;
  // The same points with more columns, all zero (sparse), or an error (dense).
  [[nodiscard]] Points with_columns(std::size_t columns) const;

  // The memory itself, for those who know which kind it is (T is float or double).
  template <class T>
  [[nodiscard]] const T* values() const;
  [[nodiscard]] const void* raw() const { return values_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }  // dense
  [[nodiscard]] std::span<const std::int64_t> offsets() const;  // sparse
  [[nodiscard]] const std::int32_t* indices() const { return indices_; }

 private:
  Scalar scalar_ = Scalar::float64;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t stride_ = 0;
  const void* values_ = nullptr;
  const std::int64_t* offsets_ = nullptr;
  const std::int32_t* indices_ = nullptr;
  Owner owner_;
};

}  // namespace mercer
