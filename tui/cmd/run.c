/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "cmd/feed.h"
#include "cmd/sink.h"
#include "cmd/source.h"
#include "cmd/stage.h"

/* Theory of operation. All sources are read and checked, and the person is asked, before
 * anything starts. Then sandbox, session and first run are asked for at once and work behind
 * each other's back; each run starts the next one when it is done. Output is
 * streamed with manual credit: what stdout has not taken holds the code back. After the last
 * run the sandbox is closed, and the program ends when that is gone. */

struct play {
	struct trm_config config;
	struct source *sources;
	size_t n_sources, next;
	bool is_json;
	struct stage stage;
	struct trm_session *session;
	struct trm_run *run;         /* NULL between runs */
	const struct source *source; /* of that run */
	struct sink out, err;
	struct feed feed;
	int exit_code;
	bool is_over;        /* no further run will start */
	bool is_pipe_broken; /* nobody reads stdout any more */
};

/* ---- the end ------------------------------------------------------------------ */

static void finish(struct play *p)
{
	p->is_over = true;
}

static void finish_with(struct play *p, int exit_code)
{
	p->exit_code = exit_code;
	p->is_over = true;
}

/* What terrarium itself has to say. */
static void say(struct play *p, const char *text)
{
	char line[600];
	snprintf(line, sizeof line, "terrarium: %s", text);
	sink_line(&p->err, line);
}

/* ---- output --------------------------------------------------------------------- */

static void on_released(void *user, size_t n)
{
	struct play *p = user;
	if (p->run && !p->is_json)
		trm_run_consumed(p->run, n);
}

static void on_broken(void *user, struct sink *sink, int saved_errno)
{
	struct play *p = user;
	if (sink != &p->out)
		return;
	if (saved_errno == EPIPE) {
		p->is_pipe_broken = true;
	} else {
		char text[200];
		snprintf(text, sizeof text, "cannot write the output: %s", strerror(saved_errno));
		say(p, text);
	}
	finish_with(p, CMD_FAILED);
}

static const struct sink_cb sink_cb = {.released = on_released, .broken = on_broken};

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct play *p = user;
	(void)run;
	if (!p->is_json)
		sink_write(stream == TRM_STDERR ? &p->err : &p->out, bytes, n);
}

/* Output of something that outlived its run. With --json stdout is for results alone. */
static void on_late(void *user, const struct trm_lang *lang, uint64_t number, int stream, const void *bytes,
		size_t n)
{
	struct play *p = user;
	(void)lang;
	(void)number;
	struct sink *sink = stream == TRM_STDERR || p->is_json ? &p->err : &p->out;
	size_t owed = sink->owed;
	sink_write(sink, bytes, n);
	if (sink->owed)
		sink->owed = owed; /* no credit is due for it */
}

static void on_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct play *p = user;
	char text[200];
	(void)run;
	if (p->is_json)
		return;
	snprintf(text, sizeof text, "a display of type %.60s (%zu bytes); --json prints it", display->mime,
			display->n);
	say(p, text);
}

/* ---- input ------------------------------------------------------------------------ */

static size_t on_feed_queued(void *user)
{
	struct play *p = user;
	return p->run && p->source->kind != SOURCE_STDIN ? trm_run_queued(p->run) : SIZE_MAX;
}

static void on_feed_bytes(void *user, const void *bytes, size_t n)
{
	struct play *p = user;
	struct trm_error why = {0};
	if (trm_run_send(p->run, bytes, n, &why) < 0 && why.code != TRM_ECLOSED)
		say(p, why.msg);
}

static void on_feed_eof(void *user)
{
	struct play *p = user;
	if (p->run && p->source->kind != SOURCE_STDIN)
		trm_run_send_eof(p->run);
}

static const struct feed_cb feed_cb = {.queued = on_feed_queued, .bytes = on_feed_bytes, .eof = on_feed_eof};

/* ---- runs --------------------------------------------------------------------------- */

static void start_next(struct play *p);

static void print_error(struct play *p, const struct trm_result *result)
{
	char line[600];
	for (char **row = result->traceback; row && *row; row++)
		sink_line(&p->err, *row);
	if (result->error_name && !(result->traceback && *result->traceback)) {
		snprintf(line, sizeof line, "%s: %s", result->error_name,
				result->error_message ? result->error_message : "");
		sink_line(&p->err, line);
	}
	if (result->reason && !p->stage.is_closing)
		say(p, result->reason);
}

