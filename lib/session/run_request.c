/* SPDX-License-Identifier: MIT */
/* The request for a run: it is checked, passes the policy, and joins the queue. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/opts.h"
#include "base/utf8.h"
#include "session/session.h"

/* A larger request could not be queued for the interpreter: a request is one line of JSON. */
#define REQUEST_MAX (64u << 20)
enum { ARGS_MAX = 256 };

static void free_args(char **args)
{
	for (size_t i = 0; args && args[i]; i++)
		free(args[i]);
	free(args);
}

static size_t count_args(const char *const *args)
{
	size_t n = 0;
	while (args && args[n])
		n++;
	return n;
}

/* Returns false if there is no memory. */
static bool copy_args(char ***ret, const char *const *args)
{
	size_t n = count_args(args);
	*ret = n ? calloc(n + 1, sizeof **ret) : NULL;
	for (size_t i = 0; i < n && *ret; i++)
		if (!((*ret)[i] = strdup(args[i])))
			return false;
	return !n || *ret;
}

static void free_request(struct own_run *own)
{
	free(own->meant);
	free(own->magic_hint);
	free_args(own->args);
	libraries_forget(own);
	free_args(own->libraries);
	free_args(own->env);
	free(own->cwd);
	buf_finish(&own->early_stdin);
}

void run_free(struct trm_run *run)
{
	if (run_own(run))
		free_request(run_own(run));
	else if (run->output) {
		output_finish(run->output);
		free(run->output);
	}
	if (run_peer(run))
		free(run_peer(run)->prompt);
	run_free_displays(&run->shown);
	free(run->code);
	free(run->filename);
	said_finish(&run->last_words);
	free(run);
}

/* ---- request --------------------------------------------------------------------- */

void trm_run_opts_init(struct trm_run_opts *opts, size_t size)
{
	static const struct trm_run_opts defaults = TRM_RUN_OPTS_INIT;
	opts_fill(opts, size, &defaults, sizeof defaults);
}

static bool fits_request(const struct trm_run_opts *o)
{
	enum { LONGEST_ESCAPE = 6, WORDS = 4096 };
	size_t file = WORDS + (o->filename ? strlen(o->filename) : 0) * LONGEST_ESCAPE;
	if (o->code_len > REQUEST_MAX || file > REQUEST_MAX)
		return false;
	return o->code_len < (REQUEST_MAX - file) / LONGEST_ESCAPE
	       || json_string_size(o->code, o->code_len) <= REQUEST_MAX - file;
}

static int check_variable(const char *text, struct trm_error *reterr)
{
	size_t n = strcspn(text, "=");
	bool is_name = n && text[n] && !(text[0] >= '0' && text[0] <= '9');
	for (size_t i = 0; i < n && is_name; i++)
		is_name = isalnum((unsigned char)text[i]) || text[i] == '_';
	if (!is_name)
		return trm_error_set(reterr, TRM_EINVAL,
				"a variable must be NAME=value, with a NAME of letters, digits and "
				"'_'");
	return utf8_is_valid(text, strlen(text))
			       ? 0
			       : trm_error_set(reterr, TRM_EINVAL,
					       "the variable %.*s is not valid UTF-8 text", (int)n, text);
}

/* The variables of one run. */
static int check_env(const struct trm_session *s, const struct trm_run_opts *o, struct trm_error *reterr)
{
	size_t n = count_args(o->env), bytes = 0;
	int r = 0;
	if ((!n && !o->cwd) || !s->sandbox)
		return 0;
	if (!o->lang->takes_env || !strcmp(trm_sandbox_backend(s->sandbox), "microsandbox"))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"a run in %s cannot have variables and a working directory of its own here: start a "
				"sandbox with them, or set them in the code",
				o->lang->name);
	for (size_t i = 0; i < n && r == 0; i++) {
		r = check_variable(o->env[i], reterr);
		bytes += strlen(o->env[i]) + 1;
	}
	if (r == 0 && (n > TRM_ENV_MAX || bytes > TRM_ENV_BYTES))
		r = trm_error_set(reterr, TRM_ETOOBIG, "a run has at most %d variables of %d KiB in all",
				TRM_ENV_MAX, TRM_ENV_BYTES / 1024);
	if (r == 0 && o->cwd
			&& (!*o->cwd || strlen(o->cwd) >= TRM_INSIDE_PATH
					|| !utf8_is_valid(o->cwd, strlen(o->cwd))))
		r = trm_error_set(reterr, TRM_EINVAL,
				"the working directory must be a path of at most %d bytes",
				TRM_INSIDE_PATH - 1);
	return r;
}

static int check(const struct trm_session *s, const struct trm_run_opts *o, struct trm_error *reterr)
{
	if (!o->lang)
		return trm_error_set(reterr, TRM_EINVAL, "a run needs a language");
	if (!o->code && o->code_len)
		return trm_error_set(reterr, TRM_EINVAL, "a run needs code");
	if (o->is_program && !o->filename)
		return trm_error_set(reterr, TRM_EINVAL, "a program needs the name of its file");
	if (o->args && *o->args && !o->lang->takes_args)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"code in %s cannot be given arguments: the language's row lacks \"takes_args\"",
				o->lang->name);
	if (count_args(o->args) > ARGS_MAX)
		return trm_error_set(
				reterr, TRM_ETOOBIG, "a program has at most %d arguments here", ARGS_MAX);
	for (size_t i = 0; o->args && o->args[i]; i++)
		if (!utf8_is_valid(o->args[i], strlen(o->args[i])))
			return trm_error_set(
					reterr, TRM_EINVAL, "argument %zu is not valid UTF-8 text", i + 1);
	if (!fits_request(o))
		return trm_error_set(reterr, TRM_ETOOBIG,
				"the code is too long for an interpreter: at most %u MiB as JSON",
				REQUEST_MAX >> 20);
	if (o->code_len && !utf8_is_valid(o->code, o->code_len))
		return trm_error_set(reterr, TRM_EINVAL, "the code is not valid UTF-8 text");
	if (!session_is_open(s))
		return session_refuse(s, reterr);
	int r = check_env(s, o, reterr);
	if (r < 0)
		return r;
	return o->libraries ? libraries_check(s, o, reterr) : 0;
}

