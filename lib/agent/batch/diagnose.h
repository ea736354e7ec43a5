/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_DIAGNOSE_H
#define TRM_AGENT_DIAGNOSE_H

/* Reads compilers' messages, and distinguishes complete code from incomplete code by its form. */

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* The first line with an error ("a.c:3:5: error: …"), otherwise the first line with a position, otherwise
 * the first. */
void diagnose_message(const char *text, size_t n, char *out, size_t cap);
/* Append the text with `name` in place of each `path`. */
void diagnose_rename(struct buf *out, const char *text, size_t n, const char *path, const char *name);
/* False: a bracket, a string or a comment is open at the end. */
bool diagnose_is_whole(const char *code, size_t n);

#endif
