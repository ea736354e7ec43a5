/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/containers.h"
#include "cmd/json_out.h"
#include "cmd/pool_list.h"
#include "cmd/sample.h"
#include "cmd/sandbox_list.h"
#include "metrics/sandbox_column.h"
#include "text/cluster.h"

/* A rate needs two samples with at least this time between them. */
enum { BETWEEN_LOOKS_MS = 10 };

struct ps {
	struct trm_config config;
	bool is_json, has_all, names_only, has_containers, only_pools;
	struct containers containers;
	struct trm_registry *registry;
	const struct trm_entry *entries;
	size_t n;
	struct trm_pool_entry *pools;
	size_t n_pools;
};

enum { OPTION_ALL, OPTION_CONTAINERS, OPTION_JSON, OPTION_NAMES, OPTION_POOLS };

static const struct option_spec options[] = {
		[OPTION_ALL] = {"--all", 'a', NULL,
				"also list sandboxes left behind by a kill or a reboot; listing "
				"removes them"},
		[OPTION_CONTAINERS] = {"--containers", 'c', NULL,
				"also list other containers of the engines, for 'attach ENGINE:CONTAINER'"},
		[OPTION_JSON] = {"--json", 0, NULL, "print a list of objects"},
		[OPTION_NAMES] = {"--names", 0, NULL, "print only names"},
		[OPTION_POOLS] = {"--pools", 0, NULL, "list only the pools of servers and other programs"},
		{0},
};

/* ---- JSON --------------------------------------------------------------------------- */

static bool knows(const struct trm_entry *e, uint32_t metric)
{
	return e->sample.known & metric;
}

static void put_known(struct json_out *j, const char *key, bool is_known, uint64_t value)
{
	if (is_known)
		json_put_u64(j, key, value);
	else
		json_put_null(j, key);
}

static void put_entry(struct json_out *j, const struct trm_entry *e)
{
	const struct trm_sample *s = &e->sample;
	bool is_live = !e->is_stale;
	json_open(j, NULL, '{');
	json_put_text(j, "name", e->name);
	json_put_text(j, "state", is_live ? "running" : "stale");
	json_put_text(j, "backend", e->backend);
	json_put_text(j, "origin", *e->origin ? e->origin : NULL);
	json_put_text(j, "group", *e->group ? e->group : NULL);
	sample_put_kernels(j, e);
	put_known(j, "clients", e->has_state, e->clients);
	if (e->has_state)
		json_put_bool(j, "kept", e->is_kept);
	else
		json_put_null(j, "kept");
	put_known(j, "started_ms", e->started_ms, e->started_ms);
	sample_put_seconds(j, "age_s", knows(e, TRM_METRIC_UPTIME), s->uptime_ms);
	sample_put_seconds(j, "idle_s", e->has_state, e->idle_ms);
	sample_put_seconds(j, "idle_timeout_s", e->idle_timeout_ms, e->idle_timeout_ms);
	sample_put_seconds(j, "max_lifetime_s", e->max_lifetime_ms, e->max_lifetime_ms);
	json_put_number(j, "cpu_percent", knows(e, TRM_METRIC_CPU_PERCENT) ? s->cpu_percent : (double)NAN, 2);
	put_known(j, "cpu_ms", knows(e, TRM_METRIC_CPU_TIME), s->cpu_ns / 1000000);
	put_known(j, "mem_bytes", knows(e, TRM_METRIC_MEM), s->mem_bytes);
	put_known(j, "mem_limit_bytes", e->limits.mem_bytes, e->limits.mem_bytes);
	put_known(j, "disk_bytes", knows(e, TRM_METRIC_DISK), s->disk_bytes);
	put_known(j, "procs", knows(e, TRM_METRIC_PROCS), s->procs);
	if (e->limits.mem_bytes)
		sample_put_limits(j, &e->limits);
	else
		json_put_null(j, "limits");
	put_known(j, "supervisor_pid", is_live && e->supervisor_pid, e->supervisor_pid);
	put_known(j, "client_pid", e->client_pid, e->client_pid);
	json_put_text(j, "client", *e->client || e->client_pid ? e->client : NULL);
	json_close(j, '}');
}

static int print_sandboxes_json(const struct ps *ps)
{
	struct json_out j;
	json_init(&j);
	json_open(&j, NULL, '[');
	for (size_t i = 0; i < ps->n; i++)
		if (ps->has_all || !ps->entries[i].is_stale)
			put_entry(&j, &ps->entries[i]);
	containers_put(&ps->containers, &j);
	json_close(&j, ']');
	return json_finish(&j);
}

