/* SPDX-License-Identifier: MIT */
/* Files that go into the sandbox before the first run, and out of it after the last one. */
#include "cmd/run_session_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/source.h"
#include "text/bytes.h"

static void on_refused_file(void *user, const struct trm_error *why)
{
	run_session_message(user, why->msg);
}

static void on_looked(void *user);

/* ---- before the first run ------------------------------------------------------------------ */

static void refuse_all(struct run_session *p, const char *why, int exit_code)
{
	struct trm_result refusal = run_refusal(why);
	if (p->opts->is_json)
		run_session_print_result(p, &refusal);
	run_session_message(p, why);
	run_session_end(p, exit_code);
}

/* Is a person told what gets lost? */
static bool tells_losses(const struct run_session *p)
{
	return !cli_session_is_shared(&p->cli_session) && !*p->opts->config->commit && !p->opts->collect
	       && isatty(STDERR_FILENO);
}

static void begin_runs(struct run_session *p, const struct trm_error *why)
{
	char text[400];
	if (why->code == TRM_OK || !p->opts->out) {
		run_session_start(p);
		return;
	}
	snprintf(text, sizeof text, "--out: what is written cannot be told from what is there: %.250s",
			why->msg);
	refuse_all(p, text, CMD_FAILED);
}

static void on_begun(void *user, const struct trm_error *why)
{
	struct run_session *p = user;
	const struct trm_sandbox *s = p->cli_session.sandbox;
	bool has_ended = why->code < 0 && (!s || !trm_sandbox_is_ready(s));
	if (!p->is_over && !has_ended) /* otherwise on_cmd_run_closed() says why */
		begin_runs(p, why);
}

/* What is there before the first run was not written by the code. */
static void note_files(struct run_session *p)
{
	struct trm_error why = {0};
	if ((!p->opts->out && !tells_losses(p))
			|| lost_files_begin(&p->lost, p->cli_session.sandbox, &why) < 0)
		begin_runs(p, &why);
}

static void on_cmd_run_copied(
		void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct run_session *p = user;
	(void)progress;
	p->copy = NULL;
	if (p->is_over)
		return;
	if (why->code == TRM_OK)
		note_files(p);
	else
		refuse_all(p, why->msg, why->code == TRM_ECANCELED ? CMD_SIGNALED + SIGINT : CMD_FAILED);
}

