/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_SOURCE_H
#define TRM_AGENT_SOURCE_H

/* The source that a piece of C++ is compiled from: the declarations of the pieces before it, and the piece.
 *
 * Every piece becomes a shared object, loaded into one process beside those of the earlier pieces. Variables
 * and functions are made `inline`: so all shared objects can repeat the declarations of the pieces before,
 * the compiler still deduces their types, the dynamic linker lets all of them use the object of the first,
 * and the guard of an inline variable sees to it that its initializer runs once. Statements become functions
 * that run in the order of the text, among the initializers. A piece that declares a name anew is put into a
 * namespace inside of the one before, so that the new name hides the old one, which earlier functions go on
 * using. */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#include "agent/batch/part.h"

struct source {
	char folder[PATH_MAX];
	const char *ending;
	struct buf includes, top, kept;
	unsigned depth;  /* namespaces that are open */
	unsigned number; /* of the last piece */
	char **files;    /* number + 1 of them: the names that the user knows the pieces by */
	struct source_name {
		char text[PART_NAME_SIZE];
		enum part_kind kind;
	} * names;
	size_t n_names;
};

/* One piece, made into text. */
struct source_piece {
	unsigned number;
	struct buf text;                /* to be compiled behind the includes */
	struct buf includes, top, kept; /* what it adds */
	bool has_includes;
	unsigned depth;
	struct source_name *names;
	size_t n_names;
};

void source_open(struct source *s, const char *folder, const char *ending);
void source_close(struct source *s);
/* Forget all declarations. */
void source_reset(struct source *s);
/* The number for the next piece, known to the user by `file`; 0: no memory. Its code is to be written to
 * FOLDER/NUMBER.ENDING, where compilers look for the lines that they show. */
unsigned source_begin(struct source *s, const char *file);
/* Make the text; `hides`: its names hide earlier ones. False: out of memory, or too long. */
bool source_make(const struct source *s, const char *code, size_t n, bool hides, struct source_piece *ret);
void source_piece_finish(struct source_piece *piece);
/* The piece has run: its declarations stay. False: no memory. */
bool source_keep(struct source *s, const struct source_piece *piece);
bool source_knows(void *source, const char *name, size_t n);
/* Append a compiler's message with the names that the user knows. */
void source_rename(const struct source *s, const char *text, size_t n, struct buf *out);

#endif
