/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

bool cmd_read_one(const struct cmd *cmd, int argc, char **argv, struct options *o, const char *what,
		unsigned *ret_given, const char **ret_one, int *ret_code)
{
	*ret_given = 0;
	*ret_one = NULL;
	options_init(o, cmd->name, cmd->options, argc, argv);
	for (int got; (got = options_next(o)) != OPTIONS_END;) {
		if (got >= 0) {
			*ret_given |= 1u << got;
			continue;
		}
		if (got == OPTIONS_OPERAND && what && !*ret_one) {
			*ret_one = o->value;
			continue;
		}
		*ret_code = CMD_FAILED;
		if (got == OPTIONS_HELP)
			*ret_code = cmd_print_help(cmd);
		else if (got == OPTIONS_OPERAND && what)
			cmd_fail("'%s' takes one %s, and '%s' is a second one", cmd->name, what, o->value);
		else if (got == OPTIONS_OPERAND)
			cmd_fail("'%s' takes no arguments, but got '%s'", cmd->name, o->value);
		return false;
	}
	return true;
}

bool cmd_read_flags(const struct cmd *cmd, int argc, char **argv, struct options *o, unsigned *ret_given,
		int *ret_code)
{
	const char *none;
	return cmd_read_one(cmd, argc, argv, o, NULL, ret_given, &none, ret_code);
}
