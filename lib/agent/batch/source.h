/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_SOURCE_H
#define TRM_AGENT_SOURCE_H

/* The source that a piece of C or C++ is compiled from: the declarations of the pieces before it, and the
 * piece. For C see source_c.h; this is about C++.
 *
 * Every piece becomes a shared object, which is loaded into one process with those of the earlier pieces.
 * Variables and functions are made `inline`. So all shared objects can repeat the declarations of earlier
 * pieces, the compiler still deduces their types, and the dynamic linker makes all of them use the first
 * object. The guard of an inline variable makes its initializer run only once. Statements become
 * functions, which run in the order of the text, among the initializers. A piece that declares a name
 * again is put into a namespace inside the previous one. So the new name hides the old one, which earlier
 * functions still use. */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#include "agent/batch/part.h"

struct source_c_entry;

struct source {
	char folder[PATH_MAX];
	const char *ending;
	bool is_c;
	struct buf includes, top, kept;
	struct source_c_entry *entries; /* in C, what `kept` is in C++ */
	size_t n_entries;
	unsigned depth;  /* namespaces that are open */
	unsigned number; /* of the last piece */
	char **files;    /* number + 1 of them: the names of the pieces for the user */
	struct source_name {
		char text[PART_NAME_SIZE];
		enum part_kind kind;
	} * names;
	size_t n_names;
};

/* One piece, made into text. */
struct source_piece {
	unsigned number;
	struct buf text;                /* to be compiled after the includes */
	struct buf includes, top, kept; /* what it adds */
	bool has_includes;
	unsigned depth;
	struct source_name *names;
	size_t n_names;
	struct source_c_entry *entries;
	size_t n_entries;
};

void source_open(struct source *s, const char *folder, const char *ending, bool is_c);
void source_close(struct source *s);
/* Forget all declarations. */
void source_reset(struct source *s);
/* The number of the next piece, which the user knows as `file`; 0: no memory. Write its code to
 * FOLDER/NUMBER.ENDING, where compilers look for the lines that they show. */
unsigned source_begin(struct source *s, const char *file);
/* Is what the compiler says about a piece a reason to make it again, with that as `said`? */
bool source_wants_again(const struct source *s, const struct buf *said);
/* Make the text. `said`: what the compiler said about the first attempt, else NULL. False: out of memory, or
 * too long. */
bool source_make(const struct source *s, const char *code, size_t n, const struct buf *said,
		struct source_piece *ret);
void source_piece_finish(struct source_piece *piece);
/* The piece has run: its declarations stay. `sizes`: words "NAME COUNT" of arrays, in C. False: no memory. */
bool source_keep(struct source *s, struct source_piece *piece, const char *sizes);
bool source_knows(void *source, const char *name, size_t n);
/* Append a compiler's message with the user's names for the files. */
void source_rename(const struct source *s, const char *text, size_t n, struct buf *out);

#endif
