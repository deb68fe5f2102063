// Rationals without a bound on their size (FLINT): what exact solutions of linear systems need.
#pragma once

#include <flint/fmpq.h>
#include <flint/fmpq_mat.h>

#include <optional>
#include <string>
#include <vector>

#include "base/rational.hpp"

namespace mercer::separability {

class Big {
 public:
  Big() { fmpq_init(value_); }
  Big(long value) {  // NOLINT(google-explicit-constructor)
    fmpq_init(value_);
    fmpq_set_si(value_, value, 1);
  }
  explicit Big(const Rational& value);
  static Big exactly(double value);
  Big(const Big& other) {
    fmpq_init(value_);
    fmpq_set(value_, other.value_);
  }
  Big(Big&& other) noexcept {
    fmpq_init(value_);
    fmpq_swap(value_, other.value_);
  }
  Big& operator=(Big other) noexcept {
    fmpq_swap(value_, other.value_);
    return *this;
  }
  ~Big() { fmpq_clear(value_); }

  [[nodiscard]] int sign() const { return fmpq_sgn(value_); }
  [[nodiscard]] double to_double() const;
  [[nodiscard]] std::string text() const;  // "3", "-3/2"
  // The nearest decimal with so many significant digits.
  [[nodiscard]] Rational rounded(int digits) const;

  [[nodiscard]] fmpq* get() { return value_; }
  [[nodiscard]] const fmpq* get() const { return value_; }

  friend Big operator+(const Big& a, const Big& b) { return combined(fmpq_add, a, b); }
  friend Big operator-(const Big& a, const Big& b) { return combined(fmpq_sub, a, b); }
  friend Big operator*(const Big& a, const Big& b) { return combined(fmpq_mul, a, b); }
  friend Big operator/(const Big& a, const Big& b) { return combined(fmpq_div, a, b); }
  friend bool operator<(const Big& a, const Big& b) { return fmpq_cmp(a.value_, b.value_) < 0; }
  friend bool operator==(const Big& a, const Big& b) { return fmpq_equal(a.value_, b.value_) != 0; }

 private:
  static Big combined(void (*operation)(fmpq*, const fmpq*, const fmpq*), const Big& a,
                      const Big& b) {
    Big result;
    operation(result.value_, a.value_, b.value_);
    return result;
  }
  fmpq_t value_;
};

// Integers over one denominator.
class BigVector {
 public:
  explicit BigVector(const std::vector<Big>& values);
  BigVector(const BigVector&) = delete;
  BigVector& operator=(const BigVector&) = delete;
  BigVector(BigVector&& other) noexcept;
  BigVector& operator=(BigVector&& other) = delete;
  ~BigVector();

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Big at(std::size_t i) const;

 private:
  friend std::vector<Big> combination(const std::vector<const BigVector*>& vectors,
                                      const std::vector<Big>& weights);
  std::size_t size_;
  fmpz* up_;
  fmpz_t down_;
};

// Σ weights[j] * vectors[j]
std::vector<Big> combination(const std::vector<const BigVector*>& vectors,
                             const std::vector<Big>& weights);

class BigMatrix {
 public:
  BigMatrix(std::size_t rows, std::size_t columns) {
    fmpq_mat_init(value_, static_cast<slong>(rows), static_cast<slong>(columns));
  }
  BigMatrix(const BigMatrix&) = delete;
  BigMatrix& operator=(const BigMatrix&) = delete;
  ~BigMatrix() { fmpq_mat_clear(value_); }
  void set(std::size_t i, std::size_t j, const Big& value) { fmpq_set(entry(i, j), value.get()); }
  [[nodiscard]] Big at(std::size_t i, std::size_t j) const {
    Big result;
    fmpq_set(result.get(), entry(i, j));
    return result;
  }
  // x with (this) x = right; nullopt for a singular matrix.
  [[nodiscard]] std::optional<std::vector<Big>> solve(const std::vector<Big>& right) const;
  // Some x != 0 with (this) x = 0; nullopt where the columns are independent.
  [[nodiscard]] std::optional<std::vector<Big>> null_vector() const;

 private:
  [[nodiscard]] fmpq* entry(std::size_t i, std::size_t j) const {
    return fmpq_mat_entry(value_, static_cast<slong>(i), static_cast<slong>(j));
  }
  fmpq_mat_t value_;
};

// Rows of rationals over one common denominator, which is then forgotten.
class IntegerMatrix {
 public:
  // columns[j][i] is entry (i, j)
  IntegerMatrix(std::size_t rows, const std::vector<const std::vector<Rational>*>& columns);
  IntegerMatrix(const IntegerMatrix&) = delete;
  IntegerMatrix& operator=(const IntegerMatrix&) = delete;
  ~IntegerMatrix() { fmpz_mat_clear(value_); }
  // Inner products of row i with all rows.
  [[nodiscard]] std::vector<Big> products(std::size_t i) const;

 private:
  fmpz_mat_t value_;
};

}  // namespace mercer::separability
