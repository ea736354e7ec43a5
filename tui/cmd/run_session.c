/* SPDX-License-Identifier: MIT */
#include "cmd/run_session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/collect.h"
#include "cmd/findings.h"
#include "cmd/json_out.h"
#include "cmd/missing_file.h"
#include "cmd/source.h"
#include "stream/cli_session.h"
#include "stream/displays.h"
#include "stream/echo_off.h"
#include "stream/exit_code.h"
#include "stream/install_hint.h"
#include "stream/option_names.h"
#include "stream/sink.h"
#include "stream/stdin_feed.h"

/* Theory of operation. Sandbox, session and first run are requested at once and start in parallel. Each run
 * starts the next one when it ends. Output is streamed with manual credit: bytes that stdout has not taken
 * hold up the code. After the last run the sandbox is closed, and the program ends when the sandbox has
 * ended. */

enum { LATE_HELD_MAX = 8 << 20, TAIL_BYTES = 4096 };

struct run_session {
	const struct run_session_opts *opts;
	size_t next; /* index of the next source */
	/* Index of the next language whose interpreter must end, after all sources. */
	unsigned next_to_leave;
	bool is_leaving;
	struct cli_session cli_session;
	struct trm_session *session;
	struct trm_run *run;              /* NULL between runs */
	const struct source *source;      /* source of that run */
	struct trm_copy *copy;            /* copy of the folder, before the first run; NULL: none */
	struct trm_sandbox_opts asked;    /* options from the config; the members below point to its texts */
	char inside[TRM_INSIDE_PATH + 1]; /* target of the folder */
	/* For each run; env is NULL-terminated; NULL: as in the sandbox. */
	const char *env[TRM_ENV_MAX + 1], *cwd;
	uint64_t first_number; /* number of the first run; 0 until it has started */
	struct sink out, err;
	struct stdin_feed stdin_feed;
	struct displays displays;
	struct collect *collect;    /* NULL: no files are collected */
	struct trm_result *waiting; /* result that is printed when its files have been fetched */
	struct echo_off echo_off;   /* while a password is typed */
	char tail[TAIL_BYTES + 1];  /* the end of the run's stderr */
	size_t tail_n;
	int exit_code;
	bool is_over;         /* no further run will start */
	bool was_interrupted; /* by the person, who wants no further run */
	bool is_pipe_broken;  /* stdout has no reader */
};

enum { HINT = (int)MISSING_FILE_HINT > (int)INSTALL_HINT ? (int)MISSING_FILE_HINT : (int)INSTALL_HINT };

/* ---- the end ------------------------------------------------------------------ */

static void end_session(struct run_session *p, int exit_code)
{
	p->exit_code = exit_code;
	p->is_over = true;
}

/* Print a message of terrarium itself. */
static void print_message(struct run_session *p, const char *text)
{
	char words[HINT], line[HINT + 16];
	snprintf(line, sizeof line, "terrarium: %s", option_names_put(text, words, sizeof words));
	sink_line(&p->err, line);
}

/* ---- output --------------------------------------------------------------------- */

static void on_released(void *user, size_t n)
{
	struct run_session *p = user;
	if (p->run && !p->opts->is_json)
		trm_run_consumed(p->run, n);
}

static void on_broken(void *user, struct sink *sink, int saved_errno)
{
	struct run_session *p = user;
	if (sink != &p->out)
		return;
	if (saved_errno == EPIPE) {
		p->is_pipe_broken = true;
	} else {
		char text[200];
		snprintf(text, sizeof text, "cannot write the output: %s", strerror(saved_errno));
		print_message(p, text);
	}
	end_session(p, CMD_FAILED);
}

static const struct sink_cb sink_cb = {.released = on_released, .broken = on_broken};

static void keep_tail(struct run_session *p, const char *bytes, size_t n)
{
	size_t new = n < TAIL_BYTES ? n : TAIL_BYTES, old = p->tail_n;
	if (old + new > TAIL_BYTES)
		old = TAIL_BYTES - new;
	memmove(p->tail, p->tail + p->tail_n - old, old);
	memcpy(p->tail + old, bytes + n - new, new);
	p->tail_n = old + new;
}

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct run_session *p = user;
	(void)run;
	if (stream == TRM_STDERR)
		keep_tail(p, bytes, n);
	if (!p->opts->is_json)
		sink_write(stream == TRM_STDERR ? &p->err : &p->out, bytes, n);
	else if (p->is_leaving && sink_held(&p->err) < LATE_HELD_MAX)
		sink_pass(&p->err, bytes, n); /* stdout has the results, which were printed already */
}

