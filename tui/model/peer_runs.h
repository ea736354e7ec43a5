/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_PEER_RUNS_H
#define TUI_MODEL_PEER_RUNS_H

/* Runs of other programs in the sandbox that this workbench shares with them: blocks in the output pane like
 * its own, with a word of whose they are. A kernel has one run at a time, so there is at most one of each
 * language; of their commands, which are known by having no number, there may be any number.
 *
 * One that is to be stopped here, or whose own program is gone while it asks for input, is taken up as the
 * run in hand (model.run): from then on it is treated as a run of this workbench's. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/lang.h>

struct effects;
struct model;
struct msg;

struct peer_run {
	uint32_t serial; /* 0: none */
	const struct trm_lang *lang;
	uint64_t began_ns;
};

enum { PEER_RUNS_MAX = TRM_LANG_MAX + 64 };

struct peer_runs {
	struct peer_run items[PEER_RUNS_MAX]; /* by language; then commands */
	unsigned n;                           /* behind so many of them there is none */
	unsigned n_clients; /* programs attached to the sandbox, this one included; 0: not known */
	uint32_t target;    /* that a question is about */
};

/* MSG_RUN_JOINED, and a message about one of these runs. False: it is about none. */
bool peer_runs_update(struct model *m, const struct msg *msg);
bool peer_runs_has(const struct model *m, uint32_t serial);
/* One that is under way, in the current language if there is such; NULL: none. */
const struct peer_run *peer_runs_running(const struct model *m);
/* They have ended with the sandbox. */
void peer_runs_forget(struct model *m);

/* Ctrl-C would ask whether to stop theirs: nothing of this workbench's runs, and nothing is selected that it
 * would copy. */
bool peer_runs_may_be_stopped(const struct model *m);
void peer_runs_ask_stop(struct model *m);
void answer_stop_other(struct model *m, int answer, struct effects *out);

/* "terrarium repl, pid 42 runs print(x)"; "" while nobody else does. */
void peer_runs_text(const struct model *m, char *out, size_t cap);

#endif
