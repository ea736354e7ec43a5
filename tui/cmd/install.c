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
#include "cmd/sandbox_list.h"
#include "stream/cli_session.h"
#include "stream/policy_gate.h"
#include "stream/sink.h"
#include "stream/tty.h"

/* Installs packages into a running sandbox, or into a new one that is kept. */

struct install {
	struct trm_config config;
	struct cli_session cli_session;
	enum cli_session_how how;
	struct cli_session_asked asked;
	struct trm_install *install; /* NULL: it has ended */
	const char **packages;
	char *requirements;
	size_t requirements_len;
	struct sink out, err;
	struct trm_signal *winch;
	bool has_terminal, upgrades;
	int exit_code;
	bool is_over, is_pipe_broken;
};

enum { REQUIREMENTS_MAX = 1024 * 1024 };

static void end_install(struct install *in, int exit_code)
{
	in->exit_code = exit_code;
	in->is_over = true;
}

/* ---- output ------------------------------------------------------------------------ */

static void on_cmd_install_broken(void *user, struct sink *sink, int saved_errno)
{
	struct install *in = user;
	if (sink != &in->out || in->is_over)
		return;
	in->is_pipe_broken = saved_errno == EPIPE;
	trm_install_cancel(in->install);
	end_install(in, in->is_pipe_broken ? CMD_SIGNALED + SIGPIPE
					   : cmd_fail("cannot write the output: %s", strerror(saved_errno)));
}

static const struct sink_cb sink_cb = {.broken = on_cmd_install_broken};

static void on_cmd_install_output(
		void *user, struct trm_install *install, int stream, const void *bytes, size_t n)
{
	struct install *in = user;
	(void)install;
	sink_write(stream == TRM_STDERR ? &in->err : &in->out, bytes, n);
}

static void on_cmd_install_done(
		void *user, struct trm_install *install, int exit_code, const struct trm_error *why)
{
	struct install *in = user;
	(void)install;
	in->install = NULL;
	if (in->is_over)
		return;
	in->exit_code = why->code == TRM_OK          ? CMD_OK
			: why->code == TRM_ECANCELED ? CMD_SIGNALED + SIGINT
			: exit_code > 0              ? exit_code
						     : CMD_FAILED;
	if (why->code != TRM_OK) {
		char line[sizeof why->msg + 16];
		snprintf(line, sizeof line, "terrarium: %s", why->msg);
		sink_line(&in->err, line);
	}
	in->is_over = true;
}

static const struct trm_install_cb install_cb = {
		.output = on_cmd_install_output, .done = on_cmd_install_done};

/* ---- the session ---------------------------------------------------------------------- */

static void on_cmd_install_interrupt(void *user)
{
	struct install *in = user;
	if (in->install)
		trm_install_cancel(in->install);
	else
		end_install(in, CMD_SIGNALED + SIGINT);
}

static void on_cmd_install_closed(void *user, const struct trm_error *why)
{
	struct install *in = user;
	if (why->code != TRM_OK && !in->is_over)
		end_install(in, cmd_fail("%s", why->msg));
}

static const struct cli_session_cb cli_session_cb = {
		.interrupt = on_cmd_install_interrupt, .closed = on_cmd_install_closed};

static void on_cmd_install_winch(void *user, int signo)
{
	struct install *in = user;
	struct winsize size;
	(void)signo;
	tty_size(&size);
	trm_install_resize(in->install, size.ws_row, size.ws_col);
}

static int begin_install(struct install *in, const struct trm_lang *lang, struct trm_error *reterr)
{
	char term[80];
	const char *env[] = {tty_name(term, sizeof term), NULL};
	struct winsize size;
	tty_size(&size);
	struct trm_install_opts opts = {
			.size = sizeof(struct trm_install_opts),
			.lang = lang,
			.packages = in->packages,
			.requirements = in->requirements,
			.requirements_len = in->requirements_len,
			.upgrades = in->upgrades,
			.has_terminal = in->has_terminal,
			.rows = size.ws_row,
			.cols = size.ws_col,
			.env = in->has_terminal ? env : NULL,
			.net_credentials = in->config.net_credentials,
	};
	return trm_install_start(in->cli_session.sandbox, &opts, &install_cb, in, &in->install, reterr);
}

static int open_install_session(struct install *in, const struct trm_lang *lang, struct trm_error *reterr)
{
	int r = cli_session_open(
			&in->cli_session, &in->config, in->how, in->asked, &cli_session_cb, in, reterr);
	if (r == 0)
		cmd_note_hints(in->cli_session.sandbox);
	if (r == 0)
		r = begin_install(in, lang, reterr);
	if (r == 0 && in->has_terminal)
		r = trm_loop_add_signal(
				in->cli_session.loop, SIGWINCH, on_cmd_install_winch, in, &in->winch, reterr);
	if (r < 0)
		return r;
	sink_init(&in->out, in->cli_session.loop, STDOUT_FILENO, FILTER_PROGRESS, &sink_cb, in);
	sink_init(&in->err, in->cli_session.loop, STDERR_FILENO, FILTER_LINES, &sink_cb, in);
	return 0;
}

