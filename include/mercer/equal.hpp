// Are two kernels the same function?
//
// Kernel's == compares expressions after simplification, and is quick. equal() asks whether
// k1(x,z) = k2(x,z) for all x and z of a domain, and answers in one of three ways:
//   equal      decided exactly where both are polynomials (all coefficients agree) and for
//   quotients
//              of them; else by rewriting: exponentials joined, sums of angles taken apart,
//              products multiplied out;
//   different  with two rational points at which the values differ, exactly or in ball arithmetic;
//   unknown    with what was tried.
//
// Link with mercer::proof.
#pragma once

#include <cstdint>
#include <mercer/domain.hpp>
#include <mercer/kernel.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

struct EqualityOptions {
  Domain domain;                           // where x and z range over
  std::optional<std::uint32_t> dimension;  // none: every one in which both make sense
};

struct Equality {
  enum class Kind { equal, different, unknown };
  Kind kind = Kind::unknown;
  std::string reason;  // equal: why

  struct Difference {
    std::uint32_t dimension = 1;
    std::vector<std::string> x;  // rationals as text
    std::vector<std::string> z;
    std::string first;  // k1(x,z): a rational, or a ball that holds it
    std::string second;
    std::string gap;     // k1(x,z) - k2(x,z), which is not 0
    bool exact = false;  // computed in rational arithmetic
  };
  std::optional<Difference> difference;

  std::vector<std::string> tried;  // unknown
};

// Throws Error where there is no dimension in which both make sense, or where one of them is
// undefined at a point of the domain, which is named.
Equality equal(const Kernel& k1, const Kernel& k2, const EqualityOptions& options = {});

}  // namespace mercer
