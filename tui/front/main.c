/* SPDX-License-Identifier: MIT */
/* The program that people start. It is small and static, for the sake of scripts: `run` and `exec` on a
 * sandbox that runs already, which are compiled from the same sources as in the full program (CMakeLists.txt,
 * "the front"). A dynamic program has not reached main() when this one is done. Everything else, and whatever
 * is not quite plain, is the full program's, which takes over with the same words. */
#include <string.h>

#include <terrarium/config.h>

#include "cmd/cmd.h"
#include "front/hand.h"

/* "run --name N -c CODE", "run --name N FILE": nothing of it comes from standard input. */
static bool is_plain_run(struct options *o, const struct cmd *cmd)
{
	size_t n_sources = 0;

	for (;;) {
		int got = options_next(o);
		if (got == OPTIONS_END)
			return n_sources && options_has(o, "name");
		if (got == OPTIONS_HELP || got == OPTIONS_WRONG)
			return false;
		if (got == OPTIONS_OPERAND && strcmp(o->value, "-") == 0)
			return false;
		n_sources += got == OPTIONS_OPERAND || cmd->options[got].letter == 'c';
	}
}

/* "exec N -- CMD", "exec --name N CMD". */
static bool is_plain_exec(struct options *o, const struct cmd *cmd)
{
	(void)cmd;
	if (options_next(o) != OPTIONS_OPERAND)
		return false;
	return options_has(o, "name")
	       || (!o->only_operands && o->at < o->argc && strcmp(o->argv[o->at], "--") == 0);
}

static const struct {
	const struct cmd *cmd;
	bool (*is_plain)(struct options *o, const struct cmd *cmd);
} mine[] = {{&cmd_run, is_plain_run}, {&cmd_exec, is_plain_exec}};

/* A key on the command line is wiped out by who parses it, and the full program shall find it yet. */
static bool has_secret(int argc, char **argv)
{
	size_t count;
	const struct trm_setting *rows = trm_settings(&count);

	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < count; k++)
			if (rows[k].kind == TRM_SETTING_SECRET
					&& strncmp(argv[i], rows[k].option, strlen(rows[k].option)) == 0)
				return true;
	return false;
}

/* What the line asks for, if it is the front's to do. The options are big: their place on the stack is the
 * command's own afterwards. */
static __attribute__((noinline)) const struct cmd *find_mine(int argc, char **argv)
{
	struct options o;

	for (size_t i = 0; argc > 1 && i < sizeof mine / sizeof *mine; i++) {
		const struct cmd *cmd = mine[i].cmd;
		if (strcmp(argv[1], cmd->name) != 0)
			continue;
		options_init(&o, cmd->name, cmd->options, argc - 1, argv + 1);
		return !has_secret(argc, argv) && mine[i].is_plain(&o, cmd) ? cmd : NULL;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	hand_init(argv);
	const struct cmd *cmd = find_mine(argc, argv);
	if (!cmd)
		hand_over();
	cmd_prepare();
	return cmd->run(cmd, argc - 1, argv + 1);
}
