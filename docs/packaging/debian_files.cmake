# What a Debian package has besides what is installed; run by CPack on the tree that it packs (CPACK_PRE_BUILD_SCRIPTS).
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(usr "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr")
set(doc "${usr}/share/doc/pcomp")
file(GLOB_RECURSE pages "${usr}/share/man/*.[0-9]")
file(RENAME "${doc}/LICENSE" "${doc}/copyright")
file(WRITE "${doc}/changelog"
"pcomp (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md.

 -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 1970 00:00:00 +0000
")
execute_process(COMMAND gzip -9n ${pages} "${doc}/changelog" COMMAND_ERROR_IS_FATAL ANY)
file(GLOB plugins "${usr}/lib*/pcomp/*/*.so" "${usr}/lib/*/pcomp/*/*.so")
foreach(plugin ${plugins})
  execute_process(COMMAND strip --strip-unneeded "${plugin}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(WRITE "${usr}/share/lintian/overrides/pcomp" "# nobody has a name for it yet\npcomp: bogus-mail-host *\npcomp: bogus-mail-host-in-debian-changelog *\n")
