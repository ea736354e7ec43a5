/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_DYNLIB_H
#define TERRARIUM_DYNLIB_H

/* Shared libraries that are loaded when they are first needed. They cost nothing at start-up, may be missing,
 * and need no development packages to build against. */

#include <stddef.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_error;

struct trm_dynlib {
	const char *file;           /* "libpng16.so.16" */
	const char *package;        /* the Debian package that brings it */
	const char *needs;          /* begins the error message: "PNG images need" */
	const char *const *symbols; /* names of functions or variables */
	size_t n_symbols;
};

/* Load a library and write the address of each symbol to `ret`, in order: an array of n_symbols pointers, or
 * a struct that has only pointers. A library that was loaded stays loaded. Returns 0, or TRM_ENOTSUP with a
 * sentence that names the package: the library is not installed, or lacks a symbol. `ret` is unchanged then.
 */
int trm_dynlib_load(const struct trm_dynlib *library, void *ret, struct trm_error *reterr);

TRM_END_API

#endif
