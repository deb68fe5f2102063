#include "numeric/product.hpp"

namespace mercer::numeric {

template <class T>
void multiply_add(const View<T>& A, const View<T>& B, T sign, T* C, std::size_t stride, Part part,
                  const How& how) {
  const Micro<T>& use = micro<T>(how.instructions);
  constexpr std::size_t depth = 256;
  for (std::size_t k = 0; k < A.columns; k += depth) {
    const std::size_t now = std::min(depth, A.columns - k);
    Packed<T> a(A.rows, now, use.rows);
    Packed<T> b(B.columns, now, use.columns);
    pack(A.part(0, k, A.rows, now), how.threads, a);
    pack(B.part(k, 0, now, B.columns).transposed(), how.threads, b);
    multiply_packed(use, a, b, sign, C, A.rows, B.columns, stride, part, how.threads);
  }
}

template void multiply_add<float>(const View<float>&, const View<float>&, float, float*,
                                  std::size_t, Part, const How&);
template void multiply_add<double>(const View<double>&, const View<double>&, double, double*,
                                   std::size_t, Part, const How&);

}  // namespace mercer::numeric
