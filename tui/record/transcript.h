/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_TRANSCRIPT_H
#define TUI_RECORD_TRANSCRIPT_H

/* The runs of a session with their outputs: the source of every export. A transcript is built from the
 * events of a recording, or from the same events as they happen. It keeps a limited number of bytes. When
 * the limit is reached, the transcript first drops the output of the oldest runs, then further output of
 * the current run. It counts the dropped bytes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/event.h"

#define TRANSCRIPT_DEFAULT_CAP ((size_t)32 << 20)

enum transcript_kind {
	TRANSCRIPT_STDOUT,
	TRANSCRIPT_STDERR,
	TRANSCRIPT_DISPLAY,
	TRANSCRIPT_INPUT,
	TRANSCRIPT_LATE
};

/* One output of a run, in order of arrival. */
struct transcript_piece {
	enum transcript_kind kind;
	uint64_t t_us;
	char *mime;          /* DISPLAY: its type; else NULL */
	size_t bundle, more; /* DISPLAY: as in struct trm_display */
	char *bytes;         /* NUL-terminated */
	size_t n, cap;
};

struct transcript_run {
	uint32_t id;     /* from 1, in the order of the requests */
	uint64_t number; /* number in its session; 0: it never got one */
	const struct trm_lang *lang;
	char *name; /* of the file; may be NULL */
	char *code;
	size_t code_len;
	uint64_t asked_us, started_us, ended_us;
	struct transcript_piece *pieces;
	size_t n_pieces, cap_pieces;
	uint64_t dropped_bytes;    /* bytes of output that were dropped */
	struct trm_result *result; /* NULL: the run has not ended */
	char *refusal;             /* why the run could not start; NULL: it started */
};

struct transcript {
	struct transcript_run **runs; /* run k has id k + 1 */
	size_t n_runs, cap_runs;
	size_t bytes, cap_bytes; /* bytes kept, and their maximum */
	uint64_t dropped_bytes;  /* of all runs */
	bool is_incomplete;      /* memory was short: some output is missing */
	char sandbox[65], backend[32];
	char started[32]; /* UTC, ISO 8601; "" unknown */
	uint64_t end_us;  /* time of the last event */
};

/* cap_bytes 0: no limit. */
void transcript_init(struct transcript *s, size_t cap_bytes);
void transcript_finish(struct transcript *s); /* takes a zeroed object */

/* Add an event. An event that does not fit, such as output of an unknown run, is ignored. */
void transcript_add(struct transcript *s, const struct rec_event *event);

/* The run with this id; NULL if there is none. */
struct transcript_run *transcript_run(const struct transcript *s, uint32_t id);

/* Join consecutive pieces of one kind, from piece *at on; *at moves behind them. The result is malloc'd;
 * NULL: out of memory. Characters that were split between pieces are whole again. */
char *transcript_join(const struct transcript_run *run, size_t *at, size_t *ret_n);

/* Number of pieces from `at` on that are forms of one display; at least 1. */
size_t transcript_forms(const struct transcript_run *run, size_t at);

/* "ok, 2.6 ms", "exit 2, 8 ms", "timed out after …". Returns out. */
char *transcript_outcome(const struct transcript_run *run, char out[160]);

#endif
