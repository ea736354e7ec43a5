/* SPDX-License-Identifier: MIT */
#include <terrarium/registry.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/text.h>

#include "backend/supervised/found.h"
#include "backend/supervised/supervised.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/procstat.h"
#include "base/sysfile.h"
#include "sandbox/sandbox.h"
#include "sweep/sweep.h"

enum { ENTRIES_MAX = 4096 };

/* One sandbox, from refresh to refresh. It keeps files open for its measurements. */
struct known {
	char name[65];
	bool is_seen, is_stale;
	struct info_msg info;
	bool has_state;
	struct state_msg state;
	struct stats stats;
	uint64_t time_ns, cpu_ns; /* of the previous sample; time_ns 0: there was none */
};

struct trm_registry {
	struct known *known;
	struct trm_entry *entries;
	size_t n, cap;
	struct crowd crowd;
	bool is_list; /* few figures are enough */
};

int trm_registry_create(struct trm_registry **ret, struct trm_error *reterr)
{
	*ret = calloc(1, sizeof **ret);
	return *ret ? 0 : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
}

static void forget_known(struct known *k)
{
	stats_close(&k->stats);
	info_msg_finish(&k->info);
}

void trm_registry_destroy(struct trm_registry *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		forget_known(&r->known[i]);
	crowd_finish(&r->crowd);
	free(r->known);
	free(r->entries);
	free(r);
}

/* ---- finding ----------------------------------------------------------------------- */

static bool make_room(struct trm_registry *r)
{
	enum { FIRST = 16 };
	if (r->n < r->cap)
		return true;
	size_t cap = r->cap ? r->cap * 2 : FIRST;
	struct known *known = realloc(r->known, cap * sizeof *known);
	if (known)
		r->known = known;
	struct trm_entry *entries = realloc(r->entries, cap * sizeof *entries);
	if (entries)
		r->entries = entries;
	if (!known || !entries)
		return false;
	r->cap = cap;
	return true;
}

/* The sandbox that was known under this name, if it is the same one. */
static struct known *find_sandbox(struct trm_registry *r, const char *name, const struct info_msg *info)
{
	for (size_t i = 0; i < r->n; i++) {
		struct known *k = &r->known[i];
		if (strcmp(k->name, name) == 0 && k->info.supervisor == info->supervisor
				&& k->info.supervisor_start == info->supervisor_start)
			return k;
	}
	return NULL;
}

/* 0, or why the entry cannot be read. */
static int refresh_entry(struct trm_registry *r, int run_fd, const char *name, struct trm_error *reterr)
{
	struct info_msg info;
	struct trm_error why = {0};
	if (strlen(name) > 64 || r->n == ENTRIES_MAX)
		return 0;
	if (found_read(run_fd, name, &info, &why) < 0)
		return why.code == TRM_ENOENT || why.code == TRM_EPERM
				       ? 0
				       : trm_error_set(reterr, why.code, "%s", why.msg);
	struct known *k = find_sandbox(r, name, &info);
	if (!k && !make_room(r)) {
		info_msg_finish(&info);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory for the list of sandboxes");
	}
	bool is_alive = found_is_alive(run_fd, name, &info);
	if (!k) {
		k = &r->known[r->n++];
		*k = (struct known){.info = info};
		memcpy(k->name, name, strlen(name) + 1);
		stats_init(&k->stats);
		if (is_alive)
			stats_open(&k->stats, &info.ready, info.supervisor,
					r->is_list ? STATS_LISTED : STATS_ALL);
	} else {
		info_msg_finish(&info);
	}
	k->is_seen = true;
	k->is_stale = !is_alive;
	k->has_state = is_alive && found_state(run_fd, name, &k->state);
	return 0;
}

static void drop_unseen(struct trm_registry *r)
{
	size_t kept = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (r->known[i].is_seen)
			r->known[kept++] = r->known[i];
		else
			forget_known(&r->known[i]);
	}
	r->n = kept;
}

static int compare_known(const void *a, const void *b)
{
	return strcmp(((const struct known *)a)->name, ((const struct known *)b)->name);
}

