/* SPDX-License-Identifier: MIT */
/* Lists sandboxes on a server, and converts the server's answer to entries. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/sandbox_list.h"

bool sandbox_list_is_remote(const struct trm_config *config)
{
	return strcmp(config->backend, "microsandbox") == 0;
}

struct look {
	bool is_done;
	struct trm_entry *entries;
	size_t n;
	struct trm_error why;
};

static void fill_limits(const struct trm_sample *s, struct trm_limits *limits)
{
	if (s->known & TRM_METRIC_MEM_LIMIT)
		limits->mem_bytes = s->mem_limit_bytes;
	if (s->known & TRM_METRIC_CPU_LIMIT)
		limits->cpus = s->cpu_limit;
	if (s->known & TRM_METRIC_PROCS_LIMIT)
		limits->procs = (uint32_t)s->procs_limit;
	if (s->known & TRM_METRIC_DISK_LIMIT)
		limits->disk_bytes = s->disk_limit_bytes;
}

static void fill_remote_entry(struct trm_entry *e, const struct trm_remote_entry *from)
{
	struct timespec now;
	*e = (struct trm_entry){.backend = "microsandbox", .sample = from->sample};
	snprintf(e->name, sizeof e->name, "%s", from->name);
	snprintf(e->group, sizeof e->group, "%s", from->space);
	fill_limits(&from->sample, &e->limits);
	clock_gettime(CLOCK_REALTIME, &now);
	if (from->sample.known & TRM_METRIC_UPTIME)
		e->started_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000
				- from->sample.uptime_ms;
}

static int compare_entry_names(const void *a, const void *b)
{
	const struct trm_entry *one = a, *two = b;
	int order = strcmp(one->name, two->name);
	return order ? order : strcmp(one->group, two->group);
}

static void on_remote_list(
		void *user, const struct trm_remote_entry *entries, size_t n, const struct trm_error *why)
{
	struct look *l = user;
	l->is_done = true;
	l->why = *why;
	l->entries = why->code ? NULL : calloc(n + 1, sizeof *l->entries);
	for (size_t i = 0; l->entries && i < n; i++)
		if (entries[i].is_running)
			fill_remote_entry(&l->entries[l->n++], &entries[i]);
	if (l->n)
		qsort(l->entries, l->n, sizeof *l->entries, compare_entry_names);
}

/* 0 and the entries, malloc'd; else l->why has the reason. */
static int fetch_remote_list(const struct trm_config *config, struct look *l)
{
	struct trm_sandbox_opts opts;
	struct trm_config_lists lists;
	struct trm_loop *loop;
	int r = trm_loop_create(&loop, &l->why);
	if (r < 0)
		return r;
	trm_config_sandbox_opts(config, &lists, &opts);
	r = trm_remote_list(loop, &opts, on_remote_list, l, &l->why);
	while (r == 0 && !l->is_done && trm_loop_step(loop, -1) >= 0)
		continue;
	trm_loop_destroy(loop);
	if (!l->entries && !l->why.code)
		trm_error_set(&l->why, TRM_ENOMEM, "out of memory");
	return l->why.code;
}

int sandbox_list_remote(const struct trm_config *config, struct trm_entry **ret_entries, size_t *ret_n)
{
	struct look l = {0};
	if (fetch_remote_list(config, &l) < 0)
		return cmd_fail("%s", l.why.msg);
	*ret_entries = l.entries;
	*ret_n = l.n;
	return 0;
}

bool sandbox_list_runs_remote(const struct trm_config *config, const char *name)
{
	struct look l = {0};
	bool runs = fetch_remote_list(config, &l) == 0 && sandbox_list_find(l.entries, l.n, name);
	free(l.entries);
	return runs;
}

void sandbox_list_remote_opts(const struct trm_config *config, const char *name,
		struct trm_config_lists *lists, struct trm_sandbox_opts *ret)
{
	trm_config_sandbox_opts(config, lists, ret);
	ret->name = name;
	ret->server.join = TRM_REMOTE_JOIN;
}

int sandbox_list_open(struct trm_loop *loop, const struct trm_config *config, const char *name,
		const struct trm_sandbox_opts *look, const struct trm_sandbox_cb *cb, void *user,
		struct trm_sandbox **ret, struct trm_error *reterr)
{
	struct trm_config_lists lists;
	struct trm_sandbox_opts opts;
	if (!sandbox_list_is_remote(config))
		return trm_sandbox_attach(loop, name, look, cb, user, ret, reterr);
	sandbox_list_remote_opts(config, name, &lists, &opts);
	opts.metrics_interval_ms = look->metrics_interval_ms;
	opts.metrics_with_processes = look->metrics_with_processes;
	return trm_sandbox_open(loop, &opts, cb, user, ret, reterr);
}
