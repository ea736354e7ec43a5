/* SPDX-License-Identifier: MIT */
#ifndef EMBED_RUN_CODE_H
#define EMBED_RUN_CODE_H

/* The part that the three examples share, and that knows nothing of their loops: run a piece of Python in a
 * sandbox, print what it prints, close everything. */

#include <stdbool.h>

#include <terrarium/terrarium.h>

struct run_code {
	struct trm_session *session;
	struct trm_sandbox *sandbox;
	bool is_closed; /* the end: the host's loop can stop */
	int exit_code;  /* of the code; 1 if it could not run */
};

/* Begin. It ends, with is_closed, inside trm_loop_dispatch(). -1: it did not begin; the reason is on stderr.
 */
int run_code(struct trm_loop *loop, const char *backend, const char *code, struct run_code *ret);

#endif
