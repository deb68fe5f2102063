#include "cli/ranks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <mercer/error.hpp>
#include <string>

#include "base/machine.hpp"

namespace mercer::cli {

namespace {

namespace fs = std::filesystem;

unsigned long number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
}

template <class Function>
Function* function(void* module, const char* name) {
  return reinterpret_cast<Function*>(dlsym(module, name));
}

}  // namespace

Ranks::Ranks() : comm_(&comm::alone()), exceptions_(std::uncaught_exceptions()) {
  const auto ranks = number_of("OMPI_COMM_WORLD_SIZE");
  if (ranks < 2) return;
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& folder : {here, here / ".." / "lib", here / ".." / "lib" / "mercer",
                                 here / ".." / MERCER_LIBDIR / "mercer"}) {
    const fs::path file = folder / "mercer_mpi.so";
    if (!fs::exists(file, ignored)) continue;
    module_ = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module_ == nullptr) throw Error(file.string() + " cannot be loaded: " + dlerror());
    comm_ = function<const comm::Comm*()>(module_, "mercer_ranks_begin")();
    return;
  }
  throw Error(
      "this is one of " + std::to_string(ranks) +
      " ranks of mpirun, but mercer_mpi.so is not beside the program: build it where MPI is "
      "installed (libopenmpi-dev)");
}

Ranks::~Ranks() {
  if (module_ == nullptr) return;
  // The first rank tells the others before it fails; of another one nobody would hear.
  if (std::uncaught_exceptions() > exceptions_ && !first())
    function<void(int)>(module_, "mercer_ranks_abort")(4);
  function<void()>(module_, "mercer_ranks_end")();
}

unsigned Ranks::threads_each() {
  const auto here = std::max(1UL, number_of("OMPI_COMM_WORLD_LOCAL_SIZE"));
  return std::max(1U, hardware_threads() / static_cast<unsigned>(here));
}

}  // namespace mercer::cli
