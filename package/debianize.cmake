# SPDX-License-Identifier: MIT
# Run by CPack on the staged tree, before it is packed: what Debian wants beyond what `cmake --install` lays out.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(doc ${share}/doc/terrarium)
file(REMOVE ${doc}/LICENSE)
file(COPY_FILE ${CPACK_TERRARIUM_SOURCES}/package/copyright ${doc}/copyright)
file(MAKE_DIRECTORY ${doc}/examples)
file(RENAME ${doc}/example.c ${doc}/examples/example.c)
file(MAKE_DIRECTORY ${share}/lintian/overrides)
file(COPY_FILE ${CPACK_TERRARIUM_SOURCES}/package/lintian-overrides ${share}/lintian/overrides/terrarium)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog.Debian "terrarium (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; "
  "urgency=medium\n\n  * Built from the sources of this version.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(GLOB_RECURSE texts ${share}/man/*.[1-8] ${doc}/changelog.Debian)
execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE files ${doc}/* ${share}/man/* ${share}/lintian/*)
file(CHMOD ${files} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
