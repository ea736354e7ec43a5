/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_GO_SOURCE_H
#define TRM_AGENT_GO_SOURCE_H

/* The program that a piece of Go is compiled from: the declarations of the pieces before it, and the piece.
 *
 * Declarations of functions, types and constants stay as they are written. Variables stay by name and type,
 * which the program tells at its end; kernel/carry.go brings back their values. Statements become functions
 * that run in the order of the text, among the initializers of variables. */

#include <stdbool.h>
#include <stddef.h>

#include "agent/batch/source.h"

struct go_entry;
struct go_import;

struct go_source {
	struct source files; /* folder, and the names of pieces */
	struct go_entry *entries;
	size_t n_entries;
	struct go_import *imports;
	size_t n_imports;
	unsigned state; /* number of the piece that has written the variables; 0: there are none */
};

/* One piece, made into text. */
struct go_piece {
	unsigned number;
	struct buf text;
	struct go_entry *entries;
	size_t n_entries;
	struct go_import *imports;
	size_t n_imports;
	char state[PATH_MAX], report[PATH_MAX]; /* files that its program writes */
	bool shows;                             /* a value */
};

void go_source_open(struct go_source *s, const char *folder, const char *ending);
void go_source_close(struct go_source *s);
void go_source_reset(struct go_source *s);
/* Make the text of the piece that source_begin() has begun. `shows`: it may end with an expression that has a
 * value. False: out of memory, or too long. */
bool go_source_make(struct go_source *s, const char *code, size_t n, bool shows, struct go_piece *ret);
void go_piece_finish(struct go_piece *piece);
/* The piece has run: its declarations stay. `variables`: "NAME\0TYPE\0PACKAGES\0" of each that there is, the
 * packages apart by newlines, and an empty name. */
bool go_source_keep(struct go_source *s, struct go_piece *piece, const struct buf *variables);
/* Call `tell` with the names that are declared. */
void go_source_names(const struct go_source *s, void (*tell)(void *user, const char *name, const char *kind),
		void *user);

#endif
