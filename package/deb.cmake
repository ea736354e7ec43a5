# SPDX-License-Identifier: MIT
# The Debian package, by `./dev deb`: one for everything, as the program needs nothing of the library's. Libraries that
# are linked are found by dpkg-shlibdeps; those that are loaded when wanted are recommended.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME terrarium)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "workbench for running code in sandboxes in the terminal")
set(CPACK_PACKAGE_DESCRIPTION "Type Python, JavaScript or Bash, press a key, and it runs in a sandbox
whose state stays from run to run, while the panes beside it show what it
costs. With the library libterrarium, its headers and pkg-config file, to
do the same from C.")
set(CPACK_PACKAGE_CONTACT "The Terrarium authors <terrarium@terrarium.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/package/debianize.cmake)
set(CPACK_TERRARIUM_SOURCES ${CMAKE_SOURCE_DIR}) # for that script

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/package/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "bubblewrap, python3")
string(JOIN ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS
  nodejs                           # JavaScript
  ca-certificates                  # for sandboxes with network
  slirp4netns python3-pip-whl      # --net on, and packages
  libchafa0 libpng16-16 libturbojpeg0 librsvg2-2 # images
  libreadline8                     # the lines of the REPL
  libmicrohttpd12 libgnutls30      # the server, and its keys
  libcurl4                         # sandboxes on a server
  libpcre2-8-0)                    # regular expressions in searches
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "npm, pkg-config, libcjson-dev")
include(CPack)
