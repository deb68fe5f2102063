# `cmake --install`: library, headers, program, shell completion, and the CMake package.
#
#   find_package(mercer REQUIRED)
#   target_link_libraries(app PRIVATE mercer::mercer)    # and mercer::proof, to prove kernels

include(CMakePackageConfigHelpers)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/mercer")

install(TARGETS mercer EXPORT mercerTargets)
get_property(mercer_libraries GLOBAL PROPERTY MERCER_LIBRARIES)
list(REMOVE_DUPLICATES mercer_libraries)
foreach(other IN LISTS mercer_libraries)
  install(TARGETS mercer-${other} EXPORT mercerTargets)
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/mercer"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(FILES "${PROJECT_BINARY_DIR}/generated/mercer/version.hpp"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/mercer")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT mercerTargets NAMESPACE mercer:: DESTINATION "${package_folder}")
configure_package_config_file(cmake/mercerConfig.cmake.in
  "${PROJECT_BINARY_DIR}/mercerConfig.cmake" INSTALL_DESTINATION "${package_folder}")
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/mercerConfig.cmake" "${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake"
  DESTINATION "${package_folder}")

if(NOT TARGET mercer_program)
  return()
endif()
install(TARGETS mercer_program)
install(TARGETS mercer_more LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/mercer")
if(TARGET mercer_mpi) # where the program looks for it
  install(TARGETS mercer_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/mercer")
endif()
if(TARGET mercer_scalapack)
  install(TARGETS mercer_scalapack LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/mercer")
endif()

# The program writes its own completion scripts. Where it cannot run (cross compilation), the
# installation goes on without them.
function(install_completion shell folder file)
  install(CODE "
    set(script \"${PROJECT_BINARY_DIR}/completion/${file}\")
    execute_process(COMMAND \"$<TARGET_FILE:mercer_program>\" completion ${shell}
      RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_QUIET)
    if(status EQUAL 0)
      file(WRITE \"\${script}\" \"\${text}\")
      file(INSTALL \"\${script}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${folder}\")
    else()
      message(STATUS \"No ${shell} completion: `mercer completion ${shell}` failed\")
    endif()")
endfunction()
install_completion(bash "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" mercer)
install_completion(zsh "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" _mercer)
