/* SPDX-License-Identifier: MIT */
#include <sys/prctl.h>

#include "cmd/cmd.h"

int main(int argc, char **argv)
{
	prctl(PR_SET_NAME, "terrarium"); /* whatever its file is called */
	cmd_prepare();
	const struct cmd *cmd = argc > 1 ? cmd_find(argv[1]) : NULL;
	if (cmd)
		return cmd->run(cmd, argc - 1, argv + 1);
	return cmd_workbench.run(&cmd_workbench, argc, argv);
}