static void print_result(struct play *p, const struct trm_result *result)
{
	if (p->is_json) {
		char *json = trm_result_to_json(result);
		if (json)
			sink_line(&p->out, json);
		else
			say(p, "out of memory while printing a result");
		free(json);
		return;
	}
	if (result->value && p->source->kind != SOURCE_FILE)
		sink_line(&p->out, result->value);
	print_error(p, result);
}

/* The code's own, where it got to have one. */
static int exit_code_of(const struct trm_result *result)
{
	bool went_wrong = result->status != TRM_STATUS_OK && result->exit_code == 0;
	return went_wrong || result->status == TRM_STATUS_LOST ? CMD_FAILED : result->exit_code;
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct play *p = user;
	(void)run;
	p->run = NULL;
	if (p->is_over)
		return;
	print_result(p, result);
	if (p->is_over) /* printing may have been the end */
		return;
	p->exit_code = exit_code_of(result);
	if (p->exit_code == 0)
		start_next(p);
	else
		finish(p);
}

static const struct trm_run_cb run_cb = {.output = on_output, .display = on_display, .done = on_done};

static void start_next(struct play *p)
{
	struct trm_error why = {0};
	struct trm_run_opts opts;
	if (p->next == p->n_sources) {
		finish(p);
		return;
	}
	p->source = &p->sources[p->next++];
	trm_run_opts_default(&opts);
	opts.lang = p->source->lang;
	opts.code = p->source->text;
	opts.code_len = p->source->n;
	opts.filename = p->source->kind == SOURCE_FILE ? p->source->name : NULL;
	opts.offers_stdin = p->source->kind != SOURCE_STDIN;
	opts.manual_credit = !p->is_json;
	if (trm_session_run(p->session, &opts, &run_cb, p, &p->run, &why) < 0) {
		say(p, why.msg);
		finish_with(p, CMD_FAILED);
		return;
	}
	feed_restart(&p->feed);
}

/* ---- the stage ------------------------------------------------------------------------ */

static void on_interrupt(void *user)
{
	struct play *p = user;
	if (p->run && trm_sandbox_is_ready(p->stage.sandbox))
		trm_run_interrupt(p->run); /* a second one kills at once */
	else
		finish_with(p, CMD_SIGNALLED + SIGINT);
}

static void on_closed(void *user, const struct trm_error *why)
{
	struct play *p = user;
	if (why->code == TRM_OK || p->is_over)
		return;
	say(p, why->msg);
	finish_with(p, CMD_FAILED);
}

static const struct stage_cb stage_cb = {.interrupt = on_interrupt, .closed = on_closed};
static const struct trm_session_cb session_cb = {.late = on_late};

static int open_all(struct play *p, struct trm_error *reterr)
{
	struct trm_session_opts opts;
	int r = stage_open(&p->stage, &p->config, &stage_cb, p, reterr);
	if (r < 0)
		return r;
	trm_config_session_opts(&p->config, &opts);
	r = trm_session_open(p->stage.sandbox, &opts, &session_cb, p, &p->session, reterr);
	if (r < 0)
		return r;
	sink_init(&p->out, p->stage.loop, STDOUT_FILENO, FILTER_LINES, &sink_cb, p);
	sink_init(&p->err, p->stage.loop, STDERR_FILENO, FILTER_LINES, &sink_cb, p);
	feed_init(&p->feed, p->stage.loop, STDIN_FILENO, &feed_cb, p);
	return 0;
}

static bool has_output_left(const struct play *p)
{
	return !p->stage.is_closing && (!sink_is_empty(&p->out) || !sink_is_empty(&p->err));
}

static int play(struct play *p)
{
	struct trm_error why = {0};
	if (open_all(p, &why) < 0) {
		p->exit_code = cmd_fail("%s", why.msg);
	} else {
		start_next(p);
		while (!p->stage.is_closing && (!p->is_over || has_output_left(p))) {
			feed_turn(&p->feed);
			trm_loop_step(p->stage.loop, feed_is_hungry(&p->feed) ? 0 : -1);
		}
		p->is_over = true;
	}
	feed_finish(&p->feed);
	trm_session_close(p->session);
	stage_close(&p->stage);
	sink_finish(&p->out);
	sink_finish(&p->err);
	stage_finish(&p->stage);
	if (p->stage.ended_by)
		return CMD_SIGNALLED + p->stage.ended_by;
	return p->exit_code;
}

/* ---- the command line -------------------------------------------------------------------- */

enum { OPTION_CODE, OPTION_JSON };

