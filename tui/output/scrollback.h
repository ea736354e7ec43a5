/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_SCROLLBACK_H
#define TUI_OUTPUT_SCROLLBACK_H

/* The output of the runs, stored as raw bytes up to a limit, and parsed when it is read.
 *
 * Theory of operation. The bytes are in a ring of chunks. At the limit the oldest chunk is dropped. A chunk
 * has records: a small header (kind, run, length) and bytes. Appending is a memcpy and a count of newlines.
 * A chunk stores the number of its first line, so any line is found by a search over chunks and a memchr
 * within one. A line ends with a newline, or after OUT_LINE_BYTES without newline or carriage return (so an
 * endless line costs no more than many lines), or where a record says so.
 *
 * A run that uses more than half of the ring loses its own oldest chunks, so that a flood does not push out
 * earlier runs. A line takes their place. The lines before it get new numbers, so that numbers have no gaps
 * (see scrollback_take_shift()).
 *
 * Colors can extend over lines. The colors at the start of a chunk are determined on demand and cached in
 * the chunk. This is the only change that reading makes. */

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
	OUT_HEADER, /* one line for a run; no bytes */
	OUT_STDOUT,
	OUT_STDERR,
	OUT_VALUE,  /* text of the last expression */
	OUT_TRACE,  /* an exception's traceback */
	OUT_NOTE,   /* text of the workbench itself */
	OUT_INPUT,  /* a line that the person sent to the run */
	OUT_FIGURE, /* a row of an image: the text "ID ROW", see figures.h */
	OUT_LATE,   /* output after the end of its run; `run` is the number in the session */
	OUT_KINDS
};

enum { OUT_STREAMS = 4 }; /* sets of colors: stdout, stderr, late, others */

struct out_chunk;

struct scrollback {
	struct out_chunk **ring;
	size_t n_ring, first, n;               /* slots; the oldest slot in use; slots in use */
	uint64_t end_line;                     /* number of the incomplete line (it may be empty) */
	uint64_t dropped_lines, dropped_bytes; /* in total */
	uint64_t front_lines, front_bytes;     /* of these, at the start, before all stored lines */
	struct out_shift {
		uint64_t before, by; /* lines before this one have moved by this number; by 0: none */
	} shift;
	uint64_t total_bytes;
	size_t since_break; /* bytes since the last newline, carriage return or break */
	size_t open_record; /* offset of the record in the newest chunk that can grow; SIZE_MAX: none */
	bool line_is_empty; /* the incomplete line is empty */
	bool last_was_late; /* late output never shares a line with other output */
};

/* Uses no memory before the first append. 0 or TRM_ENOMEM. */
int scrollback_init(struct scrollback *s, size_t cap_bytes);
int scrollback_init_like(struct scrollback *s, const struct scrollback *other); /* with the same limit */
void scrollback_finish(struct scrollback *s);                                   /* accepts a zeroed object */
void scrollback_clear(struct scrollback *s);

/* `run`: owner of the bytes, numbered by the caller. When memory is short, the oldest chunk is dropped. */
void scrollback_append(struct scrollback *s, enum out_kind kind, uint32_t run, const void *bytes, size_t n);
void scrollback_header(struct scrollback *s, uint32_t run); /* on a line of its own */
void scrollback_end_line(struct scrollback *s);             /* unless the incomplete line is empty */

/* The changes of line numbers since the last call. The lines [before, before + by) are gone. */
struct out_shift scrollback_take_shift(struct scrollback *s);

/* Drop everything from the start of a line on. Output continues there. */
void scrollback_cut(struct scrollback *s, uint64_t line);

/* Does the incomplete line end with this text? If the text is in two chunks, the answer may be a false no. */
bool scrollback_ends_with(const struct scrollback *s, const char *text);
/* Lines first <= k < end can be read. An empty last line does not count. */
uint64_t scrollback_first(const struct scrollback *s);
uint64_t scrollback_end(const struct scrollback *s);
size_t scrollback_memory(const struct scrollback *s); /* bytes in use */

/* ---- reading: iterates over lines, in pieces of one kind ---- */

struct out_reader {
	const struct scrollback *store;
	size_t chunk;       /* index, from the oldest */
	size_t record, pos; /* offset of the record, and offset into its bytes */
	uint64_t line;      /* line of the next piece */
	struct ansi colors[OUT_STREAMS];
};

unsigned scrollback_stream(enum out_kind kind); /* the set of colors of a kind */

struct out_piece {
	enum out_kind kind;
	uint32_t run;
	const char *bytes; /* without the newline; borrowed until the next append */
	size_t n;
	bool ends_line, is_soft; /* soft: broken because of its length, not by a newline */
	struct ansi *colors;     /* parse the piece with this, so that the next piece continues from there */
};

/* Move to the start of a line (limited to existing lines). Of a very long line that carriage returns
 * rewrite, only the last part is read. */
void out_reader_seek(struct out_reader *r, const struct scrollback *s, uint64_t line);
/* The rest of the reader's record with several lines, for searches. */
struct out_span {
	enum out_kind kind;
	const char *bytes;
	size_t n;
	uint64_t line;  /* line of its first byte */
	bool ends_line; /* the line ends at its last byte, without a newline */
};
bool out_reader_span(struct out_reader *r, struct out_span *ret);

/* False: end of the store. The caller must parse each piece with its colors. */
bool out_reader_next(struct out_reader *r, struct out_piece *ret);

#endif