/* Show the last line of pip or npm next to the packages that are being installed. */
static void on_installing(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct run_session *p = user;
	char words[256], line[160] = "";
	const char *text = bytes, *end = memrchr(text, '\n', n);
	size_t len = 0;
	(void)run;
	(void)stream;
	if (!n)
		progress_init(&p->cli_session.progress, trm_loop_now_ns(p->cli_session.loop));
	if (end) {
		const char *before = memrchr(text, '\n', (size_t)(end - text));
		const char *begin = before ? before + 1 : text;
		trm_text_clean_line(line, sizeof line, begin, (size_t)(end - begin));
	}
	for (char **name = p->source->libraries; *name && len < sizeof words; name++)
		len += (size_t)snprintf(words + len, sizeof words - len, "%s%s",
				name == p->source->libraries ? "installing " : ", ", *name);
	if (*line && len < sizeof words)
		snprintf(words + len, sizeof words - len, " - %s", line);
	progress_say(&p->cli_session.progress, words, trm_loop_now_ns(p->cli_session.loop));
}

static void on_started(void *user, struct trm_run *run)
{
	struct run_session *p = user;
	progress_clear(&p->cli_session.progress);
	if (!p->first_number)
		p->first_number = trm_run_number(run);
}

/* Output after the end of a run of this program. Late output of other runs in the sandbox is not printed.
 * With --json, stdout has only results. */
static void on_late(void *user, const struct trm_lang *lang, uint64_t number, int stream, const void *bytes,
		size_t n)
{
	struct run_session *p = user;
	(void)lang;
	bool is_ours = p->first_number && number >= p->first_number;
	/* Nobody knows which run started the timer that printed this. A shared sandbox lives on, so its late
	 * output is not awaited. */
	if (!is_ours || (p->is_over && cli_session_is_shared(&p->cli_session)))
		return;
	struct sink *sink = stream == TRM_STDERR || p->opts->is_json ? &p->err : &p->out;
	/* Late output is not held up by a slow reader, as the output of a run is. */
	if (sink_held(sink) < LATE_HELD_MAX)
		sink_pass(sink, bytes, n);
}

/* Texts go to the stdout of the run, so that a pipe gets them. With JSON the result has all displays. */
static void show_text(void *user, const char *text)
{
	struct run_session *p = user;
	if (!p->opts->is_json)
		sink_line(&p->out, text);
}

static void show_note(void *user, const char *text)
{
	print_message(user, text);
}

static const struct displays_out displays_out = {.text = show_text, .note = show_note};

static void on_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct run_session *p = user;
	if (!p->opts->is_json)
		displays_add(&p->displays, trm_run_number(run), display, &displays_out, p);
}

/* ---- input ------------------------------------------------------------------------ */

static size_t on_feed_queued(void *user)
{
	struct run_session *p = user;
	return p->run && p->source->kind != SOURCE_STDIN && !p->is_leaving ? trm_run_queued(p->run)
									   : SIZE_MAX;
}

static void on_feed_bytes(void *user, const void *bytes, size_t n)
{
	struct run_session *p = user;
	echo_off_end(&p->echo_off);
	struct trm_error why = {0};
	if (trm_run_write(p->run, bytes, n, &why) < 0 && why.code != TRM_ECLOSED)
		print_message(p, why.msg);
}

static void on_feed_eof(void *user)
{
	struct run_session *p = user;
	if (p->run && p->source->kind != SOURCE_STDIN && !p->is_leaving)
		trm_run_close_stdin(p->run);
}

static void on_feed_broken(void *user, const char *why)
{
	struct run_session *p = user;
	print_message(p, why);
	if (p->exit_code == 0)
		p->exit_code = CMD_FAILED;
}

