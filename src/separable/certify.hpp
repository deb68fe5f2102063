// A rule f = Σ c_j h_j + b, made of short decimals, and the proof that it separates.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "separable/features.hpp"
#include "separable/nearest.hpp"

namespace mercer::separability {

struct LinearRule {
  std::vector<Rational> c;
  Rational b;
};

struct Certified {
  LinearRule rule;
  double margin = 0;   // min y_i f(x_i) / |w|
  bool exact = false;  // in rational arithmetic, else in balls
};

// Whether y_i f(x_i) > 0 for all i, proved: nullopt where not, else whether exactly.
std::optional<bool> separates(const Functions& h, const LinearRule& rule, std::span<const int> y,
                              Clock::time_point deadline);

// From Σ c_j h_j in doubles: scaled so that the closest points have y f = 1, with the offset in the
// middle, and rounded to as few decimals as keep all but a thousandth of the margin.
std::optional<Certified> short_rule(const Functions& h, std::vector<double> c,
                                    std::span<const int> y, bool offset,
                                    Clock::time_point deadline);

// From exact c, where doubles do not suffice: rounded to 20, 40, … significant digits, until the
// classes are apart in rational arithmetic.
std::optional<Certified> long_rule(const Functions& h, const std::vector<Big>& c,
                                   std::span<const int> y, bool offset, Clock::time_point deadline);

}  // namespace mercer::separability
