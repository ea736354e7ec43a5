/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_OPTS_H
#define TRM_BASE_OPTS_H

/* Structs of options that callers pass in. Their first field is their size as the caller was compiled, so
 * that the struct may grow at its end: what a shorter one lacks is the default. */

#include <stddef.h>

#include <terrarium/error.h>

/* Copy what the caller has given over `own`, which holds the defaults and has n bytes. `given` NULL: all
 * defaults. TRM_EINVAL: its size was not set; TRM_ENOTSUP: it is longer, and sets a field that is not known
 * here. */
int opts_take(void *own, size_t n, const void *given, struct trm_error *reterr);

/* Fill in the defaults of a struct that has `size` bytes for the caller, and n here. */
void opts_fill(void *opts, size_t size, const void *defaults, size_t n);

#endif
