/* SPDX-License-Identifier: MIT */
/* `terrarium metrics` without a name: all running sandboxes. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "cmd/metrics.h"
#include "cmd/sample.h"
#include "cmd/sandbox_list.h"
#include "metrics/sandbox_column.h"

struct all {
	const struct trm_config *config;
	struct trm_registry *registry;
	struct trm_entry *entries, *before; /* of this round and of the previous one; malloc'd */
	size_t n, n_before;
};

static void pause_ms(uint32_t ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&t, NULL);
}

/* Move the running ones to the front. Returns their number. */
static size_t running(struct trm_entry *entries, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!entries[i].is_stale)
			entries[kept++] = entries[i];
	return kept;
}

/* Copy the running ones, malloc'd. 0 or an exit code. */
int metrics_running(struct trm_registry *registry, struct trm_entry **ret, size_t *ret_n)
{
	const struct trm_entry *entries;
	struct trm_error why = {0};

	if (trm_registry_refresh(registry, &entries, ret_n, &why) < 0)
		return cmd_fail("%s", why.msg);
	*ret = malloc((*ret_n + 1) * sizeof **ret);
	if (!*ret)
		return cmd_fail("out of memory");
	if (*ret_n)
		memcpy(*ret, entries, *ret_n * sizeof **ret);
	*ret_n = running(*ret, *ret_n);
	return CMD_OK;
}

/* The columns of the terminal. A file has no limit. */
static int terminal_cols(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return INT_MAX;
	return size.ws_col;
}

/* NULL: the headings. What comes after the metrics is shown as far as there is room. */
static void print_row(const struct trm_entry *e, int cols)
{
	static const struct {
		enum sandbox_column column;
		int cols;
	} columns[] = {{SANDBOX_NAME, -28}, {SANDBOX_CPU, 6}, {SANDBOX_MEM, 10}, {SANDBOX_DISK, 9},
			{SANDBOX_PROCS, 8}, {SANDBOX_UPTIME, 9}, {SANDBOX_CLIENTS, 7}, {SANDBOX_KEPT, 4},
			{SANDBOX_GROUP, 0}}; /* 0: the rest of the line */
	enum { LEAST_REST = 11 };
	char cell[SANDBOX_CELL];
	int used = 0;

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		enum sandbox_column column = columns[i].column;
		bool is_metric = column <= SANDBOX_UPTIME;
		used += abs(columns[i].cols) + (i > 0);
		if (!is_metric && used + (columns[i].cols ? 0 : LEAST_REST) > cols)
			break;
		printf("%s%*.*s", i ? " " : "", columns[i].cols, columns[i].cols ? -1 : cols - used,
				e ? sandbox_cell(column, e, is_metric ? "n/a" : "-", cell)
				  : sandbox_columns[column].title);
	}
	putchar('\n');
}

static void print_metrics_table(const struct trm_entry *entries, size_t n)
{
	int cols = terminal_cols();

	print_row(NULL, cols);
	for (size_t i = 0; i < n; i++)
		print_row(&entries[i], cols);
}

/* ---- one round ---- */

static bool is_same(const struct trm_entry *a, const struct trm_entry *b)
{
	return a->supervisor_pid == b->supervisor_pid && a->supervisor_start == b->supervisor_start
	       && (a->supervisor_pid || (!strcmp(a->name, b->name) && !strcmp(a->group, b->group)));
}

static bool is_gone(const struct all *all, const struct trm_entry *e)
{
	for (size_t i = 0; i < all->n; i++)
		if (is_same(&all->entries[i], e))
			return false;
	return true;
}

/* Print a line for each sandbox, and a last line for each one that has ended. */
static int print_lines(const struct all *all)
{
	struct json_out j;
	int code = CMD_OK;

	json_init(&j);
	for (size_t i = 0; i < all->n_before && code == CMD_OK; i++) {
		if (!is_gone(all, &all->before[i]))
			continue;
		metrics_put(&j, all->before[i].name, NULL, NULL, "it runs no more");
		code = json_flush(&j);
	}
	for (size_t i = 0; i < all->n && code == CMD_OK; i++) {
		metrics_put(&j, all->entries[i].name, &all->entries[i].sample, NULL, NULL);
		code = json_flush(&j);
	}
	json_drop(&j);
	return code;
}

static int print_list(const struct all *all)
{
	struct json_out j;

	json_init(&j);
	json_open(&j, NULL, '[');
	for (size_t i = 0; i < all->n; i++)
		metrics_put(&j, all->entries[i].name, &all->entries[i].sample, NULL, NULL);
	json_close(&j, ']');
	return json_finish(&j);
}

static int print_text(const struct all *all)
{
	if (all->n)
		print_metrics_table(all->entries, all->n);
	else
		puts("no sandbox is running");
	return cmd_flush();
}

static int read_all_samples(struct all *all)
{
	free(all->before);
	all->before = all->entries;
	all->n_before = all->n;
	all->entries = NULL;
	all->n = 0;
	return sandbox_list_is_remote(all->config) ? sandbox_list_remote(all->config, &all->entries, &all->n)
						   : metrics_running(all->registry, &all->entries, &all->n);
}

int metrics_of_all(const struct metrics_request *q)
{
	uint32_t wait_ms = q->is_watch ? q->interval_ms : METRICS_SNAPSHOT_MS;
	struct trm_error why = {0};
	struct all all = {.config = &q->settings.config};
	int code = CMD_OK;

	if (trm_registry_create(&all.registry, &why) < 0)
		return cmd_fail("%s", why.msg);
	for (uint64_t round = 0; code == CMD_OK; round++) {
		code = read_all_samples(&all);
		/* Rates are known from the second round on. */
		bool is_last = q->is_watch ? round + 1 == q->count : round == 1 || !all.n;
		if (code == CMD_OK && q->is_watch)
			code = print_lines(&all);
		else if (code == CMD_OK && is_last)
			code = q->is_json ? print_list(&all) : print_text(&all);
		if (is_last)
			break;
		pause_ms(wait_ms);
	}
	free(all.before);
	free(all.entries);
	trm_registry_destroy(all.registry);
	return code;
}
