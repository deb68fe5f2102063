# cmake -DFOLDER=dist -DOUT=page.cpp -P embed.cmake: the files of a folder as C++.
file(GLOB_RECURSE files RELATIVE "${FOLDER}" "${FOLDER}/*")
set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS files)
  if(file MATCHES "\\.html$")
    set(type "text/html; charset=utf-8")
  elseif(file MATCHES "\\.js$")
    set(type "text/javascript; charset=utf-8")
  elseif(file MATCHES "\\.css$")
    set(type "text/css; charset=utf-8")
  elseif(file MATCHES "\\.svg$")
    set(type "image/svg+xml")
  else()
    message(FATAL_ERROR "embed: what type is ${file}?")
  endif()
  file(READ "${FOLDER}/${file}" content HEX)
  string(LENGTH "${content}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," content "${content}")
  string(APPEND arrays "constexpr char content_${number}[] = {${content}};\n")
  string(APPEND rows "    {\"/${file}\", \"${type}\", {content_${number}, ${length}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUT}" "// Made by src/studio/embed.cmake.
#include \"studio/page.hpp\"

#include <array>

namespace mercer::studio {

namespace {
${arrays}
constexpr std::array<PageFile, ${number}> files{{
${rows}}};
}  // namespace

std::span<const PageFile> page_files() { return files; }

}  // namespace mercer::studio
")
