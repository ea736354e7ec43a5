/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_PEER_H
#define TESTS_CONTRACT_PEER_H

/* One of several clients of a sandbox, each with a connection of its own, all on one loop. It remembers
 * every run that it has seen, its own and the others'. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/terrarium.h>

#include "support/bed.h"

enum { PEER_RUNS = 512 };

struct seen {
	struct peer *peer;
	struct trm_run *run; /* NULL: it has ended */
	uint64_t number;
	bool is_own, is_recent, is_over, is_wall_unknown, is_command;
	unsigned n_answered;
	char by[128];
	struct bed_text code, out, err, prompts, displays;
	enum trm_status status;
	bool state_lost;
	int exit_code;
	char value[64], reason[300], hint[200];
};

struct peer {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	bool is_ready, is_closed, is_caught_up;
	struct trm_error why; /* of closing */
	struct seen runs[PEER_RUNS];
	size_t n_runs;
	bool holds_back;    /* takes no output of its own runs */
	const char *answer; /* given when a run asks for input; NULL: nothing is said */
	enum trm_kernel_state state;
	char reply[400]; /* to the last question, or "!" and why not */
};

/* What the sandbox is made by, and of; the image may be NULL. */
struct place {
	const char *backend, *image;
};

/* Open the sandbox, or attach to it (`at` is NULL). False: why says why. */
bool peer_open(struct peer *peer, struct trm_loop *loop, const struct place *at, const char *name,
		const struct trm_session_opts *opts);
void peer_close(struct peer *peer);

/* Begin a run with stdin open. */
struct seen *peer_begin(struct peer *peer, const char *lang, const char *code, int64_t timeout_ms);
/* … and wait for its end. */
struct seen *peer_run(struct peer *peer, const char *lang, const char *code);
/* The first run with that code; NULL: none. */
struct seen *peer_find(struct peer *peer, const char *code);
void peer_ask(struct peer *peer, const char *lang, enum trm_question question, const char *code);

/* Turn the loop until the flag is set; fail after the deadline. */
void peer_wait(struct trm_loop *loop, const bool *flag);
/* Until the peer has seen a run of that code begin (or end), and have output of at least n bytes. */
struct seen *peer_wait_seen(struct peer *peer, const char *code, size_t n_out, bool is_over);
void peer_turn(struct trm_loop *loop, int ms); /* let others have their way for so long */

const char *seen_out(const struct seen *seen); /* never NULL */

#endif
