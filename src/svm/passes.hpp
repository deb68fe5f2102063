// The innermost loops of solving for support vectors, for each instruction set of this machine.
//
// Each of them runs over variables [begin, end) in ascending order; the numbers are multiples of
// `pass_step`. F is the gradient. `up` is 0 where a variable may grow and +infinity where it may
// not, `low` 0 where it may shrink and -infinity where it may not. Of equal candidates the first
// one is taken, so that the answer does not depend on the width of vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace mercer::support {

inline constexpr std::size_t pass_step = 16;
constexpr std::size_t filled(std::size_t n) { return (n + pass_step - 1) / pass_step * pass_step; }

inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

// Where a pass found its extreme value so far; better ones replace it.
struct Least {
  double value = std::numeric_limits<double>::infinity();
  std::uint32_t index = nobody;
};
struct Partner {
  float gain = 0;
  std::uint32_t index = nobody;
  double largest = -std::numeric_limits<double>::infinity();  // F of those that may shrink
};

template <class T>
struct Passes {
  std::string name;  // "AVX2"

  // The least F of those that may grow.
  void (*least)(const double* F, const float* up, std::size_t begin, std::size_t end,
                Least& found) = nullptr;

  // For i, which has F_i and K_ii: the j that may shrink for which moving both as far as is best
  // gains most, (F_j - F_i)² / (K_ii + K_jj - 2 K_ij).
  void (*partner)(const double* F, const float* low, const T* row, const T* diagonal, double F_i,
                  T K_ii, std::size_t begin, std::size_t end, Partner& found) = nullptr;

  // F += t (row_i - row_j), and the least of those that may grow.
  void (*move)(double* F, const float* up, const T* row_i, const T* row_j, double t,
               std::size_t begin, std::size_t end, Least& found) = nullptr;

  // Without a sum to keep: F += t row, then the i for which moving it alone gains most, F_i² /
  // K_ii; `largest` is that of |F_i| among those that may move.
  void (*move_one)(double* F, const float* up, const float* low, const T* row, const T* diagonal,
                   double t, std::size_t begin, std::size_t end, Partner& found) = nullptr;

  // Of F = f + linear: the least of those with beta < upper, and the largest of those with beta >
  // lower, of the first `count`, which may be any number.
  void (*extremes)(const double* f, const double* linear, const double* beta, const double* lower,
                   const double* upper, std::size_t count, double& least,
                   double& largest) = nullptr;

  // f += Σ_r by[r] rows[r] for r < count.
  void (*add_rows)(double* f, const T* const* rows, const double* by, std::size_t count,
                   std::size_t begin, std::size_t end) = nullptr;
  // The same, where T is float: sums of 16 rows are floats, too.
  void (*add_roughly)(double* f, const T* const* rows, const float* by, std::size_t count,
                      std::size_t begin, std::size_t end) = nullptr;
};

// All that this machine can run, the widest first.
template <class T>
const std::vector<Passes<T>>& all_passes();
template <>
const std::vector<Passes<float>>& all_passes<float>();
template <>
const std::vector<Passes<double>>& all_passes<double>();

// The one in use (see base/instructions.hpp), or the one of that name.
template <class T>
const Passes<T>& passes(const std::string& name = {});

}  // namespace mercer::support
