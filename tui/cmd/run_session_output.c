/* SPDX-License-Identifier: MIT */
/* The output, input and results of the runs of one session. */
#include "cmd/run_session_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/findings.h"
#include "cmd/json_out.h"
#include "cmd/source.h"
#include "stream/option_names.h"

/* ---- messages ------------------------------------------------------------------ */

void run_session_end(struct run_session *p, int exit_code)
{
	bool is_first = !p->is_over;
	p->exit_code = exit_code;
	p->is_over = true;
	if (is_first)
		run_session_look_for_files(p);
}

void run_session_message(struct run_session *p, const char *text)
{
	char words[HINT], line[HINT + 16];
	snprintf(line, sizeof line, "terrarium: %s", option_names_put(text, words, sizeof words));
	sink_line(&p->err, line);
}

/* ---- output --------------------------------------------------------------------- */

static void on_cmd_run_released(void *user, size_t n)
{
	struct run_session *p = user;
	if (p->run && !p->opts->is_json)
		trm_run_consumed(p->run, n);
}

static void on_cmd_run_broken(void *user, struct sink *sink, int saved_errno)
{
	struct run_session *p = user;
	if (sink != &p->out)
		return;
	if (saved_errno == EPIPE) {
		p->is_pipe_broken = true;
	} else {
		char text[200];
		snprintf(text, sizeof text, "cannot write the output: %s", strerror(saved_errno));
		run_session_message(p, text);
	}
	run_session_end(p, CMD_FAILED);
}

const struct sink_cb run_session_sink_cb = {.released = on_cmd_run_released, .broken = on_cmd_run_broken};

void run_session_on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct run_session *p = user;
	(void)run;
	if (stream == TRM_STDERR)
		tail_note(&p->tail, bytes, n);
	if (!p->opts->is_json)
		sink_write(stream == TRM_STDERR ? &p->err : &p->out, bytes, n);
	else if (p->is_leaving && sink_held(&p->err) < LATE_HELD_MAX)
		sink_pass(&p->err, bytes, n); /* stdout has the results, which were printed already */
}

void run_session_on_installing(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
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

void run_session_on_started(void *user, struct trm_run *run)
{
	struct run_session *p = user;
	progress_clear(&p->cli_session.progress);
	if (!p->first_number)
		p->first_number = trm_run_number(run);
}

void run_session_on_late(void *user, const struct trm_lang *lang, uint64_t number, int stream,
		const void *bytes, size_t n)
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
	run_session_message(user, text);
}

const struct displays_out run_session_displays_out = {.text = show_text, .note = show_note};

void run_session_on_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct run_session *p = user;
	if (!p->opts->is_json)
		displays_add(&p->displays, trm_run_number(run), display, &run_session_displays_out, p);
}

/* ---- input ------------------------------------------------------------------------ */

static size_t on_cmd_run_feed_queued(void *user)
{
	struct run_session *p = user;
	return p->run && p->source->kind != SOURCE_STDIN && !p->is_leaving ? trm_run_queued(p->run)
									   : SIZE_MAX;
}

static void on_cmd_run_feed_bytes(void *user, const void *bytes, size_t n)
{
	struct run_session *p = user;
	echo_off_end(&p->echo_off);
	struct trm_error why = {0};
	if (trm_run_write(p->run, bytes, n, &why) < 0 && why.code != TRM_ECLOSED)
		run_session_message(p, why.msg);
}

static void on_cmd_run_feed_eof(void *user)
{
	struct run_session *p = user;
	if (p->run && p->source->kind != SOURCE_STDIN && !p->is_leaving)
		trm_run_close_stdin(p->run);
}

static void on_cmd_run_feed_broken(void *user, const char *why)
{
	struct run_session *p = user;
	run_session_message(p, why);
	if (p->exit_code == 0)
		p->exit_code = CMD_FAILED;
}

void run_session_on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	struct run_session *p = user;
	(void)run;
	if (!p->source->lang->prints_prompts && isatty(STDIN_FILENO))
		sink_pass(&p->err, prompt, strlen(prompt));
	if (is_secret)
		echo_off_begin(&p->echo_off, STDIN_FILENO);
}

const struct stdin_feed_cb run_session_stdin_cb = {.queued = on_cmd_run_feed_queued,
		.bytes = on_cmd_run_feed_bytes,
		.eof = on_cmd_run_feed_eof,
		.broken = on_cmd_run_feed_broken};

/* ---- results ------------------------------------------------------------------------ */

void run_session_print_error(struct run_session *p, const struct trm_result *result)
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
		run_session_message(p, result->reason);
	if (result->hint && !p->cli_session.is_closing)
		run_session_message(p, result->hint);
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
	displays_save_all(&p->displays, printed.displays, printed.n_displays, &run_session_displays_out, p);
	char *json = trm_result_to_json(&printed);
	for (size_t i = 0; i < printed.n_displays; i++)
		free((char *)printed.displays[i].path);
	free(printed.displays);
	return json;
}

/* Where a hint is given. */
struct hint_place {
	const struct trm_sandbox *sandbox;
	enum install_hint_kind kind;
	const char *file; /* of the code; NULL: it is from none */
};

/* Does the code want a file that lies on this machine? */
static bool find_file_hint(struct run_session *p, const struct trm_result *result,
		const struct hint_place *at, char out[HINT])
{
	const char *words[] = {result->error_message ? result->error_message : "", tail_text(&p->tail)};
	bool is_found = false;
	for (size_t i = 0; i < 2 && result->status == TRM_STATUS_ERROR && !is_found; i++)
		is_found = missing_file_hint(at->sandbox, at->kind, at->file, words[i], out);
	return is_found;
}

/* Advice is for everybody, but the command that brings a package only for a person. */
static const char *find_hint(struct run_session *p, const struct trm_result *result, char out[HINT],
		bool *ret_is_for_person)
{
	const struct trm_sandbox *sandbox = p->cli_session.sandbox;
	bool stays = sandbox && trm_sandbox_survives_close(sandbox);
	const struct hint_place at = {.sandbox = sandbox,
			.kind = stays ? INSTALL_HINT_NAME : INSTALL_HINT_RUN,
			.file = p->source->kind == SOURCE_FILE ? p->source->name : NULL};
	*ret_is_for_person = false;
	if (result->hint)
		return result->hint;
	if (find_file_hint(p, result, &at, out)
			|| install_hint_of_words(sandbox, tail_text(&p->tail), at.kind, at.file, out))
		return out;
	*ret_is_for_person = true;
	return install_hint_of_result(result, at.kind, stays ? trm_sandbox_name(sandbox) : "", at.file, out)
			       ? out
			       : NULL;
}

void run_session_print_result(struct run_session *p, const struct trm_result *result)
{
	char words[HINT];
	bool is_for_person;
	const char *hint = find_hint(p, result, words, &is_for_person);
	if (p->opts->is_json) {
		struct trm_result hinted = *result;
		hinted.hint = (char *)hint;
		char *json = make_json(p, &hinted);
		if (json)
			sink_line(&p->out, json);
		else
			run_session_message(p, "out of memory while printing a result");
		free(json);
		return;
	}
	if (result->value && p->source->kind != SOURCE_FILE && !displays_have_value(result))
		sink_line(&p->out, result->value);
	run_session_print_error(p, result);
	if (hint && hint == words && (!is_for_person || isatty(STDERR_FILENO)))
		run_session_message(p, hint);
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