static void on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	struct run_session *p = user;
	(void)run;
	if (!p->source->lang->prints_prompts && isatty(STDIN_FILENO))
		sink_pass(&p->err, prompt, strlen(prompt));
	if (is_secret)
		echo_off_begin(&p->echo_off, STDIN_FILENO);
}

static const struct stdin_feed_cb stdin_feed_cb = {.queued = on_feed_queued,
		.bytes = on_feed_bytes,
		.eof = on_feed_eof,
		.broken = on_feed_broken};

/* ---- runs --------------------------------------------------------------------------- */

static void start_next(struct run_session *p);
static void start_listed(struct run_session *p);

static void print_error(struct run_session *p, const struct trm_result *result)
{
	char line[600];
	for (char **row = result->traceback; row && *row; row++)
		sink_line(&p->err, *row);
	if (result->error_name && !(result->traceback && *result->traceback)) {
		snprintf(line, sizeof line, "%s: %s", result->error_name,
				result->error_message ? result->error_message : "");
		sink_line(&p->err, line);
	}
	if (result->reason && !p->cli_session.is_closing)
		print_message(p, result->reason);
	if (result->hint && !p->cli_session.is_closing)
		print_message(p, result->hint);
}

/* Saved displays are in files, and the JSON has their paths. */
static char *make_json(struct run_session *p, const struct trm_result *result)
{
	struct trm_result printed = *result;
	printed.displays = calloc(result->n_displays + 1, sizeof *printed.displays);
	if (!printed.displays)
		return NULL;
	for (size_t i = 0; i < result->n_displays; i++)
		printed.displays[i] = result->displays[i];
	displays_save_all(&p->displays, printed.displays, printed.n_displays, &displays_out, p);
	char *json = trm_result_to_json(&printed);
	for (size_t i = 0; i < printed.n_displays; i++)
		free((char *)printed.displays[i].path);
	free(printed.displays);
	return json;
}

/* Does the program import a file that is next to it on this machine? */
static bool find_neighbor_hint(struct run_session *p, const struct trm_result *result, char out[HINT])
{
	p->tail[p->tail_n] = '\0';
	for (char *at = p->tail; (at = memchr(at, '\0', (size_t)(p->tail + p->tail_n - at)));)
		*at = ' ';
	return p->source->kind == SOURCE_FILE && result->status == TRM_STATUS_ERROR
	       && missing_file_hint(
			       p->source->name, result->error_message ? result->error_message : p->tail, out);
}

/* Is a package missing? */
static bool find_package_hint(const struct run_session *p, const struct trm_result *result, char out[HINT])
{
	const struct trm_sandbox *sandbox = p->cli_session.sandbox;
	bool stays = sandbox && trm_sandbox_survives_close(sandbox);
	return install_hint_of_result(result, stays ? INSTALL_HINT_NAME : INSTALL_HINT_RUN,
			stays ? trm_sandbox_name(sandbox) : "",
			p->source->kind == SOURCE_FILE ? p->source->name : NULL, out);
}

/* Could what the code has started not install something? */
static bool find_refused_hint(const struct run_session *p, char out[HINT])
{
	const struct trm_sandbox *sandbox = p->cli_session.sandbox;
	bool stays = sandbox && trm_sandbox_stays(sandbox);
	return install_hint_of_words(sandbox, p->tail, stays ? INSTALL_HINT_NAME : INSTALL_HINT_RUN,
			p->source->kind == SOURCE_FILE ? p->source->name : NULL, out);
}

static void print_result(struct run_session *p, const struct trm_result *result)
{
	char hint[HINT];
	bool is_neighbor =
			!result->hint && (find_neighbor_hint(p, result, hint) || find_refused_hint(p, hint));
	bool has_hint = is_neighbor || (!result->hint && find_package_hint(p, result, hint));
	if (p->opts->is_json) {
		struct trm_result hinted = *result;
		hinted.hint = has_hint ? hint : result->hint;
		char *json = make_json(p, &hinted);
		if (json)
			sink_line(&p->out, json);
		else
			print_message(p, "out of memory while printing a result");
		free(json);
		return;
	}
	if (result->value && p->source->kind != SOURCE_FILE && !displays_have_value(result))
		sink_line(&p->out, result->value);
	print_error(p, result);
	if (is_neighbor || (has_hint && isatty(STDERR_FILENO)))
		print_message(p, hint);
}

