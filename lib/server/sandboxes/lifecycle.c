/* SPDX-License-Identifier: MIT */
/* Moves a sandbox of the fleet from state to state. */
#include <cJSON.h>
#include <limits.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/loop.h>

#include "base/err.h"
#include "base/log.h"
#include "sandbox/sandbox.h"
#include "server/sandboxes/fleet_internal.h"
#include "server/sandboxes/launch.h"
#include "server/sandboxes/server_pool.h"
#include "server/sandboxes/snapshot.h"
#include "server/sandboxes/store.h"

/* Time from the interrupt of a run (too slow, or its client is gone) to its kill. */
enum { GRACE_MS = 1000, METRICS_MS = 1000, SAMPLE_MS = 500 };

bool lifecycle_files_path(const struct served *served, char *out, size_t cap)
{
	return store_path(served->fleet->store, served->space->name, STORE_FILES, served->name, "", out, cap);
}

__attribute__((format(printf, 2, 3))) static void add_note(struct served *served, const char *fmt, ...)
{
	size_t used = strlen(served->note);
	va_list args;
	if (used)
		used += (size_t)snprintf(served->note + used, sizeof served->note - used, "; ");
	if (used >= sizeof served->note)
		return;
	va_start(args, fmt);
	vsnprintf(served->note + used, sizeof served->note - used, fmt, args);
	va_end(args);
}

/* A separate working directory that must be saved as well; NULL: none, or a volume is there. */
const char *lifecycle_workdir(const struct served *served)
{
	static const char *const SAVED[] = {"/workspace", "/home/user", "/tmp"};
	const char *dir = trm_sandbox_workdir(served->sandbox);
	for (size_t i = 0; i < sizeof SAVED / sizeof *SAVED; i++)
		if (volume_covers(SAVED[i], dir))
			return NULL;
	const cJSON *volume;
	cJSON_ArrayForEach(volume, cJSON_GetObjectItemCaseSensitive(served->config, "volumes"))
	{
		char guest[TRM_INSIDE_PATH];
		if (!volume_guest(volume->valuestring, guest) || volume_covers(guest, dir))
			return NULL;
	}
	return dir;
}

/* ---- idleness -------------------------------------------------------------------------- */

static void arrive(struct served *served);

static void on_idle(void *user)
{
	struct served *served = user;
	if (served->state == SERVED_STARTING && served->awaits_sample) {
		served->awaits_sample = false;
		arrive(served);
		return;
	}
	if (served->state != SERVED_RUNNING || served->n_uses)
		return;
	if (served->has_others) {
		lifecycle_rest(served);
		return;
	}
	log_write(LOG_INFO, "sandbox '%s/%s' is idle and is stopped", served->space->name, served->name);
	served->dies_idle = true;
	lifecycle_stop(served);
}

void lifecycle_rest(struct served *served)
{
	uint32_t ms = served->fleet->opts.idle_timeout_ms;
	if (served->state != SERVED_RUNNING || served->n_uses)
		return;
	if (ms)
		trm_timer_start(served->idle, ms, 0);
	autosave_begin(served);
}

/* Of a thousand sandboxes, a part at a time: reading the figures of all of them takes 20 ms, for which all
 * requests would wait. */
static void begin_round(struct fleet *fleet)
{
	enum { AT_ONCE = 25 };
	fleet->round.n_parts = fleet->n_running / AT_ONCE + 1;
	fleet->round.part = 0;
	fleet->round.trims = fleet->has_waste;
	fleet->has_waste = false;
}

void lifecycle_check_some(void *user)
{
	struct fleet *fleet = user;
	struct check_round *round = &fleet->round;
	unsigned n = 0;
	if (round->part == round->n_parts)
		begin_round(fleet);
	for (struct space *space = fleet->spaces; space; space = space->next)
		for (struct served *s = space->sandboxes; s; s = s->next)
			if (s->state == SERVED_RUNNING && n++ % round->n_parts == round->part) {
				usage_rate_poll(&s->usage_rate, s->sandbox);
				if (round->trims && !s->n_uses)
					client_trim(s->sandbox);
			}
	if (++round->part == round->n_parts && round->trims)
		malloc_trim(0);
	trm_timer_start(fleet->tick, USAGE_RATE_MS / round->n_parts, 0);
}

