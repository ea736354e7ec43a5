/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"

static int run(const struct cmd *cmd, int argc, char **argv)
{
	(void)cmd;
	(void)argv;
	if (argc > 1)
		return cmd_fail("'version' takes no arguments");
	printf("terrarium %s\n", trm_version());
	return cmd_flush();
}

const struct cmd cmd_version = {
		.name = "version",
		.usage = "version",
		.summary = "print the version",
		.run = run,
};
