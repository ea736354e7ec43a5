/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

int main(int argc, char **argv)
{
	cmd_prepare();
	const struct cmd *cmd = argc > 1 ? cmd_find(argv[1]) : NULL;
	if (cmd)
		return cmd->run(cmd, argc - 1, argv + 1);
	return cmd_workbench.run(&cmd_workbench, argc, argv);
}
