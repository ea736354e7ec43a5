/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/opts.h"
#include "sync/sync.h"

struct waiting {
	struct trm_sync *sync;
	struct trm_result *result; /* NULL when it is done: out of memory */
	bool is_done;
};

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct waiting *w = user;
	(void)run;
	if (w->sync->opts.output)
		w->sync->opts.output(w->sync->opts.user, stream, bytes, n);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct waiting *w = user;
	(void)run;
	w->result = trm_result_copy(result);
	w->is_done = true;
}

/* ---- the texts ----------------------------------------------------------------------- */

static int add_stream(struct buf *to, const struct trm_result *r, int stream)
{
	int code = 0;
	for (size_t i = 0; code == 0 && i < r->n_chunks; i++)
		if (r->chunks[i].stream == stream)
			code = buf_append(to, r->output + r->chunks[i].offset, r->chunks[i].n);
	return code;
}

/* Append the text on lines of its own. NULL: nothing. */
static int add_line(struct buf *to, const char *text)
{
	int code = 0;
	if (!text)
		return 0;
	if (to->len && buf_at(to)[to->len - 1] != '\n')
		code = buf_append(to, "\n", 1);
	return code < 0 ? code : buf_append(to, text, strlen(text));
}

static int add_exception(struct buf *to, const struct trm_result *r)
{
	int code = 0;
	if (!r->error_name)
		return 0;
	for (char **line = r->traceback; code == 0 && line && *line; line++)
		code = add_line(to, *line);
	if (code == 0 && !(r->traceback && *r->traceback)) {
		code = add_line(to, r->error_name);
		if (code == 0 && r->error_message && *r->error_message)
			code = buf_append(to, ": ", 2);
		if (code == 0 && r->error_message)
			code = buf_append(to, r->error_message, strlen(r->error_message));
	}
	return code;
}

static char *finish_text(struct buf *b, int code)
{
	char *text = code < 0 ? NULL : text_tidy(b->len ? buf_at(b) : "", b->len);
	buf_finish(b);
	return text;
}

static char *make_output(const struct trm_result *r)
{
	struct buf b;
	buf_init(&b, SIZE_MAX / 4);
	int code = add_stream(&b, r, TRM_STDOUT);
	return finish_text(&b, code < 0 ? code : add_line(&b, r->value));
}

static char *make_error(const struct trm_result *r)
{
	struct buf b;
	buf_init(&b, SIZE_MAX / 4);
	int code = add_stream(&b, r, TRM_STDERR);
	if (code == 0)
		code = add_exception(&b, r);
	return finish_text(&b, code < 0 ? code : add_line(&b, r->reason));
}

/* Takes w->result. */
static int describe_execution(struct trm_execution *e, struct trm_result *result, struct trm_error *reterr)
{
	e->result = result;
	e->output = result ? make_output(result) : NULL;
	e->error = result ? make_error(result) : NULL;
	if (!e->output || !e->error)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory for its output");
	e->status = result->status == TRM_STATUS_OK ? "success" : trm_status_name(result->status);
	e->exit_code = result->exit_code;
	e->has_error = result->status != TRM_STATUS_OK || *e->error;
	return 0;
}

void trm_execution_finish(struct trm_execution *e)
{
	free(e->output);
	free(e->error);
	trm_result_free(e->result);
	*e = (struct trm_execution){0};
}

/* ---- runs ----------------------------------------------------------------------------- */

static int run_and_wait(struct trm_sync *s, const struct trm_run_opts *opts, struct trm_execution *ret,
		struct trm_error *reterr)
{
	static const struct trm_run_cb cb = {.output = on_output, .done = on_done};
	struct waiting w = {.sync = s};
	struct trm_run *handle;
	struct trm_error why;
	int r = trm_session_run(s->session, opts, &cb, &w, &handle, reterr);
	if (r < 0)
		return r;
	r = sync_wait(s, &w.is_done, -1, &why); /* the session has its own time limit */
	if (r < 0 && !w.is_done)
		trm_run_interrupt(handle);
	sync_wait_out(s, &w.is_done, -1);
	if (r < 0 && r != TRM_ECANCELED) {
		trm_result_free(w.result);
		return trm_error_set(reterr, r, "%s", why.msg);
	}
	return describe_execution(ret, w.result, reterr);
}

int trm_sync_run_with(struct trm_sync *s, const struct trm_run_opts *given, struct trm_execution *ret,
		struct trm_error *reterr)
{
	struct trm_run_opts opts = TRM_RUN_OPTS_INIT;
	*ret = (struct trm_execution){.status = "unknown", .language = "unknown", .exit_code = -1};
	int r = sync_need_started(s, reterr);
	if (r == 0)
		r = opts_take(&opts, sizeof opts, given, reterr);
	if (r < 0)
		return r;
	if (!opts.code)
		return trm_error_set(reterr, TRM_EINVAL, "Failed to execute code: there is no code");
	if (!opts.code_len)
		opts.code_len = strlen(opts.code);
	if (!opts.lang)
		opts.lang = s->opts.language;
	opts.offers_stdin = opts.manual_credit = false;
	ret->language = opts.lang->name;
	r = run_and_wait(s, &opts, ret, reterr);
	return r < 0 ? err_wrap(reterr, r, "Failed to execute code") : 0;
}

int trm_sync_run_as(struct trm_sync *s, const struct trm_lang *language, const char *code, int64_t timeout_ms,
		struct trm_execution *ret, struct trm_error *reterr)
{
	struct trm_run_opts opts;
	*ret = (struct trm_execution){.status = "unknown", .language = "unknown", .exit_code = -1};
	trm_run_opts_default(&opts);
	opts.lang = language;
	opts.code = code;
	opts.timeout_ms = timeout_ms;
	opts.echoes = true;
	if (language && language == trm_lang_shell())
		opts.filename = trm_lang_shell()->name; /* as in messages of bash -c */
	if (!language && trm_sync_is_started(s) && code)
		return trm_error_set(reterr, TRM_EINVAL, "Failed to execute code: no language was given");
	return trm_sync_run_with(s, &opts, ret, reterr);
}

int trm_sync_run(struct trm_sync *s, const char *code, struct trm_execution *ret, struct trm_error *reterr)
{
	return trm_sync_run_as(s, s->opts.language, code, -1, ret, reterr);
}
