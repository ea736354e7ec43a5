/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_CONTAINER_H
#define TRM_SUPERVISOR_CORE_CONTAINER_H

/* Theory of operation. A sandbox that a recipe makes (wire/plan.h) has the same supervisor as a local one,
 * with the same clients, time limits and exit reasons. In place of bubblewrap there are steps, and one
 * connection by which the supervisor and the agent know of each other. There are two transports:
 *
 *   direct   The container runs the agent, which connects to the handoff socket (fd_handoff.h) and gets
 *            the listening socket agent.sock. Clients then reach it without us. Our connection is the
 *            one to the handoff socket.
 *   exec     Each client has a bridge (exec_bridge.h). Our connection is one more bridge.
 *
 * If no agent connects to the handoff socket within HANDOFF_TIMEOUT_MS, or the needed files cannot be
 * shared, the first attempt is destroyed and the exec transport is tried, if the plan has it.
 *
 * When our connection breaks, the sandbox has ended, and the INSPECT step says why. If
 * changes are to be saved at the end, the agent is stopped first. Then everything is destroyed. If the
 * changes cannot be saved, the container is left, stopped, under a name that says so. An adopted container is
 * left as it is, without our agent. */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/container/exec_bridge.h"
#include "supervisor/container/fd_handoff.h"
#include "supervisor/container/step.h"
#include "wire/control.h"
#include "wire/plan.h"

struct supervisor;

enum { HANDOFF_TIMEOUT_MS = 5000, CONTAINER_ID = 256, CONTAINER_POLLS = STEP_POLLS + 2 + BRIDGE_POLLS };

/* Shared with the supervisor's cleanup process (cleanup.h). */
struct container_shared {
	char id[CONTAINER_ID];
	bool may_be_there; /* something may have been made and must be destroyed */
	bool is_up;        /* the sandbox has been used */
	struct kube_report kube;
};

struct container {
	bool is_on;           /* this is a recipe's sandbox */
	struct plan_msg plan; /* points into the mapped file SUPERVISOR_PLAN */
	struct step_facts facts;
	char place[CONTAINER_ID], agent[CONTAINER_ID]; /* PLAN_LATE_PLACE, PLAN_LATE_AGENT */
	char label[CONTAINER_ID];
	struct container_shared *shared;
	enum origin_way way;
	char note[STEP_WORDS];
	unsigned version;  /* of the text that PUT has read (plan_msg.puts_text) */
	bool is_overtaken; /* whoever waits for the step stops waiting once the agent has connected */
	bool owes_id;      /* `create` was overtaken, so its last line is still to come */
	bool is_left;      /* its owner has gone, and another server may adopt it */
	bool is_suspended; /* at the end the engine is to keep the sandbox */
	bool is_lost;      /* our connection has broken */
	struct step step;  /* the current or the last one */
	struct handoff handoff;
	struct bridges bridges;
	pid_t root_pid;
	pid_t sweeper;     /* the process that removes orphans; 0: none */
	uint64_t sweep_ms; /* when it is due to start; 0: never, or it has started */
};

/* Read the plan. Nothing is executed before the cleanup process exists. */
void container_load(struct supervisor *k);
/* Make the sandbox and announce it. Returns false if that failed or the end was requested meanwhile. */
bool container_start(struct supervisor *k);
/* Destroy the sandbox. Adds errors to the supervisor's messages, and the exit reason if none is known. */
void container_end(struct supervisor *k);

/* The owner has gone without asking for the end: if another server may adopt the sandbox, it stays, once it
 * has been used here or by an earlier server. */
void container_leave(struct container *r);

/* True, and the end is to suspend the sandbox, if its engine can do that. */
bool container_suspend(struct container *r);

/* Take the id from the last line of `create`, once that step is over. Reports an error and returns false if
 * it is no id. */
bool container_take_id(struct supervisor *k);

/* Runs in the cleanup process of a killed supervisor: remove what the supervisor would have removed. */
void container_inherit(struct supervisor *k);

/* Parts of the event loop. They do nothing for a sandbox that is not a recipe's. */
size_t container_poll(const struct container *r, struct pollfd *fds); /* CONTAINER_POLLS */
void container_handle(struct supervisor *k, const struct pollfd *fds);
void container_child_ended(struct container *r, pid_t pid, int status);
void container_pass_time(struct supervisor *k, uint64_t now_ms);
uint64_t container_next_ms(const struct container *r); /* UINT64_MAX: never */

/* For the message CONTROL_READY and for the entry. Borrowed. */
struct origin_msg container_origin(const struct container *r);

/* ---- inner parts: container_make.c, container_ready.c, container_end.c ---- */

/* Our connection over a proxy has broken, perhaps only because the proxy has died: make another one. Returns
 * false if there is nothing to hope for. If the sandbox has ended, the other connection breaks as well,
 * before the agent answers. */
bool container_redial(struct supervisor *k);

/* Wait until the step READY says that the sandbox runs. Returns false, with the reason published, if it does
 * not. */
bool container_await(struct supervisor *k);

bool container_has(const struct container *r, enum plan_step which);
/* Run a step while the event loop goes on. `doing` (NULL: none) is published as progress. The end of the
 * sandbox kills the step, unless the step belongs to the end itself. Returns true if the step succeeded or
 * does not exist. */
bool container_run(struct supervisor *k, enum plan_step which, int in_fd, const char *doing);
/* If the clients want to know: tell them the commands of a step. */
void container_report_commands(struct supervisor *k, enum plan_step which);
__attribute__((format(printf, 2, 3))) void container_fail(struct supervisor *k, const char *format, ...);
/* Destroy everything that was made. Errors are published with the end. */
void container_destroy(struct supervisor *k, const char *doing);

#endif
