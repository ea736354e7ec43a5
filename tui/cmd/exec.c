/* SPDX-License-Identifier: MIT */
/* The command line of `terrarium exec`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "cmd/exec_internal.h"
#include "cmd/sandbox_list.h"
#include "stream/policy_gate.h"

/* ---- a script ---------------------------------------------------------------------------- */

/* The shell that "#!" names, as far as there is a choice: Bash, or sh. */
static const char *shell_of(const struct source *script)
{
	size_t n = strcspn(script->text, "\n");
	bool has_line = script->text[0] == '#' && script->text[1] == '!';
	const char *shell = trm_lang_shell()->name;
	return has_line && memmem(script->text, n, shell, strlen(shell)) ? shell : "sh";
}

/* Build `sh -c TEXT FILE ARG…`. This limits a script to about a hundred KiB, but leaves standard input free.
 * The caller frees the result. */
static char **script_command(const struct source *script, char **args)
{
	size_t n = 0;
	while (args[n])
		n++;
	char **argv = calloc(n + 5, sizeof *argv);
	if (!argv)
		return NULL;
	argv[0] = (char *)shell_of(script);
	argv[1] = (char *)"-c";
	argv[2] = script->text;
	argv[3] = (char *)script->name;
	memcpy(argv + 4, args, n * sizeof *args);
	return argv;
}

static int read_script(struct exec *e, char **args, char ***ret_command)
{
	enum { SCRIPT_MAX = 120 * 1024 };
	struct trm_error why = {0};
	if (source_read(&e->script, &why) < 0)
		return cmd_fail("--script: %s", why.msg);
	if (e->script.n > SCRIPT_MAX)
		return cmd_fail("--script: %s is larger than 120 KiB: copy it into the sandbox, and execute it there",
				e->script.name);
	*ret_command = script_command(&e->script, args);
	return *ret_command ? CMD_OK : cmd_fail("out of memory");
}

/* ---- the command line -------------------------------------------------------------------- */

enum { OPTION_SCRIPT };

static const struct option_spec options[] = {
		[OPTION_SCRIPT] = {"--script", 0, "FILE", "run this shell script; ARGs follow --"},
		{0},
};

/* "exec NAME -- CMD": a word before "--" can only be the name of a sandbox. */
static int take_sandbox_name(struct exec *e, const struct options *o, int argc, char **argv)
{
	struct trm_error why = {0};
	if (options_has(o, "name"))
		return cmd_fail("the sandbox is named twice: '%s' and --name", o->value);
	if (o->at + 1 == argc)
		return cmd_fail("there is no command to execute after '--'; see 'terrarium exec --help'");
	if (trm_sandbox_name_check(argv[o->at - 1], &why) < 0)
		return cmd_fail("%s", why.msg);
	snprintf(e->config.name, sizeof e->config.name, "%s", argv[o->at - 1]);
	e->how = CLI_SESSION_ATTACH;
	return 0;
}

/* "exec NAME --timeout 1 -- CMD" would execute a program called NAME in a new sandbox. */
static bool has_options_behind_name(const struct options *o, int argc, char **argv)
{
	struct trm_entry entry;
	bool has_dashes = false;
	if (o->only_operands || options_has(o, "name") || o->at == argc || argv[o->at][0] != '-')
		return false;
	for (int i = o->at; i < argc && !has_dashes; i++)
		has_dashes = strcmp(argv[i], "--") == 0;
	return has_dashes && sandbox_list_runs(argv[o->at - 1], &entry);
}

static int pass_gate(const struct exec *e, const char *config_path, char **command)
{
	struct policy_gate policy_gate;
	struct trm_findings found = {0};
	struct trm_error why = {0};
	int r = policy_gate_open(&policy_gate, &e->config, config_path, &why), code;
	if (r == 0 && policy_gate.policy && policy_gate.mode != TRM_POLICY_ADVISE)
		r = trm_policy_scan_command(policy_gate.policy, (const char *const *)command, &found, &why);
	code = r < 0 ? cmd_fail("%s", why.msg) : confirm_findings(&policy_gate, &found);
	trm_findings_finish(&found);
	policy_gate_close(&policy_gate);
	return code;
}

