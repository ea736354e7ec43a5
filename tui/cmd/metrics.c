/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "app/app.h"
#include "cmd/boxes.h"
#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "cmd/sample.h"
#include "monitor/monitor.h"

/* One sandbox is measured as its client, with its processes; all of them, from outside, by their entries in
 * the runtime directory. Ctrl-C simply ends us: nothing depends on us. */

enum { SNAPSHOT_MS = 200 }; /* between the two samples that a rate needs */

struct request {
	struct trm_config config;
	const struct options *options;
	const char *name; /* NULL: all */
	uint32_t interval_ms;
	uint64_t count; /* lines of --watch; 0: until the end */
	bool is_watch, is_json;
};

enum { OPTION_WATCH, OPTION_JSON, OPTION_INTERVAL, OPTION_COUNT };

static const struct option_spec options[] = {
		[OPTION_WATCH] = {"--watch", 'w', NULL,
				"go on: a screen of graphs on a terminal, else JSON Lines"},
		[OPTION_JSON] = {"--json", 0, NULL, "print JSON; with --watch a line for each sample"},
		[OPTION_INTERVAL] = {"--interval", 'i', "S",
				"seconds between two samples, 0.2 to 60; default: the setting metrics_interval"},
		[OPTION_COUNT] = {"--count", 'n', "N", "with --watch and JSON: end after so many samples"},
		{0},
};

/* ---- what is printed ---- */

static void put_time(struct json_out *j)
{
	struct timespec now;
	struct tm tm;
	char text[40], day[24];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof text, "%s.%03ldZ", day, now.tv_nsec / 1000000);
	json_put_text(j, "time", text);
}

/* One object. `ended`: the reason, when there is nothing more to measure. */
static void put_metrics(struct json_out *j, const char *name, const struct trm_sample *sample,
		const struct trm_metrics *metrics, const char *ended)
{
	json_open(j, NULL, '{');
	json_put_text(j, "name", name);
	put_time(j);
	json_put_text(j, "ended", ended);
	sample_put(j, sample);
	sample_put_processes(j, metrics);
	json_close(j, '}');
}

static void print_table(const struct trm_entry *entries, size_t n)
{
	printf("%-28s %6s %10s %9s %8s %9s\n", "NAME", "CPU%", "MEM", "FILES", "PROC", "UP");
	for (size_t i = 0; i < n; i++) {
		const struct trm_sample *s = &entries[i].sample;
		char cpu[24], mem[24], disk[24], procs[24], up[24];
		sample_cell_cpu(s, cpu);
		sample_cell_mem(s, mem);
		sample_cell_disk(s, disk);
		sample_cell_procs(s, procs);
		sample_cell_uptime(s, up);
		printf("%-28s %6s %10s %9s %8s %9s\n", entries[i].name, cpu, mem, disk, procs, up);
	}
}

/* ---- one sandbox ---- */

struct one {
	const struct request *q;
	struct trm_sandbox *sandbox; /* NULL: it is gone */
	struct json_out json;
	uint64_t n; /* samples that came */
	bool is_over;
	int code;
};

static void print_snapshot(struct one *w, const struct trm_metrics *metrics)
{
	if (w->q->is_json) {
		put_metrics(&w->json, w->q->name, &metrics->sample, metrics, NULL);
		w->code = json_flush(&w->json);
		return;
	}
	printf("sandbox     %s\n", w->q->name);
	sample_print(&metrics->sample);
	sample_print_processes(metrics);
	w->code = cmd_flush();
}

static void print_line(struct one *w, const struct trm_metrics *metrics)
{
	char line[320];

	if (w->q->is_json) {
		put_metrics(&w->json, w->q->name, &metrics->sample, metrics, NULL);
		w->code = json_flush(&w->json);
		return;
	}
	sample_tell(&metrics->sample, line, sizeof line);
	puts(line);
	w->code = cmd_flush();
}

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct one *w = user;

	if (w->is_over)
		return;
	w->n++;
	if (w->q->is_watch)
		print_line(w, metrics);
	else if (w->n == 2) /* rates are known from the second sample on */
		print_snapshot(w, metrics);
	w->is_over = w->code != CMD_OK || (w->q->is_watch ? w->n == w->q->count : w->n == 2);
	if (w->is_over)
		trm_sandbox_close(sandbox);
}

