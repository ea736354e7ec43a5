/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/completion.h"

int main(int argc, char **argv)
{
	cmd_prepare();
	if (argc > 1 && strcmp(argv[1], "__complete") == 0)
		return completion_answer(argc - 2, argv + 2);
	const struct cmd *cmd = argc > 1 ? cmd_find(argv[1]) : NULL;
	if (cmd)
		return cmd->run(cmd, argc - 1, argv + 1);
	return cmd_workbench.run(&cmd_workbench, argc, argv);
}