struct trm_result run_refusal(const char *why)
{
	return (struct trm_result){.status = TRM_STATUS_REFUSED,
			.exit_code = CMD_FAILED,
			.reason = (char *)why,
			.is_wall_unknown = true};
}

void run_print_refusal(const char *why, const struct trm_findings *findings)
{
	struct trm_result result = run_refusal(why);
	char *json = trm_result_to_json(&result);
	struct json_out found;
	json_init(&found);
	json_open(&found, NULL, '{');
	findings_put_json(&found, findings);
	json_close(&found, '}');
	/* Join the two objects. */
	if (json && !found.w.error && findings->n)
		printf("%.*s,%.*s\n", (int)strlen(json) - 1, json, (int)found.w.n - 1, found.w.bytes + 1);
	else if (json)
		puts(json);
	json_drop(&found);
	free(json);
	cmd_flush();
}

/* The cells of a notebook build on each other: those behind one that failed are not run. */
static void skip_cells(struct run_session *p)
{
	size_t n = 0;
	char text[200];
	while (p->next < p->opts->n_sources && p->source->file
			&& p->opts->sources[p->next].file == p->source->file) {
		p->next++;
		n++;
	}
	if (n && !p->opts->is_json) {
		snprintf(text, sizeof text, "%.100s failed: %zu cell%s behind it %s not run", p->source->name,
				n, n == 1 ? "" : "s", n == 1 ? "was" : "were");
		print_message(p, text);
	}
}

static void end_run(struct run_session *p, const struct trm_result *result)
{
	print_result(p, result);
	if (p->is_over) /* printing may have ended the program */
		return;
	if (p->exit_code == 0) /* only the first failure is printed */
		p->exit_code = exit_code_of(result);
	if (result->status == TRM_STATUS_LOST || p->was_interrupted) {
		p->is_over = true;
		return;
	}
	if (exit_code_of(result) != 0)
		skip_cells(p);
	start_next(p);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct run_session *p = user;
	(void)run;
	p->run = NULL;
	progress_clear(&p->cli_session.progress);
	displays_end(&p->displays, &displays_out, p);
	echo_off_end(&p->echo_off);
	if (p->is_over)
		return;
	if (p->collect && result->status != TRM_STATUS_LOST && (p->waiting = trm_result_copy(result)))
		collect_end(p->collect, p->cli_session.sandbox);
	else
		end_run(p, result);
}

/* ---- files that a run has written -------------------------------------------------------- */

static void on_collected(void *user, struct trm_display *displays, size_t n)
{
	struct run_session *p = user;
	struct trm_result *result = p->waiting;
	size_t bundle = result->n_displays ? result->displays[result->n_displays - 1].bundle + 1 : 0;
	struct trm_display *all =
			n ? realloc(result->displays, (result->n_displays + n) * sizeof *all) : NULL;
	for (size_t i = 0; i < n; i++) {
		displays[i].bundle = bundle + i;
		displays[i].run = result->number;
		if (all && !p->opts->is_json)
			displays_add(&p->displays, result->number, &displays[i], &displays_out, p);
		if (all)
			all[result->n_displays++] = displays[i];
	}
	if (all)
		result->displays = all;
	free(displays);
	p->waiting = NULL;
	if (!p->is_over)
		end_run(p, result);
	trm_result_free(result);
}

static void on_listed(void *user)
{
	struct run_session *p = user;
	if (!p->is_over)
		start_listed(p);
}

static void note_collecting(void *user, const char *text)
{
	struct run_session *p = user;
	if (!p->is_over)
		print_message(p, text);
}

static const struct collect_cb collect_cb = {
		.listed = on_listed, .collected = on_collected, .note = note_collecting};

static const struct trm_run_cb run_cb = {.installing = on_installing,
		.started = on_started,
		.output = on_output,
		.display = on_display,
		.input = on_input,
		.done = on_done};

/* ---- the end of the program ----------------------------------------------------------- */

static void leave_next(struct run_session *p);

static void on_left(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct run_session *p = user;
	(void)run;
	p->run = NULL;
	if (p->is_over)
		return;
	print_error(p, result);
	if (p->exit_code == 0)
		p->exit_code = exit_code_of(result);
	if (result->status == TRM_STATUS_LOST || p->was_interrupted)
		p->is_over = true;
	else
		leave_next(p);
}

