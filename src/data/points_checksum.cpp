#include "data/points_checksum.hpp"

namespace mercer::data {

namespace {

template <class T>
void add_values(Checksum& sum, const T* values, std::size_t count) {
  if (count > 0) sum.add({reinterpret_cast<const char*>(values), count * sizeof(T)});
}

template <class T>
void add_points(Checksum& sum, const Points& x) {
  const T* values = x.values<T>();
  if (!x.is_sparse()) {
    for (std::size_t i = 0; i < x.rows(); ++i)
      add_values(sum, values + i * x.stride(), x.columns());
    return;
  }
  const auto offsets = x.offsets();
  for (const std::int64_t o : offsets) {
    const auto from_first = static_cast<std::size_t>(o - offsets.front());
    add_values(sum, &from_first, 1);
  }
  add_values(sum, x.indices() + offsets.front(), x.entries());
  add_values(sum, values + offsets.front(), x.entries());
}

}  // namespace

void add(Checksum& sum, const Points& x) {
  if (x.rows() == 0) return;
  if (x.scalar() == Points::Scalar::float32) {
    add_points<float>(sum, x);
  } else {
    add_points<double>(sum, x);
  }
}

}  // namespace mercer::data
