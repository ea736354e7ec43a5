/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/sandbox_list.h"

struct resumption {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox; /* NULL: closed */
	struct trm_error why;
	int ended_by;
	bool is_up;
};

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct resumption *p = user;
	p->is_up = true;
	trm_sandbox_close(sandbox); /* it is kept */
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct resumption *p = user;
	(void)sandbox;
	p->sandbox = NULL;
	if (!p->is_up && !p->why.code)
		p->why = *why;
}

static void on_signal(void *user, int signo)
{
	struct resumption *p = user;
	p->ended_by = signo;
	if (p->sandbox)
		trm_sandbox_stop(p->sandbox);
}

static const struct trm_sandbox_cb SANDBOX_CB = {.ready = on_ready, .closed = on_closed};

static int open_resumed(struct resumption *p, const struct trm_config *config, const char *name)
{
	struct trm_config_lists lists;
	struct trm_sandbox_opts opts;
	trm_config_sandbox_opts(config, &lists, &opts);
	opts.name = name;
	opts.keep = true;
	opts.container.kube.resumes = true;
	return trm_sandbox_open(p->loop, &opts, &SANDBOX_CB, p, &p->sandbox, &p->why);
}

static int resume_sandbox(const struct trm_config *config, const char *name)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct trm_signal *handler = NULL;
	struct resumption p = {0};
	int r = trm_loop_create(&p.loop, &p.why);
	if (r == 0)
		r = trm_loop_add_signals(p.loop, signals, 3, on_signal, &p, &handler, &p.why);
	if (r == 0)
		r = open_resumed(&p, config, name);
	while (r == 0 && p.sandbox)
		trm_loop_step(p.loop, -1);
	trm_signal_remove(handler);
	trm_loop_destroy(p.loop);
	if (p.ended_by)
		return CMD_SIGNALED + p.ended_by;
	if (!p.is_up)
		return cmd_fail("%s", p.why.msg);
	puts(name);
	return cmd_flush();
}

/* The backend that is remembered, unless another is asked for. */
static int choose_backend(const struct options *o, struct trm_config *config, const char *name)
{
	struct trm_ended ended;
	struct trm_entry entry;
	if (sandbox_list_runs(name, &entry))
		return cmd_fail("the sandbox '%s' runs: there is nothing to resume", name);
	if (!options_has(o, "backend") && trm_registry_ended(name, &ended))
		snprintf(config->backend, sizeof config->backend, "%.*s", (int)sizeof config->backend - 1,
				ended.backend);
	return sandbox_list_suspends(config, config->backend)
			       ? CMD_OK
			       : cmd_fail("the backend '%s' cannot suspend sandboxes, so there is none to resume: name the backend "
					  "with --backend, as agent-sandbox",
					       config->backend);
}

static int run_resume(const struct cmd *cmd, int argc, char **argv)
{
	struct trm_config config;
	struct trm_error why = {0};
	struct options o;
	const char *name;
	unsigned given;
	int code;
	if (!cmd_read_one(cmd, argc, argv, &o, "NAME", &given, &name, &code))
		return code;
	if (!name)
		return cmd_fail("which sandbox? Give the NAME of a suspended one");
	if (options_config(&o, &config) < 0)
		return CMD_FAILED;
	if (trm_sandbox_name_check(name, &why) < 0)
		return cmd_fail("%s", why.msg);
	code = choose_backend(&o, &config, name);
	return code == CMD_OK ? resume_sandbox(&config, name) : code;
}

static const char *const settings[] = {
		"backend", "kube_context", "kube_namespace", "max_lifetime", "idle_timeout", NULL};

const struct cmd cmd_resume = {
		.name = "resume",
		.usage = "resume [OPTIONS] NAME",
		.summary = "resume a suspended sandbox",
		.help = "Starts a pod for the sandbox NAME that 'terrarium suspend' has suspended, with the files of its "
			"volume claims, and keeps it. --kube-context and --kube-namespace say where it is, if that is "
			"not where kubectl looks.",
		.operands = "NAME",
		.settings = settings,
		.run = run_resume,
};
