# SPDX-License-Identifier: MIT
# What `cmake --install` lays out. The agent, the supervisor and the drivers are inside the library and the program
# (lib/embed), themes and grammars are looked for beside the program first: an installation may lie anywhere, be
# staged with DESTDIR, and be moved.
set(DOC_DIR ${CMAKE_INSTALL_DOCDIR})

install(TARGETS terrarium terrarium_shared)
install(DIRECTORY lib/include/terrarium DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY themes DESTINATION ${CMAKE_INSTALL_DATADIR}/terrarium FILES_MATCHING PATTERN "*.json")
install(FILES README.md CHANGELOG.md SECURITY.md LICENSE tests/clients/example.c tests/clients/sync.c tests/clients/interpreter.c DESTINATION ${DOC_DIR})
install(DIRECTORY tests/clients/embed DESTINATION ${DOC_DIR})
install(DIRECTORY docs DESTINATION ${DOC_DIR})

# The static library that strangers link is one object in which only trm_* is seen: they may have a buf_init() too.
set(STATIC_DIR ${CMAKE_BINARY_DIR}/static)
find_program(OBJCOPY NAMES ${CMAKE_OBJCOPY} objcopy REQUIRED)
add_custom_command(OUTPUT ${STATIC_DIR}/libterrarium.a DEPENDS terrarium_objects $<TARGET_OBJECTS:terrarium_objects>
  COMMAND ${CMAKE_COMMAND} -E make_directory ${STATIC_DIR}
  COMMAND ${CMAKE_LINKER} -r -o ${STATIC_DIR}/terrarium.o $<TARGET_OBJECTS:terrarium_objects> ${TREE_SITTER}
  COMMAND ${OBJCOPY} --strip-debug --wildcard --keep-global-symbol=trm_* ${STATIC_DIR}/terrarium.o
  COMMAND ${CMAKE_COMMAND} -E rm -f ${STATIC_DIR}/libterrarium.a
  COMMAND ${CMAKE_AR} rcsD ${STATIC_DIR}/libterrarium.a ${STATIC_DIR}/terrarium.o
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(static_library ALL DEPENDS ${STATIC_DIR}/libterrarium.a)
install(FILES ${STATIC_DIR}/libterrarium.a DESTINATION ${CMAKE_INSTALL_LIBDIR})

# Also as files: for looking at, and for putting the agent into an image by hand.
install(PROGRAMS ${CMAKE_BINARY_DIR}/terrarium-agent ${CMAKE_BINARY_DIR}/terrarium-supervisor
  DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/terrarium)

# Paths relative to the file itself.
file(RELATIVE_PATH PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(lib/terrarium.pc.in terrarium.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/terrarium.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# A server in a cluster, for kubectl apply -k: docs/server.md.
install(DIRECTORY package/kubernetes DESTINATION ${CMAKE_INSTALL_DATADIR}/terrarium)

foreach(section 1 3 5 7)
  file(GLOB pages CONFIGURE_DEPENDS man/*.${section})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

# The program writes its own completions. Each shell looks in a folder of its own.
set(ZSH_FUNCTIONS site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(ZSH_FUNCTIONS vendor-completions)
endif()
set(COMPLETIONS
  "bash|terrarium.bash|bash-completion/completions|terrarium"
  "zsh|_terrarium|zsh/${ZSH_FUNCTIONS}|_terrarium"
  "fish|terrarium.fish|fish/vendor_completions.d|terrarium.fish")
if(EXISTS ${CMAKE_SOURCE_DIR}/tui/cmd/completion.c)
  foreach(row ${COMPLETIONS})
    string(REPLACE "|" ";" row ${row})
    list(POP_FRONT row shell file folder name)
    set(file ${CMAKE_BINARY_DIR}/completions/${file})
    add_custom_command(OUTPUT ${file} DEPENDS terrarium VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/completions
      COMMAND terrarium completion ${shell} > ${file})
    list(APPEND COMPLETION_FILES ${file})
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name})
  endforeach()
  add_custom_target(completions ALL DEPENDS ${COMPLETION_FILES})
endif()

# In the build folder themes are found beside the program like in an installation; beside the tests as well.
foreach(folder ${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR}/tests ${CMAKE_BINARY_DIR}/tests/fuzz)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/themes ${folder}/themes SYMBOLIC)
  if(NOT folder STREQUAL CMAKE_BINARY_DIR)
    file(CREATE_LINK ${GRAMMAR_BUILD_DIR} ${folder}/grammars SYMBOLIC)
  endif()
endforeach()