/* ---- entering STOPPED ----------------------------------------------------------------------- */

/* Set the reason that is reported from now on. `why`: how it ended, or why the start failed. */
static void set_reason(struct served *served, enum served_state was, const struct trm_error *why)
{
	struct trm_error *reason = &served->why;
	*reason = (struct trm_error){.code = TRM_OK};
	if (was == SERVED_STARTING && served->is_adopted)
		trm_error_set(reason, TRM_ECLOSED,
				"the earlier server has left it, but it could not be adopted and was removed: %s",
				why->msg);
	else if (was == SERVED_STARTING)
		trm_error_set(reason, TRM_ECLOSED, "it could not be started: %s", why->msg);
	else if (served->dies_idle)
		trm_error_set(reason, TRM_ECLOSED,
				"it was stopped because it was idle for %g s (--idle-timeout); %s",
				served->fleet->opts.idle_timeout_ms / 1000.0,
				*served->note ? served->note : "start it again, its files are kept");
	else if (why->code)
		trm_error_set(reason, TRM_ECLOSED,
				"it has ended, and the changes of its files since %s are lost: %s",
				served->was_saved ? "they were last saved" : "its start", why->msg);
}

/* Every part of it has ended. */
void lifecycle_finish_stop(struct served *served)
{
	struct fleet *fleet = served->fleet;
	enum served_state was = served->state;
	const struct trm_error end = served->why;
	if (served->sandbox || served->keep || served->resting || was == SERVED_STOPPED)
		return;
	set_reason(served, was, &end);
	const bool is_lost = served->is_adopted && was == SERVED_STARTING;
	log_write(is_lost ? LOG_WARNING : LOG_INFO, "sandbox '%s/%s' has stopped%s%s", served->space->name,
			served->name, served->why.code ? ": " : "", served->why.code ? served->why.msg : "");
	served->state = SERVED_STOPPED;
	served->dies_idle = false;
	served->stopped_at = ++fleet->n_stops;
	trm_timer_stop(served->idle);
	trm_timer_stop(served->rest);
	if (--fleet->n_running == 0)
		trm_timer_stop(fleet->tick);
	struct trm_error well = {.code = TRM_OK};
	if (was != SERVED_RUNNING)
		served_answer(served, was == SERVED_STARTING ? &end : &well);
	served_pump(served);
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct served *served = user;
	(void)sandbox;
	served->why = served->start_failure.code ? served->start_failure : *why;
	if (served->state == SERVED_STOPPING && served->is_ended)
		served->why.code = TRM_OK; /* it ended on request */
	if (served->session)
		trm_session_close(served->session);
	served->session = NULL;
	served->sandbox = NULL;
	snapshot_cancel(served->keep);
	snapshot_cancel(served->resting);
	lifecycle_finish_stop(served);
}

/* ---- to RUNNING ------------------------------------------------------------------------- */

static void fail_start(struct served *served, const struct trm_error *why)
{
	served->start_failure = *why;
	trm_sandbox_stop(served->sandbox);
}

static int open_session(struct served *served, struct trm_error *why)
{
	struct trm_session_opts opts;
	trm_session_opts_default(&opts);
	opts.timeout_ms = 0;
	opts.grace_ms = GRACE_MS;
	opts.output_keep_bytes = served->fleet->opts.output_keep_bytes;
	opts.output_max_bytes = served->fleet->opts.output_max_bytes;
	opts.memory_alert = TRM_MEMORY_IGNORE;
	opts.is_shared = true;
	opts.client = "terrarium serve";
	opts.policy = served->fleet->opts.policy;
	return trm_session_open(served->sandbox, &opts, NULL, NULL, &served->session, why);
}

