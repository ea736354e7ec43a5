/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_PEER_RUNS_H
#define TUI_MODEL_PEER_RUNS_H

/* Runs of other clients in a shared sandbox. The output pane shows them as blocks with the name of the
 * client. A kernel has one run at a time, so there is at most one peer run per language. Commands of peers
 * have no number, and there may be several.
 *
 * A peer run becomes the current run (model.run) if the person stops it here, or if its client has ended
 * while the run asks for input. From then on it is treated like an own run. */

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

/* Another program that is attached, and says what it is. */
struct peer_name {
	uint32_t client;
	char words[64];
};

enum { PEER_NAMES_MAX = 8 };

enum { PEER_RUNS_MAX = TRM_LANG_MAX + 64 };

struct peer_runs {
	struct peer_run items[PEER_RUNS_MAX]; /* one per language, then commands */
	unsigned n;                           /* items in use: those at n and after it are free */
	unsigned n_clients;                   /* clients of the sandbox, including this one; 0: unknown */
	struct peer_name names[PEER_NAMES_MAX];
	unsigned n_names;
	uint32_t target; /* subject of the open question */
};

/* MSG_CAUGHT_UP: earlier runs have come kernel by kernel; show them in the order of time. */
void peer_runs_sort(struct model *m);
/* MSG_RUN_JOINED, or a message about a peer run. False: the message is about none. */
bool peer_runs_update(struct model *m, const struct msg *msg);
bool peer_runs_has(const struct model *m, uint32_t serial);
/* A peer run in progress, preferably of the current language. NULL: none. */
const struct peer_run *peer_runs_running(const struct model *m);
/* Drop all peer runs, because the sandbox has ended. */
void peer_runs_forget(struct model *m);

/* Would Ctrl-C ask whether to stop a peer run? It does if no own run is active and nothing is selected that
 * it would copy. */
bool peer_runs_may_be_stopped(const struct model *m);
void peer_runs_ask_stop(
		struct model *m, struct effects *out); /* a run whose client has gone: just stops it */

/* A program says what it is; NULL: it has gone. */
void peer_runs_name(struct model *m, uint32_t client, const char *words);

/* "terrarium repl, pid 42; 1 other": the clients beside this one, of which there is one at least; "": none
 * has told its name. */
void peer_runs_others(const struct peer_runs *p, char *out, size_t cap);

/* "terrarium repl, pid 42 runs print(x)"; else who is attached; "": nobody else. */
void peer_runs_text(const struct model *m, char *out, size_t cap);

#endif