static bool install_continues(const struct install *in)
{
	return !in->cli_session.is_closing
	       && (in->install || !in->is_over || !sink_is_empty(&in->out) || !sink_is_empty(&in->err));
}

/* ---- the sandbox ------------------------------------------------------------------ */

/* Find the sandbox with the given name, or the only one that has a network. False: there is none, or there
 * are several. */
static bool is_running(struct install *in, const struct trm_entry *entries, size_t n, size_t *ret_fitting)
{
	const struct trm_entry *found = NULL;
	const char *name = in->config.name;
	*ret_fitting = 0;
	for (size_t i = 0; i < n; i++) {
		const struct trm_entry *e = &entries[i];
		if (e->is_stale || (*name ? strcmp(e->name, name) != 0 : !e->limits.net))
			continue;
		found = e;
		++*ret_fitting;
	}
	if (*ret_fitting != 1)
		return false;
	snprintf(in->config.name, sizeof in->config.name, "%s", found->name);
	return true;
}

/* Start a new sandbox. It is only useful if it is kept, and it is only kept if it has what is needed. 0 or
 * an exit code. */
static int start_new(struct install *in)
{
	in->how = CLI_SESSION_NEW;
	if (in->config.limits.net || in->config.keep) {
		in->config.keep = true;
		return CMD_OK;
	}
	if (*in->config.name)
		return cmd_fail("there is no running sandbox '%s'; '--net on' starts it, and it stays",
				in->config.name);
	return cmd_fail("no running sandbox has a network: name one with --name NAME, or "
			"start one that stays with '--net on'");
}

static int choose_sandbox(struct install *in)
{
	struct trm_registry *registry;
	const struct trm_entry *entries;
	size_t n = 0, n_fitting = 0;
	struct trm_error why = {0};
	if (trm_registry_create(&registry, &why) < 0)
		return cmd_fail("%s", why.msg);
	int r = trm_registry_refresh(registry, &entries, &n, &why);
	bool is_there = r == 0 && is_running(in, entries, n, &n_fitting);
	trm_registry_destroy(registry);
	if (r < 0)
		return cmd_fail("%s", why.msg);
	if (n_fitting > 1)
		return cmd_fail("several running sandboxes have a network: choose one with --name NAME");
	in->how = CLI_SESSION_ATTACH;
	return is_there ? CMD_OK : start_new(in);
}

/* A new sandbox in which nothing was installed is stopped. */
static void stop_if_unused(struct install *in)
{
	if (in->how != CLI_SESSION_NEW || !in->cli_session.sandbox)
		return;
	if (in->exit_code != CMD_OK || in->cli_session.ended_by)
		cli_session_stop(&in->cli_session);
	else
		fprintf(stderr, "terrarium: the sandbox '%s' stays; 'terrarium stop %s' ends it\n",
				trm_sandbox_name(in->cli_session.sandbox),
				trm_sandbox_name(in->cli_session.sandbox));
}

static int perform_install(struct install *in, const struct trm_lang *lang)
{
	struct trm_error why = {0};
	in->has_terminal = isatty(STDOUT_FILENO);
	if (open_install_session(in, lang, &why) < 0) {
		in->exit_code = cmd_fail("%s", why.msg);
	} else {
		while (install_continues(in))
			trm_loop_step(in->cli_session.loop, -1);
		in->is_over = true;
		sink_finish(&in->out);
		sink_finish(&in->err);
	}
	for (int i = 0; i < 2 && in->install; i++)
		trm_install_cancel(in->install);
	while (in->install && trm_loop_step(in->cli_session.loop, 100) >= 0)
		;
	trm_signal_remove(in->winch);
	stop_if_unused(in);
	cli_session_finish(&in->cli_session);
	return in->cli_session.ended_by ? CMD_SIGNALED + in->cli_session.ended_by
					: cli_session_code(&in->cli_session, in->exit_code);
}

/* ---- the command line ---------------------------------------------------------------- */

enum { OPTION_REQUIREMENTS, OPTION_UPGRADE };

static const struct option_spec options[] = {
		[OPTION_REQUIREMENTS] = {"--requirement", 'r', "FILE",
				"Python: install everything that this pip file names"},
		[OPTION_UPGRADE] = {"--upgrade", 'U', NULL, "install newer versions of what is there"},
		{0},
};

