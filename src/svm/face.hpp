// The least of a quadratic on the face of a box, for variables strictly between their bounds:
//
//     minimise  ½ dᵀMd + gᵀd   with  lower <= β + d <= upper  and, where sums are kept, Σd = 0 in
//     each group.
//
// Newton's step leads to the minimum at once where no bound is in its way. Else it goes up to the
// first one, the variable that met it stays there, and the step is taken anew among the others.
// This is what two variables at a time take 10⁵ moves for where bounds are far apart and M is close
// to singular.
//
// M = L Lᵀ is factored once. Sums, and variables that stay, are conditions Aᵀd = 0: with u = -M⁻¹g
// and Z = M⁻¹A the step is d = u - Z (AᵀZ)⁻¹ Aᵀu, and each condition costs one column of Z.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "numeric/product.hpp"

namespace mercer::support {

struct Face {
  // M, on and below its diagonal, in rows of as many numbers as there are variables. Asked for
  // again where it turns out not to be positive definite, and more has to be added to its diagonal.
  std::function<void(double* M)> matrix;
  double shift = 0;  // that is added to begin with
  std::vector<double> gradient;
  std::vector<double> beta;
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<std::uint8_t> group;  // 0 or 1
  bool keeps_sum = true;

  [[nodiscard]] std::size_t size() const { return beta.size(); }
};

struct FaceEnd {
  bool moved = false;   // else M plus all that may be added is not positive definite
  bool whole = false;   // down to the minimum; else so many met a bound that M is better without
  std::size_t met = 0;  // variables that are at a bound now
};

// Moves face.beta. Every step makes the quadratic smaller, and the sums are kept up to rounding.
FaceEnd descend(Face& face, const numeric::How& how = {});

}  // namespace mercer::support
