# mercer_unity(<target>): its files are compiled several at a time, as if they were one.
#
# Headers and templates are then read once for all of them, for a cheaper clean build; a change of one
# file compiles its neighbours, too. Who works on one folder for long says
# `cmake -DMERCER_UNITY=OFF build/release`. Names in anonymous namespaces have to differ within the
# folder, which is why rooms ask for it one by one, and name files that stay alone. clang-tidy sees each
# file alone, and finds what one borrows from another.
option(MERCER_UNITY "Compile several files at a time in rooms and tests that allow it" ON)

function(mercer_unity target)
  if(NOT MERCER_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A class with members of an anonymous namespace is suspicious in a header only.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
