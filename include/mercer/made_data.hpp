// Small data sets for teaching and trying, made by a seed: the same on every machine.
//
//   moons     two half circles that reach into each other
//   rings     classes on circles of radius 1, 2, … about the origin
//   xor       the sign of x1 * x2 * …: points in the corners of a cube
//   spirals   arms that wind about the origin, one per class
//   ellipse   inside and outside of an ellipse: separable by x1, x2, x1*x2, x1^2, x2^2, not by
//   lines blobs     a round cloud per class
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/data.hpp>
#include <span>
#include <string>
#include <string_view>

namespace mercer {

struct MakeOptions {
  std::size_t rows = 200;
  std::optional<double> noise;  // standard deviation; absent: what suits the set
  std::uint64_t seed = 0;
  std::size_t dimension = 2;  // more than 2: xor, rings, ellipse and blobs
  std::size_t classes = 2;    // more than 2: rings, spirals and blobs
};

struct MadeKind {
  std::string_view name;
  std::string_view summary;
  double noise;        // by default
  bool any_dimension;  // else 2
  bool any_classes;    // else 2
};
std::span<const MadeKind> made_kinds();

// Coordinates x1, x2, … with six decimals; classes 1, 2, …, or -1 and 1 where there are two. Throws
// Error for an unknown name or an option that the set does not have.
Table make_data(std::string_view name, const MakeOptions& options = {});

}  // namespace mercer
