/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_TRANSCRIPT_H
#define TUI_RECORD_TRANSCRIPT_H

/* What has been run in a session and what came of it: the source of every export. Put together from the
 * events of a recording, or from the same events while they happen. It holds a given number of bytes: when
 * they are used up, the output of the oldest runs is given up first, then what the run in hand prints; how
 * much is missing is told. */

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

/* Something that a run brought forth, in order of arrival. */
struct transcript_piece {
	enum transcript_kind kind;
	uint64_t t_us;
	char *mime;          /* DISPLAY: its type; else NULL */
	size_t bundle, more; /* DISPLAY: forms of one thing share a bundle; so many follow */
	char *bytes;         /* NUL-terminated */
	size_t n, cap;
};

struct transcript_run {
	uint32_t id;     /* from 1, in the order in which they were asked for */
	uint64_t number; /* in its session; 0: it never got one */
	const struct trm_lang *lang;
	char *name; /* of the file; may be NULL */
	char *code;
	size_t code_len;
	uint64_t asked_us, started_us, ended_us;
	struct transcript_piece *pieces;
	size_t n_pieces, cap_pieces;
	uint64_t dropped_bytes;    /* that were printed and are not kept */
	struct trm_result *result; /* NULL: it has not ended */
	char *refusal;             /* why it could not be run; NULL: it could */
};

struct transcript {
	struct transcript_run **runs; /* run k has id k + 1 */
	size_t n_runs, cap_runs;
	size_t bytes, cap_bytes; /* kept; at most */
	uint64_t dropped_bytes;  /* of all runs */
	bool is_incomplete;      /* memory was short: something is missing */
	char sandbox[65], backend[32];
	char started[32]; /* UTC, ISO 8601; "" unknown */
	uint64_t end_us;  /* time of the last event */
};

/* cap_bytes 0: no cap but that of memory. */
void transcript_init(struct transcript *s, size_t cap_bytes);
void transcript_finish(struct transcript *s); /* takes a zeroed object */

/* Something has happened. What does not fit together (an output of an unknown run) is ignored. */
void transcript_add(struct transcript *s, const struct rec_event *event);

/* The run with this id; NULL if there is none. */
struct transcript_run *transcript_run(const struct transcript *s, uint32_t id);

/* All bytes of one kind that lie together from piece *at on; *at moves behind them. malloc'd; NULL: no
 * memory. Characters that were cut between pieces are whole again. */
char *transcript_join(const struct transcript_run *run, size_t *at, size_t *ret_n);

/* How many pieces from `at` on are forms of one display; at least 1. */
size_t transcript_forms(const struct transcript_run *run, size_t at);

/* "ok, 2.6 ms", "exit 2, 8 ms", "timed out after …". Returns out. */
char *transcript_outcome(const struct transcript_run *run, char out[160]);

#endif
