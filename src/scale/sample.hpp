// What a sample of the rows knows: SᵀS and Sᵀ √D y for S = √D K_S L⁻ᵀ, in floats, with sums of 512
// products in floats and those of sums in doubles. Sums are multiples of a unit: then their total
// is exact, and does not depend on who adds up what.
#pragma once

#include <cstddef>
#include <functional>
#include <mercer/gram.hpp>
#include <mercer/matrix.hpp>
#include <mercer/points.hpp>
#include <vector>

#include "numeric/product.hpp"
#include "scale/basis.hpp"
#include "scale/factor.hpp"
#include "scale/triangle.hpp"

namespace mercer::scale {

struct SampleRows {
  static constexpr std::size_t together = 512;  // rows whose products are summed in floats

  Points points;
  std::vector<float> roots;  // √D
  FactorInFloats L;
  double unit = 0;  // a power of 2; 0: sums are not rounded
  // What is to be learned of each row, times √D: so many numbers.
  std::size_t width = 0;
  std::vector<float> targets = {};
  double target_unit = 0;

  [[nodiscard]] std::size_t blocks() const { return (points.rows() + together - 1) / together; }
};

// Blocks of rows, from the first to before the last, are added: SᵀS, and Sᵀ times the targets.
void add_sample(const SampleRows& rows, std::size_t first, std::size_t last, const Basis& basis,
                const GramOptions& gram, const numeric::How& how, Triangle& to, Matrix& right);

// The unit for a matrix with about this trace: small beside the rounding of floats, and so large
// that a sum of 2^52 of them, the most that a double counts, is far above the trace.
double unit_for(double trace);
void round_to(double unit, Triangle& values);

// Rows that stand for all. Their values are computed when they are needed, some rows at a time.
struct Sample {
  Points points = {};  // none: the centres
  const Basis* basis = nullptr;
  GramOptions gram = {};
  std::vector<double> D = {};  // how much weight each stands for
  Matrix y = {};               // what is to be learned of them; none where nobody asks
  // Adds all blocks of rows but the first, with whoever helps; without it, alone.
  std::function<void(const SampleRows& rows, Triangle& to, Matrix& right)> add_others = {};

  [[nodiscard]] bool of_centres() const { return points.rows() == 0; }
};

}  // namespace mercer::scale
