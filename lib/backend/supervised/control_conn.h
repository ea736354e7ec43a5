/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_SUPERVISED_CONTROL_CONN_H
#define TRM_BACKEND_SUPERVISED_CONTROL_CONN_H

/* A client's end of the line to a sandbox's supervisor: see wire/control.h. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

#include "wire/control.h"

struct control_conn_cb {
	void (*progress)(void *user, const char *words); /* what the supervisor is doing; may be NULL */
	void (*ready)(void *user,
			const struct ready_msg *ready);        /* only for who has started it; may be NULL */
	void (*lost)(void *user, const struct trm_error *why); /* as carrier_cb.lost */
	void (*ended)(void *user); /* nothing more will come: the supervisor has ended, or is about to */
};

struct control_conn {
	int fd; /* -1: there is none */
	struct trm_watch *watch;
	const struct control_conn_cb *cb;
	void *user;
	struct control_msg ready, gone; /* type 0: not heard */
	bool is_garbled;                /* a packet could not be read: for want of memory, most likely */
	uint64_t oom_kills;             /* that the supervisor itself has done */
};

void control_conn_init(struct control_conn *control_conn);
/* Takes `fd` over, in any case. */
int control_conn_open(struct control_conn *control_conn, struct trm_loop *loop, int fd,
		const struct control_conn_cb *cb, void *user, struct trm_error *reterr);
void control_conn_close(struct control_conn *control_conn); /* takes one that is only initialized */

/* Hear what has come, without the loop. It may call back. */
void control_conn_hear(struct control_conn *control_conn);

int control_conn_keep(struct control_conn *control_conn, bool is_kept, struct trm_error *reterr);
/* Say that we go. The supervisor closes the line when it has noted that: so whoever looks after our end does
 * not count us. It is not worth more than CONTROL_CONN_GOODBYE_MS. */
enum { CONTROL_CONN_GOODBYE_MS = 200 };
void control_conn_leave(struct control_conn *control_conn);
/* We only look, and are not to be counted. */
void control_conn_look(struct control_conn *control_conn);
/* Ask for the sandbox's end. */
void control_conn_stop(struct control_conn *control_conn);

/* Why the sandbox has ended, from what was heard. Returns the code. */
int control_conn_tell_why(const struct control_conn *control_conn, struct trm_error *why);

#endif
