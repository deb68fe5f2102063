# Rooms: each folder of src/ is one, declares what it may include, and is compiled as a target of
# its own; all of them together are the one library `mercer`.
#
#   mercer_room(<name> [DEPENDS <rooms>...] [SOURCES <files>...] [LINK <header-only libraries>...]
#               [LIBRARY <other>] [PUBLIC <libraries>...] [NO_FUZZ] [PROGRAM_ONLY]
#               [UNITY [ALONE <files>...]])
#   mercer_program(<name> [DEPENDS <rooms>...] [SOURCES <files>...] [LINK <libraries>...] [UNITY]
#                  MORE <files>... MORE_LINK <libraries>...)
#
# <name> is the name of the folder. Without SOURCES, every *.cpp below the folder is compiled.
# LINK is for header-only libraries: what a room links is not passed on, so that the installed
# library needs nothing else. What a room needs beyond headers it names as PUBLIC, and users link it,
# too; or, where that is much, the room goes into a library of its own, mercer::<other>, so that
# `mercer` stays free of it. NO_FUZZ: not in the fuzz build, where nothing calls it. PROGRAM_ONLY: a
# part of the program and of no library; it is not installed, and the program links mercer_<name>.
#
# MORE: files of the program that are a module of its own, mercer_more.so, with the libraries
# MORE_LINK: it is loaded when it is needed (src/cli/more.hpp), and takes from the program what the
# libraries `mercer` and `mercer-learn` have.
#
# UNITY: several files are compiled as one where MERCER_UNITY is on (cmake/Unity.cmake), all but
# those that have names of others and stay ALONE.
#
# The declared graph is written to <build>/rooms.txt, one line `room: dependency ...` each;
# tests/house/check_includes.py holds every #include against it.

function(_mercer_declare_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_FUZZ;PROGRAM_ONLY;UNITY" "LIBRARY" "DEPENDS;SOURCES;LINK;PUBLIC;ALONE;MORE;MORE_LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "room ${name}: what is `${arg_UNPARSED_ARGUMENTS}`?")
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  if(NOT name STREQUAL folder)
    message(FATAL_ERROR "room ${name} is declared in the folder ${folder}: use the same name")
  endif()
  set_property(GLOBAL APPEND PROPERTY MERCER_ROOMS ${name})
  set_property(GLOBAL PROPERTY MERCER_ROOM_${name} "${arg_DEPENDS}")
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  endif()
  set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(more ${arg_MORE} PARENT_SCOPE)
  set(more_link ${arg_MORE_LINK} PARENT_SCOPE)
  set(depends ${arg_DEPENDS} PARENT_SCOPE)
  set(sources ${arg_SOURCES} PARENT_SCOPE)
  set(link ${arg_LINK} PARENT_SCOPE)
  set(library "${arg_LIBRARY}" PARENT_SCOPE)
  set(public ${arg_PUBLIC} PARENT_SCOPE)
  set(no_fuzz ${arg_NO_FUZZ} PARENT_SCOPE)
  set(program_only ${arg_PROGRAM_ONLY} PARENT_SCOPE)
  set(unity ${arg_UNITY} PARENT_SCOPE)
endfunction()

set(MERCER_INCLUDE_ROOTS "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/generated")

# Headers are compiled once, by the first target of a kind; the others use what came of it. All of
# a kind have the same definitions and options, else the compiler would read the headers again.
function(_mercer_precompile kind target)
  get_property(first GLOBAL PROPERTY MERCER_PRECOMPILED_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY MERCER_PRECOMPILED_${kind} ${target})
  endif()
endfunction()

