// The picture of "making the non-linear linear": points in three coordinates of φ, and a plane that
// separates them there.
#pragma once

#include <array>
#include <mercer/data.hpp>
#include <mercer/features.hpp>
#include <optional>
#include <string>
#include <vector>

#include "picture/write.hpp"

namespace mercer::picture {

struct LiftOptions {
  std::optional<FeatureMap> map;        // with three coordinates; or
  std::optional<Kernel> kernel;         // three of its features, or its principal components
  std::vector<std::size_t> features;    // which, from 1
  std::optional<std::string> positive;  // this class against the rest
  double C = 1000;                      // of the plane
  unsigned threads = 0;                 // as in GramOptions
};

struct Lift {
  std::string title;
  std::string note;
  std::array<std::string, 3> names;
  std::vector<std::array<double, 3>> points;
  std::vector<std::size_t> classes;  // of each point
  std::vector<std::string> class_names;
  // w·φ + b = 0, where there are two classes; of its points so many are on the wrong side.
  struct Surface {
    std::array<double, 3> w;
    double b = 0;
  };
  std::optional<Surface> plane;
  std::size_t wrong = 0;
  std::optional<double>
      turn;          // degrees about the vertical axis; absent: so that the plane is seen well
  double tilt = 22;  // degrees from above
};

// Throws Error.
Lift lift(const Table& whole, const LiftOptions& options);

void draw(Canvas& canvas, const Lift& l);

}  // namespace mercer::picture
