#include "base/rational.hpp"

#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <mercer/error.hpp>
#include <numeric>

#include "base/integer.hpp"
#include "base/text.hpp"

namespace mercer {

namespace mp = boost::multiprecision;

namespace {

// Products of two 64-bit numbers, and their sums.
__extension__ using Double = __int128;
__extension__ using UnsignedDouble = unsigned __int128;

[[noreturn]] void too_large() {
  throw Error("a number with more than " + std::to_string(Rational::max_bits) +
              " bits is beyond what exact arithmetic is done with here");
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Integer power_of_ten(unsigned exponent) { return mp::pow(Integer(10), exponent); }

constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto largest = std::numeric_limits<std::int64_t>::max();

UnsignedDouble magnitude(Double n) {
  return n < 0 ? -static_cast<UnsignedDouble>(n) : static_cast<UnsignedDouble>(n);
}

UnsignedDouble common_divisor(UnsignedDouble a, UnsignedDouble b) {
  constexpr auto narrow = std::numeric_limits<std::uint64_t>::max();
  while (b != 0) {
    if (a <= narrow && b <= narrow)
      return std::gcd(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
    const UnsignedDouble rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

Integer integer(Double n) {
  const UnsignedDouble size = magnitude(n);
  const Integer result =
      (Integer(static_cast<std::uint64_t>(size >> 64U)) << 64U) + static_cast<std::uint64_t>(size);
  return n < 0 ? Integer(-result) : result;
}

Rational quotient(Double up, Double down) {
  if (down == 0) throw Error("division by zero");
  if (down < 0) {
    up = -up;
    down = -down;
  }
  if (down != 1) {
    const auto common =
        static_cast<Double>(common_divisor(magnitude(up), static_cast<UnsignedDouble>(down)));
    up /= common;
    down /= common;
  }
  if (up < least || up > largest || down > largest) return ratio(integer(up), integer(down));
  return Fraction::lowest(static_cast<std::int64_t>(up), static_cast<std::int64_t>(down));
}

}  // namespace

unsigned bits(const Integer& n) { return n.is_zero() ? 0 : mp::msb(mp::abs(n)) + 1; }

Fraction::Fraction(const Rational& value)
    : up(value.wide_ ? value.wide_->up : Integer(value.up_)),
      down(value.wide_ ? value.wide_->down : Integer(value.down_)) {}

Fraction::Fraction(Integer above, Integer below) : up(std::move(above)), down(std::move(below)) {
  if (down.is_zero()) throw Error("division by zero");
  if (down.sign() < 0) {
    up = -up;
    down = -down;
  }
  if (down == 1) return;
  const Integer common = mp::gcd(up, down);
  if (common == 1) return;
  up /= common;
  down /= common;
}

Rational Fraction::rational() && {
  if (bits(up) > Rational::max_bits || bits(down) > Rational::max_bits) too_large();
  if (up >= least && up <= largest && down <= largest)
    return lowest(up.convert_to<std::int64_t>(), down.convert_to<std::int64_t>());
  Rational result;
  result.wide_ = std::make_shared<const Fraction>(std::move(*this));
  return result;
}

Rational Fraction::lowest(std::int64_t up, std::int64_t down) {
  Rational result;
  result.up_ = up;
  result.down_ = down;
  return result;
}

Rational::Rational(std::int64_t up, std::int64_t down) : Rational(quotient(up, down)) {}

int Rational::sign() const {
  if (wide_) return wide_->up.sign();
  return up_ < 0 ? -1 : static_cast<int>(up_ > 0);
}

bool Rational::is_integer() const { return wide_ ? wide_->down == 1 : down_ == 1; }

bool Rational::is_even() const {
  return is_integer() && (wide_ ? !mp::bit_test(wide_->up, 0) : up_ % 2 == 0);
}

Rational Rational::numerator() const { return wide_ ? mercer::rational(wide_->up) : Rational(up_); }

Rational Rational::denominator() const {
  return wide_ ? mercer::rational(wide_->down) : Rational(down_);
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
  return scale >= 0 ? mercer::rational(mantissa * ten) : ratio(std::move(mantissa), ten);
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
  return exponent >= 0 ? mercer::rational(whole * two) : ratio(whole, two);
}

std::optional<std::int64_t> Rational::to_int() const {
  return !wide_ && down_ == 1 ? std::optional(up_) : std::nullopt;
}

double Rational::to_double() const {
  if (is_zero()) return 0.0;
  constexpr std::int64_t whole = std::int64_t{1} << 53U;  // one rounding, in the division
  if (!wide_ && up_ >= -whole && up_ <= whole && down_ <= whole)
    return static_cast<double>(up_) / static_cast<double>(down_);
  const Fraction value(*this);
  // A quotient with 64 or 65 significant bits, its last one sticky, then one rounding by hand: to
  // 53 bits, or to fewer where the result is subnormal.
  Integer scaled = mp::abs(value.up);
  Integer divisor = value.down;
  const int shift = 64 + static_cast<int>(bits(divisor)) - static_cast<int>(bits(scaled));
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
  const double size = std::ldexp(static_cast<double>(quotient.convert_to<std::uint64_t>()),
                                 std::max(drop, 0) - shift);
  return sign() < 0 ? -size : size;
}

std::pair<double, int> Rational::scaled() const {
  const Fraction value(*this);
  const int e = static_cast<int>(bits(value.up)) - static_cast<int>(bits(value.down));
  const Integer two = Integer(1) << static_cast<unsigned>(std::abs(e));
  const Rational m = e >= 0 ? ratio(value.up, value.down * two) : ratio(value.up * two, value.down);
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
  const Fraction value(a);
  const auto places = decimals(value.down);
  if (!places) return std::nullopt;
  const Integer scaled = mp::abs(value.up) * power_of_ten(*places) / value.down;
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
  return fraction_text();
}

std::string Rational::fraction_text() const {
  const Fraction value(*this);
  return is_integer() ? value.up.str() : value.up.str() + "/" + value.down.str();
}

bool Rational::prints_as_fraction() const { return !decimal_text(*this).has_value(); }

Rational Rational::operator-() const {
  if (!wide_) return quotient(-static_cast<Double>(up_), down_);
  const Fraction value(*this);
  return ratio(-value.up, value.down);
}

Rational operator+(const Rational& a, const Rational& b) {
  if (!a.wide_ && !b.wide_)
    return quotient(static_cast<Double>(a.up_) * b.down_ + static_cast<Double>(b.up_) * a.down_,
                    static_cast<Double>(a.down_) * b.down_);
  const Fraction u(a);
  const Fraction v(b);
  return ratio(u.up * v.down + v.up * u.down, u.down * v.down);
}

Rational operator-(const Rational& a, const Rational& b) { return a + -b; }

Rational operator*(const Rational& a, const Rational& b) {
  if (!a.wide_ && !b.wide_)
    return quotient(static_cast<Double>(a.up_) * b.up_, static_cast<Double>(a.down_) * b.down_);
  const Fraction u(a);
  const Fraction v(b);
  return ratio(u.up * v.up, u.down * v.down);
}

Rational operator/(const Rational& a, const Rational& b) {
  if (!a.wide_ && !b.wide_)
    return quotient(static_cast<Double>(a.up_) * b.down_, static_cast<Double>(a.down_) * b.up_);
  const Fraction u(a);
  const Fraction v(b);
  return ratio(u.up * v.down, u.down * v.up);
}

bool operator==(const Rational& a, const Rational& b) {
  if (a.wide_ && b.wide_) return a.wide_->up == b.wide_->up && a.wide_->down == b.wide_->down;
  return !a.wide_ && !b.wide_ && a.up_ == b.up_ && a.down_ == b.down_;
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  if (!a.wide_ && !b.wide_) {
    const Double left = static_cast<Double>(a.up_) * b.down_;
    const Double right = static_cast<Double>(b.up_) * a.down_;
    if (left == right) return std::strong_ordering::equal;
    return left < right ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  const Fraction u(a);
  const Fraction v(b);
  const int order = Integer(u.up * v.down).compare(v.up * u.down);
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
  const Fraction value(a);
  const std::uint64_t widest = std::max(bits(value.up), bits(value.down));
  if (widest > 1 &&
      (times > Rational::max_power_bits || (widest - 1) * times > Rational::max_power_bits))
    return std::nullopt;
  const auto raise = [&](const Integer& base) -> Integer {
    if (mp::abs(base) == 1) return base.sign() < 0 && times % 2 == 1 ? Integer(-1) : Integer(1);
    return mp::pow(base, static_cast<unsigned>(times));
  };
  const Integer up = raise(value.up);
  const Integer down = raise(value.down);
  if (bits(up) > Rational::max_power_bits || bits(down) > Rational::max_power_bits)
    return std::nullopt;
  return n > 0 ? ratio(up, down) : ratio(down, up);
}

std::optional<Rational> exact_sqrt(const Rational& a) {
  if (a.sign() < 0) return std::nullopt;
  const Fraction value(a);
  const Integer up = mp::sqrt(value.up);
  const Integer down = mp::sqrt(value.down);
  if (up * up != value.up || down * down != value.down) return std::nullopt;
  return ratio(up, down);
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
  constexpr std::int64_t highest = 64;
  if (n == 0 || n > highest || (a.sign() < 0 && n % 2 == 0)) return std::nullopt;
  const auto times = static_cast<unsigned>(n);
  const Fraction value(a);
  const auto up = integer_root(mp::abs(value.up), times);
  const auto down = integer_root(value.down, times);
  if (!up || !down) return std::nullopt;
  return a.sign() < 0 ? -ratio(*up, *down) : ratio(*up, *down);
}

std::size_t hash_value(const Rational& a) {
  if (a.wide_) return mp::hash_value(a.wide_->up) * 31 + mp::hash_value(a.wide_->down);
  return std::hash<std::int64_t>()(a.up_) * 31 + std::hash<std::int64_t>()(a.down_);
}

}  // namespace mercer
