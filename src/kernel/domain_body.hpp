// What a Domain holds.
#pragma once

#include <mercer/domain.hpp>
#include <optional>
#include <vector>

#include "base/rational.hpp"

namespace mercer {

struct Domain::Body {
  Kind kind = Kind::reals;
  std::optional<Rational> low;  // interval; none: unbounded
  std::optional<Rational> high;
  bool low_open = true;
  bool high_open = true;
  std::vector<Rational> values;  // finite, ascending
  Rational radius;               // ball
  bool operator==(const Body&) const = default;
};

}  // namespace mercer
