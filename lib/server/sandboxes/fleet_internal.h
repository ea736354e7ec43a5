/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_FLEET_INTERNAL_H
#define TRM_SERVER_SANDBOXES_FLEET_INTERNAL_H

/* The inside of the fleet: pending_op.c holds the queues, sandbox_table.c the lists, and lifecycle.c moves
 * a sandbox from state to state. */

#include <limits.h>

#include "server/sandboxes/fleet.h"

enum pending_op_kind { PENDING_OP_START, PENDING_OP_STOP, PENDING_OP_USE };

/* A pending operation of a sandbox. */
struct pending_op {
	struct pending_op *next;
	enum pending_op_kind kind;
	struct cJSON *config; /* START: owned; NULL: as the last time */
	fleet_done_fn *fn;
	void *user;
};

/* Every USAGE_RATE_MS all running sandboxes are looked at, a part of them at a time. */
struct check_round {
	unsigned part, n_parts; /* equal: the next round begins */
	bool trims;             /* it frees what sandboxes have no use for now */
};

struct fleet {
	struct trm_loop *loop;
	struct fleet_opts opts;
	struct store *store;
	struct image *images;
	struct server_pool *pools; /* opts.n_pools; NULL: none */
	size_t n_open_pools;
	char links[PATH_MAX]; /* folder with alternative names of interpreters; "": not needed */
	struct space *spaces, **spaces_end;
	size_t n_sandboxes; /* running or not */
	unsigned n_running; /* not STOPPED */
	uint64_t n_stops;   /* number of stops so far, for served.stopped_at */
	struct trm_timer *tick;
	struct check_round round;
	struct trm_timer *closing;
	void (*closed)(void *user); /* of fleet_close() */
	void *closed_user;
	bool is_closing;
	bool has_waste; /* much memory was used and freed: see fleet_waste() */
};

/* sandbox_table.c. Load the remembered sandboxes; free everything once nothing runs. */
int sandbox_table_load(struct fleet *fleet, struct trm_error *reterr);
void sandbox_table_free(struct fleet *fleet);
/* Adds the sandbox if it is missing and `has_config` is set; fails with TRM_EINVAL otherwise. */
int sandbox_table_find_or_add(struct fleet *fleet, const char *space, const char *name, bool has_config,
		struct served **ret, struct trm_error *why);
/* Remove the sandbox if it has never been started and nothing refers to it. */
void sandbox_table_drop_unused(struct served *served);

/* pending_op.c. Answer the first operation, which is done, and continue with the next one. */
void served_answer(struct served *served, const struct trm_error *why);
/* Handle pending operations as far as the state allows. */
void served_pump(struct served *served);

/* lifecycle.c. Leave STOPPED or RUNNING; served_answer() and served_pump() follow, later or at once. */
void lifecycle_start(struct served *served);
void lifecycle_stop(struct served *served);
/* Leave RUNNING, and the sandbox to the next server (adopt.h). */
void lifecycle_leave(struct served *served);
/* Restart the idle timeout, if the sandbox is unused, and the wait for a save (autosave.c). */
void lifecycle_rest(struct served *served);
/* For autosave.c: where its files are saved (false: the path is too long), and one more directory to save,
 * or NULL. */
bool lifecycle_files_path(const struct served *served, char *out, size_t cap);
const char *lifecycle_workdir(const struct served *served);
/* In STOPPING, with no save in progress: save the files and end the sandbox. */
void lifecycle_save_and_end(struct served *served);
/* Enter STOPPED if all parts of it have ended. */
void lifecycle_finish_stop(struct served *served);

/* autosave.c. The sandbox is unused now; it is used again. */
void autosave_begin(struct served *served);
void autosave_end(struct served *served);
void autosave_is_over(void *user);     /* timer of served->rest */
void lifecycle_check_some(void *user); /* timer of the fleet */

#endif
