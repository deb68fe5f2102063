#include "numeric/lapack.hpp"

#include <dlfcn.h>

#include <mercer/error.hpp>
#include <vector>

namespace mercer::numeric {

namespace {

// Fortran's dstemr, with the lengths of its two texts at the end.
using Dstemr = void (*)(const char* vectors, const char* range, const int* n, double* d, double* e,
                        const double* vl, const double* vu, const int* il, const int* iu,
                        int* found, double* w, double* z, const int* ldz, const int* columns,
                        int* support, int* try_accuracy, double* work, const int* work_size,
                        int* whole_work, const int* whole_size, int* status, std::size_t,
                        std::size_t);

Dstemr loaded() {
  for (const char* name : {"liblapack.so.3", "liblapack.so", "libopenblas.so.0"}) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);  // stays until the end
    if (library == nullptr) continue;
    if (void* found = dlsym(library, "dstemr_")) return reinterpret_cast<Dstemr>(found);
    dlclose(library);
  }
  throw Error("eigenvectors need LAPACK, and liblapack.so.3 is not there: install liblapack3");
}

}  // namespace

void tridiagonal_eigenvectors(std::span<double> diagonal, std::span<double> beside, double* values,
                              double* vectors) {
  static const Dstemr dstemr = loaded();
  const auto n = static_cast<int>(diagonal.size());
  const double unused = 0;
  const int none = 0;
  int found = 0;
  int try_accuracy = 1;
  int status = 0;
  std::vector<int> support(2 * diagonal.size());
  std::vector<double> work(18 * diagonal.size());
  std::vector<int> whole_work(10 * diagonal.size());
  const auto work_size = static_cast<int>(work.size());
  const auto whole_size = static_cast<int>(whole_work.size());
  // "V": vectors, "A": all of them; column j of LAPACK is row j here.
  dstemr("V", "A", &n, diagonal.data(), beside.data(), &unused, &unused, &none, &none, &found,
         values, vectors, &n, &n, support.data(), &try_accuracy, work.data(), &work_size,
         whole_work.data(), &whole_size, &status, 1, 1);
  if (status != 0 || found != n) throw Error("the eigenvalues of a matrix were not found");
}

}  // namespace mercer::numeric
