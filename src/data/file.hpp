// Whole files.
#pragma once

#include <string>
#include <string_view>

namespace mercer::data {

// Throws Error where it cannot be read.
std::string load(const std::string& path);

// Replaces the file in one step: readers see the old content or all of the new. Throws Error, and
// leaves nothing behind then.
void replace(const std::string& path, std::string_view content);

}  // namespace mercer::data
