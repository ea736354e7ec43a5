/* SPDX-License-Identifier: MIT */
#ifndef TUI_RUN_HISTORY_H
#define TUI_RUN_HISTORY_H

/* The history of all runs, of this and of earlier workbenches: a file with one JSON object per line, which
 * the app reads and writes. This file makes and reads the lines, lists them, and puts a selected entry into
 * the editor. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/result.h>

struct effects;
struct model;
struct msg;
struct trm_lang;

#define RUN_HISTORY_MAX 5000                 /* entries in the list */
#define RUN_HISTORY_CODE ((size_t)256 << 10) /* bytes of code; longer code is not stored */
#define RUN_HISTORY_PENDING 20               /* current and waiting runs */

struct past_run {
	char *code;
	size_t len;
	const struct trm_lang *lang;
	char status[16]; /* "ok" */
	int64_t time_s;  /* time of its end, since 1970 */
	uint64_t wall_us;
};

struct run_history {
	bool is_on;             /* a setting */
	struct past_run *items; /* while the list is open; newest first */
	size_t n;
	int64_t now_s; /* time at which the file was read */
	/* The code of runs that have not ended yet. */
	struct {
		uint32_t serial; /* 0: free */
		char *code;
		size_t len;
	} pending[RUN_HISTORY_PENDING];
};

void run_history_finish(struct run_history *h); /* accepts a zeroed object */

/* A run was requested. Later: it has ended, or it was not started (`result` NULL). */
void run_history_begin(struct model *m, uint32_t serial, const char *code, size_t len);
void run_history_end(struct model *m, uint32_t serial, const struct trm_result *result, struct effects *out);

void run_history_show(struct model *m, const struct msg *msg);

#endif
