# SPDX-License-Identifier: MIT
# Grammars of tree-sitter, ABI 14: fetched with npm when the build is set up, checked against the sums below, built
# as shared objects that the workbench loads when it needs them. What was fetched stays in .grammars/ of the sources
# (`./dev clean` leaves it), so later builds need no network. Without npm or network the build goes on without
# them, and the workbench shows plain text.
set(GRAMMARS
  "python|0.23.6|c8833dcf4a31288c53edb02d3ce860a1597a8135e59a5221b9eee58854f8a013c5fe585aec76b8750052f3602fea130c459a159c5248f0cea62fe4b05a82c3dc"
  "javascript|0.23.1|fdb9e16eb4c3f5fad46074138989cf731c87391230d79ec44416ba76acda2b1bd1ff1dcf0b863377e0f5a5920c4baccd836bf76bc059d282bb8c7aac428f5f58"
  "bash|0.23.3|dfa720fc643662621b7a205ea9eba1e1f049ea2e24815a2e0daa93c6a8a1e72b0f6a0fb31ee7f221ac4c38578cf027a997000afcbba3d68e571ea81d01fa0266")
option(TERRARIUM_GRAMMARS "Fetch and build grammars for syntax highlighting" ON)
set(TERRARIUM_GRAMMAR_CACHE ${CMAKE_SOURCE_DIR}/.grammars CACHE PATH "Where fetched grammars are kept")
set(GRAMMAR_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/terrarium/grammars)
set(GRAMMAR_BUILD_DIR ${CMAKE_BINARY_DIR}/grammars)
find_program(NPM npm)

# The reason among what npm said, or else what CMake says of its end.
function(read_npm_reason said end ret_reason)
  if(said MATCHES "failed, reason: ([^\n]+)")
    set(end "${CMAKE_MATCH_1}")
  elseif(said MATCHES "npm [A-Za-z!]+ code ([^\n]+)")
    set(end "${CMAKE_MATCH_1}")
  endif()
  set(${ret_reason} "${end}" PARENT_SCOPE)
endfunction()

# Put the package into the cache. Sets ret_why to "" or to what is wrong.
function(fetch_grammar package sum ret_why)
  set(archive ${TERRARIUM_GRAMMAR_CACHE}/${package}.tgz)
  set(found "")
  if(EXISTS ${archive})
    file(SHA512 ${archive} found)
  endif()
  if(NOT found STREQUAL sum AND NOT NPM)
    set(${ret_why} "there is no npm to fetch it with" PARENT_SCOPE)
    return()
  endif()
  if(NOT found STREQUAL sum AND npm_fault)
    set(${ret_why} "${npm_fault}" PARENT_SCOPE)
    return()
  endif()
  if(NOT found STREQUAL sum)
    message(STATUS "Fetching ${package}")
    string(REGEX REPLACE "-([0-9.]+)$" "@\\1" wanted ${package})
    file(MAKE_DIRECTORY ${TERRARIUM_GRAMMAR_CACHE})
    execute_process(COMMAND ${NPM} pack --loglevel=error --ignore-scripts --prefer-offline --fetch-retries=1
      --fetch-timeout=30000 ${wanted} WORKING_DIRECTORY ${TERRARIUM_GRAMMAR_CACHE} TIMEOUT 120
      RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
    if(NOT code EQUAL 0 OR NOT EXISTS ${archive})
      read_npm_reason("${said}" "it ended with ${code}" reason)
      set(${ret_why} "npm could not fetch it: ${reason}" PARENT_SCOPE)
      return()
    endif()
    file(SHA512 ${archive} found)
    if(NOT found STREQUAL sum)
      file(REMOVE ${archive})
      set(${ret_why} "what npm fetched is not what was expected" PARENT_SCOPE)
      return()
    endif()
  endif()
  set(${ret_why} "" PARENT_SCOPE)
endfunction()

# The sources are other people's and generated: no warnings, no sanitizers.
function(build_grammar name package)
  set(dir ${CMAKE_BINARY_DIR}/${package})
  file(ARCHIVE_EXTRACT INPUT ${TERRARIUM_GRAMMAR_CACHE}/${package}.tgz DESTINATION ${dir} PATTERNS package/src)
  add_library(grammar_${name} MODULE ${dir}/package/src/parser.c ${dir}/package/src/scanner.c)
  target_include_directories(grammar_${name} PRIVATE ${dir}/package/src)
  target_compile_options(grammar_${name} PRIVATE -w -O2 -g0 -fno-sanitize=all)
  target_link_options(grammar_${name} PRIVATE -fno-sanitize=all)
  set_target_properties(grammar_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${GRAMMAR_BUILD_DIR})
  install(TARGETS grammar_${name} LIBRARY DESTINATION ${GRAMMAR_INSTALL_DIR})
endfunction()

set(npm_fault "") # what fails with one of them fails with the others, and takes its time
foreach(row ${GRAMMARS})
  string(REPLACE "|" ";" row ${row})
  list(GET row 0 name)
  list(GET row 1 version)
  list(GET row 2 sum)
  set(why "it is switched off")
  if(TERRARIUM_GRAMMARS)
    fetch_grammar(tree-sitter-${name}-${version} ${sum} why)
  endif()
  if(why MATCHES "^npm ")
    set(npm_fault "${why}")
  endif()
  if(why STREQUAL "")
    build_grammar(${name} tree-sitter-${name}-${version})
    list(APPEND GRAMMAR_TARGETS grammar_${name})
  else()
    message(STATUS "No syntax highlighting for ${name}: ${why}")
  endif()
endforeach()
