/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "sync/sync.h"

/* By then the descendants of a killed program are gone, or we stop waiting for them. */
enum { KILL_MS = 5000 };

struct waiting {
	struct trm_sync *sync;
	struct trm_command_execution *ret;
	struct buf text[2];
	size_t kept;
	struct trm_error why; /* TRM_OK: ret->exit is known */
	bool is_done;
};

static void on_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct waiting *w = user;
	int stream = channel == TRM_STDERR ? TRM_STDERR : TRM_STDOUT;
	size_t room = w->sync->opts.output_keep_bytes - w->kept, kept = n < room ? n : room;
	(void)proc;
	if (w->sync->opts.output)
		w->sync->opts.output(w->sync->opts.user, stream, bytes, n);
	if (buf_append(&w->text[stream == TRM_STDERR], bytes, kept) < 0)
		kept = 0;
	w->kept += kept;
	w->ret->dropped_bytes += n - kept;
	*(stream == TRM_STDERR ? &w->ret->stderr_bytes : &w->ret->stdout_bytes) += n;
}

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct waiting *w = user;
	(void)proc;
	if (exit)
		w->ret->exit = *exit;
	else
		w->why = *why;
	w->is_done = true;
}

/* A command that cannot be checked does not run. */
static int pass_gate(struct trm_policy *policy, const char *const *argv, struct trm_error *reterr)
{
	struct trm_findings findings;
	int r = trm_policy_scan_command(policy, argv, &findings, reterr);
	if (r == 0)
		r = trm_policy_refusal(policy, &findings, reterr);
	trm_findings_finish(&findings);
	return r;
}

static int spawn_waiting(struct waiting *w, struct trm_proc **ret_proc, struct trm_error *reterr)
{
	static const struct trm_proc_cb cb = {.output = on_output, .exited = on_exited};
	size_t n = 0;
	while (w->ret->args[n])
		n++;
	const char **argv = calloc(n + 2, sizeof *argv);
	if (!argv)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	argv[0] = w->ret->command;
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = w->ret->args[i];
	struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts), .argv = argv};
	int r = w->sync->opts.policy ? pass_gate(w->sync->opts.policy, argv, reterr) : 0;
	if (r == 0)
		r = trm_proc_spawn(w->sync->sandbox, &opts, &cb, w, ret_proc, reterr);
	free(argv);
	return r;
}

/* The command was too slow, or is no longer wanted. */
static void end_command(struct waiting *w, struct trm_proc *proc, bool is_polite)
{
	if (is_polite) {
		trm_proc_signal(proc, SIGINT, TRM_SIGNAL_TREE);
		if (sync_wait_out(w->sync, &w->is_done, SYNC_GRACE_MS))
			return;
	}
	trm_proc_signal(proc, SIGKILL, TRM_SIGNAL_TREE);
	if (!sync_wait_out(w->sync, &w->is_done, KILL_MS))
		trm_proc_close(proc);
	sync_wait_out(w->sync, &w->is_done, -1);
}

static int perform_command(struct waiting *w, int64_t timeout_ms, struct trm_error *reterr)
{
	struct trm_proc *proc;
	int r = spawn_waiting(w, &proc, reterr);
	if (r < 0)
		return r;
	r = sync_wait(w->sync, &w->is_done, timeout_ms, reterr);
	if (r < 0) {
		end_command(w, proc, r == TRM_ECANCELED);
		return r;
	}
	if (w->why.code)
		return trm_error_set(reterr, w->why.code, "%s", w->why.msg);
	const struct trm_exit *exit = &w->ret->exit;
	w->ret->exit_code = exit->signal ? 128 + exit->signal : exit->exit_code;
	w->ret->success = w->ret->exit_code == 0;
	return 0;
}

/* The SDK returns the request as well. */
static int copy_request(struct trm_command_execution *e, const char *command, const char *const *args)
{
	size_t n = 0;
	while (args && args[n])
		n++;
	e->command = strdup(command);
	e->args = calloc(n + 1, sizeof *e->args);
	for (size_t i = 0; e->args && i < n; i++)
		if (!(e->args[i] = strdup(args[i])))
			return TRM_ENOMEM;
	return e->command && e->args ? 0 : TRM_ENOMEM;
}

int trm_sync_command(struct trm_sync *s, const char *command, const char *const *args, int64_t timeout_ms,
		struct trm_command_execution *ret, struct trm_error *reterr)
{
	struct waiting w = {.sync = s, .ret = ret};
	*ret = (struct trm_command_execution){.exit_code = -1};
	int r = sync_need_started(s, reterr);
	if (r < 0)
		return r;
	if (!command)
		return trm_error_set(reterr, TRM_EINVAL, "Failed to execute command: there is no command");
	if (timeout_ms < 0)
		timeout_ms = s->opts.timeout_ms;
	buf_init(&w.text[0], SIZE_MAX / 4);
	buf_init(&w.text[1], SIZE_MAX / 4);
	if (copy_request(ret, command, args) < 0)
		r = trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	else
		r = perform_command(&w, timeout_ms ? timeout_ms : -1, reterr);
	ret->output = text_tidy(w.text[0].len ? buf_at(&w.text[0]) : "", w.text[0].len);
	ret->error = text_tidy(w.text[1].len ? buf_at(&w.text[1]) : "", w.text[1].len);
	if (r == 0 && (!ret->output || !ret->error))
		r = trm_error_set(reterr, TRM_ENOMEM, "out of memory for its output");
	buf_finish(&w.text[0]);
	buf_finish(&w.text[1]);
	return r < 0 ? err_wrap(reterr, r, "Failed to execute command") : 0;
}

void trm_command_execution_finish(struct trm_command_execution *e)
{
	free(e->output);
	free(e->error);
	free(e->command);
	for (char **arg = e->args; arg && *arg; arg++)
		free(*arg);
	free(e->args);
	*e = (struct trm_command_execution){0};
}

int trm_sync_commands(struct trm_sync *s, const char *const *const *commands, bool stops_at_failure,
		int64_t timeout_ms, struct trm_command_execution *ret, size_t *ret_n,
		struct trm_error *reterr)
{
	struct trm_error why;
	int first = 0;
	for (*ret_n = 0; *commands; commands++) {
		struct trm_command_execution *one = &ret[(*ret_n)++];
		bool has_args = (*commands)[0] != NULL;
		int r = trm_sync_command(
				s, (*commands)[0], has_args ? *commands + 1 : NULL, timeout_ms, one, &why);
		if (r < 0 && first == 0)
			first = trm_error_set(reterr, r, "%s", why.msg);
		if (r == TRM_ECLOSED || r == TRM_ECANCELED || (stops_at_failure && !one->success))
			break;
	}
	return first;
}