static int copy_in(struct run_session *p, struct trm_error *reterr)
{
	static const struct trm_copy_cb cb = {.refused = on_refused_file, .done = on_cmd_run_copied};
	char *from = NULL;
	if (asprintf(&from, "%s%s/.", p->opts->dir[0] == '/' ? "" : "./", p->opts->dir) < 0)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	const char *const sources[] = {from, NULL};
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

/* ---- what terrarium itself puts there ------------------------------------------------------- */

char *run_session_name_inside(const struct run_session *p, const struct source *source)
{
	char *dir = p->opts->dir ? realpath(p->opts->dir, NULL) : NULL;
	char *file = dir ? realpath(source->name, NULL) : NULL, *name = NULL;
	size_t n = dir ? strlen(dir) : 0;
	if (file && !strncmp(file, dir, n) && file[n] == '/')
		name = strdup(file + n + 1);
	free(dir);
	free(file);
	return name;
}

/* Is it the program's file, or one of its folders? A name that leads elsewhere loses its folders. */
static bool is_program_of(
		const struct run_session *p, const struct source *source, const struct trm_file *file)
{
	char *inside = run_session_name_inside(p, source);
	const char *name = inside ? inside : source->name, *slash = strrchr(name, '/');
	size_t n = strlen(file->name);
	while (!strncmp(name, "./", 2))
		name += 2;
	if (slash && (*name == '/' || strstr(name, "..")))
		name = slash + 1;
	bool is_same = file->kind == TRM_FILE_DIR ? !strncmp(name, file->name, n) && name[n] == '/'
						  : !strcmp(name, file->name);
	free(inside);
	return is_same && (file->kind == TRM_FILE_DIR || file->size == source->n);
}

/* Packages of JavaScript are links into this machine's cache. */
static bool is_package_link(const struct trm_file *file)
{
	static const char TOP[] = "node_modules";
	size_t n = sizeof TOP - 1;
	if (strncmp(file->name, TOP, n) != 0 || (file->name[n] && file->name[n] != '/'))
		return false;
	const char *below = file->name[n] ? file->name + n + 1 : "";
	const char *slash = strchr(below, '/');
	bool is_top = !slash || (*below == '@' && !strchr(slash + 1, '/'));
	return is_top && (file->kind == TRM_FILE_DIR ? !*below || *below == '@' : *file->target == '/');
}

static bool is_ours(void *user, const struct trm_file *file)
{
	const struct run_session *p = user;
	for (size_t i = 0; i < p->opts->n_sources; i++) {
		const struct source *source = &p->opts->sources[i];
		if ((source->kind == SOURCE_FILE && is_program_of(p, source, file))
				|| (source->libraries && is_package_link(file)))
			return true;
	}
	return false;
}

void run_session_begin(struct run_session *p)
{
	struct trm_error why = {0};
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	p->begun_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	snprintf(p->inside, sizeof p->inside, ":%s", p->cwd ? p->cwd : ".");
	p->lost.begun = on_begun;
	p->lost.looked = on_looked;
	p->lost.is_ours = is_ours;
	p->lost.user = p;
	p->lost.folder = p->cwd;
	if (!p->opts->dir) {
		note_files(p);
	} else if (copy_in(p, &why) < 0) {
		run_session_message(p, why.msg);
		run_session_end(p, CMD_FAILED);
	}
}

/* ---- after the last run ---------------------------------------------------------------------- */

static void end_saving(struct run_session *p, const char *why)
{
	char text[500];
	if (why) {
		snprintf(text, sizeof text, "--out: not everything was saved: %.400s", why);
		run_session_message(p, text);
	}
	if (why && p->exit_code == 0)
		p->exit_code = CMD_FAILED;
	p->is_saving = false;
}

static void on_files_saved(void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct run_session *p = user;
	p->copy = NULL;
	end_saving(p, why->code < 0 ? why->msg : NULL);
	if (progress->refused && p->exit_code == 0)
		p->exit_code = CMD_FAILED;
}

static bool is_written(void *user, const struct trm_file *file)
{
	const struct run_session *p = user;
	return lost_files_is_new(&p->lost, file);
}

/* A name with a colon, or "-", is a folder's, too. */
static char *target_folder(const char *out)
{
	char *target = NULL;
	bool is_plain = out[strcspn(out, ":/")] != ':' && strcmp(out, "-") != 0;
	return asprintf(&target, "%s%s", is_plain ? "" : "./", out) < 0 ? NULL : target;
}

static int start_saving(struct run_session *p, const char *target, struct trm_error *why)
{
	static const struct trm_copy_cb cb = {.refused = on_refused_file, .done = on_files_saved};
	char source[sizeof p->inside + 2];
	if (!target)
		return trm_error_set(why, TRM_ENOMEM, "out of memory");
	int error = -make_dirs(target, 0777);
	if (error)
		return trm_error_set(why, TRM_EIO, "%s cannot be made: %s", p->opts->out, strerror(error));
	snprintf(source, sizeof source, "%s/.", p->inside);
	const char *const sources[] = {source, NULL};
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = target,
			.own = p->cli_session.sandbox,
			.in_fd = -1,
			.out_fd = -1,
			.one_system = true,
			.wants = is_written,
			.unless_changed_since_ns = p->begun_ns};
	return trm_copy_start(p->cli_session.loop, &opts, &cb, p, &p->copy, why);
}

static void save_files(struct run_session *p)
{
	struct trm_error why = {0};
	char *target = target_folder(p->opts->out);
	if (!p->cli_session.sandbox)
		end_saving(p, "the sandbox has ended, and its files with it");
	else if (start_saving(p, target, &why) < 0)
		end_saving(p, why.msg);
	free(target);
}

static void on_looked(void *user)
{
	struct run_session *p = user;
	char lost[LOST_NAMES + 120], text[sizeof lost + 160];
	if (!p->is_saving)
		return;
	p->is_saving = false;
	if (!p->lost.count)
		return;
	lost_files_describe(&p->lost, lost, sizeof lost);
	snprintf(text, sizeof text, "%s: --out DIR saves them in DIR, and --keep keeps the sandbox", lost);
	run_session_message(p, text);
}

void run_session_look_for_files(struct run_session *p)
{
	const struct trm_sandbox *s = p->cli_session.sandbox;
	bool is_at_end = p->next_to_leave == trm_lang_count() && !p->was_interrupted;
	if (!p->lost.is_known || (s && lost_files_is_mounted(&p->lost)))
		return;
	p->is_saving = true;
	if (p->opts->out)
		save_files(p);
	else if (s && is_at_end && tells_losses(p))
		lost_files_look(&p->lost);
	else
		p->is_saving = false;
}
