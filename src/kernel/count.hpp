// How many: a number of any size, or a text in terms of the dimension d where that is not given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/integer.hpp"

namespace mercer::algebra {

struct Count {
  std::optional<Integer> number;
  std::string text;
  bool is_sum = false;  // wants parentheses in a product

  static Count of(Integer n);
};

Count operator+(const Count& a, const Count& b);
Count operator*(const Count& a, const Count& b);

// C(m + more, k); nullopt where it is too large to be computed.
std::optional<Count> choose(const Count& m, std::int64_t more, std::uint64_t k);

// base^exponent, as a text where the number would be too long.
std::optional<Count> raise(const Count& base, const Count& exponent);

}  // namespace mercer::algebra
