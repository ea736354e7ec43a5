/* SPDX-License-Identifier: MIT */
#include "cmd/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "app/app.h"
#include "cmd/cmd.h"
#include "cmd/sandbox_list.h"
#include "monitor/monitor.h"

enum { OPTION_WATCH, OPTION_JSON, OPTION_INTERVAL, OPTION_COUNT };

static const struct option_spec options[] = {
		[OPTION_WATCH] = {"--watch", 'w', NULL, "keep going: graphs on a terminal, else JSON Lines"},
		[OPTION_JSON] = {"--json", 0, NULL, "print JSON; with --watch a line per sample"},
		[OPTION_INTERVAL] = {"--interval", 'i', "S",
				"seconds between two samples, 0.2 to 60; default: the setting metrics_interval"},
		[OPTION_COUNT] = {"--count", 'n', "N", "with --watch and JSON: stop after N samples"},
		{0},
};

/* ---- the screen ---- */

static int watch_screen(const struct metrics_request *q)
{
	struct monitor_opts opts = {.name = q->name,
			.interval_ms = q->interval_ms,
			.theme = q->settings.theme,
			.config = q->options->config_path,
			.keymap = q->settings.keymap,
			.graphs = app_graph_style(q->settings.graphs)};
	struct trm_error why = {0}, ended;
	struct trm_config_lists lists;
	struct trm_sandbox_opts far;

	sandbox_list_remote_opts(&q->settings.config, q->name, &lists, &far);
	opts.far = sandbox_list_is_remote(&q->settings.config) ? &far : NULL;
	int r = monitor_main(&opts, &ended, &why);
	if (r == TRM_ENOTSUP) /* the terminal cannot move its cursor */
		return metrics_of_one(q);
	if (r < 0)
		return r == TRM_ENOENT ? sandbox_list_fail_unknown(q->name) : cmd_fail("%s", why.msg);
	if (*ended.msg)
		fprintf(stderr, "terrarium: %s: %s\n", q->name, ended.msg);
	return r;
}

/* Choose the sandbox for the screen if no name was given. The name is malloc'd. */
static int choose_measured(const struct trm_config *config, char **ret)
{
	struct trm_registry *registry;
	struct trm_error why = {0};
	struct trm_entry *entries = NULL;
	char names[400] = "";
	size_t n = 0, used = 0;

	if (trm_registry_create(&registry, &why) < 0)
		return cmd_fail("%s", why.msg);
	int code = sandbox_list_is_remote(config) ? sandbox_list_remote(config, &entries, &n)
						  : metrics_running(registry, &entries, &n);
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

static int watch_any(struct metrics_request *q)
{
	char *name = NULL;

	int code = q->name ? CMD_OK : choose_measured(&q->settings.config, &name);
	if (code != CMD_OK || (!q->name && !name))
		return code ? code : cmd_fail("out of memory");
	q->name = q->name ? q->name : name;
	code = q->settings.linear ? metrics_of_one(q) : watch_screen(q);
	free(name);
	return code;
}

/* ---- the command line ---- */

static int set_count(struct metrics_request *q, const char *text)
{
	char *end;

	q->count = strtoull(text, &end, 10);
	return *text < '0' || *text > '9' || *end || !q->count
			       ? cmd_fail("--count %s: must be a whole number, at least 1", text)
			       : CMD_OK;
}

static int show_metrics(struct metrics_request *q, const char *interval)
{
	struct trm_error why = {0};

	if (options_check_starts_none(q->options) < 0 || options_settings(q->options, &q->settings) < 0)
		return CMD_FAILED;
	if (interval
			&& trm_config_set(&q->settings, setting_find("metrics_interval"), interval,
					   "--interval", &why)
					   < 0)
		return cmd_fail("%s", why.msg);
	q->interval_ms = q->settings.config.metrics_interval_ms;
	bool is_screen = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (q->is_watch && !q->is_json && is_screen)
		return watch_any(q);
	q->is_json = q->is_json || q->is_watch;
	return q->name ? metrics_of_one(q) : metrics_of_all(q);
}

static int metrics_main(const struct cmd *cmd, int argc, char **argv)
{
	struct metrics_request q = {0};
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
	return show_metrics(&q, interval);
}

static const char *const settings[] = {"theme", "keymap", "graphs", NULL};

const struct cmd cmd_metrics = {
		.name = "metrics",
		.usage = "metrics [NAME] [--watch] [OPTIONS]",
		.summary = "show what a sandbox uses",
		.help = "Prints what the sandbox NAME uses now, and its processes. Without NAME it "
			"prints a line for each running sandbox. --watch goes on until the sandbox "
			"ends, and says why it ended. On a terminal it shows graphs (c m p n sort, t "
			"tree, + - zoom, b f back and forth in time, q quit); in a pipe it prints JSON "
			"Lines. With --backend microsandbox it shows what the server reports.",
		.options = options,
		.operands = "NAME",
		.settings = settings,
		.run = metrics_main,
};
