#include "base/rational.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>

#include "base/text.hpp"

namespace mercer {

namespace mp = boost::multiprecision;

namespace {

unsigned bits(const Integer& n) { return n.is_zero() ? 0 : mp::msb(mp::abs(n)) + 1; }

[[noreturn]] void too_large() {
  throw Error("a number with more than " + std::to_string(Rational::max_bits) +
              " bits is beyond what exact arithmetic is done with here");
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Integer power_of_ten(unsigned exponent) { return mp::pow(Integer(10), exponent); }

}  // namespace

Rational::Rational(Integer numerator, Integer denominator)
    : numerator_(std::move(numerator)), denominator_(std::move(denominator)) {
  if (denominator_.is_zero()) throw Error("division by zero");
  if (denominator_.sign() < 0) {
    numerator_ = -numerator_;
    denominator_ = -denominator_;
  }
  if (denominator_ != 1) {
    const Integer common = mp::gcd(numerator_, denominator_);
    if (common != 1) {
      numerator_ /= common;
      denominator_ /= common;
    }
  }
  if (bits(numerator_) > max_bits || bits(denominator_) > max_bits) too_large();
}

std::optional<Rational> Rational::from_decimal(std::string_view text) {
  // [-] digits [. digits] [e [+-] digits], at least one digit before the exponent.
  std::size_t at = 0;
  const auto more = [&] { return at < text.size(); };
  const bool negative = more() && text[at] == '-';
  if (negative) ++at;
  std::string digits;
  std::int64_t scale = 0;
  while (more() && is_digit(text[at])) digits += text[at++];
  if (more() && text[at] == '.') {
    ++at;
    for (; more() && is_digit(text[at]); ++at, --scale) digits += text[at];
  }
  if (digits.empty()) return std::nullopt;
  if (more() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    const bool down = more() && text[at] == '-';
    if (more() && (text[at] == '-' || text[at] == '+')) ++at;
    if (!more()) return std::nullopt;
    std::int64_t exponent = 0;
    for (; more() && is_digit(text[at]); ++at)
      exponent = std::min<std::int64_t>(exponent * 10 + (text[at] - '0'), 1'000'000);
    scale += down ? -exponent : exponent;
  }
  if (more()) return std::nullopt;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return Rational();
  constexpr std::int64_t max_digits = 2466;  // what 8192 bits hold
  if (static_cast<std::int64_t>(digits.size()) > max_digits || std::abs(scale) > max_digits)
    too_large();
  Integer mantissa(digits);
  if (negative) mantissa = -mantissa;
  const Integer ten = power_of_ten(static_cast<unsigned>(std::abs(scale)));
  return scale >= 0 ? Rational(Integer(mantissa * ten), 1) : Rational(std::move(mantissa), ten);
}

Rational Rational::from_double(double value) {
  if (!std::isfinite(value)) throw Error("a kernel cannot contain the number " + shortest(value));
  return *from_decimal(shortest(value));
}

Rational Rational::exactly(double value) {
  if (!std::isfinite(value)) throw Error("not a finite number: " + shortest(value));
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const Integer whole(static_cast<std::int64_t>(std::ldexp(mantissa, 53)));
  exponent -= 53;
  const Integer two = Integer(1) << static_cast<unsigned>(std::abs(exponent));
  return exponent >= 0 ? Rational(Integer(whole * two), 1) : Rational(whole, two);
}

std::optional<std::int64_t> Rational::to_int() const {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  if (!is_integer() || (bits(numerator_) > 63 && numerator_ != least)) return std::nullopt;
  return numerator_.convert_to<std::int64_t>();
}

double Rational::to_double() const {
  if (is_zero()) return 0.0;
  // A quotient with 64 or 65 significant bits, its last one sticky, then one rounding by hand: to
  // 53 bits, or to fewer where the result is subnormal.
  const Integer magnitude = mp::abs(numerator_);
  const int shift = 64 + static_cast<int>(bits(denominator_)) - static_cast<int>(bits(magnitude));
  Integer scaled = magnitude;
  Integer divisor = denominator_;
  if (shift >= 0) {
    scaled <<= static_cast<unsigned>(shift);
  } else {
    divisor <<= static_cast<unsigned>(-shift);
  }
  Integer quotient;
  Integer remainder;
  mp::divide_qr(scaled, divisor, quotient, remainder);
  bool sticky = !remainder.is_zero();
  int drop = static_cast<int>(bits(quotient)) - 53;
  const int lowest = -1074 + shift;  // the bit of the quotient that weighs 2^-1074
  drop = std::max(drop, lowest);
  if (drop > static_cast<int>(bits(quotient)) + 1) return sign() < 0 ? -0.0 : 0.0;
  if (drop > 0) {
    const auto cut = static_cast<unsigned>(drop);
    const bool half = mp::bit_test(quotient, cut - 1);
    const Integer mask = (Integer(1) << (cut - 1)) - 1;
    sticky = sticky || !Integer(quotient & mask).is_zero();
    quotient >>= cut;
    if (half && (sticky || mp::bit_test(quotient, 0))) ++quotient;
  }
  const double value = std::ldexp(static_cast<double>(quotient.convert_to<std::uint64_t>()),
                                  std::max(drop, 0) - shift);
  return sign() < 0 ? -value : value;
}

std::pair<double, int> Rational::scaled() const {
  const int e = static_cast<int>(bits(numerator_)) - static_cast<int>(bits(denominator_));
  const Integer two = Integer(1) << static_cast<unsigned>(std::abs(e));
  const Rational m = e >= 0 ? Rational(numerator_, Integer(denominator_ * two))
                            : Rational(Integer(numerator_ * two), denominator_);
  return {m.to_double(), e};
}

namespace {

// The number of decimals of 1/denominator, where that is finite and small.
std::optional<unsigned> decimals(Integer denominator) {
  unsigned twos = 0;
  unsigned fives = 0;
  while (!mp::bit_test(denominator, 0) && twos < 2466) {
    denominator >>= 1;
    ++twos;
  }
  while (denominator % 5 == 0 && fives < 2466) {
    denominator /= 5;
    ++fives;
  }
  if (denominator != 1) return std::nullopt;
  return std::max(twos, fives);
}

// The decimal text of a number; nullopt where it has none or where a fraction is shorter to read.
std::optional<std::string> decimal_text(const Rational& a) {
  const auto places = decimals(a.denominator());
  if (!places) return std::nullopt;
  Integer scaled = mp::abs(a.numerator()) * power_of_ten(*places) / a.denominator();
  std::string digits = scaled.str();
  auto exponent = -static_cast<std::int64_t>(*places);
  while (digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  constexpr std::size_t readable = 25;
  if (digits.size() > readable && !a.is_integer()) return std::nullopt;
  const auto length = static_cast<std::int64_t>(digits.size());
  std::string text;
  if (exponent >= 0 && length + exponent <= 21) {
    text = digits + std::string(static_cast<std::size_t>(exponent), '0');
  } else if (exponent < 0 && length + exponent > 0) {
    text = digits;
    text.insert(static_cast<std::size_t>(length + exponent), ".");
  } else if (exponent < 0 && length + exponent > -7) {
    text = "0." + std::string(static_cast<std::size_t>(-(length + exponent)), '0') + digits;
  } else {
    text = digits;
    if (length > 1) text.insert(1, ".");
    const std::int64_t power = exponent + length - 1;
    if (power != 0) text += "e" + std::to_string(power);
  }
  return (a.sign() < 0 ? "-" : "") + text;
}

}  // namespace

std::string Rational::text() const {
  if (auto decimal = decimal_text(*this)) return *decimal;
  return numerator_.str() + "/" + denominator_.str();
}

bool Rational::prints_as_fraction() const { return !decimal_text(*this).has_value(); }

Rational Rational::operator-() const {
  Rational result = *this;
  result.numerator_ = -result.numerator_;
  return result;
}

Rational operator+(const Rational& a, const Rational& b) {
  return {Integer(a.numerator_ * b.denominator_ + b.numerator_ * a.denominator_),
          Integer(a.denominator_ * b.denominator_)};
}

Rational operator-(const Rational& a, const Rational& b) { return a + -b; }

Rational operator*(const Rational& a, const Rational& b) {
  return {Integer(a.numerator_ * b.numerator_), Integer(a.denominator_ * b.denominator_)};
}

Rational operator/(const Rational& a, const Rational& b) {
  return {Integer(a.numerator_ * b.denominator_), Integer(a.denominator_ * b.numerator_)};
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  const int order = Integer(a.numerator_ * b.denominator_).compare(b.numerator_ * a.denominator_);
  return order <=> 0;
}

Rational abs(const Rational& a) { return a.sign() < 0 ? -a : a; }

std::optional<Rational> power(const Rational& a, std::int64_t n) {
  if (n == 0) return Rational(1);
  if (a.is_zero()) {
    if (n < 0) throw Error("division by zero");
    return Rational();
  }
  if (n == 1) return a;
  if (n == -1) return Rational(1) / a;
  const std::uint64_t times =
      n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  const std::uint64_t widest = std::max(bits(a.numerator()), bits(a.denominator()));
  if (widest > 1 &&
      (times > Rational::max_power_bits || (widest - 1) * times > Rational::max_power_bits))
    return std::nullopt;
  const auto raise = [&](const Integer& base) -> Integer {
    if (mp::abs(base) == 1) return base.sign() < 0 && times % 2 == 1 ? Integer(-1) : Integer(1);
    return mp::pow(base, static_cast<unsigned>(times));
  };
  const Integer up = raise(a.numerator());
  const Integer down = raise(a.denominator());
  if (bits(up) > Rational::max_power_bits || bits(down) > Rational::max_power_bits)
    return std::nullopt;
  return n > 0 ? Rational(up, down) : Rational(down, up);
}

std::optional<Rational> exact_sqrt(const Rational& a) {
  if (a.sign() < 0) return std::nullopt;
  const Integer up = mp::sqrt(a.numerator());
  const Integer down = mp::sqrt(a.denominator());
  if (up * up != a.numerator() || down * down != a.denominator()) return std::nullopt;
  return Rational(up, down);
}

namespace {

// The integer r >= 0 with r^n = a, by bisection.
std::optional<Integer> integer_root(const Integer& a, unsigned n) {
  if (a <= 1) return a;
  Integer low = 1;
  Integer high = Integer(1) << (bits(a) / n + 1);
  while (low < high) {
    const Integer middle = (low + high + 1) / 2;
    if (mp::pow(middle, n) <= a) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return mp::pow(low, n) == a ? std::optional(low) : std::nullopt;
}

}  // namespace

std::optional<Rational> exact_root(const Rational& a, std::int64_t n) {
  if (n == 1) return a;
  if (n < 0) {
    const auto inverse = a.is_zero() ? std::nullopt : exact_root(a, -n);
    return inverse ? std::optional(Rational(1) / *inverse) : std::nullopt;
  }
  constexpr std::int64_t largest = 64;
  if (n == 0 || n > largest || (a.sign() < 0 && n % 2 == 0)) return std::nullopt;
  const auto times = static_cast<unsigned>(n);
  const auto up = integer_root(mp::abs(a.numerator()), times);
  const auto down = integer_root(a.denominator(), times);
  if (!up || !down) return std::nullopt;
  return a.sign() < 0 ? -Rational(*up, *down) : Rational(*up, *down);
}

std::size_t hash_value(const Rational& a) {
  return mp::hash_value(a.numerator()) * 31 + mp::hash_value(a.denominator());
}

}  // namespace mercer