static int refresh_known(struct trm_registry *r, struct trm_error *reterr)
{
	int fd = found_open_dir(reterr);
	if (fd < 0 && fd != TRM_ENOENT)
		return fd;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	int e = 0;
	if (fd >= 0 && !dir) {
		e = trm_error_set_errno(reterr, errno, "cannot read the runtime directory");
		close(fd);
		return e;
	}
	for (size_t i = 0; i < r->n; i++)
		r->known[i].is_seen = false;
	while (e == 0 && dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			e = refresh_entry(r, fd, entry->d_name, reterr);
	if (dir)
		closedir(dir);
	drop_unseen(r);
	if (r->n)
		qsort(r->known, r->n, sizeof *r->known, compare_known);
	return e;
}

/* ---- measuring ------------------------------------------------------------------------ */

static void set_limits(const struct info_msg *info, struct trm_sample *s)
{
	if (*info->ready.origin.backend) {
		struct trm_limits limits;
		found_limits(info, &limits);
		supervised_limits_made(&limits, &info->ready, s);
		return;
	}
	s->cpu_limit = info->cpus;
	s->mem_limit_bytes = info->mem_bytes;
	s->procs_limit = info->procs;
	s->known |= TRM_METRIC_CPU_LIMIT | TRM_METRIC_MEM_LIMIT | TRM_METRIC_PROCS_LIMIT;
	if (!(s->known & TRM_METRIC_DISK_LIMIT)) {
		s->disk_limit_bytes = info->disk_bytes;
		s->known |= TRM_METRIC_DISK_LIMIT;
	}
}

/* From the supervisor's own start time, because the time of day may have been set since. */
static void set_uptime(const struct info_msg *info, struct trm_sample *s)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	uint64_t now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	uint64_t started_ms = info->supervisor_start * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
	s->uptime_ms = now_ms > started_ms ? now_ms - started_ms : 0;
	s->known |= TRM_METRIC_UPTIME;
}

static void set_rate(struct known *k, struct trm_sample *s)
{
	s->known &= ~(uint32_t)TRM_METRIC_CPU_PERCENT;
	if (k->time_ns && s->time_ns > k->time_ns && s->cpu_ns >= k->cpu_ns
			&& s->known & TRM_METRIC_CPU_TIME) {
		s->cpu_percent = 100.0 * (double)(s->cpu_ns - k->cpu_ns) / (double)(s->time_ns - k->time_ns);
		s->known |= TRM_METRIC_CPU_PERCENT;
	}
	k->time_ns = s->time_ns;
	k->cpu_ns = s->cpu_ns;
}

static void measure_known(struct trm_registry *r, struct known *k, struct trm_sample *s)
{
	*s = (struct trm_sample){.time_ns = clock_ns()};
	if (k->is_stale)
		return;
	if (r->crowd.n && k->info.ready.kind == LIMITS_RLIMITS)
		crowd_sample(&r->crowd, k->info.supervisor, s);
	stats_sample(&k->stats, s->time_ns, s);
	set_limits(&k->info, s);
	set_rate(k, s);
	set_uptime(&k->info, s);
}

static void fill_state(const struct known *k, struct trm_entry *e)
{
	uint64_t now_ms = clock_ms();
	e->idle_timeout_ms = k->info.idle_timeout_ms;
	e->max_lifetime_ms = k->info.max_lifetime_ms;
	e->has_state = k->has_state;
	if (k->is_stale)
		return;
	e->has_kernels = found_kernels(&k->info, &e->kernels);
	if (!k->has_state)
		return;
	if (*k->state.group)
		snprintf(e->group, sizeof e->group, "%s", k->state.group);
	e->is_kept = k->state.is_kept;
	e->clients = k->state.n_clients;
	e->idle_ms = !e->clients && now_ms > k->state.active_ms ? now_ms - k->state.active_ms : 0;
}

