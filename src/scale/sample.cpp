#include "scale/sample.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace mercer::scale {

using numeric::View;

namespace {

// Sᵀ of these rows, `now` numbers for each function of the basis.
void scaled_values(const SampleRows& rows, std::size_t begin, std::size_t now, const Basis& basis,
                   const GramOptions& gram, const numeric::How& how, std::vector<float>& K,
                   std::vector<float>& S) {
  const std::size_t m = basis.size();
  basis.values(rows.points.part(begin, begin + now), gram, K.data());
  constexpr std::size_t square = 32;
  parallel_for((m + square - 1) / square, how.threads, [&](std::size_t task) {
    const std::size_t end = std::min(m, (task + 1) * square);
    for (std::size_t r = 0; r < now; ++r)
      for (std::size_t j = task * square; j < end; ++j)
        S[j * now + r] = rows.roots[begin + r] * K[r * m + j];
  });
  rows.L.lower(S.data(), now, how);
}

}  // namespace

void add_sample(const SampleRows& rows, std::size_t first, std::size_t last, const Basis& basis,
                const GramOptions& gram, const numeric::How& how, Triangle& to) {
  constexpr std::size_t width = Triangle::width;
  constexpr std::size_t together = SampleRows::together;
  const std::size_t m = basis.size();
  std::vector<float> K(together * m);
  std::vector<float> S(together * m);
  for (std::size_t b = first; b < last; ++b) {
    const std::size_t now = std::min(together, rows.points.rows() - b * together);
    scaled_values(rows, b * together, now, basis, gram, how, K, S);
    for (std::size_t k = 0; k < to.blocks(); ++k) {
      const View<float> here{S.data() + k * width * now, to.block(k), now, now, 1};
      numeric::multiply_add(here, here.transposed(), to.corner(k), width, how, rows.unit);
      if (to.behind(k) == 0) continue;
      const View<float> right{S.data() + (k + 1) * width * now, to.behind(k), now, now, 1};
      numeric::multiply_add(here, right.transposed(), to.right(k), to.stride(), how, rows.unit);
    }
  }
}

double unit_for(double trace) {
  if (!(trace > 0)) return 0;
  constexpr int digits = 52;
  constexpr int room = 8;
  return std::exp2(std::ceil(std::log2(trace)) + room - digits);
}

void round_to(double unit, Triangle& values) {
  values.for_all([&](double* numbers, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) numbers[i] = numeric::rounded_to(unit, numbers[i]);
  });
}

}  // namespace mercer::scale