/* Code that cannot be scanned is not run. */
static int pass_gate(const struct trm_session *s, const struct trm_run_opts *o, struct trm_error *reterr)
{
	struct trm_findings findings;
	if (!s->opts.policy || !o->code_len)
		return 0;
	int r = trm_policy_scan(s->opts.policy, o->lang, o->code, o->code_len, &findings, reterr);
	if (r == 0)
		r = trm_policy_refusal(s->opts.policy, &findings, reterr);
	trm_findings_finish(&findings);
	return r;
}

char *run_default_filename(uint64_t number)
{
	char name[32] = "<run ";
	size_t n = strlen(name);
	n += json_digits(name + n, number);
	memcpy(name + n, ">", 2);
	return strdup(name);
}

/* Where the interpreter is at the moment does not count. */
static bool copy_cwd(struct own_run *own, const char *cwd)
{
	const char *workdir = cwd ? trm_sandbox_workdir(own->run.session->sandbox) : "";
	if (!cwd)
		return true;
	own->cwd = malloc(strlen(workdir) + strlen(cwd) + 2);
	if (own->cwd)
		sprintf(own->cwd, "%s%s%s", *cwd == '/' ? "" : workdir, *cwd == '/' ? "" : "/", cwd);
	return own->cwd;
}

static struct own_run *new_run(
		struct trm_session *s, const struct trm_run_opts *o, const struct trm_run_cb *cb, void *user)
{
	static const struct trm_run_cb none;
	struct own_run *own = malloc(sizeof *own);
	if (!own)
		return NULL;
	*own = (struct own_run){
			.run = {.kind = RUN_OWN,
					.session = s,
					.number = o->is_quiet ? 0 : s->last_number + 1,
					.lang = o->lang,
					.code = malloc(o->code_len + 1),
					.code_len = o->code_len,
					.filename = o->filename   ? strdup(o->filename)
						    : o->is_quiet ? strdup("<setup>")
								  : run_default_filename(s->last_number + 1),
					.clock.timeout_ms = o->timeout_ms < 0 ? s->opts.timeout_ms
									      : o->timeout_ms,
					.offers_stdin = o->offers_stdin,
					.cb = cb ? cb : &none,
					.user = user},
			.has_own_filename = o->filename,
			.waits_for_person = o->waits_for_person,
			.echoes = o->echoes,
			.is_program = o->is_program,
			.is_quiet = o->is_quiet,
			.no_plots = o->no_plots,
			.has_manual_credit = o->manual_credit,
	};
	buf_init(&own->early_stdin, STDIN_QUEUE_MAX);
	if (!own->run.code || !own->run.filename || !copy_args(&own->args, o->args)
			|| !copy_args(&own->libraries, o->libraries) || !copy_args(&own->env, o->env)
			|| !copy_cwd(own, o->cwd)) {
		run_free(&own->run);
		return NULL;
	}
	if (o->code_len)
		memcpy(own->run.code, o->code, o->code_len);
	return own;
}

static int ask_for(struct trm_session *session, const struct trm_run_opts *opts, bool is_leave,
		const struct trm_run_cb *cb, void *user, struct trm_run **ret_run, struct trm_error *reterr)
{
	struct trm_magic magic;
	struct trm_run_opts meant;
	int r = notebook_read(opts, &magic, &meant, reterr);
	if (r == 0)
		r = check(session, &meant, reterr);
	if (r == 0)
		r = pass_gate(session, opts, reterr);
	struct own_run *own = r == 0 ? new_run(session, opts, cb, user) : NULL;
	if (own)
		notebook_take(own, opts, &magic);
	else if (r == 0)
		r = trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	trm_magic_finish(&magic);
	if (r < 0)
		return r;
	own->is_leave = is_leave;
	if (!own->is_quiet)
		session->last_number = own->run.number;
	*session->queue_end = own;
	session->queue_end = &own->next;
	if (ret_run)
		*ret_run = &own->run;
	session_pump(session, false);
	return 0;
}

int trm_session_run(struct trm_session *session, const struct trm_run_opts *opts, const struct trm_run_cb *cb,
		void *user, struct trm_run **ret_run, struct trm_error *reterr)
{
	struct trm_run_opts own = TRM_RUN_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	return r < 0 ? r : ask_for(session, &own, false, cb, user, ret_run, reterr);
}

int trm_session_run_exit(struct trm_session *session, const struct trm_run_opts *opts,
		const struct trm_run_cb *cb, void *user, struct trm_run **ret_run, struct trm_error *reterr)
{
	struct trm_run_opts none = TRM_RUN_OPTS_INIT;
	int r = opts_take(&none, sizeof none, opts, reterr);
	if (r < 0)
		return r;
	none.code = NULL;
	none.code_len = 0;
	none.libraries = NULL;
	return ask_for(session, &none, true, cb, user, ret_run, reterr);
}

uint64_t trm_run_number(const struct trm_run *run)
{
	return run->number;
}
