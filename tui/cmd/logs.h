/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_LOGS_H
#define TUI_CMD_LOGS_H

/* The parts of `terrarium logs`: logs.c collects runs, logs_text.c and logs_json.c print them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/terrarium.h>

#include "record/writer.h"
#include "stream/displays.h"
#include "stream/sink.h"

enum {
	LOGS_HELD_MAX = 16 << 20, /* bytes that stdout has not taken; further output is skipped */
	LOGS_KEPT_MAX = 64 << 20, /* bytes of a run that are kept until it is its turn */
};

/* A run, or output that came after the end of a run. */
struct logs_entry {
	struct logs *logs;
	struct logs_entry *next;
	struct trm_run *run; /* NULL: it has ended */
	uint64_t number, began_ms, lost_bytes;
	const struct trm_lang *lang;
	char by[128];
	char *code, *file;
	size_t code_len, code_cut;
	bool is_late; /* output that came after the end of a run */
	bool is_command;
	bool is_reported; /* its heading was printed */
	struct displays displays;
	struct writer text; /* its output, until it is its turn */
};

struct logs {
	bool is_json, follows, has_color;
	const struct trm_lang *only; /* NULL: all languages */
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	struct trm_signal *signals;
	struct sink out;
	struct logs_entry *first, **end;
	struct logs_entry *reported_last; /* the entry whose output was printed last */
	bool is_live;                     /* the earlier output was printed */
	bool is_over, is_pipe_broken;
	int exit_code;
};

/* Print the heading of this entry if the last output was another entry's. */
void logs_turn_to(struct logs *l, struct logs_entry *e);
/* Output of the code. It is printed, or kept until it is the entry's turn. */
void logs_put_output(struct logs_entry *e, const char *bytes, size_t n);
/* A message on a line of its own within the output of the code. */
void logs_put_line(struct logs_entry *e, const char *text);
void logs_put_end(struct logs_entry *e, const struct trm_result *r);
extern const struct displays_out logs_displays; /* user: the entry */

/* Print the whole entry as one line. With `is_running` the result holds only the output so far. */
void logs_print_json(struct logs *l, const struct logs_entry *e, const struct trm_result *r, bool is_running);

#endif
