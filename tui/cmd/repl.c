/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "cmd/sandbox_list.h"
#include "cmd/source.h"
#include "cmd/with.h"
#include "repl/repl.h"
#include "stream/policy_gate.h"

enum { OPTION_FIGURES, OPTION_WITH };

static const struct option_spec options[] = {
		[OPTION_FIGURES] = {"--save-figures", 0, "DIR", "save images that the code shows in DIR"},
		[OPTION_WITH] = {"--with", 0, "PKG", "install packages first, such as 'rich>=13,six'"},
		{0},
};

static int find_language(const struct trm_config *config, const struct trm_lang **ret)
{
	const char *language = *config->language ? config->language : trm_lang_default()->name;
	struct trm_error why = {0};
	return trm_lang_find(language, ret, &why) < 0 ? cmd_fail("%s", why.msg) : CMD_OK;
}

/* Ask once about a script on stdin, as `run` asks about a file. A person at a terminal is asked about each
 * input instead. */
static int confirm_transcript(const struct trm_config *config, const struct policy_gate *policy_gate)
{
	struct source what = {.kind = SOURCE_FILE, .name = "the text on standard input"};
	bool has_person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	int code = find_language(config, &what.lang);
	return code != CMD_OK || has_person ? code : confirm_if_wanted(config, policy_gate, &what, 1);
}

static int open_with(const struct settings *settings, const struct options *o, bool attach,
		const char *figures, char *const *with)
{
	struct policy_gate policy_gate;
	struct trm_error why = {0};
	if (policy_gate_open(&policy_gate, &settings->config, o->config_path, &why) < 0)
		return cmd_fail("%s", why.msg);
	struct repl_opts opts = {.settings = settings,
			.policy_gate = &policy_gate,
			.asked = options_asked(o),
			.attach = attach,
			.figures = figures,
			.with = with};
	const struct trm_lang *lang;
	bool is_pipe_broken = false;
	int code = confirm_transcript(&settings->config, &policy_gate);
	if (code == CMD_OK && with)
		code = find_language(&settings->config, &lang);
	if (code == CMD_OK && with)
		code = with_check_policy(&policy_gate, lang, with);
	if (code == CMD_OK)
		code = repl_main(&opts, &is_pipe_broken);
	policy_gate_close(&policy_gate);
	if (is_pipe_broken)
		cmd_die_of_pipe();
	return code;
}

int repl_open(const struct settings *settings, const struct options *o, bool attach, const char *figures)
{
	return open_with(settings, o, attach, figures, NULL);
}

static int open_asked(struct options *o, const char *figures, const char *const *texts, size_t n)
{
	struct settings chosen;
	char **with = NULL;
	if (options_settings(o, &chosen) < 0 || options_check_backend(o, &chosen.config))
		return CMD_FAILED;
	const struct trm_lang *lang;
	int code = n ? with_check_net(o, &chosen.config) : CMD_OK;
	if (code == CMD_OK)
		code = find_language(&chosen.config, &lang);
	if (code == CMD_OK)
		sandbox_list_note_running(o, &chosen.config, false);
	if (code == CMD_OK)
		code = with_add(lang, texts, n, &with);
	if (code == CMD_OK)
		code = confirm_isolation(&chosen.config, o->config_path);
	if (code == CMD_OK)
		code = open_with(&chosen, o, false, figures, with);
	trm_libraries_free(with);
	return code;
}

static int repl_cmd_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	const char *figures = NULL, **texts = calloc((size_t)argc, sizeof *texts);
	size_t n = 0;
	int got;
	if (!texts)
		return cmd_fail("out of memory");
	options_init(&o, cmd->name, options, argc, argv);
	while ((got = options_next(&o)) == OPTION_FIGURES || got == OPTION_WITH)
		if (got == OPTION_WITH)
			texts[n++] = o.value;
		else
			figures = o.value;
	o.fetches = n > 0;
	int code = got == OPTIONS_HELP      ? cmd_print_help(cmd)
		   : got == OPTIONS_OPERAND ? cmd_fail(
				     "the REPL takes no file: '%s'; try 'terrarium run', or :run in it",
				     o.value)
		   : got == OPTIONS_WRONG ? CMD_FAILED
					  : open_asked(&o, figures, texts, n);
	free(texts);
	return code;
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
