// NumPy's arrays and ours.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mercer/matrix.hpp>
#include <mercer/points.hpp>
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

// Doubles of our own making, dense, in the memory where they are.
inline Numbers<double> array_in(const Points& x) {
  auto kept = std::make_unique<Points>(x);
  const std::array<std::size_t, 2> shape{x.rows(), x.columns()};
  auto* data = const_cast<double*>(x.values<double>());  // NOLINT: nobody else has them
  const nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<Points*>(p); });
  return Numbers<double>(data, shape.size(), shape.data(), owner);
}

// A copy of points: an array, or (offsets, indices, values, columns) of sparse ones.
template <class T>
nb::object copy_of(const Points& x) {
  if (!x.is_sparse()) {
    std::vector<T> values(x.rows() * x.columns());
    for (std::size_t i = 0; i < x.rows(); ++i)
      x.row(i, std::span(values).subspan(i * x.columns(), x.columns()));
    return nb::cast(array_of(std::move(values), {x.rows(), x.columns()}));
  }
  const auto offsets = x.offsets();
  const std::size_t entries = x.entries();
  return nb::make_tuple(array_of(std::vector<std::int64_t>(offsets.begin(), offsets.end())),
                        array_of(std::vector<std::int32_t>(x.indices(), x.indices() + entries)),
                        array_of(std::vector<T>(x.values<T>(), x.values<T>() + entries)),
                        x.columns());
}

inline nb::object arrays_of(const Points& x) {
  return x.scalar() == Points::Scalar::float32 ? copy_of<float>(x) : copy_of<double>(x);
}

}  // namespace mercer::python
