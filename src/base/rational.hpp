// Exact numbers: p/q in lowest terms, q > 0, of any size up to a bound.
//
// Kernels are built and simplified in this arithmetic (0.1 is one tenth), so that equality of
// kernels does not depend on rounding. The bound keeps hostile input from eating time: an operation
// whose result would exceed it throws Error.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mercer {

using Integer = boost::multiprecision::cpp_int;

class Rational {
 public:
  static constexpr unsigned max_bits = 8192;        // of numerator and denominator
  static constexpr unsigned max_power_bits = 2048;  // powers beyond this are left as they are

  Rational() = default;
  Rational(std::int64_t value) : numerator_(value) {}  // NOLINT(google-explicit-constructor)
  Rational(Integer numerator, Integer denominator);    // throws on a zero denominator

  // "12", "-0.5", "1e-3", ".5", "2." and nothing else; nullopt where the text is not a number,
  // Error where it is one beyond the bound.
  static std::optional<Rational> from_decimal(std::string_view text);
  // The shortest decimal that reads back as this double; throws for NaN and infinity.
  static Rational from_double(double value);
  // The double's exact binary value; throws for NaN and infinity.
  static Rational exactly(double value);

  [[nodiscard]] const Integer& numerator() const { return numerator_; }
  [[nodiscard]] const Integer& denominator() const { return denominator_; }
  [[nodiscard]] int sign() const { return numerator_.sign(); }
  [[nodiscard]] bool is_zero() const { return sign() == 0; }
  [[nodiscard]] bool is_one() const { return numerator_ == 1 && denominator_ == 1; }
  [[nodiscard]] bool is_integer() const { return denominator_ == 1; }
  [[nodiscard]] bool is_even() const { return is_integer() && !bit_test(numerator_, 0); }
  [[nodiscard]] std::optional<std::int64_t> to_int() const;  // where it is one and fits

  [[nodiscard]] double to_double() const;  // the nearest double; infinity beyond the range
  // The number as m * 2^e with |m| between 1/2 and 2, also beyond the range of doubles; not for 0.
  [[nodiscard]] std::pair<double, int> scaled() const;
  // A decimal where that is finite and short, a fraction otherwise: "0.1", "1/3", "1e-30".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool prints_as_fraction() const;

  Rational operator-() const;
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);  // throws on division by zero
  Rational& operator+=(const Rational& b) { return *this = *this + b; }
  Rational& operator*=(const Rational& b) { return *this = *this * b; }

  friend bool operator==(const Rational& a, const Rational& b) {
    return a.numerator_ == b.numerator_ && a.denominator_ == b.denominator_;
  }
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

 private:
  Integer numerator_ = 0;
  Integer denominator_ = 1;
};

Rational abs(const Rational& a);
// a^n; nullopt where the result would exceed the bound, Error for 0 to a negative power.
std::optional<Rational> power(const Rational& a, std::int64_t n);
// The rational r with r^n = a (the positive one for even n); nullopt where there is none.
std::optional<Rational> exact_root(const Rational& a, std::int64_t n);
std::optional<Rational> exact_sqrt(const Rational& a);
std::size_t hash_value(const Rational& a);

}  // namespace mercer
