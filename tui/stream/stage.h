/* SPDX-License-Identifier: MIT */
#ifndef TUI_STAGE_H
#define TUI_STAGE_H

/* What `run` and `exec` stand on: a loop, one sandbox, and the signals of the
 * program. SIGINT is an event; SIGTERM, SIGHUP and SIGQUIT close the sandbox and
 * then are the end. The sandbox is gone from the machine before stage_finish(). */

#include <stdbool.h>

#include <terrarium/terrarium.h>

struct stage_cb {
	void (*interrupt)(void *user);
	/* The sandbox has closed; why->code is TRM_OK if that was asked for. Once. */
	void (*closed)(void *user, const struct trm_error *why);
	/* When trm_sandbox_set_metrics() has asked for them. May be NULL. */
	void (*metrics)(void *user, const struct trm_metrics *metrics);
};

enum { STAGE_SIGNALS = 4 };

struct stage {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox; /* NULL when it has closed */
	const struct stage_cb *cb;
	void *user;
	struct trm_signal *signals[STAGE_SIGNALS];
	int ended_by; /* signal that asked for the end, or 0 */
	bool is_closing;
};

/* 0, or a negative code; stage_finish() is due in both cases. */
int stage_open(struct stage *stage, const struct trm_config *config, const struct stage_cb *cb, void *user,
		struct trm_error *reterr);
/* Ask for the end of the sandbox. */
void stage_close(struct stage *stage);
void stage_finish(struct stage *stage);

#endif
