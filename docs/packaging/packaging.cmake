# What `cmake --install` adds for other build systems, and the Debian package.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pcomp")
file(RELATIVE_PATH PCOMP_PC_TO_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(docs/packaging/pcomp.pc.in generated/pcomp.pc @ONLY)
set(mpi_title_mpich MPICH)
set(mpi_title_openmpi "Open MPI")
foreach(mpi ${PCOMP_MPIS})
  set(mpi_title "${mpi_title_${mpi}}")
  configure_file(docs/packaging/pcomp-mpi.pc.in generated/pcomp-${mpi}.pc @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/generated/pcomp-${mpi}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
configure_package_config_file(docs/packaging/pcompConfig.cmake.in "${CMAKE_BINARY_DIR}/generated/pcompConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/generated/pcompConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/generated/pcomp.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${CMAKE_BINARY_DIR}/generated/pcompConfig.cmake" "${CMAKE_BINARY_DIR}/generated/pcompConfigVersion.cmake"
        DESTINATION "${package_dir}")
install(FILES README.md LICENSE CHANGELOG.md TYPE DOC)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pcomp)
set(CPACK_PACKAGE_CONTACT "pcomp contributors <pcomp@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # of the command; the library itself needs libc alone
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libc6-dev")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libpapi6.0, libunwind8, linux-perf")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
include(CPack)
