/* SPDX-License-Identifier: MIT */
#ifndef TRM_EMBED_H
#define TRM_EMBED_H

/* Files that are part of the library's own image. */

#include <stddef.h>

struct embed {
	const char *bytes;
	size_t n;
};

struct embed embed_agent(void);      /* static ELF program, runs inside the sandbox */
struct embed embed_supervisor(void); /* static ELF program, parent of a local sandbox */
struct embed embed_driver_python(void);
struct embed embed_driver_node(void);
struct embed embed_driver_bash(void);
struct embed embed_driver_ruby(void);
struct embed embed_driver_r(void);
struct embed embed_driver_java(void);
struct embed embed_driver_typescript(void);
struct embed embed_driver_native(void);    /* for pieces of C and C++ */
struct embed embed_driver_carry(void);     /* for pieces of Go */
struct embed embed_installer_python(void); /* these two are followed by a NUL */
struct embed embed_installer_node(void);
struct embed embed_policies(void); /* JSON, followed by a NUL */
struct embed embed_recipes(void);  /* the same */
struct embed embed_languages(void);

/* Their pages need not stay in this process's memory: they come back from the program's file when they are
 * read again. */
void embed_forget(void);

#endif
