/* SPDX-License-Identifier: MIT */
/* Saves the files of a running sandbox while nobody uses it. If the sandbox, the server or the machine then
 * ends suddenly, only the latest changes are lost. */
#include <limits.h>

#include <terrarium/loop.h>

#include "base/log.h"
#include "server/sandboxes/fleet_internal.h"
#include "server/sandboxes/launch.h"
#include "server/sandboxes/snapshot.h"
#include "server/sandboxes/store.h"

/* Files are saved this long after the last use, unless there are too many to copy in passing. */
enum { AUTOSAVE_MS = 5000, AUTOSAVE_MAX_BYTES = 64 << 20 };

static void on_rest_saved(void *user, const struct trm_error *why, uint64_t n_refused)
{
	struct served *served = user;
	(void)n_refused;
	served->resting = NULL;
	served->was_saved |= !why->code;
	if (why->code && why->code != TRM_ECANCELED)
		log_write(LOG_INFO, "files of sandbox '%s/%s' are not saved yet: %s", served->space->name,
				served->name, why->msg);
	if (!served->sandbox)
		lifecycle_finish_stop(served);
	else if (served->state == SERVED_STOPPING && !served->is_ended)
		lifecycle_save_and_end(served);
}

void autosave_begin(struct served *served)
{
	served->rested_ns = trm_loop_now_ns(served->fleet->loop);
	if (served->has_changed && !trm_timer_is_running(served->rest))
		trm_timer_start(served->rest, AUTOSAVE_MS, 0);
}

/* True if there are files to save but not too many, or if files were saved that are gone now. */
static bool is_worth_saving(const struct served *served, const char *path)
{
	struct trm_sample now = {0};
	usage_rate_read(&served->usage_rate, served->sandbox, &now);
	return now.known & TRM_METRIC_DISK && now.disk_bytes <= AUTOSAVE_MAX_BYTES
	       && (now.disk_bytes || snapshot_has(path));
}

void autosave_is_over(void *user)
{
	struct served *served = user;
	struct fleet *fleet = served->fleet;
	struct trm_error why = {0};
	char path[PATH_MAX];
	uint64_t rested_ms = (trm_loop_now_ns(fleet->loop) - served->rested_ns) / 1000000;
	if (served->state != SERVED_RUNNING || served->n_uses || served->resting || !served->has_changed)
		return;
	if (rested_ms < AUTOSAVE_MS) {
		trm_timer_start(served->rest, AUTOSAVE_MS - rested_ms, 0);
		return;
	}
	served->has_changed = false;
	if (launch_is_elsewhere(served) || !lifecycle_files_path(served, path, sizeof path)
			|| !is_worth_saving(served, path))
		return;
	int r = store_make_part(fleet->store, served->space->name, STORE_FILES, &why);
	if (r == 0)
		r = snapshot_save(fleet->loop, served->sandbox, lifecycle_workdir(served), path,
				fleet->opts.files_keep_bytes, on_rest_saved, served, &served->resting, &why);
	if (r < 0)
		on_rest_saved(served, &why, 0);
}

/* Cancel the copy: files that change while they are copied would form a state that never existed. */
void autosave_end(struct served *served)
{
	served->has_changed = true;
	if (served->resting)
		snapshot_cancel(served->resting);
}