static const struct trm_run_cb leave_cb = {.output = on_output, .done = on_left};

static bool was_used(const struct run_session *p, unsigned lang)
{
	for (size_t i = 0; i < p->opts->n_sources; i++)
		if (p->opts->sources[i].lang->index == lang)
			return true;
	return false;
}

/* Let each interpreter end as it normally does, so that its timers, threads and exit handlers finish. */
static void leave_next(struct run_session *p)
{
	struct trm_error why = {0};
	struct trm_run_opts opts;
	p->is_leaving = true;
	/* In a shared sandbox the interpreters live on, too. */
	while (p->next_to_leave < trm_lang_count()
			&& (cli_session_is_shared(&p->cli_session) || !was_used(p, p->next_to_leave)))
		p->next_to_leave++;
	if (p->next_to_leave == trm_lang_count()) {
		p->is_over = true;
		return;
	}
	trm_run_opts_default(&opts);
	opts.lang = trm_lang_at(p->next_to_leave++);
	opts.manual_credit = !p->opts->is_json;
	if (trm_session_run_exit(p->session, &opts, &leave_cb, p, &p->run, &why) < 0)
		p->is_over = true; /* the sandbox is gone, which on_closed tells */
}

/* List all findings if there are several. The refusal itself names only the first one. */
static void say_findings(struct run_session *p, const struct trm_run_opts *opts)
{
	struct trm_findings found;
	char line[400], text[420];
	if (!p->opts->policy
			|| trm_policy_scan(p->opts->policy, opts->lang, opts->code, opts->code_len, &found,
					   NULL)
					   < 0)
		return;
	for (size_t i = 0; i < found.n && found.n_refused > 1; i++) {
		if (!found.all[i].is_refused)
			continue;
		snprintf(text, sizeof text, "  ! %s", trm_finding_describe(&found.all[i], line, sizeof line));
		sink_line(&p->err, text);
	}
	trm_findings_finish(&found);
}

/* Is this a single file in a sandbox of its own? A named or kept sandbox is meant to keep the state of its
 * interpreter. */
static bool is_program(const struct run_session *p)
{
	return p->opts->n_sources == 1 && p->source->kind == SOURCE_FILE && !*p->opts->config->name
	       && !cli_session_is_shared(&p->cli_session);
}

/* The path inside of the sandbox of a file in the copied folder. NULL: the file is elsewhere. The caller
 * frees it. */
static char *name_inside(const struct run_session *p)
{
	char *dir = p->opts->dir ? realpath(p->opts->dir, NULL) : NULL;
	char *file = dir ? realpath(p->source->name, NULL) : NULL, *name = NULL;
	size_t n = dir ? strlen(dir) : 0;
	if (file && !strncmp(file, dir, n) && file[n] == '/')
		name = strdup(file + n + 1);
	free(dir);
	free(file);
	return name;
}

static void start_next(struct run_session *p)
{
	if (p->next == p->opts->n_sources) {
		leave_next(p);
		return;
	}
	p->source = &p->opts->sources[p->next++];
	if (p->collect)
		collect_begin(p->collect, p->cli_session.sandbox);
	else
		start_listed(p);
}

static void start_listed(struct run_session *p)
{
	struct trm_error why = {0};
	struct trm_run_opts opts;
	trm_run_opts_default(&opts);
	opts.lang = p->source->lang;
	opts.code = p->source->text;
	opts.code_len = p->source->n;
	char *inside = p->source->kind == SOURCE_FILE ? name_inside(p) : NULL;
	bool has_name = p->source->kind == SOURCE_FILE || p->source->kind == SOURCE_CELL;
	opts.filename = inside ? inside : has_name ? p->source->name : NULL;
	opts.is_program = is_program(p);
	opts.args = p->opts->args;
	opts.libraries = (const char *const *)p->source->libraries;
	opts.no_plots = p->opts->no_plots;
	opts.env = p->env[0] ? p->env : NULL;
	opts.cwd = p->cwd;
	opts.offers_stdin = p->source->kind != SOURCE_STDIN && !p->stdin_feed.is_ended;
	opts.waits_for_person = isatty(STDIN_FILENO);
	opts.manual_credit = !p->opts->is_json;
	int r = trm_session_run(p->session, &opts, &run_cb, p, &p->run, &why);
	free(inside);
	if (r < 0) {
		struct trm_result refusal = run_refusal(why.msg);
		if (p->opts->is_json)
			print_result(p, &refusal);
		print_message(p, why.msg);
		if (why.code == TRM_EPERM)
			say_findings(p, &opts);
		end_session(p, CMD_FAILED);
		return;
	}
	p->tail_n = 0;
	stdin_feed_restart(&p->stdin_feed);
}

