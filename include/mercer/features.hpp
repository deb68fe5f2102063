// The feature map behind a kernel, and the kernel behind a feature map.
//
// k(x, z) = φ(x)·φ(z). From k to φ, by the rules of the notes:
//   c >= 0           φ(x) = [√c]
//   f(x) k f(z)      f(x) times each feature of k
//   k1 + k2          the features of k1 and of k2 side by side
//   k1 * k2          all products of one of each; of a power kⁿ, all products of n of them, each
//                    once, with the root of its multinomial coefficient
//   a polynomial     k(x,z) = m(x)ᵀ G m(z) with monomials m; G = L D Lᵀ gives √D Lᵀ m(x), and where
//   G
//                    has a negative direction there is no φ
//   Σ a_n kⁿ         infinitely many: the series is cut after some terms, and what is left out is
//                    bounded
// From φ to k by multiplying out.
//
//   Features f = features(Kernel::parse("(1 + x.z)^2"), 2);
//   f.count                                  "6"
//   f.map.coordinates[1].text()              "sqrt(2)*x1"
//   kernel_of(f.map).kernel.text()           "poly(2)"
#pragma once

#include <cstdint>
#include <mercer/kernel.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

// φ(x) = [φ_1(x), …, φ_n(x)]: expressions in x alone.
struct FeatureMap {
  std::vector<Kernel> coordinates;
  std::uint32_t dimension = 1;  // of x

  // "[x1, x2, sqrt(2)*x1*x2]". Without a dimension, the least that has every coordinate named.
  // Throws ParseError, with the position.
  static FeatureMap parse(std::string_view text,
                          std::optional<std::uint32_t> dimension = std::nullopt);

  [[nodiscard]] std::string text() const;  // parse(m.text()) has equal coordinates

  // A coordinate for reading: √ of fractions in one piece, as in sqrt(2/3)*x1.
  [[nodiscard]] std::string text(std::size_t i) const;
};

// ---- from k to φ

struct FeatureOptions {
  std::uint64_t terms = 4;         // of a power series, before it is cut
  std::size_t coordinates = 1000;  // to be written out at most; the others are only counted
};

struct Features {
  enum class Kind {
    finite,    // φ has `count` coordinates
    infinite,  // φ has infinitely many; `map` is cut off it, and `tail` bounds the difference
    none,      // there is no φ, k is not a kernel: see `reason`
    unknown,   // none was found: see `reason`
  };
  Kind kind = Kind::unknown;
  std::string count;      // of coordinates of φ, or of what was cut off an infinite one
  bool minimal = false;   // no map has fewer
  FeatureMap map;         // the first coordinates: min(count, options.coordinates)
  bool complete = false;  // … which are all that `count` counts

  std::optional<Kernel> tail;      // infinite: |k(x,z) - φ(x)·φ(z)| <= tail(x,z) …
  std::vector<std::string> where;  // … where this holds: "|x|*|z| < 1"; empty: everywhere
  std::optional<double> tail_on_unit_ball;  // an upper bound of it for |x| <= 1 and |z| <= 1
  std::vector<std::string> series;          // the series that were cut

  struct Check {  // of φ(x)·φ(z) = k(x,z)
    enum class Kind {
      exact,    // as polynomials: every coefficient
      numeric,  // at points; with a tail: that the difference stays below it
      none,     // not all is written out: by the rules alone
    };
    Kind kind = Kind::none;
    std::size_t points = 0;
    double difference = 0;  // the largest seen, relative to √(k(x,x) k(z,z))
  } check;

  std::vector<std::string> notes;
  std::string reason;           // of none and unknown
  bool known_infinite = false;  // unknown, but certainly not finite
};

// "finite", "infinite", "none", "unknown".
const char* name_of(Features::Kind kind);

// Throws Error where k makes no sense in the dimension.
Features features(const Kernel& k, std::uint32_t dimension, const FeatureOptions& options = {});

// ---- from φ to k

struct KernelOfMap {
  Kernel kernel;                 // Σ φ_i(x) φ_i(z), in closed form where one was recognised
  bool function_of_dot = false;  // of x·z only, in the dimension of the map
  bool closed_form = false;      // not just multiplied out
};

KernelOfMap kernel_of(const FeatureMap& map);

// ---- which rules a map has

// Whether every rule θ·ψ(x) + θ_0 in the features ψ of another map is one in the features of this:
// each ψ_i is a combination of the φ_j (and of the constant, with an offset).
struct Containment {
  enum class Kind { yes, no, unknown };
  Kind kind = Kind::unknown;
  // yes: ψ_i = Σ_j combinations[i][j] φ_j + offsets[i], as texts of constants
  std::vector<std::vector<std::string>> combinations;
  std::vector<std::string> offsets;
  std::size_t missing = 0;   // no, unknown: the first ψ_i that is not there
  std::string missing_part;  // what no combination has: "x1*x2"
};

Containment contains(const FeatureMap& map, const FeatureMap& other, bool offset = true);

}  // namespace mercer
