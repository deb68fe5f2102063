// Real numbers known to lie in a ball: a midpoint and a radius, with every operation rounded
// outwards (Arb). What is proved of a ball is proved of the number.
#pragma once

#include <arb.h>

#include <string>

#include "base/rational.hpp"
#include "proof/flint_thread.hpp"

namespace mercer::proof {

class Ball {
 public:
  explicit Ball(long precision) : precision_(precision) {
    flint_gives_back();
    arb_init(value_);
  }
  Ball(const Rational& value, long precision);
  Ball(const Ball& other) : precision_(other.precision_) {
    arb_init(value_);
    arb_set(value_, other.value_);
  }
  Ball(Ball&& other) noexcept : precision_(other.precision_) {
    arb_init(value_);
    arb_swap(value_, other.value_);
  }
  Ball& operator=(Ball other) noexcept {
    arb_swap(value_, other.value_);
    precision_ = other.precision_;
    return *this;
  }
  ~Ball() { arb_clear(value_); }

  static Ball pi(long precision);

  [[nodiscard]] long precision() const { return precision_; }
  [[nodiscard]] bool is_finite() const { return arb_is_finite(value_) != 0; }
  [[nodiscard]] bool is_positive() const { return arb_is_positive(value_) != 0; }
  [[nodiscard]] bool is_negative() const { return arb_is_negative(value_) != 0; }
  [[nodiscard]] bool is_nonnegative() const { return arb_is_nonnegative(value_) != 0; }
  [[nodiscard]] bool is_zero() const { return arb_is_zero(value_) != 0; }
  [[nodiscard]] bool is_nonzero() const { return arb_contains_zero(value_) == 0; }
  [[nodiscard]] bool overlaps(const Ball& other) const {
    return arb_overlaps(value_, other.value_) != 0;
  }
  [[nodiscard]] double middle() const;
  [[nodiscard]] std::string text() const;         // "[-0.25 +/- 3e-40]"
  [[nodiscard]] std::string upper_bound() const;  // a decimal that is not below the ball

  friend Ball operator+(const Ball& a, const Ball& b);
  friend Ball operator-(const Ball& a, const Ball& b);
  friend Ball operator*(const Ball& a, const Ball& b);
  friend Ball operator/(const Ball& a, const Ball& b);

  // One of Arb's functions of one variable.
  [[nodiscard]] Ball map(void (*function)(arb_t, const arb_t, slong)) const;

  [[nodiscard]] arb_srcptr get() const { return value_; }
  [[nodiscard]] arb_ptr get() { return value_; }

 private:
  arb_t value_;
  long precision_;
};

Ball power(const Ball& base, const Ball& exponent);
Ball minimum(const Ball& a, const Ball& b);
Ball maximum(const Ball& a, const Ball& b);

}  // namespace mercer::proof