/* The last line of a watch tells why it is the last. */
static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	const struct trm_sample nothing = {0};
	struct one *w = user;

	(void)sandbox;
	w->sandbox = NULL;
	if (w->is_over)
		return;
	if (!w->q->is_watch) {
		w->code = cmd_fail("%s", why->msg);
		return;
	}
	if (w->q->is_json) {
		put_metrics(&w->json, w->q->name, &nothing, NULL, why->msg);
		w->code = json_flush(&w->json);
	} else {
		fprintf(stderr, "terrarium: %s: %s\n", w->q->name, why->msg);
	}
}

static const struct trm_sandbox_cb one_cb = {.metrics = on_metrics, .closed = on_closed};

static int measure_one(const struct request *q)
{
	const struct trm_sandbox_opts opts = {
			.metrics_interval_ms = q->is_watch ? q->interval_ms : SNAPSHOT_MS,
			.metrics_with_processes = true};
	struct one w = {.q = q};
	struct trm_error why = {0};
	struct trm_loop *loop;

	if (trm_loop_create(&loop, &why) < 0)
		return cmd_fail("%s", why.msg);
	json_init(&w.json);
	int r = trm_sandbox_attach(loop, q->name, &opts, &one_cb, &w, &w.sandbox, &why);
	if (r < 0)
		w.code = r == TRM_ENOENT ? boxes_fail_unknown(q->name) : cmd_fail("%s", why.msg);
	while (w.sandbox && trm_loop_step(loop, -1) >= 0)
		;
	int code = json_finish(&w.json);
	trm_loop_destroy(loop);
	return w.code ? w.code : code;
}

/* ---- all of them ---- */

static void pause_ms(uint32_t ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&t, NULL);
}

/* Those that run, in front. Returns how many. */
static size_t running(struct trm_entry *entries, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!entries[i].is_stale)
			entries[kept++] = entries[i];
	return kept;
}

/* A copy of the running ones, malloc'd. 0 or an exit code. */
static int look(struct trm_registry *registry, struct trm_entry **ret, size_t *ret_n)
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

static int print_all(const struct request *q, const struct trm_entry *entries, size_t n)
{
	struct json_out j;
	int code = CMD_OK;

	if (!q->is_json) {
		if (n)
			print_table(entries, n);
		else
			puts("no sandbox is running");
		return cmd_flush();
	}
	json_init(&j);
	if (!q->is_watch)
		json_open(&j, NULL, '[');
	for (size_t i = 0; i < n && code == CMD_OK; i++) {
		put_metrics(&j, entries[i].name, &entries[i].sample, NULL, NULL);
		if (q->is_watch)
			code = json_flush(&j);
	}
	if (!q->is_watch)
		json_close(&j, ']');
	int last = json_finish(&j);
	return code ? code : last;
}

static int measure_all(const struct request *q)
{
	struct trm_registry *registry;
	struct trm_error why = {0};
	uint32_t wait_ms = q->is_watch ? q->interval_ms : SNAPSHOT_MS;
	int code = CMD_OK;

	if (trm_registry_create(&registry, &why) < 0)
		return cmd_fail("%s", why.msg);
	for (uint64_t round = 0; code == CMD_OK; round++) {
		struct trm_entry *entries = NULL;
		size_t n = 0;
		code = look(registry, &entries, &n);
		/* Rates are known from the second look on. */
		bool is_last = q->is_watch ? round + 1 == q->count : round == 1 || !n;
		if (code == CMD_OK && (q->is_watch || is_last))
			code = print_all(q, entries, n);
		free(entries);
		if (is_last)
			break;
		pause_ms(wait_ms);
	}
	trm_registry_destroy(registry);
	return code;
}

/* ---- the screen ---- */

static int watch_screen(const struct request *q)
{
	struct monitor_opts opts = {.name = q->name,
			.interval_ms = q->interval_ms,
			.theme = q->config.theme,
			.config = q->options->config_path,
			.keymap = q->config.keymap,
			.graphs = app_graph_style(q->config.graphs)};
	struct trm_error why = {0}, ended;

	int r = monitor_main(&opts, &ended, &why);
	if (r == TRM_ENOTSUP) /* a terminal that cannot move its cursor */
		return measure_one(q);
	if (r < 0)
		return r == TRM_ENOENT ? boxes_fail_unknown(q->name) : cmd_fail("%s", why.msg);
	if (*ended.msg)
		fprintf(stderr, "terrarium: %s: %s\n", q->name, ended.msg);
	return r;
}

