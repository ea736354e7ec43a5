/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_LOGS_H
#define TUI_CMD_LOGS_H

/* The inside of `terrarium logs`: logs.c collects runs, logs_text.c and logs_json.c tell them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/terrarium.h>

#include "record/writer.h"
#include "stream/displays.h"
#include "stream/sink.h"

enum {
	LOGS_HELD_MAX = 16 << 20, /* that a reader has not taken; then output is passed over */
	LOGS_KEPT_MAX = 64 << 20, /* of one run that is not to be told yet */
};

/* A run, or what came of one after its end. */
struct logs_entry {
	struct logs *logs;
	struct logs_entry *next;
	struct trm_run *run; /* NULL: over */
	uint64_t number, began_ms, lost_bytes;
	const struct trm_lang *lang;
	char by[128];
	char *code, *file;
	size_t code_len, code_cut;
	bool is_late; /* output of a run that was over */
	bool is_command;
	bool is_reported; /* its head is */
	struct displays displays;
	struct writer text; /* what is to be told of it when its time comes */
};

struct logs {
	bool is_json, follows, has_color;
	const struct trm_lang *only; /* NULL: all languages */
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	struct trm_signal *signals[2];
	struct sink out;
	struct logs_entry *first, **end;
	struct logs_entry *reported_last; /* whose output stands last on the screen */
	bool is_live;                     /* what has been before is told */
	bool is_over, is_pipe_broken;
	int exit_code;
};

/* The next words come from this one. */
void logs_turn_to(struct logs *l, struct logs_entry *e);
/* What its code wrote: passed on, or kept until it is its turn. */
void logs_tell(struct logs_entry *e, const char *bytes, size_t n);
/* A line of its own among what the code wrote. */
void logs_tell_line(struct logs_entry *e, const char *text);
void logs_tell_end(struct logs_entry *e, const struct trm_result *r);
extern const struct displays_out logs_displays; /* user: the entry */

/* The whole entry as one line. `is_running`: the result holds only what came until now. */
void logs_print_json(struct logs *l, const struct logs_entry *e, const struct trm_result *r, bool is_running);

#endif
