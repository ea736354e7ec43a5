/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

bool cmd_read_flags(const struct cmd *cmd, int argc, char **argv, struct options *o, unsigned *ret_given,
		int *ret_code)
{
	*ret_given = 0;
	options_init(o, cmd->name, cmd->options, argc, argv);
	for (int got; (got = options_next(o)) != OPTIONS_END;) {
		if (got >= 0) {
			*ret_given |= 1u << got;
			continue;
		}
		*ret_code = CMD_FAILED;
		if (got == OPTIONS_HELP)
			*ret_code = cmd_print_help(cmd);
		else if (got == OPTIONS_OPERAND)
			cmd_fail("'%s' takes no arguments, but got '%s'", cmd->name, o->value);
		return false;
	}
	return true;
}