function(mercer_room name)
  _mercer_declare_room(${name} ${ARGN})
  if(NOT sources)
    return() # a room of headers only
  endif()
  if(no_fuzz AND MERCER_BUILD_FUZZ AND NOT MERCER_BUILD_TESTS)
    return() # nothing in it parses
  endif()
  if(program_only)
    if(MERCER_BUILD_PROGRAM)
      add_library(mercer_${name} STATIC ${sources})
      set_target_properties(mercer_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_include_directories(mercer_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
      target_link_libraries(mercer_${name} PUBLIC mercer ${public} PRIVATE ${link})
      target_compile_options(mercer_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
      if(unity)
        mercer_unity(mercer_${name})
      endif()
    endif()
    return()
  endif()
  add_library(mercer_${name} OBJECT ${sources})
  set_target_properties(mercer_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(unity)
    mercer_unity(mercer_${name})
  endif()
  target_include_directories(mercer_${name} PRIVATE
    ${MERCER_INCLUDE_ROOTS} "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(mercer_${name} PRIVATE Threads::Threads fmt::fmt ${link} ${public})
  set(headers <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <span>
    <string> <variant> <vector>)
  if(Boost::headers IN_LIST link)
    _mercer_precompile(exact mercer_${name} ${headers} "${PROJECT_SOURCE_DIR}/src/base/rational.hpp")
  else()
    _mercer_precompile(plain mercer_${name} ${headers})
  endif()
  if(library)
    if(MERCER_BUILD_FUZZ)
      set_target_properties(mercer_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    set_property(GLOBAL APPEND PROPERTY MERCER_LIBRARIES ${library})
    set_property(GLOBAL APPEND PROPERTY MERCER_OBJECTS_OF_${library} $<TARGET_OBJECTS:mercer_${name}>)
    set_property(GLOBAL APPEND PROPERTY MERCER_PUBLIC_OF_${library} ${public})
  else()
    set_property(GLOBAL APPEND PROPERTY MERCER_ROOM_OBJECTS $<TARGET_OBJECTS:mercer_${name}>)
    set_property(GLOBAL APPEND PROPERTY MERCER_ROOM_PUBLIC ${public})
  endif()
endfunction()

# The program's target is mercer_program, its file bin/mercer: the name `mercer` is the library's.
function(mercer_program name)
  _mercer_declare_room(${name} ${ARGN})
  if(NOT MERCER_BUILD_PROGRAM)
    return()
  endif()
  list(TRANSFORM more PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE more_sources)
  list(REMOVE_ITEM sources ${more_sources})
  add_executable(mercer_program ${sources})
  set_target_properties(mercer_program PROPERTIES
    OUTPUT_NAME mercer
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin"
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}"
    ENABLE_EXPORTS ON
    # All of them, as the module may use what the program does not.
    LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,mercer,mercer-learn")
  target_link_libraries(mercer_program PRIVATE mercer-learn ${link}) # and `mercer` behind it, once
  target_compile_options(mercer_program PRIVATE -fPIC) # as the headers they share were compiled

  add_library(mercer_more MODULE ${more_sources})
  set_target_properties(mercer_more PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_include_directories(mercer_more PRIVATE ${MERCER_INCLUDE_ROOTS})
  # By their files: what they need of the libraries `mercer` and `mercer-learn` is the program's.
  foreach(library IN LISTS more_link)
    if(library MATCHES "^mercer")
      add_dependencies(mercer_more ${library})
      set(library "$<TARGET_FILE:${library}>")
    endif()
    target_link_libraries(mercer_more PRIVATE ${library})
  endforeach()
  target_link_libraries(mercer_more PRIVATE ${link})
  add_dependencies(mercer_program mercer_more)
  foreach(target mercer_program mercer_more)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    # Nothing here is hot.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    if(unity)
      mercer_unity(${target})
    endif()
  endforeach()
endfunction()

# Called once, after all rooms.
function(mercer_library_from_rooms)
  get_property(rooms GLOBAL PROPERTY MERCER_ROOMS)
  set(text "")
  foreach(room IN LISTS rooms)
    get_property(depends GLOBAL PROPERTY MERCER_ROOM_${room})
    foreach(other IN LISTS depends)
      if(NOT other IN_LIST rooms)
        message(FATAL_ERROR "room ${room} depends on ${other}, which is not a room of src/")
      endif()
    endforeach()
    list(JOIN depends " " depends)
    string(STRIP "${room}: ${depends}" line)
    string(APPEND text "${line}\n")
  endforeach()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/rooms.txt" CONTENT "${text}" @ONLY)

  get_property(objects GLOBAL PROPERTY MERCER_ROOM_OBJECTS)
  if(NOT objects)
    message(FATAL_ERROR "no folder of src/ declares a room with sources")
  endif()
  if(MERCER_BUILD_PROGRAM)
    foreach(target mercer_picture mercer_studio mercer_program mercer_more)
      _mercer_precompile(program ${target} <algorithm> <filesystem> <fmt/format.h> <functional>
        <iostream> <map> <memory> <nlohmann/json.hpp> <optional> <string> <vector>)
    endforeach()
  endif()
  add_library(mercer ${objects})
  add_library(mercer::mercer ALIAS mercer)
  target_compile_features(mercer PUBLIC cxx_std_20)
  target_include_directories(mercer PUBLIC
    "$<BUILD_INTERFACE:${MERCER_INCLUDE_ROOTS}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  get_property(public GLOBAL PROPERTY MERCER_ROOM_PUBLIC)
  target_link_libraries(mercer PUBLIC Threads::Threads ${public})
  set_target_properties(mercer PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

  # The libraries beside it: target mercer-<other>, to users mercer::<other>.
  get_property(libraries GLOBAL PROPERTY MERCER_LIBRARIES)
  list(REMOVE_DUPLICATES libraries)
  foreach(other IN LISTS libraries)
    get_property(objects GLOBAL PROPERTY MERCER_OBJECTS_OF_${other})
    get_property(public GLOBAL PROPERTY MERCER_PUBLIC_OF_${other})
    add_library(mercer-${other} ${objects})
    add_library(mercer::${other} ALIAS mercer-${other})
    target_link_libraries(mercer-${other} PUBLIC mercer ${public})
    set_target_properties(mercer-${other} PROPERTIES
      OUTPUT_NAME mercer_${other} EXPORT_NAME ${other}
      VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    if(MERCER_BUILD_FUZZ) # what parses is in `mercer`
      set_target_properties(mercer-${other} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
endfunction()
