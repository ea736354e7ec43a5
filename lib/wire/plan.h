/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_PLAN_H
#define TRM_WIRE_PLAN_H

/* clang-format off: it joins the rows of tables */
/* What the supervisor of a recipe's sandbox is to run, and when. The client expands a recipe into a plan
 * and passes it in a file in memory (SUPERVISOR_PLAN of control.h), because it may be longer than a
 * packet.
 *
 * A step consists of commands, run in order until one fails. A command is an argument vector, without a
 * shell. In arguments the supervisor replaces two marks by values that only it knows. No user types these
 * marks:
 *
 *   PLAN_LATE_ID          the last line that `create` has printed; before that, and if it prints nothing,
 *                         plan.name; of an adopted container plan.container
 *   PLAN_LATE_SUPERVISOR  the identity of the supervisor: HOST/BOOT/PIDNS/UID/PID/START, for a label by which
 *                         orphans are found
 *   PLAN_LATE_PLACE       where the sandbox runs, if READY tells it; else the id
 *   PLAN_LATE_AGENT       path of the agent's program in the sandbox: as READY tells it, else the last line
 *                         that PUT has printed
 *
 * SUSPEND is run in place of DESTROY if the supervisor is told to (SIGUSR2): the engine keeps the sandbox.
 *
 * The steps of a plan. Any of them may be empty unless stated otherwise:
 *
 *   CREATE_DIRECT  make the container with the agent as its first process and with the handoff socket
 *                  (supervisor/container/fd_handoff.h)
 *   START_DIRECT   start it, if CREATE_DIRECT only creates it
 *   CREATE_EXEC    make it without the agent; used if there is no CREATE_DIRECT, or if no agent connects to
 *                  its handoff socket
 *   PUT            copy the agent in; SUPERVISOR_AGENT is its standard input
 *   START          after PUT
 *   READY          runs while the sandbox starts, and prints lines like those of INSPECT: "waiting" goes on,
 *                  "running" is the end, and any other state is the reason why it does not start. Two more
 *                  fields may follow: PLAN_LATE_PLACE, and PLAN_LATE_AGENT if the agent is there already, so
 *                  that PUT is left out. It runs before PUT, unless PUT makes the sandbox (puts_text) or
 *                  START starts it
 *   CONNECT        its standard input and output become a stream to the agent; required unless there is
 *                  CREATE_DIRECT
 *   INSPECT        prints "state TAB exit code TAB killed for memory: true or false TAB error"
 *   RELEASE        of an adopted container: ends our agent and removes its file. Nothing else is ever done
 *                  to it
 *   COMMIT         at the end, when the container has been stopped
 *   SPARE          after a COMMIT that failed: gives the container a name that ends in PLAN_SPARED; it is
 *                  not destroyed
 *   DESTROY        required unless is_adopted; may be run more than once
 *   SWEEP          the same for others with our label, which may have had no network; empty: DESTROY
 *   AFTER          last: removes an image that was made for this sandbox
 *   LIST           prints one line for each container with our label: "id TAB label TAB state TAB name", and
 *                  perhaps more fields. The first of these is plan.name without PLAN_NAME_PREFIX, or begins
 *                  with it */
/* clang-format on */

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
	PLAN_READY,
	PLAN_CONNECT,
	PLAN_INSPECT,
	PLAN_RELEASE,
	PLAN_COMMIT,
	PLAN_SPARE,
	PLAN_DESTROY,
	PLAN_SWEEP,
	PLAN_SUSPEND,
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
#define PLAN_LATE_PLACE "\1place\1"
#define PLAN_LATE_AGENT "\1agent\1"

/* Where the directory of the handoff socket lies in the sandbox's entry. The supervisor makes SHARE_DIR
 * with mode 0755. */
#define SHARE_DIR "share"
#define SHARE_SOCKET "sock"

/* End of the name of a sandbox that was not destroyed because its changes could not be saved. */
#define PLAN_SPARED "-kept"

struct plan_msg {
	const char *backend; /* name of the recipe, as lists show it; not "" */
	const char *image;   /* as the user requested it; "": there is none */
	const char *name; /* of the new container: PLAN_NAME_PREFIX and something random, so that nobody else
			     has it */
	const char *container; /* id of an adopted one; "": one is made */
	const char *cwd;       /* where commands run */
	const char *user;      /* the user that code runs as, as text; the agent may know better */
	uint32_t asks;         /* what the engine was asked for; passed on unread (origin_msg) */
	bool is_adopted, has_net;
	/* SUPERVISOR_AGENT is text with marks, which become JSON strings' contents, and may have several
	 * versions, each ended by a NUL; a later one is tried if the engine refuses the one before. */
	bool puts_text;
	bool shares_proxy; /* commands of kubectl go over one proxy for all (kube/kube.h) */
	bool is_verbose;   /* clients are told each command: see base/command_words.h */
	bool leaves; /* if the owner goes without asking for the end, the sandbox stays: another server adopts
			it */
	uint32_t version; /* of the text that the sandbox was made of before (origin_msg.version); 0 if it is
			     made now */
	bool takes_over;  /* who has the same host name and user, but another boot or PID namespace, has ended
			   */
	struct slice steps[PLAN_STEPS];  /* made with plan_arg_put() */
	uint32_t timeout_ms[PLAN_STEPS]; /* 0: PLAN_TIMEOUT_MS */
	struct slice env;                /* of commands: NAME=value, each ended by NUL */
};

/* Append an argument to a step; with `is_first` it is a program and begins a command. */
int plan_arg_put(struct buf *step, const char *arg, bool is_first);
/* Remove the next argument from the front and return it; borrowed. NULL: there is none. A plan that has
 * been read needs no check. */
const char *plan_arg_next(struct slice *step, bool *ret_is_first);

/* The name of a step in sentences: "create", "commit" … */
const char *plan_step_name(enum plan_step step);

/* 0, TRM_ETOOBIG, TRM_ENOMEM; TRM_EINVAL: something required is missing, or a step is malformed. */
int plan_msg_put(struct buf *out, const struct plan_msg *msg);
/* Strings are allocated, slices borrowed. TRM_EPROTO, TRM_ENOMEM: nothing to free. */
int plan_msg_get(const void *bytes, size_t n, struct plan_msg *ret);
void plan_msg_finish(struct plan_msg *msg); /* frees what plan_msg_get() allocated */

#endif
