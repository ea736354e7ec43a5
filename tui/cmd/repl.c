/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "cmd/sandbox_list.h"
#include "cmd/source.h"
#include "repl/repl.h"
#include "stream/policy_gate.h"

enum { OPTION_FIGURES };

static const struct option_spec options[] = {
		[OPTION_FIGURES] = {"--save-figures", 0, "DIR", "save images that the code shows in DIR"},
		{0},
};

/* Ask once about a script on stdin, as `run` asks about a file. A person at a terminal is asked about each
 * input instead. */
static int confirm_transcript(const struct trm_config *config, const struct policy_gate *policy_gate)
{
	struct source what = {.kind = SOURCE_FILE, .name = "the text on standard input"};
	struct trm_error why = {0};
	bool has_person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	const char *language = *config->language ? config->language : trm_lang_default()->name;
	if (trm_lang_find(language, &what.lang, &why) < 0)
		return cmd_fail("%s", why.msg);
	return has_person ? CMD_OK : confirm_if_wanted(config, policy_gate, &what, 1);
}

int repl_open(const struct trm_config *config, const struct options *o, bool attach, const char *figures)
{
	struct policy_gate policy_gate;
	struct trm_error why = {0};
	if (policy_gate_open(&policy_gate, config, o->config_path, &why) < 0)
		return cmd_fail("%s", why.msg);
	struct repl_opts opts = {.config = config,
			.policy_gate = &policy_gate,
			.asked = options_asked(o),
			.attach = attach,
			.figures = figures};
	bool is_pipe_broken = false;
	int code = confirm_transcript(config, &policy_gate);
	if (code == CMD_OK)
		code = repl_main(&opts, &is_pipe_broken);
	policy_gate_close(&policy_gate);
	if (is_pipe_broken)
		cmd_die_of_pipe();
	return code;
}

static int repl_cmd_main(const struct cmd *cmd, int argc, char **argv)
{
	struct trm_config config;
	struct options o;
	const char *figures = NULL;
	options_init(&o, cmd->name, options, argc, argv);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_OPERAND)
			return cmd_fail("the REPL takes no file: '%s'; try 'terrarium run', or :run in it",
					o.value);
		if (got != OPTION_FIGURES)
			return CMD_FAILED;
		figures = o.value;
	}
	if (options_config_start(&o, &config) < 0)
		return CMD_FAILED;
	sandbox_list_note_running(&o, &config, false);
	int code = confirm_isolation(&config, o.config_path);
	if (code != CMD_OK)
		return code;
	return repl_open(&config, &o, false, figures);
}

static const char *const settings[] = {"language", "name", "timeout", "theme", "images", "keep", "net",
		"mount", "env", "workdir", NULL};

const struct cmd cmd_repl = {
		.name = "repl",
		.usage = "repl [OPTIONS]",
		.summary = "run code line by line",
		.help = "Runs each input in a sandbox that keeps its state. Tab completes, Ctrl-R "
			"searches earlier inputs, Ctrl-C interrupts, Ctrl-D leaves. :help lists the "
			"commands, !CMD runs a shell command in the sandbox, ?NAME explains a name.\nIn "
			"a pipe it prints values, but no prompts and no colors. A Python block ends at "
			"a blank line, or before the next line that is not indented. The exit code is "
			"that of the first input that failed.",
		.options = options,
		.settings = settings,
		.asks = true,
		.run = repl_cmd_main,
};
