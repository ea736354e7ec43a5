/* SPDX-License-Identifier: MIT */
#ifndef TUI_RUN_HISTORY_H
#define TUI_RUN_HISTORY_H

/* What was run, in this and in earlier workbenches: one JSON object per line in a file that the app keeps.
 * Here lines are made and read, and one is searched for and recalled into the editor. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/result.h>

struct effects;
struct model;
struct msg;
struct trm_lang;

#define RUN_HISTORY_MAX 5000                 /* entries that are listed */
#define RUN_HISTORY_CODE ((size_t)256 << 10) /* bytes of code; longer ones are not remembered */
#define RUN_HISTORY_PENDING 20               /* runs under way or waiting */

struct past_run {
	char *code;
	size_t len;
	const struct trm_lang *lang;
	char status[16]; /* "ok" */
	int64_t time_s;  /* when it ended, since 1970 */
	uint64_t wall_us;
};

struct run_history {
	bool is_on;             /* a setting */
	struct past_run *items; /* while the list is open; newest first */
	size_t n;
	int64_t now_s; /* when it was read */
	/* The code of runs that have not ended yet. */
	struct {
		uint32_t serial; /* 0: free */
		char *code;
		size_t len;
	} pending[RUN_HISTORY_PENDING];
};

void run_history_finish(struct run_history *h); /* takes a zeroed object */

/* A run was asked for; it has ended, or was not begun (`result` NULL). */
void run_history_begin(struct model *m, uint32_t serial, const char *code, size_t len);
void run_history_end(struct model *m, uint32_t serial, const struct trm_result *result, struct effects *out);

/* ^T: read the file, and list it when MSG_HISTORY has brought it. */
void run_history_ask(struct model *m, struct effects *out);
void run_history_show(struct model *m, const struct msg *msg);
void answer_history(struct model *m, int answer, struct effects *out);

#endif
