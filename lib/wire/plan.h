/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_PLAN_H
#define TRM_WIRE_PLAN_H

/* What the supervisor of a recipe's sandbox is to run, and when. The client expands a recipe into it and
 * passes it in a file in memory (SUPERVISOR_PLAN of control.h): it may be longer than a packet.
 *
 * A step is commands, run in order until one fails; a command is an argument vector, without a shell. In
 * arguments the supervisor puts what only it knows in the place of two marks, which are no text that a user
 * types:
 *
 *   PLAN_LATE_ID      what `create` has printed on its last line; before that, and if it prints nothing,
 *                     plan.name; of an adopted one plan.container
 *   PLAN_LATE_SUPERVISOR  who the supervisor is: HOST/BOOT/PIDNS/UID/PID/START, for a label by which orphans
 * are found
 *
 * The steps of a plan, which may be empty unless said otherwise:
 *
 *   CREATE_DIRECT  makes it with the agent as its first process and the door in it
 * (supervisor/container/fd_handoff.h) START_DIRECT   after that, where it does not yet run CREATE_EXEC makes
 * it without; used if there is no direct one, or that one's door stays silent PUT            the agent's way
 * in, with the file SUPERVISOR_AGENT on its standard input START          after PUT CONNECT        its
 * standard input and output become a stream to the agent; must be there unless CREATE_DIRECT is INSPECT
 * prints "state TAB exit code TAB killed for memory: true or false TAB error" RELEASE        of an adopted
 * one: our agent ends and its file goes. Nothing else is ever done to it COMMIT         at the end, when it
 * has been stopped SPARE          after a COMMIT that failed: give it a name that ends in PLAN_SPARED; it is
 * not destroyed DESTROY        must be there unless is_adopted; may be run more than once, and for others of
 * our label AFTER          last: an image that was made for it is removed LIST           prints one line for
 * each that bears our label: "id TAB label TAB state TAB name", and perhaps more: the next one is what
 * plan.name has after PLAN_NAME_PREFIX, or begins with */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/control.h"

enum plan_step {
	PLAN_CREATE_DIRECT,
	PLAN_START_DIRECT,
	PLAN_CREATE_EXEC,
	PLAN_PUT,
	PLAN_START,
	PLAN_CONNECT,
	PLAN_INSPECT,
	PLAN_RELEASE,
	PLAN_COMMIT,
	PLAN_SPARE,
	PLAN_DESTROY,
	PLAN_AFTER,
	PLAN_LIST,
	PLAN_STEPS
};

enum {
	PLAN_MAX_BYTES = 1 << 20,
	PLAN_MAX_ARGS = 1024,       /* of one command */
	PLAN_TIMEOUT_MS = 60 * 1000 /* of a step that says nothing else */
};

#define PLAN_NAME_PREFIX "terrarium-"
#define PLAN_LATE_ID "\1id\1"
#define PLAN_LATE_SUPERVISOR "\1supervisor\1"

/* Where the door's directory lies in the sandbox's entry; SHARE_DIR is mode 0755 and made by the supervisor.
 */
#define SHARE_DIR "share"
#define SHARE_SOCKET "sock"

/* End of the name of a sandbox that was left because its changes could not be saved. */
#define PLAN_SPARED "-kept"

struct plan_msg {
	const char *backend;   /* name of the recipe, as lists show it; not "" */
	const char *image;     /* as it was asked for; "": there is none */
	const char *name;      /* of what is made: PLAN_NAME_PREFIX and something random, so that it is nobody
				  else's */
	const char *container; /* id of an adopted one; "": it is made */
	const char *cwd;       /* where commands run */
	const char *user;      /* whom code runs as, in words; the agent may know better */
	uint32_t asks;         /* what the engine was asked for; passed on unread (origin_msg) */
	bool is_adopted, has_net;
	struct slice steps[PLAN_STEPS];  /* made with plan_arg_put() */
	uint32_t timeout_ms[PLAN_STEPS]; /* 0: PLAN_TIMEOUT_MS */
	struct slice env;                /* of commands: NAME=value, each ended by NUL */
};

/* Append an argument to a step; with `is_first` it is a program and begins a command. */
int plan_arg_put(struct buf *step, const char *arg, bool is_first);
/* Take the next argument from the front; borrowed. NULL: there is none. Of a plan that was read it needs no
 * check. */
const char *plan_arg_next(struct slice *step, bool *ret_is_first);

/* What a step is called in sentences: "create", "copy the agent in" … */
const char *plan_step_name(enum plan_step step);

/* 0, TRM_ETOOBIG, TRM_ENOMEM; TRM_EINVAL: something that must be there is not, or a step is malformed. */
int plan_msg_put(struct buf *out, const struct plan_msg *msg);
/* Strings are allocated, slices borrowed. TRM_EPROTO, TRM_ENOMEM: nothing to free. */
int plan_msg_get(const void *bytes, size_t n, struct plan_msg *ret);
void plan_msg_finish(struct plan_msg *msg); /* frees what plan_msg_get() allocated */

#endif
