/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "cmd/progress_bar.h"
#include "cmd/sandbox_list.h"
#include "cmd/snapshot_row.h"

enum { LEFT_OUT_SHOWN = 20 };

struct snap {
	struct trm_config config;
	const char *name, *tag;
	bool is_forced, is_json;
	struct trm_loop *loop;
	struct trm_sandbox *sandbox; /* NULL: it has ended */
	struct trm_snapshot *snapshot;
	bool is_over;
	struct progress_bar progress_bar;
	uint64_t n_left_out;
	int ended_by;
	struct trm_snapshot_info info;
	struct trm_error why;
};

/* ---- the snapshot ------------------------------------------------------------------------ */

static void on_snapshot_progress(void *user, const struct trm_copy_progress *progress)
{
	struct snap *s = user;
	progress_bar_draw(&s->progress_bar, progress, trm_loop_now_ns(s->loop));
}

static void on_left_out(void *user, const struct trm_error *why)
{
	struct snap *s = user;
	if (s->n_left_out++ >= LEFT_OUT_SHOWN)
		return;
	progress_bar_clear(&s->progress_bar);
	cmd_fail("left out: %s", why->msg);
}

static void on_snapshot_done(void *user, const struct trm_error *why, const struct trm_snapshot_info *info)
{
	struct snap *s = user;
	s->snapshot = NULL;
	s->is_over = true;
	s->why = *why;
	if (info)
		s->info = *info;
	if (s->sandbox)
		trm_sandbox_close(s->sandbox);
}

static const struct trm_snapshot_cb snapshot_cb = {
		.progress = on_snapshot_progress, .refused = on_left_out, .done = on_snapshot_done};

static void on_snapshot_ready(void *user, struct trm_sandbox *sandbox)
{
	struct snap *s = user;
	const struct trm_snapshot_opts opts = {.size = sizeof(struct trm_snapshot_opts),
			.tag = s->tag,
			.overwrites = s->is_forced,
			.max_bytes = s->config.max_copy_bytes,
			.max_files = s->config.max_copy_files,
			.config = *s->config.path ? s->config.path : NULL};
	if (trm_sandbox_snapshot(sandbox, &opts, &snapshot_cb, s, &s->snapshot, &s->why) == 0)
		return;
	s->is_over = true;
	trm_sandbox_close(sandbox);
}

static void on_snapshot_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct snap *s = user;
	(void)sandbox;
	s->sandbox = NULL;
	if (!s->is_over && !s->why.code)
		s->why = *why;
}

static const struct trm_sandbox_cb sandbox_cb = {.ready = on_snapshot_ready, .closed = on_snapshot_closed};

static void on_snapshot_signal(void *user, int signo)
{
	struct snap *s = user;
	s->ended_by = signo;
	if (s->snapshot)
		trm_snapshot_cancel(s->snapshot);
	else if (s->sandbox)
		trm_sandbox_close(s->sandbox);
}

static int perform(struct snap *s)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	static const struct trm_sandbox_opts look = {
			.size = sizeof(struct trm_sandbox_opts), .is_observer = true};
	struct trm_signal *handler = NULL;
	int r = trm_loop_create(&s->loop, &s->why);
	if (r == 0)
		r = trm_loop_add_signals(s->loop, signals, 3, on_snapshot_signal, s, &handler, &s->why);
	if (r == 0) {
		progress_bar_init(&s->progress_bar, STDERR_FILENO, trm_loop_now_ns(s->loop));
		r = sandbox_list_open(
				s->loop, &s->config, s->name, &look, &sandbox_cb, s, &s->sandbox, &s->why);
	}
	while (r == 0 && (s->sandbox || s->snapshot))
		trm_loop_step(s->loop, -1);
	progress_bar_clear(&s->progress_bar);
	trm_signal_remove(handler);
	trm_loop_destroy(s->loop);
	if (s->ended_by)
		return CMD_SIGNALED + s->ended_by;
	return s->why.code ? cmd_fail("%s", s->why.msg) : CMD_OK;
}

/* ---- the command line -------------------------------------------------------------------- */

enum { OPTION_FORCE, OPTION_JSON };

static const struct option_spec options[] = {
		[OPTION_FORCE] = {"--force", 'f', NULL, "replace a snapshot of that tag"},
		[OPTION_JSON] = {"--json", 0, NULL, "print the snapshot as one JSON object"},
		{0},
};

static int report(const struct snap *s)
{
	char size[24];
	if (s->is_json) {
		struct json_out json;
		json_init(&json);
		snapshot_row_put(&json, NULL, &s->info);
		return json_finish(&json);
	}
	progress_bar_bytes(size, sizeof size, s->info.bytes);
	printf("%s%s%s%s\n", s->info.tag, s->info.has_size ? " (" : "", s->info.has_size ? size : "",
			s->info.has_size ? ")" : "");
	return cmd_flush();
}

/* Check what can be checked before the sandbox is opened. */
static int check_names(const struct snap *s)
{
	struct trm_error why = {0};
	struct trm_entry entry;
	if (trm_sandbox_name_check(s->name, &why) < 0 || trm_snapshot_check(s->tag, &why) < 0)
		return cmd_fail("%s", why.msg);
	if (sandbox_list_is_remote(&s->config))
		return cmd_fail("sandboxes of the backend '%s' have no snapshots", s->config.backend);
	return sandbox_list_runs(s->name, &entry) ? CMD_OK : sandbox_list_fail_unknown(s->name);
}

static int take_operand(struct snap *s, const char *word)
{
	if (s->tag)
		return cmd_fail("'snapshot' takes NAME and TAG, and '%s' is one word too many", word);
	*(s->name ? &s->tag : &s->name) = word;
	return CMD_OK;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct snap s = {0};
	struct options o;
	options_init(&o, cmd->name, options, argc, argv);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_WRONG || (got == OPTIONS_OPERAND && take_operand(&s, o.value)))
			return CMD_FAILED;
		s.is_forced |= got == OPTION_FORCE;
		s.is_json |= got == OPTION_JSON;
	}
	if (!s.tag)
		return cmd_fail("%s; see 'terrarium snapshot --help'",
				s.name ? "TAG is missing" : "NAME and TAG are missing");
	if (options_config(&o, &s.config) < 0)
		return CMD_FAILED;
	int code = check_names(&s);
	if (code == CMD_OK)
		code = perform(&s);
	return code == CMD_OK ? report(&s) : code;
}

static const char *const settings[] = {"max_size", "max_files", NULL};

const struct cmd cmd_snapshot = {
		.name = "snapshot",
		.usage = "snapshot [OPTIONS] NAME TAG",
		.summary = "save files and packages",
		.help = "Saves the files and installed packages of the running sandbox NAME, but no processes or "
			"variables, as the snapshot TAG; the sandbox goes on running. 'run --from TAG', and repl, "
			"exec and the workbench likewise, start a new sandbox from it. Of a local sandbox it is what "
			"/workspace and the home directory contain; of a container it is an image. "
			"'terrarium snapshots' lists and removes them.",
		.options = options,
		.operands = "NAME TAG",
		.settings = settings,
		.run = run,
};