/* Start the interpreter early, so that the first run need not wait for it. */
static void warm_interpreter(struct served *served)
{
	for (unsigned id = 0; id < trm_lang_count(); id++)
		if (served->languages & 1u << id) {
			trm_session_warm(served->session, trm_lang_at(id), NULL);
			return;
		}
}

/* Become RUNNING, unless something must still be waited for. */
static void arrive(struct served *served)
{
	struct trm_error why = {0};
	if (served->awaits_sample || served->awaits_files)
		return;
	if (open_session(served, &why) < 0) {
		fail_start(served, &why);
		return;
	}
	served->state = SERVED_RUNNING;
	served->why = (struct trm_error){.code = TRM_OK};
	log_write(LOG_INFO, "sandbox '%s/%s' runs as '%s'", served->space->name, served->name,
			trm_sandbox_name(served->sandbox));
	lifecycle_rest(served);
	served_answer(served, &served->why);
	served_pump(served);
	if (served->session)
		warm_interpreter(served);
	served->fleet->has_waste = true; /* an interpreter's driver was sent */
}

static void on_restored(void *user, const struct trm_error *why, uint64_t n_refused)
{
	struct served *served = user;
	served->keep = NULL;
	served->awaits_files = false;
	if (!served->sandbox) {
		lifecycle_finish_stop(served);
		return;
	}
	if (why->code)
		add_note(served, "not all files of its last run could be put back: %s", why->msg);
	else if (n_refused)
		add_note(served, "%llu files of its last run could not be put back",
				(unsigned long long)n_refused);
	arrive(served);
}

static void restore_files(struct served *served)
{
	struct trm_error why = {0};
	char path[PATH_MAX];
	if (served->is_adopted || !lifecycle_files_path(served, path, sizeof path) || !snapshot_has(path)) {
		arrive(served);
		return;
	}
	served->awaits_files = true;
	if (snapshot_restore(served->fleet->loop, served->sandbox, lifecycle_workdir(served), path,
			    on_restored, served, &served->keep, &why)
			< 0)
		on_restored(served, &why, 0);
}

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct served *served = user;
	served->usage_rate.last = metrics->sample;
	process_list_take(&served->process_list, sandbox, metrics,
			usage_rate_suffices(sandbox) ? 0 : METRICS_MS);
	if (!served->awaits_sample)
		return;
	served->awaits_sample = false;
	trm_timer_stop(served->idle);
	arrive(served);
}

/* If only the agent can measure, wait for one sample before RUNNING, but not for long. */
static void measure_first(struct served *served)
{
	if (usage_rate_suffices(served->sandbox)
			|| trm_sandbox_set_metrics(served->sandbox, METRICS_MS, false, NULL) < 0)
		return;
	served->awaits_sample = true;
	trm_timer_start(served->idle, SAMPLE_MS, 0);
}

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct served *served = user;
	struct trm_error why = {0};
	(void)sandbox;
	if (store_save(served->fleet->store, served->space->name, served->name, served->config, &why) < 0)
		log_write(LOG_WARNING, "%s", why.msg);
	measure_first(served);
	restore_files(served);
}

static void on_clients(void *user, struct trm_sandbox *sandbox, unsigned n)
{
	struct served *served = user;
	(void)sandbox;
	bool have_left = served->has_others && n <= 1;
	served->has_others = n > 1;
	served->was_used |= n > 1;
	served->has_changed |= n > 1;
	if (have_left)
		lifecycle_rest(served);
}

static const struct trm_sandbox_cb SANDBOX_CB = {
		.ready = on_ready, .metrics = on_metrics, .clients = on_clients, .closed = on_closed};

/* A pool has answered. */
static void on_pooled(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct served *served = user;
	served->sandbox = sandbox;
	if (sandbox) {
		launch_join_group(served, sandbox);
		on_ready(served, sandbox);
		return;
	}
	served->why = *why;
	lifecycle_finish_stop(served);
}