/* ---- the table ------------------------------------------------------------------------- */

/* On a terminal that is too narrow, the columns with the least `worth` are left out first. The first column
 * always stays. */
static const struct {
	enum sandbox_column column;
	int worth;
} columns[] = {
		{SANDBOX_NAME, 99},
		{SANDBOX_BACKEND, 1},
		{SANDBOX_KERNELS, 4},
		{SANDBOX_CLIENTS, 7},
		{SANDBOX_KEPT, 6},
		{SANDBOX_AGE, 5},
		{SANDBOX_IDLE, 3},
		{SANDBOX_CPU, 8},
		{SANDBOX_MEM_USED, 9},
		{SANDBOX_MEM_LIMIT, 2},
		{SANDBOX_GROUP, 6},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static bool is_shown(const struct ps *ps, size_t row)
{
	return ps->has_all || !ps->entries[row].is_stale;
}

/* The width of each column; 0: it is left out. */
static void measure_columns(const struct ps *ps, int widths[N_COLUMNS])
{
	char cell[SANDBOX_CELL];
	for (size_t c = 0; c < N_COLUMNS; c++)
		widths[c] = (int)strlen(sandbox_columns[columns[c].column].title);
	for (size_t i = 0; i < ps->n; i++)
		for (size_t c = 0; c < N_COLUMNS && is_shown(ps, i); c++) {
			sandbox_cell(columns[c].column, &ps->entries[i], "-", cell);
			int n = (int)cluster_columns(cell, strlen(cell));
			widths[c] = n > widths[c] ? n : widths[c];
		}
}

static bool has_groups(const struct ps *ps)
{
	bool has = false;
	for (size_t i = 0; i < ps->n; i++)
		has |= is_shown(ps, i) && *ps->entries[i].group;
	return has;
}

static int ps_table_cols(const int widths[N_COLUMNS])
{
	int sum = -2;
	for (size_t c = 0; c < N_COLUMNS; c++)
		sum += widths[c] ? widths[c] + 2 : 0;
	return sum;
}

/* Output into a file has all columns. */
static void make_fit(const struct ps *ps, int cols, int widths[N_COLUMNS])
{
	for (size_t c = 0; c < N_COLUMNS; c++)
		if (columns[c].column == SANDBOX_GROUP && !has_groups(ps))
			widths[c] = 0;
	while (ps_table_cols(widths) > cols) {
		size_t least = 0;
		for (size_t c = 1; c < N_COLUMNS; c++)
			if (widths[c] && columns[c].worth < columns[least].worth)
				least = c;
		if (!least)
			break;
		widths[least] = 0;
	}
}

/* The last column is not padded. */
static void print_cell(const char *text, size_t c, const int widths[N_COLUMNS])
{
	int pad = widths[c] - (int)cluster_columns(text, strlen(text));
	bool is_last = true;
	for (size_t k = c + 1; k < N_COLUMNS; k++)
		is_last &= !widths[k];
	pad = pad < 0 ? 0 : pad;
	if (sandbox_columns[columns[c].column].is_left_aligned)
		printf("%s%*s", text, is_last ? 0 : pad, "");
	else
		printf("%*s%s", pad, "", text);
	fputs(is_last ? "\n" : "  ", stdout);
}

static bool has_rows(const struct ps *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		if (is_shown(ps, i))
			return true;
	return false;
}

static int print_sandboxes_table(const struct ps *ps)
{
	int widths[N_COLUMNS];
	struct winsize size;
	char cell[SANDBOX_CELL];
	if (!has_rows(ps) && isatty(STDOUT_FILENO)) {
		puts("no sandbox is running");
		pool_list_print(ps->pools, ps->n_pools);
		containers_print(&ps->containers);
		return cmd_flush();
	}
	measure_columns(ps, widths);
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		make_fit(ps, size.ws_col, widths);
	for (size_t c = 0; c < N_COLUMNS; c++)
		if (widths[c])
			print_cell(sandbox_columns[columns[c].column].title, c, widths);
	for (size_t i = 0; i < ps->n; i++)
		for (size_t c = 0; c < N_COLUMNS && is_shown(ps, i); c++) {
			sandbox_cell(columns[c].column, &ps->entries[i], "-", cell);
			if (widths[c])
				print_cell(cell, c, widths);
		}
	pool_list_print(ps->pools, ps->n_pools);
	containers_print(&ps->containers);
	return cmd_flush();
}

static int print_sandbox_names(const struct ps *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		if (ps->has_all || !ps->entries[i].is_stale)
			puts(ps->entries[i].name);
	containers_print_names(&ps->containers);
	return cmd_flush();
}

/* ---- samples ------------------------------------------------------------------------------ */

static int sample_sandboxes(struct ps *ps)
{
	struct trm_error why;
	if (trm_registry_list(ps->registry, &ps->entries, &ps->n, &why) < 0)
		return ps->names_only ? CMD_FAILED : cmd_fail("%s", why.msg);
	if (ps->names_only || !ps->n)
		return 0;
	poll(NULL, 0, BETWEEN_LOOKS_MS);
	trm_registry_measure(ps->registry);
	return 0;
}

static int print_sandboxes(const struct ps *ps)
{
	return ps->is_json      ? print_sandboxes_json(ps)
	       : ps->names_only ? print_sandbox_names(ps)
				: print_sandboxes_table(ps);
}

static int list_far(struct ps *ps)
{
	struct trm_entry *entries;
	if (sandbox_list_remote(&ps->config, &entries, &ps->n))
		return CMD_FAILED;
	ps->entries = entries;
	int code = print_sandboxes(ps);
	free(entries);
	return code;
}

static int list_pools(struct ps *ps)
{
	if (ps->is_json)
		return pool_list_print_json(ps->pools, ps->n_pools);
	if (!ps->n_pools)
		puts("no program keeps a pool");
	pool_list_print(ps->pools, ps->n_pools);
	return cmd_flush();
}

static int list_here(struct ps *ps)
{
	struct trm_error why = {0};
	if (trm_registry_pools(&ps->pools, &ps->n_pools, &why) < 0)
		return cmd_fail("%s", why.msg);
	if (ps->only_pools)
		return list_pools(ps);
	if (trm_registry_create(&ps->registry, &why) < 0)
		return cmd_fail("%s", why.msg);
	int code = sample_sandboxes(ps);
	if (!ps->names_only)
		trm_registry_sweep(ps->registry);
	if (code == 0)
		code = print_sandboxes(ps);
	trm_registry_destroy(ps->registry);
	return code;
}

static int list_sandboxes(struct ps *ps)
{
	bool is_remote = sandbox_list_is_remote(&ps->config);
	if (is_remote && ps->only_pools)
		return cmd_fail("--pools lists the pools on this machine, not those of another server: see the "
				"server's /metrics");
	if (ps->only_pools && (ps->names_only || ps->has_all || ps->has_containers))
		return cmd_fail("--pools goes only with --json");
	int code = is_remote ? list_far(ps) : list_here(ps);
	free(ps->pools);
	return code;
}

static int ps_main(const struct cmd *cmd, int argc, char **argv)
{
	struct ps ps = {0};
	struct options o;
	options_init(&o, cmd->name, options, argc, argv);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_WRONG)
			return CMD_FAILED;
		if (got == OPTIONS_OPERAND)
			return cmd_fail("'ps' lists all sandboxes and takes no arguments, but got '%s'",
					o.value);
		ps.has_all |= got == OPTION_ALL;
		ps.is_json |= got == OPTION_JSON;
		ps.names_only |= got == OPTION_NAMES;
		ps.has_containers |= got == OPTION_CONTAINERS;
		ps.only_pools |= got == OPTION_POOLS;
	}
	int code = options_check_starts_none(&o) < 0 || options_config(&o, &ps.config) < 0 ? CMD_FAILED
											   : CMD_OK;
	if (code == CMD_OK && ps.has_containers)
		code = containers_find(&ps.containers, o.config_path);
	if (code == CMD_OK)
		code = list_sandboxes(&ps);
	containers_finish(&ps.containers);
	return code;
}

const struct cmd cmd_ps = {
		.name = "ps",
		.usage = "ps [--all] [--containers | --pools] [--json | --names]",
		.summary = "list the running sandboxes",
		.help = "Lists all your sandboxes on this machine: name, running kernels, clients, "
			"whether it is kept, age, idle time (no client and nothing running), CPU in "
			"percent of a core, memory and its limit in MiB, and who manages it. Narrow "
			"terminals hide some columns. Pools of servers and other programs follow: how many "
			"sandboxes they keep ready, have idle and in use, have made, and how many starts "
			"failed. With --backend microsandbox it lists those in a "
			"--namespace of the server ('*': in all).",
		.options = options,
		.run = ps_main,
};
