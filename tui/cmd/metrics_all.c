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
#include "metrics/sample_cell.h"

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

/* After the metrics, as far as there is room: the clients, whether it is kept, its group. */
static void print_belongings(const struct trm_entry *e, int cols)
{
	enum { FIGURES_COLS = 75, CLIENTS_COLS = 8, KEPT_COLS = 5, GROUP_COLS = 12 };
	int used = FIGURES_COLS;
	char clients[16] = "-";

	if (e && e->has_state)
		snprintf(clients, sizeof clients, "%u", e->clients);
	if ((used += CLIENTS_COLS) <= cols)
		printf(" %7s", e ? clients : "CLIENTS");
	if ((used += KEPT_COLS) <= cols)
		printf(" %4s", !e ? "KEPT" : !e->has_state ? "-" : e->is_kept ? "yes" : "no");
	if (used + GROUP_COLS <= cols)
		printf(" %.*s", cols - used - 1, !e ? "GROUP" : *e->group ? e->group : "-");
	putchar('\n');
}

static void print_metrics_table(const struct trm_entry *entries, size_t n)
{
	int cols = terminal_cols();

	printf("%-28s %6s %10s %9s %8s %9s", "NAME", "CPU%", "MEM", "FILES", "PROC", "UP");
	print_belongings(NULL, cols);
	for (size_t i = 0; i < n; i++) {
		const struct trm_sample *s = &entries[i].sample;
		char cpu[24], mem[24], disk[24], procs[24], up[24];
		sample_cell_cpu(s, cpu);
		sample_cell_mem(s, mem);
		sample_cell_disk(s, disk);
		sample_cell_procs(s, procs);
		sample_cell_uptime(s, up);
		printf("%-28s %6s %10s %9s %8s %9s", entries[i].name, cpu, mem, disk, procs, up);
		print_belongings(&entries[i], cols);
	}
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
