/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/sandbox_list.h"

/* Theory of operation. The program attaches to the sandbox, and a session of its own restarts the
 * interpreters one after the other. A restart has ended when the new interpreter is ready, so that later
 * clients never meet an old one that is still ending. */

enum { LONGEST_MS = 60000 };

struct restarter {
	struct trm_config config;
	const char *name;
	const struct trm_lang *only; /* NULL: all running ones */
	unsigned left;               /* mask of 1 << trm_lang.index */
	const struct trm_lang *now;  /* NULL: no restart is in progress */
	/* The restart was requested; before that, the session was only looking for the interpreter. */
	bool is_asked;
	bool is_down; /* the old interpreter has ended */
	struct trm_loop *loop;
	struct trm_sandbox *sandbox; /* NULL: it has ended */
	struct trm_session *session;
	struct trm_timer *deadline;
	int ended_by;
	bool is_over;
	unsigned n_restarted;
	struct trm_error why;
};

static void end_all(struct restarter *p)
{
	p->is_over = true;
	if (p->sandbox)
		trm_sandbox_close(p->sandbox);
}

static void restart_now(struct restarter *p)
{
	p->is_asked = true;
	if (trm_session_restart(p->session, p->now, &p->why) < 0)
		end_all(p);
}

/* The session must be attached to an interpreter before it can restart it. */
static void look_for_next(struct restarter *p)
{
	unsigned i = 0;
	while (i < trm_lang_count() && !(p->left >> i & 1))
		i++;
	p->is_asked = p->is_down = false;
	p->now = i < trm_lang_count() ? trm_lang_at(i) : NULL;
	if (!p->now) {
		end_all(p);
		return;
	}
	p->left &= ~(1u << i);
	if (trm_session_warm(p->session, p->now, &p->why) < 0)
		end_all(p);
}

static void on_restart_kernel(void *user, const struct trm_lang *lang, enum trm_kernel_state state)
{
	struct restarter *p = user;
	bool is_up = state == TRM_KERNEL_IDLE || state == TRM_KERNEL_BUSY;
	if (lang != p->now || p->is_over)
		return;
	p->is_down |= p->is_asked && !is_up;
	if (is_up && !p->is_asked) {
		restart_now(p);
	} else if (is_up && p->is_down) {
		p->n_restarted++;
		look_for_next(p);
	} else if (state == TRM_KERNEL_NONE && !p->is_asked) {
		trm_error_set(&p->why, TRM_EIO, "%s has ended and was not started again", lang->name);
		end_all(p);
	}
}

static void on_restart_caught_up(void *user)
{
	look_for_next(user);
}

static const struct trm_session_cb session_cb = {
		.kernel = on_restart_kernel, .caught_up = on_restart_caught_up};

/* ---- the sandbox --------------------------------------------------------------------------- */

static void on_restart_ready(void *user, struct trm_sandbox *sandbox)
{
	struct restarter *p = user;
	struct trm_session_opts opts;
	trm_session_opts_default(&opts);
	opts.is_shared = true;
	opts.client = "terrarium restart";
	if (trm_session_open(sandbox, &opts, &session_cb, p, &p->session, &p->why) < 0)
		end_all(p);
}

static void on_restart_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct restarter *p = user;
	(void)sandbox;
	p->sandbox = NULL;
	if (!p->is_over && !p->why.code)
		p->why = *why;
}

static const struct trm_sandbox_cb sandbox_cb = {.ready = on_restart_ready, .closed = on_restart_closed};

static void on_restart_signal(void *user, int signo)
{
	struct restarter *p = user;
	p->ended_by = signo;
	end_all(p);
}

static void on_deadline(void *user)
{
	struct restarter *p = user;
	trm_error_set(&p->why, TRM_ETIMEDOUT, "%s was not ready again within %d s",
			p->now ? p->now->name : "the sandbox", LONGEST_MS / 1000);
	end_all(p);
}

static int perform(struct restarter *p)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	static const struct trm_sandbox_opts look = TRM_SANDBOX_OPTS_INIT;
	struct trm_signal *handler = NULL;
	int r = trm_loop_create(&p->loop, &p->why);
	if (r == 0)
		r = trm_loop_add_signals(p->loop, signals, 3, on_restart_signal, p, &handler, &p->why);
	if (r == 0)
		r = trm_loop_add_timer(p->loop, on_deadline, p, &p->deadline, &p->why);
	if (r == 0) {
		trm_timer_start(p->deadline, LONGEST_MS, 0);
		r = sandbox_list_open(
				p->loop, &p->config, p->name, &look, &sandbox_cb, p, &p->sandbox, &p->why);
	}
	while (r == 0 && p->sandbox)
		trm_loop_step(p->loop, -1);
	trm_session_close(p->session);
	trm_timer_remove(p->deadline);
	trm_signal_remove(handler);
	trm_loop_destroy(p->loop);
	if (p->ended_by)
		return CMD_SIGNALED + p->ended_by;
	return p->why.code ? cmd_fail("%s", p->why.msg) : CMD_OK;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Choose the languages: the one that is named, else all running ones, as far as this machine can see. */
static int choose_languages(struct restarter *p, const struct options *o)
{
	struct trm_error why = {0};
	struct trm_entry entry = {0};
	const struct trm_lang *lang = trm_lang_default();
	bool is_named = options_has(o, "language");
	if (*p->config.language && trm_lang_find(p->config.language, &lang, &why) < 0)
		return cmd_fail("%s", why.msg);
	bool is_far = sandbox_list_is_remote(&p->config);
	if (!is_far && !sandbox_list_runs(p->name, &entry))
		return sandbox_list_fail_unknown(p->name);
	p->left = entry.has_kernels && !is_named ? entry.kernels : 1u << lang->index;
	if (entry.has_kernels && !(p->left & entry.kernels)) {
		fprintf(stderr, "terrarium: %s runs in '%s': there is nothing to restart\n",
				is_named ? "no such interpreter" : "no interpreter", p->name);
		p->left = 0;
	}
	return CMD_OK;
}

static int report(const struct restarter *p, unsigned asked)
{
	for (unsigned i = 0; i < trm_lang_count(); i++)
		if (asked >> i & 1)
			puts(trm_lang_at(i)->name);
	return p->n_restarted ? cmd_flush() : CMD_OK;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct restarter p = {0};
	struct options o;
	unsigned given;
	int code;
	if (!cmd_read_one(cmd, argc, argv, &o, "NAME", &given, &p.name, &code))
		return code;
	if (!p.name)
		return cmd_fail("which sandbox? Give its NAME; 'terrarium ps' lists them");
	if (options_config(&o, &p.config) < 0)
		return CMD_FAILED;
	struct trm_error why = {0};
	if (trm_sandbox_name_check(p.name, &why) < 0)
		return cmd_fail("%s", why.msg);
	code = choose_languages(&p, &o);
	const unsigned asked = p.left;
	if (code == CMD_OK && asked)
		code = perform(&p);
	return code == CMD_OK ? report(&p, asked) : code;
}

static const char *const settings[] = {"language", "backend", NULL};

const struct cmd cmd_restart = {
		.name = "restart",
		.usage = "restart [OPTIONS] NAME",
		.summary = "start interpreters anew",
		.help = "Ends the interpreters of the running sandbox NAME, or with -l that of one language, and starts "
			"them anew: variables are lost, files and packages stay. What was running is killed. Prints "
			"the languages. Other clients are told.",
		.operands = "NAME",
		.settings = settings,
		.run = run,
};
