// Points in the memory of NumPy's arrays.
#include <mercer/error.hpp>
#include <mercer/points.hpp>

#include "arrays.hpp"
#include "module.hpp"

namespace mercer::python {

namespace {

template <class T>
using Grid = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Row = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Rows with any distance between them, each in one piece: nothing is copied.
template <class T>
Points dense(const Grid<T>& values) {
  const std::size_t rows = values.shape(0);
  const std::size_t columns = values.shape(1);
  // Of an array without numbers the strides say nothing.
  if (values.size() == 0) return Points::dense(values.data(), rows, columns, columns);
  const bool whole = columns <= 1 || values.stride(1) == 1;
  const bool forwards = rows <= 1 || values.stride(0) >= static_cast<std::int64_t>(columns);
  if (!whole || !forwards) throw Error("rows must lie in memory in one piece, one after the other");
  const std::size_t stride = rows <= 1 ? columns : static_cast<std::size_t>(values.stride(0));
  return Points::dense(values.data(), rows, columns, stride, std::make_shared<Grid<T>>(values));
}

template <class T>
struct Sparse {
  Row<std::int64_t> offsets;
  Row<std::int32_t> indices;
  Row<T> values;
};

template <class T>
Points sparse(const Row<std::int64_t>& offsets, const Row<std::int32_t>& indices,
              const Row<T>& values, std::size_t columns) {
  if (offsets.size() == 0) throw Error("a sparse matrix needs offsets, one more than rows");
  const std::size_t rows = offsets.size() - 1;
  if (offsets(0) != 0 || indices.size() != values.size() ||
      offsets(rows) != static_cast<std::int64_t>(values.size()))
    throw Error("the offsets of a sparse matrix do not fit its entries");
  for (std::size_t i = 0; i < rows; ++i) {
    if (offsets(i) > offsets(i + 1)) throw Error("the offsets of a sparse matrix do not ascend");
    for (std::int64_t e = offsets(i); e < offsets(i + 1); ++e) {
      const std::int32_t j = indices(e);
      if (j < 0 || static_cast<std::size_t>(j) >= columns ||
          (e > offsets(i) && j <= indices(e - 1)))
        throw Error("row " + std::to_string(i + 1) +
                    " of a sparse matrix has indices that do not ascend within its columns");
    }
  }
  return Points::sparse(offsets.data(), indices.data(), values.data(), rows, columns,
                        std::make_shared<Sparse<T>>(Sparse<T>{offsets, indices, values}));
}

}  // namespace

void add_points(nb::module_& m) {
  nb::class_<Points>(m, "Points", "Points in rows, seen in the memory where they are.")
      .def_static("dense", &dense<float>, nb::arg("values").noconvert())
      .def_static("dense", &dense<double>, nb::arg("values").noconvert())
      .def_static("sparse", &sparse<float>, nb::arg("offsets").noconvert(),
                  nb::arg("indices").noconvert(), nb::arg("values").noconvert(), nb::arg("columns"))
      .def_static("sparse", &sparse<double>, nb::arg("offsets").noconvert(),
                  nb::arg("indices").noconvert(), nb::arg("values").noconvert(), nb::arg("columns"))
      .def_prop_ro("rows", &Points::rows)
      .def_prop_ro("columns", &Points::columns)
      .def_prop_ro("single", [](const Points& x) { return x.scalar() == Points::Scalar::float32; })
      .def_prop_ro("address", [](const Points& x) {
        return reinterpret_cast<std::uintptr_t>(x.raw());  // to show that it is the user's own
      });
}

}  // namespace mercer::python
