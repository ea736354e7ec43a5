/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_CONTAINER_H
#define TRM_SUPERVISOR_CORE_CONTAINER_H

/* Theory of operation. A sandbox that a recipe makes (wire/plan.h) has the same supervisor as a local one,
 * with the same clients, limits of time and reasons to end. In bubblewrap's place there are steps, and one
 * line by which both sides know that the other is there:
 *
 *   the direct way   the container runs the agent, which comes to the door (fd_handoff.h) and gets the
 * listening socket agent.sock; clients then reach it without us. The line is the door's the exec way bridges
 * (exec_bridge.h), one for each client; the line is a bridge of our own
 *
 * If nobody comes to the door within HANDOFF_TIMEOUT_MS, or what was to be shared cannot be, the first
 * attempt is destroyed and the second way is gone, if the plan has it.
 *
 * When the line breaks the sandbox has ended, and the INSPECT step says why. In the end the agent goes
 * first; then changes are saved, if that was asked for, and everything is destroyed. If they cannot be saved
 * it is left, stopped, under a name that says so. What was adopted is left as it is, without our agent. */

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

/* Seen by the supervisor's cleanup process (cleanup.h), too. */
struct container_shared {
	char id[CONTAINER_ID];
	bool may_be_there; /* something may have been made that is to be destroyed */
	bool is_up;        /* and was used */
};

struct container {
	bool is_on; /* the sandbox is a recipe's */
	struct plan_msg plan;
	char *bytes; /* that the plan points into */
	struct step_facts facts;
	char label[CONTAINER_ID];
	struct container_shared *shared;
	enum origin_way way;
	char note[STEP_WORDS];
	bool is_overtaken; /* who waits for a step's end waits no longer when the agent has come */
	bool owes_id;      /* `create` was overtaken: its last line is yet to come */
	bool is_lost;      /* the line has broken */
	struct step step;  /* the one that runs, or ran last */
	struct handoff handoff;
	struct bridges bridges;
	pid_t root_pid;
	pid_t sweeper;     /* looks for orphans; 0: nobody does */
	uint64_t sweep_ms; /* when it is to start; 0: not, or it has */
};

/* Read the plan. Nothing of it happens before the cleanup process is there. */
void container_load(struct supervisor *k);
/* Make the sandbox, up to the announcement. False: that failed, or the end was asked for.
 */
bool container_start(struct supervisor *k);
/* Take it away. Tells in the supervisor's words what goes wrong, or why it has ended if nobody knows better.
 */
void container_end(struct supervisor *k);

/* What `create` has printed on its last line, once it is over. False, and told: it is no id. */
bool container_take_id(struct supervisor *k);

/* In the cleanup process of a supervisor that was killed: take away what it would have. */
void container_inherit(struct supervisor *k);

/* Parts of the supervisor's turn; of a sandbox that is no recipe's they do nothing. */
size_t container_poll(const struct container *r, struct pollfd *fds); /* CONTAINER_POLLS */
void container_handle(struct supervisor *k, const struct pollfd *fds);
void container_child_ended(struct container *r, pid_t pid, int status);
void container_pass_time(struct supervisor *k, uint64_t now_ms);
uint64_t container_next_ms(const struct container *r); /* UINT64_MAX: never */

/* For READY and others' eyes. Borrowed. */
struct origin_msg container_origin(const struct container *r);

/* ---- inner parts: container_make.c, container_end.c ---- */

bool container_has(const struct container *r, enum plan_step which);
/* Run a step while everything else goes on; `doing` (NULL: nothing) is told. It is killed when the end comes
 * meanwhile; those of the end itself are not. True: it went well, or there is no such step. */
bool container_run(struct supervisor *k, enum plan_step which, int in_fd, const char *doing);
__attribute__((format(printf, 2, 3))) void container_fail(struct supervisor *k, const char *format, ...);
/* Destroy what was made, if anything was; what goes wrong is told with the end. */
void container_destroy(struct supervisor *k, const char *doing);

#endif
