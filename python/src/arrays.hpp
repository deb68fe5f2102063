// NumPy's arrays and ours.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <mercer/matrix.hpp>
#include <optional>
#include <span>
#include <vector>

namespace mercer::python {

namespace nb = nanobind;

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Square = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Numbers = nb::ndarray<nb::numpy, T>;

inline std::span<const double> span_of(const Vector& v) { return {v.data(), v.shape(0)}; }

inline std::vector<double> vector_of(const std::optional<Vector>& v) {
  if (!v) return {};
  const auto values = span_of(*v);
  return {values.begin(), values.end()};
}

inline Matrix matrix_of(const Square& a) {
  return {a.shape(0), a.shape(1), {a.data(), a.data() + a.size()}, {}};
}

// An array that has the memory of the vector.
template <class T>
Numbers<T> array_of(std::vector<T> values, std::vector<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  const nb::capsule owner(kept.release(),
                          [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Numbers<T>(data, shape.size(), shape.data(), owner);
}

template <class T>
Numbers<T> array_of(std::vector<T> values) {
  const std::size_t n = values.size();
  return array_of(std::move(values), {n});
}

inline Numbers<double> array_of(Matrix m) {
  return array_of(std::move(m.values), {m.rows, m.columns});
}

}  // namespace mercer::python