void lifecycle_start(struct served *served)
{
	struct fleet *fleet = served->fleet;
	struct trm_error why = {0};
	char note[LAUNCH_NOTE] = "";
	served->note[0] = '\0';
	served->is_adopted = served->left;
	usage_rate_start(&served->usage_rate);
	process_list_finish(&served->process_list); /* of an earlier start */
	int r = served->idle ? 0 : trm_loop_add_timer(fleet->loop, on_idle, served, &served->idle, &why);
	if (r == 0 && !served->rest)
		r = trm_loop_add_timer(fleet->loop, autosave_is_over, served, &served->rest, &why);
	if (r == 0 && (served->is_adopted || !server_pool_take(served, &SANDBOX_CB, on_pooled)))
		r = launch_served(served, &SANDBOX_CB, &served->sandbox, note, &why);
	if (r < 0) {
		set_reason(served, SERVED_STARTING, &why);
		if (served->is_adopted) { /* without a supervisor nobody has removed it */
			trm_error_set(&served->why, TRM_ECLOSED,
					"the earlier server has left it, but it could not be adopted, and ends within "
					"five minutes: %s",
					why.msg);
			log_write(LOG_WARNING, "sandbox '%s/%s': %s", served->space->name, served->name,
					served->why.msg);
		}
		served_answer(served, &why);
		return;
	}
	if (*note)
		add_note(served, "%s", note);
	served->state = SERVED_STARTING;
	served->was_used = served->has_others = served->is_ended = false;
	served->has_changed = served->was_saved = false;
	served->awaits_sample = served->awaits_files = false;
	served->start_failure.code = TRM_OK;
	if (fleet->n_running++ == 0)
		trm_timer_start(fleet->tick, USAGE_RATE_MS, 0);
}

/* ---- to STOPPED ------------------------------------------------------------------------- */

static void end_sandbox(struct served *served)
{
	served->is_ended = true;
	trm_sandbox_stop(served->sandbox);
}

static void on_saved(void *user, const struct trm_error *why, uint64_t n_refused)
{
	struct served *served = user;
	served->keep = NULL;
	if (why->code)
		add_note(served, "its files were not saved: %s", why->msg);
	else if (n_refused)
		add_note(served, "%llu of its files could not be read, and were not saved",
				(unsigned long long)n_refused);
	if (*served->note)
		log_write(LOG_WARNING, "sandbox '%s/%s': %s", served->space->name, served->name,
				served->note);
	if (served->sandbox)
		end_sandbox(served);
	else
		lifecycle_finish_stop(served);
}

void lifecycle_save_and_end(struct served *served)
{
	struct fleet *fleet = served->fleet;
	struct trm_error why = {0};
	char path[PATH_MAX];
	if (!served->was_used || launch_is_elsewhere(served)
			|| !lifecycle_files_path(served, path, sizeof path)) {
		end_sandbox(served);
		return;
	}
	int r = store_make_part(fleet->store, served->space->name, STORE_FILES, &why);
	if (r == 0)
		r = snapshot_save(fleet->loop, served->sandbox, lifecycle_workdir(served), path,
				fleet->opts.files_keep_bytes, on_saved, served, &served->keep, &why);
	if (r < 0)
		on_saved(served, &why, 0);
}

void lifecycle_stop(struct served *served)
{
	served->state = SERVED_STOPPING;
	served->note[0] = '\0';
	trm_timer_stop(served->idle);
	trm_timer_stop(served->rest);
	trm_session_close(served->session); /* current runs end now */
	served->session = NULL;
	if (served->resting)
		snapshot_cancel(served->resting); /* then autosave.c goes on */
	else
		lifecycle_save_and_end(served);
}

/* Its files and processes stay as they are, so nothing is saved. */
void lifecycle_leave(struct served *served)
{
	served->state = SERVED_STOPPING;
	trm_timer_stop(served->idle);
	trm_timer_stop(served->rest);
	trm_session_close(served->session);
	served->session = NULL;
	served->is_ended = true;
	trm_sandbox_close(served->sandbox);
}
