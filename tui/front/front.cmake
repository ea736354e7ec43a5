# SPDX-License-Identifier: MIT
# The front: `terrarium` as people start it (main.c says what for), static and compiled with musl from the sources that
# the full program has, too. That is `terrarium-full` then. Under sanitizers, and where a static program cannot lie at
# an address that varies, there is the full program alone.
if(TERRARIUM_ASAN OR TERRARIUM_UBSAN OR TERRARIUM_FUZZ OR NOT MUSL_RCRT1)
  set_target_properties(terrarium_full PROPERTIES OUTPUT_NAME terrarium)
  add_executable(terrarium ALIAS terrarium_full)
  install(TARGETS terrarium_full)
  return()
endif()
set_target_properties(terrarium_full PROPERTIES OUTPUT_NAME terrarium-full)

set(FRONT_SOURCES "")
foreach(room lib/base lib/wire lib/loop lib/kernel lib/config lib/tree lib/sweep lib/sandbox lib/session lib/backend/kept
    lib/backend/local
    lib/embed tui/stream tui/front)
  file(GLOB sources CONFIGURE_DEPENDS ${room}/*.c)
  list(APPEND FRONT_SOURCES ${sources})
endforeach()
list(FILTER FRONT_SOURCES EXCLUDE REGEX "/seccomp_gen\\.c$|/base/regex\\.c$|/stream/gate\\.c$")
foreach(file cmd/run cmd/exec cmd/play cmd/source cmd/options cmd/process text/mime text/near text/rich text/rich_html
    text/rich_markdown text/rich_table text/cluster image/probe)
  list(APPEND FRONT_SOURCES ${CMAKE_SOURCE_DIR}/tui/${file}.c)
endforeach()

set(FRONT_FLAGS ${STATIC_FLAGS})
list(FILTER FRONT_FLAGS EXCLUDE REGEX "^-Wl,|^-static$|^-s$|^-nostartfiles$")
# Headers that musl has not (linux/*.h, cJSON.h) are the system's; whatever both have is musl's.
list(APPEND FRONT_FLAGS -I${CMAKE_SOURCE_DIR}/tui -I${CMAKE_BINARY_DIR}/generated -idirafter /usr/include
  -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -DEMBED_BUILD_DIR="${CMAKE_BINARY_DIR}"
  -DEMBED_SOURCE_DIR="${CMAKE_SOURCE_DIR}" -DFRONT_LIBEXEC="${CMAKE_INSTALL_LIBEXECDIR}/terrarium"
  -DFRONT_FULL="${CMAKE_BINARY_DIR}/front/full"
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
foreach(dir ${CJSON_INCLUDE_DIRS})
  list(APPEND FRONT_FLAGS -idirafter ${dir})
endforeach()

# The full program lies beside the front, and once more in it, for those who copy that alone.
add_custom_command(OUTPUT front/full DEPENDS terrarium_full VERBATIM
  COMMAND ${CMAKE_STRIP} -o front/full $<TARGET_FILE:terrarium_full>)
set(FRONT_OBJECTS "")
foreach(source ${FRONT_SOURCES})
  file(RELATIVE_PATH object ${CMAKE_SOURCE_DIR} ${source})
  set(object front/${object}.o)
  get_filename_component(dir ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${dir})
  # Small, since what is touched of the file costs more than what is computed; but for what output streams through.
  set(speed "")
  if(object MATCHES "/lib/(base|wire)/|/lib/session/(output|result)\\.c|/lib/sandbox/(client|proc)\\.c|/tui/stream/|/tui/text/")
    set(speed -O2)
  endif()
  set(needs "")
  if(source MATCHES "/embed\\.c$")
    set(needs ${CMAKE_BINARY_DIR}/terrarium-agent ${CMAKE_BINARY_DIR}/terrarium-keeper ${PYTHON_DRIVER} ${KERNEL_DRIVERS})
  elseif(source MATCHES "/front/full\\.c$")
    set(needs front/full)
  elseif(source MATCHES "/lib/backend/")
    set(needs ${GENERATED})
  endif()
  add_custom_command(OUTPUT ${object} DEPENDS ${source} ${needs} DEPFILE ${object}.d VERBATIM
    COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${MUSL_GCC} ${FRONT_FLAGS} ${speed} -MD -MT ${object} -MF ${object}.d -c ${source} -o ${object}
    COMMENT "Building front object ${object}" COMMAND_EXPAND_LISTS)
  list(APPEND FRONT_OBJECTS ${object})
endforeach()
set(FRONT_LINK ${STATIC_FLAGS})
list(FILTER FRONT_LINK EXCLUDE REGEX "^-O")
# A stamp stands for the program, which has the name of a target. A linker writes a file in small pieces, and
# as small the kernel keeps it in memory; what was copied, or read from the disk, starts quicker by some 4 %.
add_custom_command(OUTPUT front/linked BYPRODUCTS ${CMAKE_BINARY_DIR}/terrarium DEPENDS ${FRONT_OBJECTS}
  COMMAND ${MUSL_GCC} ${FRONT_LINK} ${STATIC_START} ${FRONT_OBJECTS} ${STATIC_END} -o front/terrarium
  COMMAND cp --remove-destination front/terrarium terrarium
  COMMAND ${CMAKE_COMMAND} -E touch front/linked VERBATIM COMMAND_EXPAND_LISTS)
add_custom_target(front ALL DEPENDS front/linked)
add_dependencies(front terrarium_full)
add_executable(terrarium IMPORTED GLOBAL)
set_target_properties(terrarium PROPERTIES IMPORTED_LOCATION ${CMAKE_BINARY_DIR}/terrarium)
add_dependencies(terrarium front)
install(PROGRAMS ${CMAKE_BINARY_DIR}/terrarium TYPE BIN)
install(TARGETS terrarium_full RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/terrarium)