static int read_requirements(struct install *in, const char *path)
{
	if (in->requirements)
		return cmd_fail("-r can be given once");
	in->requirements = malloc(REQUIREMENTS_MAX + 1);
	if (!in->requirements)
		return cmd_fail("out of memory");
	FILE *file = fopen(path, "re");
	if (!file)
		return cmd_fail("cannot read '%s': %s", path, strerror(errno));
	in->requirements_len = fread(in->requirements, 1, REQUIREMENTS_MAX + 1, file);
	int r = ferror(file) ? cmd_fail("cannot read '%s': %s", path, strerror(errno))
		: in->requirements_len > REQUIREMENTS_MAX ? cmd_fail("'%s' is larger than 1 MiB", path)
							  : 0;
	fclose(file);
	return r;
}

/* OPTIONS_END, or the result that ended the options early. */
static int parse_install(struct install *in, struct options *o)
{
	for (size_t n = 0;;) {
		int got = options_next(o);
		if (got == OPTIONS_OPERAND)
			in->packages[n++] = o->value;
		else if (got == OPTION_UPGRADE)
			in->upgrades = true;
		else if (got != OPTION_REQUIREMENTS)
			return got;
		else if (read_requirements(in, o->value))
			return OPTIONS_WRONG;
	}
}

/* Only pip knows which packages a requirements file names, so a policy that is enforced refuses the file. */
static int pass_gate(const struct install *in, const struct trm_lang *lang, const char *config_path)
{
	struct policy_gate policy_gate;
	struct trm_error why = {0};
	if (policy_gate_open(&policy_gate, &in->config, config_path, &why) < 0)
		return cmd_fail("%s", why.msg);
	int code = CMD_OK;
	if (policy_gate_enforced(&policy_gate) && in->requirements)
		code = cmd_fail("the policy '%s' is enforced: name the packages one by one, because it cannot check a file of "
				"requirements",
				trm_policy_name(policy_gate.policy));
	for (size_t i = 0; in->packages[i] && policy_gate.policy && code == CMD_OK; i++) {
		struct trm_findings found;
		code = trm_policy_scan_package(policy_gate.policy, lang, in->packages[i], &found, &why) < 0
				       ? cmd_fail("%s", why.msg)
				       : confirm_findings(&policy_gate, &found);
		trm_findings_finish(&found);
	}
	policy_gate_close(&policy_gate);
	return code;
}

static int install_parsed(struct install *in, const struct options *o)
{
	const struct trm_lang *lang;
	struct trm_error why = {0};
	in->asked = options_asked(o);
	if (options_config_start(o, &in->config) < 0)
		return CMD_FAILED;
	if (trm_lang_find(*in->config.language ? in->config.language : trm_lang_default()->name, &lang, &why)
			< 0)
		return cmd_fail("%s", why.msg);
	if (trm_install_supports(lang, &why) < 0)
		return cmd_fail("%s", why.msg);
	for (size_t i = 0; in->packages[i]; i++)
		if (trm_package_check(lang, in->packages[i], &why) < 0)
			return cmd_fail("%s", why.msg);
	if (!in->packages[0] && !in->requirements)
		return cmd_fail("there is no package to install; see 'terrarium install --help'");
	if (sandbox_list_is_remote(&in->config))
		return cmd_fail("'install' is for sandboxes of this machine; at a server, run the sandbox's own pip "
				"or npm, if it has a network: terrarium exec --backend microsandbox NAME -- "
				"pip install PACKAGE");
	int code = pass_gate(in, lang, o->config_path);
	if (code == CMD_OK)
		code = choose_sandbox(in);
	return code ? code : perform_install(in, lang);
}

static int install_main(const struct cmd *cmd, int argc, char **argv)
{
	struct install in = {.packages = calloc((size_t)argc + 1, sizeof *in.packages)};
	struct options o;
	if (!in.packages)
		return cmd_fail("out of memory");
	options_init(&o, cmd->name, options, argc, argv);
	int got = parse_install(&in, &o);
	int code = got == OPTIONS_END    ? install_parsed(&in, &o)
		   : got == OPTIONS_HELP ? cmd_print_help(cmd)
					 : CMD_FAILED;
	free(in.packages);
	free(in.requirements);
	if (in.is_pipe_broken)
		cmd_die_of_pipe();
	return code;
}

static const char *const settings[] = {"language", "name", "keep", "net", "net_allow", NULL};

const struct cmd cmd_install = {
		.name = "install",
		.usage = "install [OPTIONS] PACKAGE…",
		.summary = "install packages",
		.help = "Installs packages in a sandbox with the package manager of the language: pip, or "
			"with -l npm, gem, CRAN, Maven or Go's. The index is the one that this machine is "
			"configured for. The sandbox is "
			"the one that --name names, else the only one with a network. If it is not "
			"running, --net on starts it, and it stays. The next run finds the packages. If "
			"the package manager fails, its exit code is passed on.",
		.options = options,
		.operands = "PACKAGE...",
		.settings = settings,
		.run = install_main,
};
