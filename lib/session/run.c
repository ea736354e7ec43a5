/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/artifact.h>
#include <terrarium/magic.h>

#include "base/err.h"
#include "base/json.h"
#include "base/opts.h"
#include "base/utf8.h"
#include "session/session.h"

/* A larger request could not be queued for the interpreter: a request is one line of JSON. */
#define REQUEST_MAX (64u << 20)
enum { ARGS_MAX = 256, PEER_LEAST_US = 1000 };

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

void run_free(struct trm_run *run)
{
	for (size_t i = 0; i < run->n_displays; i++) {
		free(run->displays[i].mime);
		free(run->displays[i].data);
		free(run->displays[i].title);
	}
	free(run->displays);
	free(run->code);
	free(run->meant);
	free(run->magic_hint);
	free(run->filename);
	free_args(run->args);
	libraries_forget(run);
	free_args(run->libraries);
	free_args(run->env);
	free(run->cwd);
	free(run->prompt);
	said_finish(&run->last_words);
	if (run->is_peer && run->output) {
		output_finish(run->output);
		free(run->output);
	}
	buf_finish(&run->early_stdin);
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

/* What holds for one run and is put back. */
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

static char *default_filename(uint64_t number)
{
	char name[32] = "<run ";
	size_t n = strlen(name);
	n += json_digits(name + n, number);
	memcpy(name + n, ">", 2);
	return strdup(name);
}

/* Where the interpreter is at the moment does not count. */
static bool copy_cwd(struct trm_run *run, const char *cwd)
{
	const char *workdir = cwd ? trm_sandbox_workdir(run->session->sandbox) : "";
	if (!cwd)
		return true;
	run->cwd = malloc(strlen(workdir) + strlen(cwd) + 2);
	if (run->cwd)
		sprintf(run->cwd, "%s%s%s", *cwd == '/' ? "" : workdir, *cwd == '/' ? "" : "/", cwd);
	return run->cwd;
}

static struct trm_run *run_new(
		struct trm_session *s, const struct trm_run_opts *o, const struct trm_run_cb *cb, void *user)
{
	static const struct trm_run_cb none;
	struct trm_run *run = malloc(sizeof *run);
	if (!run)
		return NULL;
	*run = (struct trm_run){
			.session = s,
			.number = s->last_number + 1,
			.lang = o->lang,
			.code = malloc(o->code_len + 1),
			.code_len = o->code_len,
			.filename = o->filename ? strdup(o->filename) : default_filename(s->last_number + 1),
			.has_own_filename = o->filename,
			.timeout_ms = o->timeout_ms < 0 ? s->opts.timeout_ms : o->timeout_ms,
			.offers_stdin = o->offers_stdin,
			.waits_for_person = o->waits_for_person,
			.echoes = o->echoes,
			.is_program = o->is_program,
			.no_plots = o->no_plots,
			.has_manual_credit = o->manual_credit,
			.cb = cb ? cb : &none,
			.user = user,
	};
	buf_init(&run->early_stdin, STDIN_QUEUE_MAX);
	if (!run->code || !run->filename || !copy_args(&run->args, o->args)
			|| !copy_args(&run->libraries, o->libraries) || !copy_args(&run->env, o->env)
			|| !copy_cwd(run, o->cwd)) {
		run_free(run);
		return NULL;
	}
	if (o->code_len)
		memcpy(run->code, o->code, o->code_len);
	return run;
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
	struct trm_run *run = r == 0 ? run_new(session, opts, cb, user) : NULL;
	if (run)
		notebook_take(run, opts, &magic);
	else if (r == 0)
		r = trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	trm_magic_finish(&magic);
	if (r < 0)
		return r;
	run->is_leave = is_leave;
	session->last_number = run->number;
	*session->queue_end = run;
	session->queue_end = &run->next;
	if (ret_run)
		*ret_run = run;
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

void trm_run_follow(struct trm_run *run, const struct trm_run_cb *cb, void *user)
{
	if (!run->is_peer || run->output)
		return;
	run->cb = cb;
	run->user = user;
	run->output = calloc(1, sizeof *run->output);
	if (run->output)
		output_init(run->output, run->session->opts.output_keep_bytes);
}

uint64_t trm_run_number(const struct trm_run *run)
{
	return run->number;
}

/* ---- begin -------------------------------------------------------------------------- */

/* Open the run's stdin and send the input that came before the run began. */
static void open_stdin(struct trm_run *run)
{
	struct trm_proc *proc = run->kernel->proc;
	struct buf *early = &run->early_stdin;
	/* Without input nothing must be sent: the interpreter's stdin is empty anyway. */
	if (run->has_sent_eof && !early->len)
		return;
	run->has_opened_stdin = true;
	trm_proc_open_stdin(proc);
	if (early->len)
		trm_proc_write(proc, TRM_STDIN, buf_at(early), early->len, NULL);
	buf_finish(early);
	buf_init(early, STDIN_QUEUE_MAX);
	if (run->has_sent_eof)
		trm_proc_close_stdin(proc);
}

/* Other clients may have used the number that the run was given when it was queued. */
static void renumber(struct trm_run *run)
{
	struct trm_session *s = run->session;
	if (run->number <= s->seen_number) {
		char *name = run->has_own_filename ? NULL : default_filename(s->seen_number + 1);
		run->number = s->seen_number + 1;
		if (name) {
			free(run->filename);
			run->filename = name;
		}
	}
	run->seen_before = s->seen_number;
	s->seen_number = run->number;
	if (s->last_number < run->number)
		s->last_number = run->number;
}

static void note_peak(struct trm_run *run)
{
	const struct trm_session *s = run->session;
	run->knows_peak = s->knows_events && s->events.known & TRM_METRIC_MEM_PEAK;
	run->peak_is_own = s->peak_is_marked;
	run->peak_before_bytes = s->events.mem_peak_bytes;
}

/* Connections that the sandbox was refused so far: the last one, "" if none. */
static const char *refused_now(const struct trm_session *s, uint64_t *ret_n)
{
	*ret_n = 0;
	return s->sandbox && s->sandbox->carrier && s->sandbox->ops->refused
			       ? s->sandbox->ops->refused(s->sandbox->carrier, ret_n)
			       : "";
}

/* One line, however many there were. */
static void tell_refused(const struct trm_run *run, struct trm_result *result, char *hint, size_t cap)
{
	uint64_t n;
	const char *last = refused_now(run->session, &n);
	if (run->is_peer || !run->kernel || n <= run->refused_before)
		return;
	n -= run->refused_before;
	if (n == 1)
		snprintf(hint, cap, "the network refused a connection: %s", last);
	else
		snprintf(hint, cap, "the network refused %" PRIu64 " connections; the last one: %s", n, last);
	result->hint = hint;
}

/* Measure before the interpreter has the run, because afterwards it might be over already. */
static void measure_begin(struct trm_run *run)
{
	struct trm_session *s = run->session;
	uint64_t now_ns = session_clock_ns();
	if (now_ns - s->sampled_ns < SAMPLE_SPACING_MS * UINT64_C(1000000))
		return;
	s->sampled_ns = now_ns;
	diagnose_record_counters(s);
	note_peak(run);
}

static void start_clock(struct trm_run *run)
{
	run->is_begun = true;
	run->begun_ns = session_clock_ns();
	run_clock_arm(run);
	memory_begin(run);
	leftovers_watch(run);
}

void run_begin(struct trm_run *run)
{
	diagnose_reset_peak(run->session);
	note_peak(run);
	start_clock(run);
}

void run_send_off(struct trm_run *run, struct kernel *k)
{
	struct trm_session *s = run->session;
	bool is_shared = share_is_on(k);
	if (is_shared)
		renumber(run);
	run->id = share_run_id(run);
	struct kernel_request request = {.op = run->is_leave ? KERNEL_OP_LEAVE : KERNEL_OP_RUN,
			.id = run->id,
			.code = run->meant ? run->meant : run->code,
			.code_len = run->meant ? run->meant_len : run->code_len,
			.file = run->filename,
			.echoes = run->echoes,
			.is_program = run->is_program,
			.args = run->args,
			.env = run->env,
			.cwd = run->cwd};
	struct trm_error why;
	measure_begin(run);
	refused_now(s, &run->refused_before);
	leftovers_begin(s);
	if (run->timeout_ms > 0 && sandbox_enforces_timeout(s->sandbox))
		request.timeout_ms = (uint64_t)run->timeout_ms;
	s->active = run;
	k->run = run;
	run->kernel = k;
	k->set_runs[k->set] = run->number;
	output_reset(&s->output, s->opts.output_keep_bytes);
	run->output = &s->output;
	sandbox_hold(s->sandbox);
	if (is_shared) {
		share_use_turn(k);
		peer_run_announce(run);
	}
	if (run->offers_stdin)
		open_stdin(run);
	if (kernel_send(k, &request, &why) < 0) {
		/* The interpreter accepts no more input: it is replaced, and the run reports why. */
		snprintf(k->fault, sizeof k->fault, "%.190s", why.msg);
		stop_kill(k);
	}
	sandbox_release(s->sandbox);
	if (!is_shared) {
		free(run->code);
		free(run->meant);
		run->code = run->meant = NULL;
	}
	if (k->is_ready)
		start_clock(run);
	if (run->cb->started)
		session_due(s);
}

void run_unqueue(struct trm_run *run)
{
	struct trm_session *s = run->session;
	struct trm_run **at = &s->queue;
	while (*at && *at != run)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = run->next;
	if (!*at)
		s->queue_end = at;
	run->next = NULL;
}

void run_requeue(struct trm_run *run)
{
	struct trm_session *s = run->session;
	run->kernel->run = NULL;
	run->kernel = NULL;
	s->active = NULL;
	run->next = s->queue;
	if (!s->queue)
		s->queue_end = &run->next;
	s->queue = run;
	session_due(s);
}

void run_take_back(struct trm_run *run)
{
	if (run->has_sent_stdin) {
		stop_reset(run->kernel);
		run_finish_with(run, TRM_STATUS_LOST, 125,
				"another program took over the interpreter before this run could begin");
		return;
	}
	stop_reset(run->kernel);
	memory_end(run->session);
	leftovers_unwatch(run->session);
	run->is_begun = run->has_opened_stdin = false;
	if (run->session->seen_number == run->number) /* no other client has seen this run */
		run->session->seen_number = run->seen_before;
	run_requeue(run);
}

/* Some kernels cannot reset the memory peak for each run. There the peak is this run's only if it has risen
 * since the run began; otherwise it is unknown. */
static void measure_end(struct trm_run *run, struct trm_result *result)
{
	struct trm_sample now;
	if (!run->knows_peak || result->wall_us < SAMPLE_RUN_MS * 1000 || !session_is_open(run->session)
			|| !metrics_events_now(run->session->sandbox, false, &now, NULL)
			|| !(now.known & TRM_METRIC_MEM_PEAK))
		return;
	if (!run->peak_is_own && now.mem_peak_bytes <= run->peak_before_bytes)
		return;
	result->has_mem_peak = true;
	result->mem_peak_bytes = now.mem_peak_bytes;
}

void run_announce(struct trm_run *run)
{
	if (run->is_announced || !run->kernel)
		return;
	run->is_announced = true;
	if (run->cb->started)
		run->cb->started(run->user, run);
}

/* Returns how many of the n bytes the caller may see. A run that prints more than the limit is interrupted.
 */
static size_t limit_output(struct trm_run *run, size_t n)
{
	uint64_t max = run->session->opts.output_max_bytes, left = max - run->printed_bytes;
	if (!max || run->is_peer || run->is_command)
		return n;
	if (n > left) {
		n = (size_t)left;
		if (!run->is_stopped_for_output && !run->is_interrupted && !run->is_timed_out) {
			run->is_stopped_for_output = true;
			trm_run_interrupt(run);
		}
	}
	run->printed_bytes += n;
	return n;
}

void run_print(struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct trm_session *s = run->session;
	run->has_printed = true;
	run->awaits_input = run->is_asking = false;
	n = limit_output(run, n);
	if (!n)
		return;
	if (run->output)
		output_append(run->output, stream, bytes, n);
	if (stream == TRM_STDERR)
		said_note(&run->last_words, bytes, n);
	run_announce(run);
	if (run->cb->output && !s->is_closed)
		run->cb->output(run->user, run, stream, bytes, n);
}

void run_output(struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct kernel *k = run->kernel;
	if (run->has_manual_credit && k->stage == STAGE_CALM)
		run->unconsumed += n;
	else
		trm_proc_consumed(k->proc, n);
	run_print(run, stream, bytes, n);
}

void trm_run_consumed(struct trm_run *run, size_t n)
{
	if (n > run->unconsumed)
		n = run->unconsumed;
	run->unconsumed -= n;
	if (n && run->kernel && run->kernel->proc)
		trm_proc_consumed(run->kernel->proc, n);
	if (!run->unconsumed && run->kernel && run->kernel->share.is_detached)
		session_due(run->session);
}

void run_release_credit(struct trm_run *run)
{
	trm_run_consumed(run, run->unconsumed);
}

/* Returns NULL if there is no memory or the run has shown more than is kept. */
static struct trm_display *keep_display(struct trm_run *run, const struct trm_display *shown)
{
	size_t n = strlen(shown->data);
	if (run->n_displays == DISPLAYS_MAX || n > DISPLAY_BYTES_MAX - run->display_bytes)
		return NULL;
	struct trm_display *all = realloc(run->displays, (run->n_displays + 1) * sizeof *all);
	if (!all)
		return NULL;
	run->displays = all;
	struct trm_display *display = &all[run->n_displays];
	*display = *shown;
	display->mime = strdup(shown->mime);
	display->data = strdup(shown->data);
	display->title = shown->title ? strdup(shown->title) : NULL;
	display->n = n;
	display->bundle = run->n_bundles;
	display->run = run->number;
	if (!display->mime || !display->data || (shown->title && !display->title)) {
		free(display->mime);
		free(display->data);
		free(display->title);
		return NULL;
	}
	trm_display_measure(display);
	run->n_displays++;
	run->display_bytes += n;
	return display;
}

void run_display(struct trm_run *run, const struct trm_display *shown)
{
	run->has_printed = true;
	const struct trm_display *display = keep_display(run, shown);
	run->dropped_displays += !display;
	run->n_bundles += shown->more == 0;
	run_announce(run);
	if (display && run->cb->display && !run->session->is_closed)
		run->cb->display(run->user, run, display);
}

/* ---- end ------------------------------------------------------------------------------ */

/* Detach the run from its kernel and its session. */
static void detach(struct trm_run *run)
{
	struct trm_session *s = run->session;
	struct kernel *k = run->kernel;
	if (!k)
		return;
	run_release_credit(run);
	bool has_stdin = run->is_peer ? k->share.turn == TURN_OURS : run->has_opened_stdin;
	if (run->offers_stdin && k->proc && has_stdin)
		trm_proc_reset_stdin(k->proc);
	k->run = NULL;
	if (run->is_peer)
		share_watch_turn(k);
	else
		s->active = NULL;
	session_due(s);
}

static void tell_met_dead(const struct trm_run *run, struct trm_result *result, char *hint, size_t cap)
{
	if (!run->has_met_dead || result->status == TRM_STATUS_LOST)
		return;
	snprintf(hint, cap,
			"the %s interpreter ended before this run began: a new one runs it, and the state of "
			"earlier runs is lost",
			run->lang->name);
	result->hint = hint;
	result->state_lost = true;
}

static void tell_missed(const struct trm_run *run, struct trm_result *result, char *hint, size_t cap)
{
	if (!run->missed_bytes)
		return;
	snprintf(hint, cap,
			"%" PRIu64
			" bytes of its output are missing: this program read them too slowly while other "
			"programs were attached",
			run->missed_bytes);
	result->hint = hint;
}

void run_finish(struct trm_run *run, struct trm_result *result)
{
	struct trm_session *s = run->session;
	bool was_active = run->kernel && !run->is_peer;
	char hint[400];
	run->is_over = true;
	result->number = run->number;
	result->lang = run->lang;
	result->displays = run->displays;
	result->n_displays = run->n_displays;
	result->dropped_displays = run->dropped_displays;
	if (run->is_begun)
		result->wall_us = (session_clock_ns() - run->begun_ns) / 1000;
	measure_end(run, result);
	if (was_active) {
		diagnose_hint(run, result, hint, sizeof hint);
		result->hint = hint[0] ? hint : NULL;
		memory_end(s);
		leftovers_unwatch(s);
		run_announce(run);
	}
	notebook_tell(run, result);
	tell_refused(run, result, hint, sizeof hint);
	tell_met_dead(run, result, hint, sizeof hint);
	tell_missed(run, result, hint, sizeof hint);
	if (run->output)
		output_to_result(run->output, result);
	/* Begin and end of another client's run that came together tell no time. */
	bool came_at_once = run->is_peer && result->wall_us < PEER_LEAST_US;
	result->is_wall_unknown = run->is_recent || came_at_once;
	detach(run);
	if (run->cb->done)
		run->cb->done(run->user, run, result);
	free(result->output);
	free(result->chunks);
	run_free(run);
}

void run_finish_with(struct trm_run *run, enum trm_status status, int exit_code, const char *reason)
{
	struct trm_result result = {
			.status = status,
			.exit_code = exit_code,
			.reason = (char *)reason,
			.state_lost = run->is_begun,
	};
	run_finish(run, &result);
}
