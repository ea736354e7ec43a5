/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_FLEET_INTERNAL_H
#define TRM_SERVER_SANDBOXES_FLEET_INTERNAL_H

/* The inside of the fleet: fleet.c keeps the lists and the queues, lifecycle.c carries a sandbox from state
 * to state. */

#include <limits.h>

#include "server/sandboxes/fleet.h"

enum pending_op_kind { PENDING_OP_START, PENDING_OP_STOP, PENDING_OP_USE };

/* What was asked of a sandbox and waits. */
struct pending_op {
	struct pending_op *next;
	enum pending_op_kind kind;
	struct cJSON *config; /* START: owned; NULL: as before */
	fleet_done_fn *fn;
	void *user;
};

struct fleet {
	struct trm_loop *loop;
	struct fleet_opts opts;
	struct store *store;
	struct image *images;
	char links[PATH_MAX]; /* folder of interpreters by other names; "": none is needed */
	struct space *spaces, **spaces_end;
	size_t n_sandboxes; /* running or not */
	unsigned n_running; /* not STOPPED */
	uint64_t n_stops;   /* so far: served.stopped_at */
	struct trm_timer *tick;
	struct trm_timer *closing;
	void (*closed)(void *user); /* of fleet_close() */
	void *closed_user;
	bool is_closing;
	bool has_waste; /* much memory was used and freed: see fleet_waste() */
};

/* sandbox_table.c. What is on disk; everything, at the end, when nothing runs. */
int sandbox_table_load(struct fleet *fleet, struct trm_error *reterr);
void sandbox_table_free(struct fleet *fleet);
/* `has_config`: it is made if it is not there; else TRM_EINVAL. */
int sandbox_table_find_or_add(struct fleet *fleet, const char *space, const char *name, bool has_config,
		struct served **ret, struct trm_error *why);
/* Not there any more if it has never been started, and nobody has it in hand. */
void sandbox_table_drop_unused(struct served *served);

/* pending_op.c. The first wish has been dealt with: it is answered, and what follows looked at. */
void served_answer(struct served *served, const struct trm_error *why);
/* Deal with wishes as far as the state allows. */
void served_pump(struct served *served);

/* lifecycle.c. From STOPPED and RUNNING; served_answer() and served_pump() follow, later or from inside. */
void lifecycle_start(struct served *served);
void lifecycle_stop(struct served *served);
/* The idle time-out begins anew, if nothing uses it, and so does the wait for a save (autosave.c). */
void lifecycle_rest(struct served *served);
/* For autosave.c. Where its files are saved; false: the path is too long. One more directory to be saved, or
 * NULL. */
bool lifecycle_files_path(const struct served *served, char *out, size_t cap);
const char *lifecycle_workdir(const struct served *served);
/* Of STOPPING, with nothing under way: save, and end it. */
void lifecycle_save_and_end(struct served *served);
/* To STOPPED, if everything of it has ended. */
void lifecycle_finish_stop(struct served *served);

/* autosave.c. Nobody uses it any more; somebody does. */
void autosave_begin(struct served *served);
void autosave_end(struct served *served);
void autosave_is_over(void *user);   /* of served->rest */
void lifecycle_look_all(void *user); /* the fleet's tick */

#endif
