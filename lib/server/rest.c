/* SPDX-License-Identifier: MIT */
/* Saving the files of a sandbox that runs, while nobody uses it: what a sudden end of it, of the server or of
 * the machine takes along is then what was changed last. */
#include <limits.h>

#include <terrarium/loop.h>

#include "base/log.h"
#include "server/fleet_inner.h"
#include "server/keep.h"
#include "server/launch.h"
#include "server/store.h"

/* Files are saved so long after the last use, unless they are more than what can be copied in passing. */
enum { REST_MS = 5000, REST_MAX_BYTES = 64 << 20 };

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
		life_settle(served);
	else if (served->state == SERVED_STOPPING)
		life_save_and_end(served);
}

void rest_begin(struct served *served)
{
	served->rested_ns = trm_loop_now_ns(served->fleet->loop);
	if (served->has_changed && !trm_timer_is_running(served->rest))
		trm_timer_start(served->rest, REST_MS, 0);
}

/* There is something to be saved, and it is not much; or it was, and is no more. */
static bool is_worth_saving(const struct served *served, const char *path)
{
	struct trm_sample now = {0};
	meter_read(&served->meter, served->sandbox, &now);
	return now.known & TRM_METRIC_DISK && now.disk_bytes <= REST_MAX_BYTES
	       && (now.disk_bytes || keep_has(path));
}

void rest_is_over(void *user)
{
	struct served *served = user;
	struct fleet *fleet = served->fleet;
	struct trm_error why = {0};
	char path[PATH_MAX];
	uint64_t rested_ms = (trm_loop_now_ns(fleet->loop) - served->rested_ns) / 1000000;
	if (served->state != SERVED_RUNNING || served->n_uses || served->resting || !served->has_changed)
		return;
	if (rested_ms < REST_MS) {
		trm_timer_start(served->rest, REST_MS - rested_ms, 0);
		return;
	}
	served->has_changed = false;
	if (launch_is_elsewhere(served) || !life_files_path(served, path, sizeof path)
			|| !is_worth_saving(served, path))
		return;
	int r = store_make_part(fleet->store, served->space->name, STORE_FILES, &why);
	if (r == 0)
		r = keep_save(fleet->loop, served->sandbox, life_workdir(served), path,
				fleet->opts.files_keep_bytes, on_rest_saved, served, &served->resting, &why);
	if (r < 0)
		on_rest_saved(served, &why, 0);
}

/* What is copied while it changes would be no state that ever was. */
void rest_end(struct served *served)
{
	served->has_changed = true;
	if (served->resting)
		keep_cancel(served->resting);
}
