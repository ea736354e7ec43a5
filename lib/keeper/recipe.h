/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_RECIPE_H
#define TRM_KEEPER_RECIPE_H

/* Theory of operation. A sandbox that a recipe makes (wire/plan.h) has the same keeper as a local one, with
 * the same clients, limits of time and reasons to end. In bubblewrap's place there are steps, and one line by
 * which both sides know that the other is there:
 *
 *   the direct way   the container runs the agent, which comes to the door (door.h) and gets the listening
 *                    socket agent.sock; clients then reach it without us. The line is the door's
 *   the exec way     bridges (bridge.h), one for each client; the line is a bridge of our own
 *
 * If nobody comes to the door within DOOR_PATIENCE_MS, or what was to be shared cannot be, the first attempt
 * is destroyed and the second way is gone, if the plan has it.
 *
 * When the line breaks the sandbox has ended, and the INSPECT step says why. In the end the agent goes
 * first; then changes are saved, if that was asked for, and everything is destroyed. If they cannot be saved
 * it is left, stopped, under a name that says so. What was adopted is left as it is, without our agent. */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "keeper/bridge.h"
#include "keeper/door.h"
#include "keeper/step.h"
#include "wire/lifeline.h"
#include "wire/plan.h"

struct keeper;

enum { DOOR_PATIENCE_MS = 5000, RECIPE_ID = 256, RECIPE_POLLS = STEP_POLLS + 2 + BRIDGE_POLLS };

/* Seen by the keeper's heir (heir.h), too. */
struct recipe_shared {
	char id[RECIPE_ID];
	bool may_be_there; /* something may have been made that is to be destroyed */
	bool is_up;        /* and was used */
};

struct recipe {
	bool is_on; /* the sandbox is a recipe's */
	struct plan_msg plan;
	char *bytes; /* that the plan points into */
	struct step_facts facts;
	char label[RECIPE_ID];
	struct recipe_shared *shared;
	enum origin_way way;
	char note[STEP_WORDS];
	bool is_overtaken; /* who waits for a step's end waits no longer when the agent has come */
	bool owes_id;      /* `create` was overtaken: its last line is yet to come */
	bool is_lost;      /* the line has broken */
	struct step step;  /* the one that runs, or ran last */
	struct door door;
	struct bridges bridges;
	pid_t root_pid;
	pid_t sweeper;     /* looks for orphans; 0: nobody does */
	uint64_t sweep_ms; /* when it is to start; 0: not, or it has */
};

/* Read the plan. Nothing of it happens before the heir is there. */
void recipe_load(struct keeper *k);
/* Make the sandbox, up to the announcement. False: that failed, or the end was asked for.
 */
bool recipe_start(struct keeper *k);
/* Take it away. Tells in the keeper's words what goes wrong, or why it has ended if nobody knows better. */
void recipe_end(struct keeper *k);

/* What `create` has printed on its last line, once it is over. False, and told: it is no id. */
bool recipe_take_id(struct keeper *k);

/* In the heir of a keeper that was killed: take away what it would have. */
void recipe_inherit(struct keeper *k);

/* Parts of the keeper's turn; of a sandbox that is no recipe's they do nothing. */
size_t recipe_poll(const struct recipe *r, struct pollfd *fds); /* RECIPE_POLLS */
void recipe_hear(struct keeper *k, const struct pollfd *fds);
void recipe_note_end(struct recipe *r, pid_t pid, int status);
void recipe_pass_time(struct keeper *k, uint64_t now_ms);
uint64_t recipe_next_ms(const struct recipe *r); /* UINT64_MAX: never */

/* For READY and others' eyes. Borrowed. */
struct origin_msg recipe_origin(const struct recipe *r);

/* ---- inner parts: recipe_make.c, recipe_end.c ---- */

bool recipe_has(const struct recipe *r, enum plan_step which);
/* Run a step while everything else goes on; `doing` (NULL: nothing) is told. It is killed when the end comes
 * meanwhile; those of the end itself are not. True: it went well, or there is no such step. */
bool recipe_run(struct keeper *k, enum plan_step which, int in_fd, const char *doing);
__attribute__((format(printf, 2, 3))) void recipe_tell(struct keeper *k, const char *format, ...);
/* Destroy what was made, if anything was; what goes wrong is told with the end. */
void recipe_destroy(struct keeper *k, const char *doing);

#endif
