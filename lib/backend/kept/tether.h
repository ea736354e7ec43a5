/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEPT_TETHER_H
#define TRM_KEPT_TETHER_H

/* A client's end of the line to a sandbox's keeper: see wire/lifeline.h. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

#include "wire/lifeline.h"

struct tether_cb {
	void (*progress)(void *user, const char *words); /* what the keeper is doing; may be NULL */
	void (*ready)(void *user,
			const struct ready_msg *ready);        /* only for who has started it; may be NULL */
	void (*lost)(void *user, const struct trm_error *why); /* as carrier_cb.lost */
	void (*ended)(void *user); /* nothing more will come: the keeper has ended, or is about to */
};

struct tether {
	int fd; /* -1: there is none */
	struct trm_watch *watch;
	const struct tether_cb *cb;
	void *user;
	struct lifeline_msg ready, gone; /* type 0: not heard */
	bool is_garbled;                 /* a packet could not be read: for want of memory, most likely */
	uint64_t oom_kills;              /* that the keeper itself has done */
};

void tether_init(struct tether *tether);
/* Takes `fd` over, in any case. */
int tether_open(struct tether *tether, struct trm_loop *loop, int fd, const struct tether_cb *cb, void *user,
		struct trm_error *reterr);
void tether_close(struct tether *tether); /* takes one that is only initialised */

/* Hear what has come, without the loop. It may call back. */
void tether_hear(struct tether *tether);

int tether_keep(struct tether *tether, bool is_kept, struct trm_error *reterr);
/* Say that we go. The keeper closes the line when it has noted that: so whoever looks after our end does not
 * count us. It is not worth more than TETHER_GOODBYE_MS. */
enum { TETHER_GOODBYE_MS = 200 };
void tether_leave(struct tether *tether);
/* We only look, and are not to be counted. */
void tether_look(struct tether *tether);
/* Ask for the sandbox's end. */
void tether_stop(struct tether *tether);

/* Why the sandbox has ended, from what was heard. Returns the code. */
int tether_tell_why(const struct tether *tether, struct trm_error *why);

#endif