/* Fill in everything except measurements. */
static void fill_info(const struct known *k, struct trm_entry *e)
{
	const struct origin_msg *origin = &k->info.ready.origin;
	*e = (struct trm_entry){.is_stale = k->is_stale,
			.supervisor_pid = (uint32_t)k->info.supervisor,
			.supervisor_start = k->is_stale ? 0 : k->info.supervisor_start,
			.client_pid = (uint32_t)k->info.client,
			.started_ms = k->info.started_ms};
	struct procstat client;
	memcpy(e->name, k->name, sizeof e->name);
	snprintf(e->backend, sizeof e->backend, "%s", *origin->backend ? origin->backend : "local");
	snprintf(e->origin, sizeof e->origin, "%s", *origin->image ? origin->image : origin->where);
	snprintf(e->client, sizeof e->client, "%s", k->info.command);
	snprintf(e->group, sizeof e->group, "%s", k->info.group);
	e->has_client = procstat_read(k->info.client, &client);
	found_limits(&k->info, &e->limits);
	e->isolation = found_isolation(&k->info.ready);
	fill_state(k, e);
	if (!k->is_stale)
		set_uptime(&k->info, &e->sample);
}

static void fill_entry(struct trm_registry *r, struct known *k, struct trm_entry *e)
{
	fill_info(k, e);
	measure_known(r, k, &e->sample);
}

/* ---- what has ended --------------------------------------------------------------------- */

bool trm_registry_ended(const char *name, struct trm_ended *ret)
{
	char file[ENDED_NAME], text[ENDED_BYTES];
	int run_fd = trm_sandbox_name_check(name, NULL) < 0 ? -1 : found_open_dir(NULL);
	if (run_fd < 0)
		return false;
	snprintf(file, sizeof file, ENDED_PREFIX "%.64s", name);
	bool is_known = sysfile_read_at(run_fd, file, text, sizeof text) > 0;
	close(run_fd);
	char *newline = is_known ? strchr(text, '\n') : NULL;
	if (!newline)
		return false;
	trm_text_clean_line(ret->backend, sizeof ret->backend, text, (size_t)(newline - text));
	trm_text_clean_line(ret->why, sizeof ret->why, newline + 1, strlen(newline + 1));
	return true;
}

int registry_fail_absent(const char *name, struct trm_error *reterr)
{
	struct trm_ended ended;
	if (!trm_registry_ended(name, &ended))
		return trm_error_set(reterr, TRM_ENOENT, "there is no running sandbox '%s'", name);
	return trm_error_set(reterr, TRM_ENOENT,
			"there is no running sandbox '%s': the one on the backend '%s' has ended (%s)", name,
			ended.backend, ended.why);
}

/* Read the information of a running sandbox. The caller closes *ret_run_fd and finishes *ret_info. */
static int find_alive(const char *name, int *ret_run_fd, struct info_msg *ret_info, struct trm_error *reterr)
{
	int r = trm_sandbox_name_check(name, reterr);
	int run_fd = r < 0 ? r : found_open_dir(reterr);
	if (run_fd < 0)
		return run_fd == TRM_ENOENT ? registry_fail_absent(name, reterr) : run_fd;
	*ret_info = (struct info_msg){0};
	r = found_read(run_fd, name, ret_info, reterr);
	if (r == TRM_ENOENT || (r == 0 && !found_is_alive(run_fd, name, ret_info)))
		r = registry_fail_absent(name, reterr);
	*ret_run_fd = run_fd;
	if (r < 0) {
		info_msg_finish(ret_info);
		close(run_fd);
	}
	return r;
}

int trm_registry_find(const char *name, struct trm_entry *ret, struct trm_error *reterr)
{
	struct known k = {0};
	int run_fd = -1, r = find_alive(name, &run_fd, &k.info, reterr);
	if (r < 0)
		return r;
	snprintf(k.name, sizeof k.name, "%s", name);
	k.has_state = found_state(run_fd, name, &k.state);
	fill_info(&k, ret);
	info_msg_finish(&k.info);
	close(run_fd);
	return 0;
}

bool trm_registry_lists(const char *backend)
{
	return !backend || (strcmp(backend, "microsandbox") != 0 && strcmp(backend, "fake") != 0);
}

