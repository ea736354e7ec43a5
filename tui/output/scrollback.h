/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_SCROLLBACK_H
#define TUI_OUTPUT_SCROLLBACK_H

/* What the runs have printed, kept raw up to a cap, to be parsed when it is looked at.
 *
 * Theory of operation. Bytes lie in a ring of chunks; the oldest chunk is given up for
 * the newest when the cap is reached. In a chunk lie records: a small header
 * (kind, run, length) and bytes. Appending is a memcpy and a count of newlines; a
 * chunk knows the number of its first line, so that any line is found by
 * a search over chunks and a memchr inside one. A line is what ends with
 * a newline, or after OUT_LINE_BYTES without newline or carriage return (so one endless
 * line costs no more than many), or where a record says so.
 *
 * A run that has taken more than half of the ring gives up its own oldest chunks, so that a flood does not
 * push out what ran before it. A line of its own stands in their place; the lines before it get new numbers,
 * so that numbers stay without holes (see scrollback_take_shift()).
 *
 * Colors reach across lines. What is in force at the start of a chunk is found out
 * when somebody looks and remembered there: a cache, the only thing that reading changes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/ansi.h"

#ifndef OUT_CHUNK_BYTES
#define OUT_CHUNK_BYTES 65536u
#endif
#ifndef OUT_LINE_BYTES
#define OUT_LINE_BYTES 8192u
#endif
#define OUT_DEFAULT_CAP ((size_t)16 << 20)

enum out_kind {
	OUT_HEADER, /* one line that stands for a run; no bytes */
	OUT_STDOUT,
	OUT_STDERR,
	OUT_VALUE,  /* text of the last expression */
	OUT_TRACE,  /* an exception's traceback */
	OUT_NOTE,   /* from the workbench itself */
	OUT_INPUT,  /* a line that the person has sent to the run */
	OUT_FIGURE, /* a row of an image: the text "ID ROW", see figures.h */
	OUT_LATE,   /* output that came after its run had ended; `run` is then the session's number */
	OUT_KINDS
};

enum { OUT_STREAMS = 4 }; /* sets of colors: stdout, stderr, late, the rest */

struct out_chunk;

struct scrollback {
	struct out_chunk **ring;
	size_t n_ring, first, n;               /* slots; the oldest used one; how many are used */
	uint64_t end_line;                     /* number of the line now open (it may be empty) */
	uint64_t dropped_lines, dropped_bytes; /* in all */
	uint64_t front_lines, front_bytes;     /* of those, at the front: before all that is kept */
	struct out_shift {
		uint64_t before, by; /* lines before this one have moved by so many; by 0: none */
	} shift;
	uint64_t total_bytes;
	size_t since_break; /* bytes since the last newline, return or break */
	size_t open_record; /* offset of the record in the newest chunk that may grow; SIZE_MAX: none */
	bool line_is_empty; /* nothing stands in the open line yet */
	bool last_was_late; /* late output never shares a line with other output */
};

/* Takes no memory before the first append. 0 or TRM_ENOMEM. */
int scrollback_init(struct scrollback *s, size_t cap_bytes);
void scrollback_finish(struct scrollback *s); /* takes a zeroed object */
void scrollback_clear(struct scrollback *s);

/* `run`: what the bytes belong to, the caller's numbering. When memory is short the oldest is given up. */
void scrollback_append(struct scrollback *s, enum out_kind kind, uint32_t run, const void *bytes, size_t n);
void scrollback_header(struct scrollback *s, uint32_t run); /* on a line of its own */
void scrollback_end_line(struct scrollback *s);             /* if something stands in the open one */

/* How lines have got other numbers since it was last asked. A line of [before, before + by) is gone. */
struct out_shift scrollback_take_shift(struct scrollback *s);

/* Forget everything from the start of a line on: output goes on there. */
void scrollback_cut(struct scrollback *s, uint64_t line);

/* Lines first <= k < end can be read. A last line that is open and empty does not count. */
/* Does the open line end with this text? (Seldom a false no: when it lies in two chunks.) */
bool scrollback_ends_with(const struct scrollback *s, const char *text);
uint64_t scrollback_first(const struct scrollback *s);
uint64_t scrollback_end(const struct scrollback *s);
size_t scrollback_memory(const struct scrollback *s); /* bytes held */

/* ---- reading: a walk over lines, in pieces of one kind ---- */

struct out_reader {
	const struct scrollback *store;
	size_t chunk;       /* from the oldest */
	size_t record, pos; /* offset of the record, and into its bytes */
	uint64_t line;      /* that the next piece belongs to */
	struct ansi colors[OUT_STREAMS];
};

unsigned scrollback_stream(enum out_kind kind); /* whose colors a kind has */

struct out_piece {
	enum out_kind kind;
	uint32_t run;
	const char *bytes; /* without the newline; borrowed until the next append */
	size_t n;
	bool ends_line, is_soft; /* soft: broken for length, not by a newline */
	struct ansi *colors;     /* to parse it with, so that the next piece goes on from there */
};

/* Stand at the start of a line (clamped to what there is). Of a line that is very long because
 * carriage returns rewrite it, only the last part is given. */
void out_reader_seek(struct out_reader *r, const struct scrollback *s, uint64_t line);
/* The rest of the reader's record at once, several lines of it: for those who look for something. */
struct out_span {
	enum out_kind kind;
	const char *bytes;
	size_t n;
	uint64_t line;  /* of its first byte */
	bool ends_line; /* behind its last byte, without a newline there */
};
bool out_reader_span(struct out_reader *r, struct out_span *ret);

/* False at the end of the store. The caller must parse each piece with its colors. */
bool out_reader_next(struct out_reader *r, struct out_piece *ret);

#endif