/* Which one, when no name was given and the screen shows one. The name is malloc'd. */
static int choose(char **ret)
{
	struct trm_registry *registry;
	struct trm_error why = {0};
	struct trm_entry *entries = NULL;
	char names[400] = "";
	size_t n = 0, used = 0;

	if (trm_registry_create(&registry, &why) < 0)
		return cmd_fail("%s", why.msg);
	int code = look(registry, &entries, &n);
	trm_registry_destroy(registry);
	if (code == CMD_OK && n == 0)
		code = cmd_fail("no sandbox is running");
	if (code == CMD_OK && n == 1)
		*ret = strdup(entries[0].name);
	for (size_t i = 0; code == CMD_OK && n > 1 && i < n && used < sizeof names - 80; i++)
		used += (size_t)snprintf(
				names + used, sizeof names - used, "%s%s", i ? ", " : "", entries[i].name);
	if (code == CMD_OK && n > 1)
		code = cmd_fail("%zu sandboxes are running; give the name of one: %s", n, names);
	free(entries);
	return code;
}

static int watch_any(struct request *q)
{
	char *name = NULL;

	int code = q->name ? CMD_OK : choose(&name);
	if (code != CMD_OK || (!q->name && !name))
		return code ? code : cmd_fail("out of memory");
	q->name = q->name ? q->name : name;
	code = q->config.linear ? measure_one(q) : watch_screen(q);
	free(name);
	return code;
}

/* ---- the command line ---- */

static int set_count(struct request *q, const char *text)
{
	char *end;

	q->count = strtoull(text, &end, 10);
	return *text < '0' || *text > '9' || *end || !q->count
			       ? cmd_fail("--count %s: must be a whole number, at least 1", text)
			       : CMD_OK;
}

static int perform(struct request *q, const char *interval)
{
	struct trm_error why = {0};

	if (options_config(q->options, &q->config) < 0)
		return CMD_FAILED;
	if (interval
			&& trm_config_set(&q->config, trm_setting_find("metrics_interval"), interval,
					   "--interval", &why)
					   < 0)
		return cmd_fail("%s", why.msg);
	q->interval_ms = q->config.metrics_interval_ms;
	bool is_screen = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (q->is_watch && !q->is_json && is_screen)
		return watch_any(q);
	q->is_json = q->is_json || q->is_watch;
	return q->name ? measure_one(q) : measure_all(q);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct request q = {0};
	const char *interval = NULL;
	struct options o;

	options_init(&o, cmd->name, options, argc, argv);
	q.options = &o;
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		switch (got) {
		case OPTIONS_HELP: return cmd_print_help(cmd);
		case OPTIONS_WRONG: return CMD_FAILED;
		case OPTION_WATCH: q.is_watch = true; break;
		case OPTION_JSON: q.is_json = true; break;
		case OPTION_INTERVAL: interval = o.value; break;
		case OPTION_COUNT:
			if (set_count(&q, o.value) != CMD_OK)
				return CMD_FAILED;
			break;
		default:
			if (q.name)
				return cmd_fail("'metrics' takes one NAME, and '%s' is a second one",
						o.value);
			q.name = o.value;
		}
	}
	return perform(&q, interval);
}

static const char *const settings[] = {"theme", "keymap", "graphs", NULL};

const struct cmd cmd_metrics = {
		.name = "metrics",
		.usage = "metrics [NAME] [--watch] [OPTIONS]",
		.summary = "what a sandbox uses",
		.help = "Prints what the sandbox NAME uses now, and its processes; without NAME, all sandboxes that are "
			"running. --watch goes on until the sandbox ends, and tells why it did: on a terminal as a screen "
			"of graphs (c m p n sort, t tree, + - zoom, b f back and forth in time, q leaves), in a pipe as "
			"JSON Lines.",
		.options = options,
		.operands = "NAME",
		.settings = settings,
		.run = run,
};
