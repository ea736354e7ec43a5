/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_SOURCE_C_H
#define TRM_AGENT_SOURCE_C_H

/* The source that a piece of C is compiled from.
 *
 * C has no inline variables, no namespaces, and no code outside of functions. So what stays of a piece is a
 * list of entries: types and macros as they stand, variables and functions as extern declarations. The first
 * piece that defines a name gives its symbol a label of its own ("x.3"). A piece that defines the name anew
 * makes the entries before it call the old one `trm_7_x`: what was compiled before goes on using it. A
 * variable whose initializer is not constant, as the compiler tells in a first attempt, is made at run time.
 */

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct maker;
struct source;
struct source_c_entry;
struct source_piece;

void source_c_free(struct source_c_entry **entries, size_t *n);
bool source_c_wants_again(const struct buf *said);
bool source_c_make(struct maker *m, const struct buf *said);
bool source_c_keep(struct source *s, struct source_piece *piece, const char *sizes);

#endif
