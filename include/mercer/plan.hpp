// What a training would take on this machine, before it is begun: memory and time, of the exact way
// and of an approximation.
//
// Rates are measured with the kernel itself on a sample of the rows, which takes some seconds:
// kernel values in products K·v, and there and back; Cholesky factors; products of matrices. What
// depends on the data is measured by small trainings: how often an approximation passes over the
// rows, and how the time of an exact machine grows from one size to twice that.
//     exact ridge     n² kernel values and n³/3 multiply-adds, in n² floats; where these do not
//     fit,
//                     products K·v, in as many iterations as a small training has
//     other learners  the time of a small training, times (n/small)^p, p between 1 and 2.5 from two
//                     sizes; rows of K that are kept count as memory up to what is allowed
//     nystrom(m)      passes of n m values, computed or kept as training would; what is known of a
//                     sample of rows; factors of m³; m² doubles and a block
// A plan is a forecast: others use the machine, too.
#pragma once

#include <cstddef>
#include <mercer/train.hpp>
#include <string>
#include <vector>

namespace mercer {

struct PlanInput {
  std::size_t rows = 0;                           // of all the data
  double row_bytes = 0;                           // of a row in memory
  Table sample = {};                              // some thousand of them
  Encoding encoding = {};                         // theirs
  std::size_t memory = std::size_t{1792} << 20U;  // allowed
};

struct Rates {
  double values = 0;  // kernel values per second, K·v
  double both = 0;    // there and back
  double factor = 0;  // multiply-adds per second, Cholesky in floats
  double double_factor = 0;
  double product = 0;  // of products of matrices in doubles
  double float_product = 0;
};

struct PlanRoute {
  std::string name;  // "exact", "nystrom(m=2000)"
  std::string how;   // in words
  double seconds = 0;
  double bytes = 0;
  bool fits = true;  // into the memory allowed
};

struct Plan {
  Rates rates;
  std::string learner;
  std::vector<PlanRoute> routes;  // the exact one first
  std::size_t taken = 0;          // by `mercer train` without --approx
  std::string why;
  std::vector<std::string> chosen;  // for the sample: as in Trained
};

// The approximation is that of the options, or nystrom(m=2000). Throws Error.
Plan plan(const PlanInput& input, const TrainOptions& options);

// Whether these rows, as numbers, leave no room for what is computed from them.
bool rows_too_large(double bytes, std::size_t memory);

}  // namespace mercer