/* "exec [NAME] --script FILE [-- ARG…]": the remaining words are a name and arguments. */
static int take_script_words(
		struct exec *e, const struct options *o, int got, int argc, char **argv, char ***ret)
{
	struct trm_error why = {0};
	int at = got == OPTIONS_END ? argc : o->at - 1;
	*ret = argv + at;
	if (got == OPTIONS_END || o->only_operands)
		return CMD_OK;
	if (options_has(o, "name"))
		return cmd_fail("the sandbox is named twice: '%s' and --name", argv[at]);
	if (at + 1 < argc && strcmp(argv[at + 1], "--") != 0)
		return cmd_fail("--script: arguments of the script follow '--'");
	if (trm_sandbox_name_check(argv[at], &why) < 0)
		return cmd_fail("%s", why.msg);
	snprintf(e->config.name, sizeof e->config.name, "%s", argv[at]);
	e->how = CLI_SESSION_ATTACH;
	*ret = argv + (at + 1 < argc ? at + 2 : argc);
	return CMD_OK;
}

static int run_words(struct exec *e, const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	options_init(&o, cmd->name, options, argc, argv);
	int got = options_next(&o);
	while (got == OPTION_SCRIPT) {
		if (e->script.name)
			return cmd_fail("--script can be given once");
		e->script = (struct source){.kind = SOURCE_FILE, .name = o.value};
		got = options_next(&o);
	}
	if (got == OPTIONS_HELP)
		return cmd_print_help(cmd);
	if (got == OPTIONS_WRONG)
		return CMD_FAILED;
	if (got == OPTIONS_END && !e->script.name)
		return cmd_fail("there is no command to execute; see 'terrarium exec --help'");
	if (options_config(&o, &e->config) < 0)
		return CMD_FAILED;
	char **command = argv + o.at - 1;
	if (e->script.name) {
		char **args;
		if (take_script_words(e, &o, got, argc, argv, &args)
				|| read_script(e, args, &e->script_command))
			return CMD_FAILED;
		command = e->script_command;
	} else if (!o.only_operands && o.at < argc && strcmp(argv[o.at], "--") == 0) {
		if (take_sandbox_name(e, &o, argc, argv))
			return CMD_FAILED;
		command = argv + o.at + 1;
	} else if (has_options_behind_name(&o, argc, argv)) {
		return cmd_fail("'%s' is a running sandbox; options go before its name (to run a program of "
				"that name: terrarium exec -- %s …)",
				command[0], command[0]);
	}
	if (options_check_backend(&o, &e->config) || options_check_kept(&o, &e->config))
		return CMD_FAILED;
	e->asked = options_asked(&o);
	e->asked.no_packages = true;
	e->has_env = options_has(&o, "env");
	e->has_workdir = options_has(&o, "workdir");
	e->has_timeout = options_has(&o, "timeout") && e->config.timeout_ms;
	if (options_has_request(&o) || options_has(&o, "keep"))
		sandbox_list_note_running(&o, &e->config, true);
	int code = pass_gate(e, o.config_path, command);
	if (code == CMD_OK)
		code = exec_execute(e, command);
	if (e->is_pipe_broken)
		cmd_die_of_pipe();
	return code;
}

/* Allocated, as in run.c. */
static int exec_main(const struct cmd *cmd, int argc, char **argv)
{
	struct exec *e = calloc(1, sizeof *e);
	if (!e)
		return cmd_fail("out of memory");
	e->how = CLI_SESSION_EITHER;
	int code = run_words(e, cmd, argc, argv);
	free(e->script_command);
	source_finish(&e->script);
	free(e);
	return code;
}

static const char *const settings[] = {"name", "keep", "memory", "cpus", "processes", "disk", "net",
		"net_allow", "net_allow_host", "mount", "env", "workdir", "max_output", "timeout", "backend",
		NULL};

const struct cmd cmd_exec = {
		.name = "exec",
		.usage = "exec [OPTIONS] [NAME] -- CMD [ARG…]",
		.summary = "run a command in a sandbox",
		.help = "Runs CMD in the running sandbox NAME, else in a new one. If standard input and "
			"output are a terminal, CMD gets a terminal of its own, else pipes. Terrarium "
			"does not ask first. It passes signals on to CMD. Exit codes: that of CMD; 124 "
			"time limit, 125 terrarium failed, 126 not executable, 127 not found, 128+n "
			"ended by signal n.",
		.options = options,
		.operands = "NAME",
		.settings = settings,
		.run = exec_main,
};
