/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_SUPERVISED_CONTROL_CONN_H
#define TRM_BACKEND_SUPERVISED_CONTROL_CONN_H

/* A client's end of the control connection to a sandbox's supervisor: see wire/control.h. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

#include "wire/control.h"

struct control_conn_cb {
	void (*progress)(void *user, const char *words); /* the supervisor's current step; may be NULL */
	void (*ready)(void *user,
			const struct ready_msg *ready); /* only for the client that started it; may be NULL */
	void (*lost)(void *user, const struct trm_error *why); /* as carrier_cb.lost */
	void (*ended)(void *user); /* nothing more will come: the supervisor has ended, or is about to */
};

struct control_conn {
	int fd; /* -1: there is none */
	struct trm_watch *watch;
	const struct control_conn_cb *cb;
	void *user;
	struct control_msg ready, gone; /* type 0: not received */
	bool is_garbled;                /* a packet could not be read, most likely for lack of memory */
	uint64_t oom_kills;             /* kills by the supervisor itself */
	uint64_t n_refused;             /* connections to hosts that are not named */
	char refused[256];              /* the last one, cleaned */
};

void control_conn_init(struct control_conn *control_conn);
/* Takes `fd`, also on an error. */
int control_conn_open(struct control_conn *control_conn, struct trm_loop *loop, int fd,
		const struct control_conn_cb *cb, void *user, struct trm_error *reterr);
void control_conn_close(struct control_conn *control_conn); /* accepts one that is only initialized */

/* Read the messages that have come, without the loop. May call back. */
void control_conn_receive_refused(
		struct control_conn *control_conn); /* only messages REFUSED; calls nobody */
void control_conn_receive(struct control_conn *control_conn);

int control_conn_keep(struct control_conn *control_conn, bool is_kept, struct trm_error *reterr);
/* Move the sandbox to another group, for lists of sandboxes. */
int control_conn_set_group(struct control_conn *control_conn, const char *group, struct trm_error *reterr);
/* Announce that we disconnect. The supervisor closes the connection when it has recorded that; so nobody
 * who looks after our end counts us. We wait at most CONTROL_CONN_GOODBYE_MS. */
enum { CONTROL_CONN_GOODBYE_MS = 200 };
void control_conn_leave(struct control_conn *control_conn);
/* We are only an observer, and not to be counted. */
void control_conn_observe(struct control_conn *control_conn);
/* Ask the supervisor to end the sandbox. */
void control_conn_stop(struct control_conn *control_conn);

/* Set why the sandbox has ended, from the messages received. Returns the code. */
int control_conn_end_reason(const struct control_conn *control_conn, struct trm_error *why);

#endif
