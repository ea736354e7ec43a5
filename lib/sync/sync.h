/* SPDX-License-Identifier: MIT */
#ifndef TRM_SYNC_SYNC_H
#define TRM_SYNC_SYNC_H

/* Shared by the files of this room. Each public call makes one request of the asynchronous library, whose
 * callbacks fill a struct on the caller's stack and set a flag in it. sync_wait() runs the loop until
 * then. So no call may return before its flag is set. */

#include <terrarium/error.h>
#include <terrarium/session.h>
#include <terrarium/sync.h>

#include "sync/text.h"

struct trm_sync {
	struct trm_sync_opts opts;
	char name[65];
	struct trm_loop *loop;
	bool is_pooled;              /* the loop is a pool's, and its kernels are shared ones */
	struct trm_sandbox *sandbox; /* NULL: none, or it has closed */
	struct trm_session *session; /* of this sandbox, or of the one that has closed */
	bool is_joined;              /* the start is over: it is ready, or has closed */
	bool is_closed;              /* since the last start */
	struct trm_error why;        /* of closing */
	/* of measuring */
	struct trm_sample sample;
	unsigned n_samples;
	bool is_measured;
	/* of waiting */
	bool is_interrupted;
};

/* How long code may take to end after an interrupt, before it is killed. */
enum { SYNC_GRACE_MS = 2000 };

/* Run the loop until *flag; timeout_ms -1: without limit. TRM_ETIMEDOUT; TRM_ECANCELED: the program has
 * interrupted the wait. After either the caller must make the request end and then call sync_wait_out().
 * Other codes: the loop failed. */
int sync_wait(struct trm_sync *s, const bool *flag, int64_t timeout_ms, struct trm_error *reterr);
/* The same without interrupts. False: time is up. */
bool sync_wait_out(struct trm_sync *s, const bool *flag, int64_t timeout_ms);

/* For pool.c: what a sandbox calls, with its trm_sync as the user; a session in it. */
extern const struct trm_sandbox_cb sync_sandbox_cb;
int sync_open_session(struct trm_sync *s, struct trm_error *reterr);

/* TRM_ECLOSED with the SDK's sentence, if it is not started. */
int sync_need_started(struct trm_sync *s, struct trm_error *reterr);

#endif
