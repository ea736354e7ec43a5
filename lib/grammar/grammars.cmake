# SPDX-License-Identifier: MIT
# Grammars of tree-sitter, ABI 14. The build takes their source archives from the Python index (fetch.py), compares them
# with the sums below, and makes shared objects that the workbench loads when it needs them. The archives stay in
# .grammars/ of the sources (`./dev clean` leaves it), so later builds need no network. When they cannot be fetched, the
# build goes on without them, and the workbench shows plain text.
# The archives of the grammars lack the headers that they include; tree-sitter's own archive has these.
set(GRAMMAR_HEADERS tree-sitter-0.23.1)
set(GRAMMAR_ARCHIVES
  "tree-sitter|0.23.1|28fe02aff6676b203cbe4213ca7116db0aaac08d6ca4c0b1f1af038991631838"
  "tree-sitter-python|0.23.6|354bfa0a2f9217431764a631516f85173e9711af2c13dbd796a8815acfe505d9"
  "tree-sitter-javascript|0.23.1|b2059ce8b150162cda05a457ca3920450adbf915119c04b8c67b5241cd7fcfed"
  "tree-sitter-bash|0.23.3|7b15ed89a1ea8e3e3c2399758746413e464d4c1c3a6d3b75d643ae2bc2fb356b")
# Those of the other languages take half a minute more to compile. `./dev grammars` switches them on. The index has none
# for R, and TypeScript's lacks a header: the grammar of JavaScript colors it.
set(GRAMMAR_ARCHIVES_MORE
  "tree-sitter-c|0.23.4|9215c7888dd019038f162ea5646178f6e129cd2b49fc506d14becf5e426121d7"
  "tree-sitter-cpp|0.23.4|6a59c4cebb1ad1dc2e8d586cf8a72b39d21b8108b7b139d089719e81a339e41d"
  "tree-sitter-go|0.23.4|0ebff99820657066bec21690623a14c74d9e57a903f95f0837be112ddadf1a52"
  "tree-sitter-java|0.23.5|f5cd57b8f1270a7f0438878750d02ccc79421d45cca65ff284f1527e9ef02e38"
  "tree-sitter-ruby|0.23.1|886ed200bfd1f3ca7628bf1c9fefd42421bbdba70c627363abda67f662caa21e")
option(TERRARIUM_MORE_GRAMMARS "Fetch and build the grammars of all languages that have one" OFF)
option(TERRARIUM_GRAMMARS "Fetch and build grammars for syntax highlighting" ON)
set(TERRARIUM_GRAMMAR_CACHE ${CMAKE_SOURCE_DIR}/.grammars CACHE PATH "Where fetched grammars are kept")
set(GRAMMAR_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/terrarium/grammars)
set(GRAMMAR_BUILD_DIR ${CMAKE_BINARY_DIR}/grammars)
find_program(PYTHON3 python3)

# The packages, as NAME==VERSION, whose archives the cache lacks or that are not what they should be.
function(find_missing ret_missing)
  set(missing "")
  foreach(row ${ARGN})
    string(REPLACE "|" ";" row ${row})
    list(GET row 0 name)
    list(GET row 1 version)
    list(GET row 2 sum)
    set(archive ${TERRARIUM_GRAMMAR_CACHE}/${name}-${version}.tar.gz)
    set(found "")
    if(EXISTS ${archive})
      file(SHA256 ${archive} found)
    endif()
    if(NOT found STREQUAL sum)
      file(REMOVE ${archive})
      list(APPEND missing ${name}==${version})
    endif()
  endforeach()
  set(${ret_missing} "${missing}" PARENT_SCOPE)
endfunction()

# Fill the cache with the archives of these rows. Sets ret_why to "" or to what is wrong.
function(fetch_archives ret_why)
  set(why "")
  find_missing(missing ${ARGN})
  if(missing AND NOT PYTHON3)
    set(why "there is no python3 to fetch grammars with")
  elseif(missing)
    string(REPLACE ";" ", " names "${missing}")
    message(STATUS "Fetching ${names}")
    file(MAKE_DIRECTORY ${TERRARIUM_GRAMMAR_CACHE})
    execute_process(COMMAND ${PYTHON3} -B ${CMAKE_SOURCE_DIR}/lib/grammar/fetch.py ${TERRARIUM_GRAMMAR_CACHE} ${missing}
      TIMEOUT 120 RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
    find_missing(missing ${ARGN})
    if(NOT code EQUAL 0)
      string(REGEX MATCH "[^\n]*\n?$" last "${said}")
      string(STRIP "${last}" last)
      string(REGEX REPLACE "^ERROR: " "" last "${last}")
      set(why "pip cannot fetch the grammars (${code}): ${last}")
    elseif(missing)
      set(why "the index has other archives than expected of ${missing}")
    endif()
  endif()
  set(${ret_why} "${why}" PARENT_SCOPE)
endfunction()

# The sources are other people's and generated: no warnings, no sanitizers. Their headers call
# ts_malloc() of libtree-sitter, which our program does not export: they use malloc().
function(build_grammar name version)
  set(dir ${CMAKE_BINARY_DIR}/grammar-sources/tree_sitter_${name}-${version})
  file(GLOB sources ${dir}/src/parser.c ${dir}/src/scanner.c)
  add_library(grammar_${name} MODULE ${sources})
  target_include_directories(grammar_${name} PRIVATE ${CMAKE_BINARY_DIR}/grammar-sources/include)
  target_compile_definitions(grammar_${name} PRIVATE ts_malloc=malloc ts_calloc=calloc ts_realloc=realloc ts_free=free)
  target_compile_options(grammar_${name} PRIVATE -w -O2 -g0 -fno-sanitize=all)
  target_link_options(grammar_${name} PRIVATE -fno-sanitize=all)
  set_target_properties(grammar_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${GRAMMAR_BUILD_DIR})
  install(TARGETS grammar_${name} LIBRARY DESTINATION ${GRAMMAR_INSTALL_DIR})
endfunction()

set(why "it is switched off")
if(TERRARIUM_GRAMMARS)
  fetch_archives(why ${GRAMMAR_ARCHIVES})
endif()
if(NOT why STREQUAL "")
  message(STATUS "No syntax highlighting: ${why}")
  return()
endif()
if(TERRARIUM_MORE_GRAMMARS)
  fetch_archives(why ${GRAMMAR_ARCHIVES_MORE})
  if(why STREQUAL "")
    list(APPEND GRAMMAR_ARCHIVES ${GRAMMAR_ARCHIVES_MORE})
  else()
    message(STATUS "No syntax highlighting for more languages: ${why}")
  endif()
endif()
foreach(row ${GRAMMAR_ARCHIVES})
  string(REGEX REPLACE "^(.*)[|](.*)[|].*" "\\1-\\2" package ${row})
  file(ARCHIVE_EXTRACT INPUT ${TERRARIUM_GRAMMAR_CACHE}/${package}.tar.gz DESTINATION ${CMAKE_BINARY_DIR}/grammar-sources)
  if(package STREQUAL GRAMMAR_HEADERS)
    foreach(header alloc array parser)
      file(COPY ${CMAKE_BINARY_DIR}/grammar-sources/${package}/tree_sitter/core/lib/src/${header}.h
        DESTINATION ${CMAKE_BINARY_DIR}/grammar-sources/include/tree_sitter)
    endforeach()
  else()
    string(REGEX MATCH "^tree-sitter-(.*)-(.*)$" package ${package})
    build_grammar(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    list(APPEND GRAMMAR_TARGETS grammar_${CMAKE_MATCH_1})
  endif()
endforeach()
