/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_FIELDS_H
#define TRM_WIRE_FIELDS_H

/* Messages as tables. A row says where a field lies in its struct and how it is written; the order of the
 * rows is the order in the payload. Writing, reading and freeing all follow the same table, so each field is
 * named once.
 *
 * A format grows at its end: an older writer does not send a row that is marked LATER, nor the rows behind it
 * up to the next LATER row. Numbers that were not sent keep the caller's value, which is 0;
 * texts are "".
 *
 * A table that is a PART of another must not grow: its rows lie between those of the outer table. Add a new
 * table, as a PART at the end of the outer one. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"
#include "wire/pack.h"

enum field_kind {
	FIELD_U8,
	FIELD_BOOL, /* a u8 */
	FIELD_ENUM, /* an enum, sent as u8; at most `max` */
	FIELD_U16,
	FIELD_U32,
	FIELD_I32,
	FIELD_U64,
	FIELD_I64,
	FIELD_F64,
	FIELD_TEXT,  /* char *, at most `max` bytes; the reader allocates it */
	FIELD_TEXTS, /* char **, at most `max` strings; the reader allocates it */
	FIELD_SLICE, /* struct slice, or a pointer followed by a size_t; borrowed from the payload */
	FIELD_LINE,  /* char[max]; the reader removes control characters and cuts what is too long */
	FIELD_NAME,  /* char[max + 1]; any bytes but NUL */
	FIELD_PART,  /* a struct with a table of its own */
};

struct field {
	uint16_t at; /* offset in the struct */
	uint8_t kind;
	bool is_later;
	uint32_t max;
	const struct fields *part;
};

struct fields {
	const struct field *rows;
	size_t n;
};

#define FIELDS(table) \
	{ \
		(table), sizeof(table) / sizeof *(table) \
	}

/* Rows are { FIELD(…) } or { FIELD(…), LATER }. FIELD takes the kind from the type of the member. */
#define FIELD(type, member) \
	.at = offsetof(type, member), .kind = _Generic(((type *)0)->member, bool \
						       : FIELD_BOOL, uint8_t \
						       : FIELD_U8, uint16_t \
						       : FIELD_U16, uint32_t \
						       : FIELD_U32, int32_t \
						       : FIELD_I32, uint64_t \
						       : FIELD_U64, int64_t \
						       : FIELD_I64, double \
						       : FIELD_F64, struct slice \
						       : FIELD_SLICE)
#define FIELD_OF(type, member, how, most) .at = offsetof(type, member), .kind = (how), .max = (most)
#define ENUM(type, member, most) FIELD_OF(type, member, FIELD_ENUM, most)
#define TEXT(type, member, most) FIELD_OF(type, member, FIELD_TEXT, most)
#define LINE(type, member) FIELD_OF(type, member, FIELD_LINE, sizeof((type *)0)->member)
/* A pointer and, right behind it, its size: the compiler refuses others. */
#define SLICE(type, member, size) \
	.at = offsetof(type, member), \
	.kind = FIELD_SLICE \
		+ 0 * sizeof(char[offsetof(type, size) == offsetof(type, member) + sizeof(char *) ? 1 : -1])
#define PART(type, member, table) .at = offsetof(type, member), .kind = FIELD_PART, .part = (table)
#define LATER .is_later = true

/* A text or list that is longer than its reader accepts fails with TRM_ETOOBIG. */
void fields_pack(struct pack *p, const struct fields *fields, const void *msg);
/* Fills the fields of *msg, which is zeroed. If one does not fit, `bad` is set; fields_free() is right in any
 * case. */
void fields_unpack(struct unpack *u, const struct fields *fields, void *msg);
/* Frees what fields_unpack() allocated. */
void fields_free(const struct fields *fields, void *msg);

/* A whole frame. On an error nothing is appended. */
int fields_put(struct buf *out, uint32_t stream, enum frame_type type, const struct fields *fields,
		const void *msg);
/* Reads the payload into *ret, which is `size` bytes long. `is_sound` (or NULL) checks what a table cannot
 * say. TRM_EPROTO, TRM_ENOMEM: *ret is all zero. */
int fields_get(const struct frame *frame, const struct fields *fields, bool (*is_sound)(const void *msg),
		void *ret, size_t size);
/* Close the frame that `p` has filled since frame_begin(). After an error the frame is removed. */
int frame_close(struct buf *out, size_t mark, const struct pack *p);

#endif
