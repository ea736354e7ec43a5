/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_SOURCE_C_INTERNAL_H
#define TRM_AGENT_SOURCE_C_INTERNAL_H

/* Shared by the files that write the source of a piece of C: source_c.c (types, functions, statements),
 * source_c_object.c (variables), source_c_entry.c (the declarations that later pieces get). */

#include <stdbool.h>
#include <stddef.h>

#include "agent/batch/part.h"
#include "agent/batch/source_c.h"
#include "agent/batch/source_maker.h"
#include "base/buf.h"

#define NOWHERE "\n#line 1 \"<terrarium>\"\n"
/* Stands around the name of an array where the number of its elements will be filled in. */
#define COUNT_MARK '\1'

struct c_name {
	char text[PART_NAME_SIZE];
	bool is_tag;     /* of a struct, union or enum */
	bool is_type;    /* or an enumerator */
	bool is_defined; /* not only announced */
};

/* A declaration. */
struct source_c_entry {
	struct buf text;
	enum part_kind kind;
	struct c_name *names;
	size_t n_names;
};

/* Reads names in C code. Zeroed but for `at` and `end`. */
struct c_scan {
	const char *at, *end;
	const char *word;
	size_t n;
	char before, before2; /* what stands in front of the word */
	bool is_tag;          /* behind struct, union or enum */
	bool is_enum;         /* behind enum, or between its braces */
};

/* ---- source_c_entry.c ---- */

bool c_scan_is_name_byte(char c);
/* Bytes of the string, character or comment at `at`; 0: none. */
size_t c_scan_skip_size(const char *at, const char *end);
bool c_scan_is_word(const struct c_scan *s, const char *word);
struct source_c_entry *source_c_add_entry(struct maker *m, enum part_kind kind);
void source_c_add_name(struct source_c_entry *e, const char *text, size_t n, struct c_name how);
struct c_name *source_c_find_name(const struct source_c_entry *list, size_t n, const char *text, size_t len,
		bool is_tag, bool is_defined);
/* Tags and enumerators that the text of a type declares. */
void source_c_note_tags(struct source_c_entry *e, const char *at, size_t n);
void source_c_put_entry(struct buf *out, const struct source *s, const struct source_piece *piece,
		const struct source_c_entry *e);
/* Is it there already, as it stands? */
bool source_c_is_repeated(const struct source *s, const struct source_c_entry *e);
/* What the symbol of a name that this piece defines is called. One that was announced is called as it is
 * called. */
void source_c_put_label(const struct maker *m, struct buf *out, const char *name, size_t n);

/* ---- source_c.c ---- */

/* What a definition outside of functions must not have in front becomes spaces. */
const char *source_c_put_front(struct buf *out, const char *at, const char *end);
void source_c_put_definition(const struct maker *m, const char *at, const char *end);

/* ---- source_c_object.c ---- */

void source_c_make_step(struct maker *m, struct buf *calls, unsigned *ret_id);
void source_c_make_object(struct maker *m, const struct part *p, const struct buf *said, struct buf *calls);

#endif
