/* SPDX-License-Identifier: MIT */

#include "cmd/cmd.h"

static int demo_main(const struct cmd *cmd, int argc, char **argv)
{
	struct settings settings;
	const char *file;
	unsigned given;
	int code;
	struct options o;

	if (!cmd_read_one(cmd, argc, argv, &o, "FILE", &given, &file, &code))
		return code;
	if (!file)
		return cmd_fail("nothing to show: give a FILE with cells (\"# %%%%\" lines), or a notebook");
	return options_settings(&o, &settings) < 0 ? CMD_FAILED : workbench_open(&settings, &o, file, true);
}

static const char *const settings[] = {"typing", "theme", "language", "memory", "timeout", "record", NULL};

const struct cmd cmd_demo = {
		.name = "demo",
		.usage = "demo [OPTIONS] FILE",
		.summary = "present a file cell by cell",
		.help = "Steps through a prepared file before an audience. Space or PgDn (which "
			"presenter remotes send) shows a cell, runs it, and shows the next. PgUp goes "
			"back, n skips a cell, + and - change the typing speed, Esc leaves. Terrarium "
			"asks once before it runs cells. For a big room use --theme projector.",
		.operands = "FILE",
		.settings = settings,
		.asks = true,
		.run = demo_main,
};