int trm_registry_requested(const char *name, struct trm_requested *ret, struct trm_error *reterr)
{
	struct info_msg info;
	int run_fd = -1, r = find_alive(name, &run_fd, &info, reterr);
	if (r < 0)
		return r;
	memset(ret, 0, sizeof *ret);
	found_requested(&info, ret);
	info_msg_finish(&info);
	close(run_fd);
	return 0;
}

int trm_registry_refresh(struct trm_registry *r, const struct trm_entry **ret_entries, size_t *ret_n,
		struct trm_error *reterr)
{
	int error = refresh_known(r, reterr);
	if (error < 0)
		return error;
	bool needs_crowd = false;
	for (size_t i = 0; i < r->n; i++)
		needs_crowd |= !r->known[i].is_stale && r->known[i].info.ready.kind == LIMITS_RLIMITS;
	if (!needs_crowd || !crowd_take(&r->crowd))
		r->crowd.n = 0;
	for (size_t i = 0; i < r->n; i++)
		fill_entry(r, &r->known[i], &r->entries[i]);
	*ret_entries = r->entries;
	*ret_n = r->n;
	return 0;
}

int trm_registry_list(struct trm_registry *r, const struct trm_entry **ret_entries, size_t *ret_n,
		struct trm_error *reterr)
{
	r->is_list = true;
	return trm_registry_refresh(r, ret_entries, ret_n, reterr);
}

void trm_registry_measure(struct trm_registry *r)
{
	if (r->crowd.n && !crowd_take(&r->crowd))
		r->crowd.n = 0;
	for (size_t i = 0; i < r->n; i++)
		measure_known(r, &r->known[i], &r->entries[i].sample);
}

/* ---- ending ------------------------------------------------------------------------------ */

size_t trm_registry_sweep(struct trm_registry *r)
{
	(void)r;
	int fd = found_open_dir(NULL);
	size_t n = fd < 0 ? 0 : sweep_all(fd);
	if (fd >= 0)
		close(fd);
	return n;
}

int trm_registry_stop(struct trm_registry *r, const struct trm_entry *entry, struct trm_error *reterr)
{
	(void)r;
	/* SIGTERM may also come from whoever ends all of a server's processes: see supervisor.h. */
	return found_kill((pid_t)entry->supervisor_pid, entry->supervisor_start, SIGINT, reterr);
}

int trm_registry_suspend(struct trm_registry *r, const struct trm_entry *entry, struct trm_error *reterr)
{
	(void)r;
	return found_kill((pid_t)entry->supervisor_pid, entry->supervisor_start, SIGUSR2, reterr);
}

int trm_registry_wait(struct trm_registry *r, const struct trm_entry *entry, uint64_t timeout_ms,
		struct trm_error *reterr)
{
	(void)r;
	return found_wait((pid_t)entry->supervisor_pid, entry->supervisor_start, timeout_ms, reterr);
}

/* The processes of the sandbox die with the supervisor, but not at once. Until then its groups cannot be
 * removed. */
int trm_registry_kill(struct trm_registry *r, const struct trm_entry *entry, struct trm_error *reterr)
{
	enum { WAIT_MS = 5000, SWEEPS = 1000 };
	const struct timespec nap = {.tv_nsec = 2000000};
	int run_fd;
	int e = found_kill((pid_t)entry->supervisor_pid, entry->supervisor_start, SIGKILL, reterr);
	if (e < 0 || (e = trm_registry_wait(r, entry, WAIT_MS, reterr)) < 0)
		return e;
	if ((run_fd = found_open_dir(reterr)) < 0)
		return run_fd == TRM_ENOENT ? 0 : run_fd;
	bool is_gone = sweep_entry(run_fd, entry->name);
	for (int i = 0; i < SWEEPS && !is_gone; i++) {
		nanosleep(&nap, NULL);
		is_gone = sweep_entry(run_fd, entry->name) || faccessat(run_fd, entry->name, F_OK, 0) < 0;
	}
	close(run_fd);
	return is_gone ? 0
		       : trm_error_set(reterr, TRM_ETIMEDOUT,
				       "sandbox '%s' was killed, but parts of it are still ending: they are removed later",
				       entry->name);
}
