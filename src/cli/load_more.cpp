#include <mercer/error.hpp>

#include "cli/modules.hpp"
#include "cli/more.hpp"

namespace mercer::cli {

const More& more() {
  static void* module = module_named("mercer_more.so");
  if (module == nullptr)
    throw Error("a part of the program is missing: mercer_more.so is not beside it, nor in ../lib");
  return *function_of<const More*()>(module, "mercer_more")();
}

}  // namespace mercer::cli
