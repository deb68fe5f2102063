// Numbers at the front of a text, for readers that meet millions of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <fast_float/fast_float.h>
#include <system_error>

namespace mercer::data {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Short decimals, 127 or -0.4941, are a whole number divided by a power of ten; where both are
// exact the quotient is rounded once, hence correctly (Clinger 1990). The rest is fast_float's.
template <class T>
struct Exact;
template <>
struct Exact<double> {
  static constexpr std::size_t digits = 15;  // 10^15 < 2^53
  static constexpr std::array<double, 16> powers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
};
template <>
struct Exact<float> {
  static constexpr std::size_t digits = 7;  // 10^7 < 2^24
  static constexpr std::array<float, 8> powers{1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F};
};

// Reads a number at [p, end); where it ends, or null where there is none. A plus sign is allowed;
// "inf", "nan" and numbers beyond the range are read as such.
template <class T>
[[gnu::always_inline]] inline const char* read_number(const char* p, const char* end, T& value) {
  const char* q = p;
  const bool negative = q != end && *q == '-';
  if (negative) ++q;
  std::uint64_t whole = 0;
  const char* first = q;
  while (q != end && is_digit(*q)) whole = whole * 10 + static_cast<std::uint64_t>(*q++ - '0');
  auto digits = static_cast<std::size_t>(q - first);
  std::size_t decimals = 0;
  if (q != end && *q == '.') {
    const char* point = q++;
    while (q != end && is_digit(*q)) whole = whole * 10 + static_cast<std::uint64_t>(*q++ - '0');
    decimals = static_cast<std::size_t>(q - point) - 1;
    digits += decimals;
  }
  if (digits != 0 && digits <= Exact<T>::digits && (q == end || (*q != 'e' && *q != 'E')))
      [[likely]] {
    const T magnitude = static_cast<T>(whole) / Exact<T>::powers[decimals];
    value = negative ? -magnitude : magnitude;
    return q;
  }
  if (end - p > 1 && *p == '+' && p[1] != '-') ++p;
  const auto [stop, status] = fast_float::from_chars(p, end, value);
  return status == std::errc() ? stop : nullptr;
}

}  // namespace mercer::data
