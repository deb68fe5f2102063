// The files of the page, as Vite built them (web/). Made by src/studio/CMakeLists.txt.
#pragma once

#include <span>
#include <string_view>

namespace mercer::studio {

struct PageFile {
  std::string_view path;  // "/studio.js"
  std::string_view type;
  std::string_view content;
};

std::span<const PageFile> page_files();  // none where the page was not built

}  // namespace mercer::studio
