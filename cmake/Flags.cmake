# Compiler flags of everything below the root; nothing here reaches those who link to mercer.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# -O2 instead of CMake's -O3: what is hot is written with vectors and gains nothing from it. Flags
# set by hand are left alone.
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

# By default gcc fuses a*b+c into one instruction wherever the CPU has it, rounding once instead
# of twice. Results would then depend on the machine and on what was inlined where. Without
# contraction the same input gives the same bits; code that wants a fused operation calls std::fma.
add_compile_options(-ffp-contract=off)

add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion
  -Wold-style-cast -Wcast-align -Wcast-qual -Wformat=2 -Wimplicit-fallthrough
  -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wunused)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wduplicated-cond -Wduplicated-branches -Wlogical-op)
  # gcc 12 warns about correct uses of std::string + (gcc bug 105651).
  add_compile_options(-Wno-restrict)
endif()
if(MERCER_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()

if(MERCER_SANITIZE)
  # Assertions are on here, ours and those of the standard library: this is where they earn their
  # keep.
  add_compile_options(-fsanitize=${MERCER_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -UNDEBUG -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${MERCER_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The instrumentation confuses gcc's flow analysis; release builds keep these warnings.
    add_compile_options(-Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
  endif()
endif()

if(MERCER_BUILD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "MERCER_BUILD_FUZZ needs clang (libFuzzer): use `cmake --preset fuzz`.")
  endif()
  # The library has to report its coverage to the fuzzer.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
