// Parts of the program that are loaded when they are needed.
#pragma once

#include <dlfcn.h>

#include <string>

namespace mercer::cli {

// The module of that file name beside the program, or where an installed one has it; null where
// there is none. It stays loaded. Throws Error where it cannot be loaded.
void* module_named(const std::string& name);

template <class Function>
Function* function_of(void* module, const char* name) {
  return reinterpret_cast<Function*>(dlsym(module, name));
}

}  // namespace mercer::cli
