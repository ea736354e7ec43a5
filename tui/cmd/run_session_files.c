/* SPDX-License-Identifier: MIT */
/* Files that go into the sandbox before the first run, and out of it after the last one. */
#include "cmd/run_session_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"

static void on_refused_file(void *user, const struct trm_error *why)
{
	run_session_message(user, why->msg);
}

/* ---- into the sandbox ------------------------------------------------------------------ */

static void on_cmd_run_copied(
		void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct run_session *p = user;
	(void)progress;
	p->copy = NULL;
	if (p->is_over)
		return;
	if (why->code == TRM_OK) {
		run_session_start(p);
		return;
	}
	struct trm_result refusal = run_refusal(why->msg);
	if (p->opts->is_json)
		run_session_print_result(p, &refusal);
	run_session_message(p, why->msg);
	run_session_end(p, why->code == TRM_ECANCELED ? CMD_SIGNALED + SIGINT : CMD_FAILED);
}

int run_session_copy_in(struct run_session *p, struct trm_error *reterr)
{
	static const struct trm_copy_cb cb = {.refused = on_refused_file, .done = on_cmd_run_copied};
	char *from = NULL;
	if (asprintf(&from, "%s%s/.", p->opts->dir[0] == '/' ? "" : "./", p->opts->dir) < 0)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	const char *const sources[] = {from, NULL};
	snprintf(p->inside, sizeof p->inside, ":%s", p->cwd ? p->cwd : ".");
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = p->inside,
			.own = p->cli_session.sandbox,
			.in_fd = -1,
			.out_fd = -1};
	int r = trm_copy_start(p->cli_session.loop, &opts, &cb, p, &p->copy, reterr);
	free(from);
	return r;
}

/* ---- out of it ------------------------------------------------------------------------------ */

static void on_files_saved(void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct run_session *p = user;
	(void)progress;
	p->copy = NULL;
	if (p->is_over)
		return;
	if (why->code < 0)
		run_session_message(p, why->msg);
	run_session_end(p, why->code < 0 && p->exit_code == 0 ? CMD_FAILED : p->exit_code);
}

static void save_files(struct run_session *p)
{
	static const struct trm_copy_cb cb = {.refused = on_refused_file, .done = on_files_saved};
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = (const char *const *)p->lost.sources,
			.target = p->opts->out,
			.own = p->cli_session.sandbox,
			.in_fd = -1,
			.out_fd = -1,
			.one_system = true};
	struct trm_error why = {0};
	if (trm_copy_start(p->cli_session.loop, &opts, &cb, p, &p->copy, &why) < 0)
		on_files_saved(p, &why, NULL);
}

static void on_looked(void *user)
{
	struct run_session *p = user;
	char lost[LOST_NAMES + 120], text[sizeof lost + 160];
	if (p->is_over)
		return;
	if (p->opts->out && p->lost.n_sources) {
		save_files(p);
		return;
	}
	if (!p->opts->out && p->lost.count) {
		lost_files_describe(&p->lost, lost, sizeof lost);
		snprintf(text, sizeof text, "%s: --out DIR saves them in DIR, and --keep keeps the sandbox",
				lost);
		run_session_message(p, text);
	}
	p->is_over = true;
}

void run_session_look_for_files(struct run_session *p)
{
	bool is_lost = !cli_session_is_shared(&p->cli_session) && !*p->opts->config->commit
		       && !p->opts->collect && isatty(STDERR_FILENO);
	p->lost.looked = on_looked;
	p->lost.user = p;
	p->lost.dir = p->opts->dir;
	if (p->cli_session.sandbox && (p->opts->out || is_lost))
		lost_files_look(&p->lost, p->cli_session.sandbox);
	else
		p->is_over = true;
}
