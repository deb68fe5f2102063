#include "cli/modules.hpp"

#include <filesystem>
#include <mercer/error.hpp>

namespace mercer::cli {

void* module_named(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  if (here.empty()) return nullptr;  // not from wherever one happens to be
  for (const fs::path& folder : {here, here / ".." / "lib", here / ".." / "lib" / "mercer",
                                 here / ".." / MERCER_LIBDIR / "mercer"}) {
    const fs::path file = folder / name;
    if (!fs::exists(file, ignored)) continue;
    void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) throw Error(file.string() + " cannot be loaded: " + dlerror());
    return module;
  }
  return nullptr;
}

}  // namespace mercer::cli
