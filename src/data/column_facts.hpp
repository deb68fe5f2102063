// What is known about a column after one pass over its numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace mercer::data {

class ColumnFacts {
 public:
  // Rows ascend.
  void add(std::size_t row, double v) {
    ++count_;
    const long double step = static_cast<long double>(v) - mean_;  // Welford's recurrence
    mean_ += step / static_cast<long double>(count_);
    squares_ += step * (static_cast<long double>(v) - mean_);
    least_ = std::min(least_, v);
    largest_ = std::max(largest_, v);
    if (v == 0) {
      ++zeros_;
    } else {
      mix(row);
      mix(std::bit_cast<std::uint64_t>(v));
    }
    counts_rows_ = counts_rows_ && v == first_ + static_cast<double>(row);
    if (count_ == 1) {
      first_ = v - static_cast<double>(row);
      counts_rows_ = row == 0 && v == std::floor(v);
    }
  }
  // The rows that were not added are zeros.
  void fill_zeros(std::size_t rows) {
    if (count_ == rows) return;
    const auto n = static_cast<long double>(count_);
    const auto all = static_cast<long double>(rows);
    squares_ += mean_ * mean_ * n * (all - n) / all;
    mean_ *= n / all;
    zeros_ += rows - count_;
    least_ = std::min(least_, 0.0);
    largest_ = std::max(largest_, 0.0);
    counts_rows_ = false;
    count_ = rows;
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t zeros() const { return zeros_; }
  [[nodiscard]] double least() const { return count_ == 0 ? 0 : least_; }
  [[nodiscard]] double largest() const { return count_ == 0 ? 0 : largest_; }
  [[nodiscard]] double mean() const { return static_cast<double>(mean_); }
  [[nodiscard]] double deviation() const {
    return count_ == 0
               ? 0
               : static_cast<double>(std::sqrt(squares_ / static_cast<long double>(count_)));
  }
  [[nodiscard]] bool constant() const { return count_ == 0 || least_ == largest_; }
  // 1, 2, 3, … or 0, 1, 2, …
  [[nodiscard]] bool counts_rows() const { return counts_rows_ && count_ > 1; }
  // Of the numbers that are not 0, with their rows: equal columns have equal ones, and others
  // practically never.
  [[nodiscard]] std::uint64_t fingerprint() const { return hash_; }

 private:
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15U;
    hash_ ^= hash_ >> 29U;
  }

  std::size_t count_ = 0;
  std::size_t zeros_ = 0;
  long double mean_ = 0;  // wide enough for squares of doubles, large and small
  long double squares_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
  double first_ = 0;
  bool counts_rows_ = false;
  std::uint64_t hash_ = 0;
};

}  // namespace mercer::data
