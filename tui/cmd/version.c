/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"

static int version_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;

	options_init(&o, "version", NULL, argc, argv);
	switch (options_next(&o)) {
	case OPTIONS_END: break;
	case OPTIONS_HELP: return cmd_print_help(cmd);
	case OPTIONS_WRONG: return CMD_FAILED;
	default: return cmd_fail("'version' takes no arguments");
	}
	printf("terrarium %s\n", trm_version());
	return cmd_flush();
}

const struct cmd cmd_version = {
		.name = "version",
		.usage = "version",
		.summary = "print the version",
		.help = "Prints the version of the program.",
		.run = version_main,
};