static const struct option_spec options[] = {
		[OPTION_CODE] = {"--code", 'c', "CODE", "run this text; may be given several times"},
		[OPTION_JSON] = {"--json", 0, NULL,
				"print one JSON object per run, with everything about it"},
		{0},
};

static bool add_source(struct play *p, enum source_kind kind, const char *name)
{
	if (kind == SOURCE_FILE && !strcmp(name, "-"))
		kind = SOURCE_STDIN;
	for (size_t i = 0; kind == SOURCE_STDIN && i < p->n_sources; i++)
		if (p->sources[i].kind == SOURCE_STDIN) {
			cmd_fail("'-' was given twice, but standard input can be read only once");
			return false;
		}
	struct source *grown = realloc(p->sources, (p->n_sources + 1) * sizeof *grown);
	if (!grown) {
		cmd_fail("out of memory");
		return false;
	}
	p->sources = grown;
	p->sources[p->n_sources++] = (struct source){.kind = kind, .name = name};
	return true;
}

/* OPTIONS_END, or what ended it early. */
static int parse(struct play *p, struct options *o)
{
	for (;;) {
		int got = options_next(o);
		if (got == OPTION_JSON)
			p->is_json = true;
		else if (got == OPTION_CODE || got == OPTIONS_OPERAND) {
			if (!add_source(p, got == OPTION_CODE ? SOURCE_ARGUMENT : SOURCE_FILE, o->value))
				return OPTIONS_WRONG;
		} else
			return got;
	}
}

static int find_language(const char *name, const struct trm_lang **ret)
{
	struct trm_error why = {0};
	if (!*name)
		name = trm_lang_get(TRM_LANG_PYTHON)->name;
	return trm_lang_find(name, ret, &why) < 0 ? cmd_fail("%s", why.msg) : 0;
}

/* Read everything that will run, and settle in which language. 0 or an exit code. */
static int read_sources(struct play *p, bool is_forced)
{
	const struct trm_lang *lang;
	if (find_language(p->config.language, &lang))
		return CMD_FAILED;
	for (size_t i = 0; i < p->n_sources; i++) {
		struct source *s = &p->sources[i];
		struct trm_error why = {0};
		if (source_read(s, &why) < 0 || source_guess(s, is_forced ? lang : NULL, lang, &why) < 0)
			return cmd_fail("%s", why.msg);
	}
	return 0;
}

static int ask(const struct play *p)
{
	if (!p->config.confirm)
		return 0;
	switch (confirm_runs(&p->config, p->sources, p->n_sources)) {
	case CONFIRM_YES: return 0;
	case CONFIRM_NO: return cmd_fail("nothing was run");
	case CONFIRM_NOBODY: break;
	}
	return cmd_fail("there is no terminal to ask on before code is run; give --yes to run it without asking");
}

static int run_parsed(struct play *p, const struct options *o)
{
	if (!p->n_sources && isatty(STDIN_FILENO))
		return cmd_fail("nothing to run: give a FILE, - for standard input, or -c CODE");
	if (!p->n_sources && !add_source(p, SOURCE_STDIN, "-"))
		return CMD_FAILED;
	if (options_config(o, &p->config) < 0)
		return CMD_FAILED;
	int code = read_sources(p, options_has(o, "language"));
	if (code == 0)
		code = ask(p);
	return code ? code : play(p);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct play p = {0};
	struct options o;
	options_init(&o, cmd->name, options, argc, argv);
	int code, got = parse(&p, &o);
	if (got == OPTIONS_END)
		code = run_parsed(&p, &o);
	else
		code = got == OPTIONS_HELP ? cmd_print_help(cmd) : CMD_FAILED;
	for (size_t i = 0; i < p.n_sources; i++)
		source_finish(&p.sources[i]);
	free(p.sources);
	if (p.is_pipe_broken)
		cmd_die_of_pipe();
	return code;
}

static const char *const settings[] = {
		"language", "timeout", "memory", "cpus", "processes", "disk", "backend", "name", NULL};

const struct cmd cmd_run = {
		.name = "run",
		.usage = "run [OPTIONS] [FILE… | - | -c CODE…]",
		.summary = "run code in a new sandbox and pass its exit code on",
		.help = "Several FILEs or -c run one after the other in one sandbox and share their state; the first\n"
			"failure ends it. The value of the last expression is shown for -c and -. Exit codes: the\n"
			"code's own; 124 time-out, 125 terrarium's own failure, 130 interrupted, 128+n killed.\n",
		.options = options,
		.settings = settings,
		.asks = true,
		.run = run,
};
