# mercer_bench(<name> SOURCES <files>... [LINK <libraries>...])
#
# For bench/CMakeLists.txt. The programs are not part of `all`; `./dev bench` builds the target
# `benches` and runs what <build>/benches.txt lists, in the order of declaration.

function(mercer_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  find_package(benchmark REQUIRED)
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench-bin")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${name} PRIVATE mercer benchmark::benchmark ${arg_LINK})
  if(NOT TARGET benches)
    add_custom_target(benches)
  endif()
  add_dependencies(benches ${name})
  set_property(GLOBAL APPEND_STRING PROPERTY MERCER_BENCHES
    "${PROJECT_BINARY_DIR}/bench-bin/${name}\n")
  get_property(text GLOBAL PROPERTY MERCER_BENCHES)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/benches.txt" CONTENT "${text}" @ONLY)
endfunction()
