/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"

static const struct option_spec options[] = {{0}};

static int attach(const struct options *o, const char *name)
{
	struct trm_config config;
	struct trm_error why = {0};
	if (trm_sandbox_name_check(name, &why) < 0)
		return cmd_fail("%s", why.msg);
	if (options_config(o, &config) < 0)
		return CMD_FAILED;
	return workbench_attach(&config, o, name);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	const char *name = NULL;
	options_init(&o, cmd->name, options, argc, argv);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_WRONG)
			return CMD_FAILED;
		if (name)
			return cmd_fail("one sandbox can be attached to at a time, and '%s' is a second one", o.value);
		name = o.value;
	}
	if (!name)
		return cmd_fail("which sandbox? Give its NAME; 'terrarium ps' lists them");
	return attach(&o, name);
}

static const char *const settings[] = {"language", "theme", "keymap", "timeout", "confirm", NULL};

const struct cmd cmd_attach = {
		.name = "attach",
		.usage = "attach [OPTIONS] NAME",
		.summary = "open a running sandbox",
		.help = "Opens the workbench on a sandbox that runs already, with all its state. Leaving detaches from it, "
			"and leaves it running.",
		.options = options,
		.operands = "NAME",
		.settings = settings,
		.run = run,
};