/* A sandbox that was started for these runs has the variables and folder of the config. One that ran before
 * gets them for each run. */
static void take_own_env(struct run_session *p)
{
	size_t n = 0;
	if (!trm_sandbox_is_attached(p->cli_session.sandbox))
		return;
	trm_config_sandbox_opts(p->opts->config, &p->asked);
	for (size_t i = 0; p->opts->has_env && i < p->asked.n_env; i++)
		p->env[n++] = p->asked.env[i];
	p->cwd = p->opts->has_workdir ? p->asked.workdir : NULL;
}

/* ---- the copied folder -------------------------------------------------------- */

static void on_refused_file(void *user, const struct trm_error *why)
{
	print_message(user, why->msg);
}

static void on_copied(void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct run_session *p = user;
	(void)progress;
	p->copy = NULL;
	if (p->is_over)
		return;
	if (why->code == TRM_OK) {
		start_next(p);
		return;
	}
	struct trm_result refusal = run_refusal(why->msg);
	if (p->opts->is_json)
		print_result(p, &refusal);
	print_message(p, why->msg);
	end_session(p, why->code == TRM_ECANCELED ? CMD_SIGNALED + SIGINT : CMD_FAILED);
}

static int begin_copy(struct run_session *p, struct trm_error *reterr)
{
	static const struct trm_copy_cb cb = {.refused = on_refused_file, .done = on_copied};
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

static void begin_next_source(struct run_session *p)
{
	struct trm_error why = {0};
	if (!p->opts->dir) {
		start_next(p);
	} else if (begin_copy(p, &why) < 0) {
		print_message(p, why.msg);
		end_session(p, CMD_FAILED);
	}
}

/* ---- the session ------------------------------------------------------------------------ */

/* A running sandbox may have started the run before its answer arrives here. */
static bool may_be_running(const struct run_session *p)
{
	const struct trm_sandbox *s = p->cli_session.sandbox;
	return p->run && (trm_sandbox_is_ready(s) || (trm_sandbox_is_attached(s) && !p->was_interrupted));
}

static void on_interrupt(void *user)
{
	struct run_session *p = user;
	bool is_to_be_reported = !p->is_over && may_be_running(p);
	p->was_interrupted = true;
	if (p->copy) {
		trm_copy_cancel(p->copy);
		return;
	}
	if (p->is_over) /* only output is left, which nobody reads */
		cli_session_close(&p->cli_session);
	else if (is_to_be_reported)
		trm_run_interrupt(p->run); /* the second interrupt kills at once */
	else
		end_session(p, CMD_SIGNALED + SIGINT);
}

static void on_closed(void *user, const struct trm_error *why)
{
	struct run_session *p = user;
	if (why->code == TRM_OK || p->is_over)
		return;
	print_message(p, why->msg);
	end_session(p, CMD_FAILED);
}

/* In a shared sandbox the run would continue, and nobody would enforce its time limit. */
static bool on_signal(void *user, int signo)
{
	struct run_session *p = user;
	if (!cli_session_is_shared(&p->cli_session) || p->is_over || !may_be_running(p))
		return false;
	p->was_interrupted = true;
	p->cli_session.ended_by = signo;
	trm_run_interrupt(p->run);
	return true;
}

static bool is_stuck(void *user)
{
	struct run_session *p = user;
	return sinks_are_stuck(&p->out, &p->err);
}

static const struct cli_session_cb cli_session_cb = {
		.interrupt = on_interrupt, .signal = on_signal, .is_stuck = is_stuck, .closed = on_closed};
static const struct trm_session_cb session_cb = {.late = on_late};

/* A sandbox without a chosen name: print its name, so that the person can find it again. */
static void note_kept(const struct run_session *p)
{
	const struct trm_sandbox *s = p->cli_session.sandbox;
	if (s && trm_sandbox_is_kept(s) && !trm_sandbox_is_attached(s) && !*p->opts->config->name)
		fprintf(stderr,
				"terrarium: sandbox %s is kept: 'terrarium attach %s' opens it, 'terrarium stop "
				"%s' ends it\n",
				trm_sandbox_name(s), trm_sandbox_name(s), trm_sandbox_name(s));
}

static int open_run_session(struct run_session *p, struct trm_error *reterr)
{
	struct trm_session_opts opts;
	int r = cli_session_open(&p->cli_session, p->opts->config, CLI_SESSION_EITHER, p->opts->asked,
			&cli_session_cb, p, reterr);
	if (r < 0)
		return r;
	cmd_note_hints(p->cli_session.sandbox);
	trm_config_session_opts(p->opts->config, &opts);
	opts.is_shared = true;
	opts.client = "terrarium run";
	opts.policy = p->opts->policy;
	opts.net_credentials = p->opts->config->net_credentials;
	/* Nobody watches the steps, so there are only two: interrupt, kill. */
	opts.terminate_grace_ms = 0;
	if (!p->opts->is_json)
		opts.output_keep_bytes = 0; /* the output was sent already and is not requested again */
	r = trm_session_open(p->cli_session.sandbox, &opts, &session_cb, p, &p->session, reterr);
	if (r < 0)
		return r;
	sink_init(&p->out, p->cli_session.loop, STDOUT_FILENO, FILTER_LINES, &sink_cb, p);
	sink_init(&p->err, p->cli_session.loop, STDERR_FILENO, FILTER_LINES, &sink_cb, p);
	stdin_feed_init(&p->stdin_feed, p->cli_session.loop, STDIN_FILENO, &stdin_feed_cb, p);
	return 0;
}

static bool has_output_left(const struct run_session *p)
{
	return !p->cli_session.is_closing && (!sink_is_empty(&p->out) || !sink_is_empty(&p->err));
}

static int perform_session(struct run_session *p)
{
	struct trm_error why = {0};
	if (open_run_session(p, &why) < 0) {
		p->exit_code = cmd_fail("%s", why.msg);
		if (p->opts->is_json)
			run_print_refusal(why.msg, &(struct trm_findings){0});
	} else {
		stdin_feed_begin(&p->stdin_feed);
		take_own_env(p);
		begin_next_source(p);
		while (!p->cli_session.is_closing && (!p->is_over || has_output_left(p))) {
			stdin_feed_turn(&p->stdin_feed);
			trm_loop_step(p->cli_session.loop, stdin_feed_is_hungry(&p->stdin_feed) ? 0 : -1);
		}
		p->is_over = true;
	}
	for (; p->copy && trm_loop_step(p->cli_session.loop, 100) >= 0;)
		trm_copy_cancel(p->copy);
	echo_off_end(&p->echo_off);
	stdin_feed_finish(&p->stdin_feed);
	note_kept(p);
	/* Close the sandbox first. Then runs that end with the connection need no messages. */
	cli_session_close(&p->cli_session);
	trm_session_close(p->session);
	sink_finish(&p->out);
	sink_finish(&p->err);
	int code = p->cli_session.ended_by ? CMD_SIGNALED + p->cli_session.ended_by : p->exit_code;
	cli_session_end(&p->cli_session);
	cli_session_finish(&p->cli_session);
	return cli_session_code(&p->cli_session, code);
}

int run_session(const struct run_session_opts *opts, bool *ret_is_pipe_broken)
{
	struct run_session p = {
			.opts = opts, .displays = {.dir = opts->figures, .saves_all = opts->saves_all}};
	if (opts->collect && !(p.collect = collect_create(opts->collect, &collect_cb, &p)))
		return cmd_fail("out of memory");
	int code = perform_session(&p);
	displays_finish(&p.displays);
	trm_result_free(p.waiting);
	collect_destroy(p.collect);
	*ret_is_pipe_broken = p.is_pipe_broken;
	return code;
}
