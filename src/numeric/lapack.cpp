#include "numeric/lapack.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <limits>
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

using Dstedc = void (*)(const char* vectors, const int* n, double* d, double* e, double* z,
                        const int* ldz, double* work, const int* work_size, int* whole_work,
                        const int* whole_size, int* status, std::size_t);

template <class Function>
Function loaded(const char* function) {
  for (const char* name : {"liblapack.so.3", "liblapack.so", "libopenblas.so.0"}) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);  // stays until the end
    if (library == nullptr) continue;
    if (void* found = dlsym(library, function)) return reinterpret_cast<Function>(found);
    dlclose(library);
  }
  throw Error("eigenvectors need LAPACK, and liblapack.so.3 is not there: install liblapack3");
}

// By dividing and conquering: more memory, but it does not give up where many eigenvalues are 0 but
// for rounding, as those of distances are.
void by_dividing(std::vector<double>& diagonal, std::vector<double>& beside, double* values,
                 double* vectors) {
  static const auto dstedc = loaded<Dstedc>("dstedc_");
  const std::size_t size = diagonal.size();
  const auto n = static_cast<int>(size);
  const std::size_t needed = 1 + 4 * size + size * size;
  int status = needed > static_cast<std::size_t>(std::numeric_limits<int>::max()) ? 1 : 0;
  if (status == 0) {
    std::vector<double> work(needed);
    std::vector<int> whole_work(3 + 5 * size);
    const auto work_size = static_cast<int>(work.size());
    const auto whole_size = static_cast<int>(whole_work.size());
    dstedc("I", &n, diagonal.data(), beside.data(), vectors, &n, work.data(), &work_size,
           whole_work.data(), &whole_size, &status, 1);
  }
  if (status != 0)
    throw Error(
        "LAPACK found no eigenvalues of the Gram matrix; with lambda given, and for kernels, none "
        "are needed");
  std::ranges::copy(diagonal, values);
}

}  // namespace

void tridiagonal_eigenvectors(std::span<double> diagonal, std::span<double> beside, double* values,
                              double* vectors) {
  static const auto dstemr = loaded<Dstemr>("dstemr_");
  std::vector<double> kept_diagonal(diagonal.begin(), diagonal.end());
  std::vector<double> kept_beside(beside.begin(), beside.end());
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
  if (status != 0 || found != n) by_dividing(kept_diagonal, kept_beside, values, vectors);
}

}  // namespace mercer::numeric
