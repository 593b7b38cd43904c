# What `cmake --install` adds for other build systems, and the Debian package.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pcomp")
file(RELATIVE_PATH PCOMP_PC_TO_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(docs/packaging/pcomp.pc.in generated/pcomp.pc @ONLY)
# An option of clang has an older and a newer spelling: that of the clang here, else the newer.
find_program(PCOMP_CLANG clang)
mark_as_advanced(PCOMP_CLANG)
set(PCOMP_XRAY_ALONE -fno-xray-link-deps)
if(PCOMP_CLANG)
  execute_process(COMMAND ${PCOMP_CLANG} -fnoxray-link-deps -x c -c -o /dev/null /dev/null
                  RESULT_VARIABLE pcomp_older_unknown OUTPUT_QUIET ERROR_QUIET)
  if(pcomp_older_unknown EQUAL 0)
    set(PCOMP_XRAY_ALONE -fnoxray-link-deps)
  endif()
endif()
configure_file(docs/packaging/pcomp-sleds-clang.pc.in generated/pcomp-sleds-clang.pc @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/generated/pcomp-sleds-clang.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
# For the gcc whose plugin was built; without a plugin there is no such package.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  string(REGEX MATCH "^[0-9]+" PCOMP_GCC_MAJOR "${CMAKE_C_COMPILER_VERSION}")
  configure_file(docs/packaging/pcomp-sleds-gcc.pc.in generated/pcomp-sleds-gcc.pc @ONLY)
  install(CODE "if(EXISTS \"${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/pcomp/gcc-${PCOMP_GCC_MAJOR}/pcomp_sleds.so\")
    file(INSTALL \"${CMAKE_BINARY_DIR}/generated/pcomp-sleds-gcc.pc\"
         DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig\")
  endif()")
endif()
set(mpi_title_mpich MPICH)
set(mpi_title_openmpi "Open MPI")
foreach(mpi ${PCOMP_MPIS})
  set(mpi_title "${mpi_title_${mpi}}")
  configure_file(docs/packaging/pcomp-mpi.pc.in generated/pcomp-${mpi}.pc @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/generated/pcomp-${mpi}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
configure_package_config_file(docs/packaging/pcompConfig.cmake.in "${CMAKE_BINARY_DIR}/generated/pcompConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/generated/pcompConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/generated/pcomp.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${CMAKE_BINARY_DIR}/generated/pcompConfig.cmake" "${CMAKE_BINARY_DIR}/generated/pcompConfigVersion.cmake"
        DESTINATION "${package_dir}")
install(FILES README.md LICENSE CHANGELOG.md TYPE DOC)

set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pcomp)
set(CPACK_PACKAGE_CONTACT "pcomp contributors <pcomp@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "A C or C++ program that is rebuilt with -finstrument-functions leaves a profile of what
it costs without the profiler: the overhead of measuring is taken out of every
time while the program runs. Traces of threads and of MPI are replayed as they
would have been unmeasured.")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # of the command; the library itself needs libc alone
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libc6-dev")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libpapi6.0, libunwind8, linux-perf")
get_property(gcc_plugin GLOBAL PROPERTY PCOMP_GCC_PLUGIN)
if(gcc_plugin MATCHES "(gcc-[0-9]+)/[^/]*$") # fits this compiler alone
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", ${CMAKE_MATCH_1}")
endif()
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
file(WRITE "${CMAKE_BINARY_DIR}/generated/triggers" "activate-noawait ldconfig\n")
configure_file(docs/packaging/libpcomp.symbols generated/symbols COPYONLY)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_BINARY_DIR}/generated/triggers;${CMAKE_BINARY_DIR}/generated/symbols")

# A release: the tree without what git ignores (tests/packaging/tarball_test.sh builds it).
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME "pcomp-${PROJECT_VERSION}")
set(CPACK_SOURCE_IGNORE_FILES "/\\.git(/|$)" "${CMAKE_SOURCE_DIR}/build[^/]*/" "\\.o$" "/pcomp\\.data[^/]*/" "/\\.cache/")
include(CPack)
