// Exact numbers: p/q in lowest terms, q > 0, of any size up to a bound.
//
// Kernels are built and simplified in this arithmetic (0.1 is one tenth), so that equality of
// kernels does not depend on rounding. The bound keeps hostile input from eating time: an operation
// whose result would exceed it throws Error.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mercer {

struct Fraction;  // numerator and denominator as integers of any size: base/integer.hpp

class Rational {
 public:
  static constexpr unsigned max_bits = 8192;        // of numerator and denominator
  static constexpr unsigned max_power_bits = 2048;  // powers beyond this are left as they are

  Rational() = default;
  Rational(std::int64_t value) : up_(value) {}   // NOLINT(google-explicit-constructor)
  Rational(std::int64_t up, std::int64_t down);  // throws on a zero denominator

  // "12", "-0.5", "1e-3", ".5", "2." and nothing else; nullopt where the text is not a number,
  // Error where it is one beyond the bound.
  static std::optional<Rational> from_decimal(std::string_view text);
  // The shortest decimal that reads back as this double; throws for NaN and infinity.
  static Rational from_double(double value);
  // The double's exact binary value; throws for NaN and infinity.
  static Rational exactly(double value);

  [[nodiscard]] int sign() const;
  [[nodiscard]] bool is_zero() const { return !wide_ && up_ == 0; }
  [[nodiscard]] bool is_one() const { return !wide_ && up_ == 1 && down_ == 1; }
  [[nodiscard]] bool is_integer() const;
  [[nodiscard]] bool is_even() const;
  [[nodiscard]] Rational numerator() const;
  [[nodiscard]] Rational denominator() const;
  [[nodiscard]] std::optional<std::int64_t> to_int() const;  // where it is one and fits

  [[nodiscard]] double to_double() const;  // the nearest double; infinity beyond the range
  // The number as m * 2^e with |m| between 1/2 and 2, also beyond the range of doubles; not for 0.
  [[nodiscard]] std::pair<double, int> scaled() const;
  // A decimal where that is finite and short, a fraction otherwise: "0.1", "1/3", "1e-30".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool prints_as_fraction() const;
  [[nodiscard]] std::string fraction_text() const;  // "3", "-3/2": never a decimal

  Rational operator-() const;
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);  // throws on division by zero
  Rational& operator+=(const Rational& b) { return *this = *this + b; }
  Rational& operator*=(const Rational& b) { return *this = *this * b; }

  friend bool operator==(const Rational& a, const Rational& b);
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);
  friend std::size_t hash_value(const Rational& a);

 private:
  friend struct Fraction;

  // up_/down_ where both fit; elsewhere wide_.
  std::int64_t up_ = 0;
  std::int64_t down_ = 1;
  std::shared_ptr<const Fraction> wide_;
};

Rational abs(const Rational& a);
// a^n; nullopt where the result would exceed the bound, Error for 0 to a negative power.
std::optional<Rational> power(const Rational& a, std::int64_t n);
// The rational r with r^n = a (the positive one for even n); nullopt where there is none.
std::optional<Rational> exact_root(const Rational& a, std::int64_t n);
std::optional<Rational> exact_sqrt(const Rational& a);

}  // namespace mercer
