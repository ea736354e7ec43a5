/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

/* The scripts are compiled in. */
#define EMBED(symbol, path) \
	__asm__(".section .rodata\n" \
		".local " #symbol "\n" #symbol ":\n" \
		".incbin \"" path "\"\n.byte 0\n.previous\n"); \
	extern const char symbol[]

EMBED(script_bash, TERRARIUM_SOURCE_DIR "/tui/cmd/completion/terrarium.bash");
EMBED(script_zsh, TERRARIUM_SOURCE_DIR "/tui/cmd/completion/terrarium.zsh");
EMBED(script_fish, TERRARIUM_SOURCE_DIR "/tui/cmd/completion/terrarium.fish");

static int print_completion_script(const char *shell)
{
	static const struct {
		const char *shell, *script;
	} shells[] = {{"bash", script_bash}, {"zsh", script_zsh}, {"fish", script_fish}};

	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (strcmp(shell, shells[i].shell) != 0)
			continue;
		fputs(shells[i].script, stdout);
		return cmd_flush();
	}
	return cmd_fail("there is no completion for '%s'; known are bash, zsh and fish", shell);
}

static int completion_main(const struct cmd *cmd, int argc, char **argv)
{
	const char *shell;
	unsigned given;
	int code;
	struct options o;

	if (!cmd_read_one(cmd, argc, argv, &o, "shell", &given, &shell, &code))
		return code;
	return shell ? print_completion_script(shell) : cmd_fail("which shell? Give bash, zsh or fish");
}

const struct cmd cmd_completion = {
		.name = "completion",
		.usage = "completion bash | zsh | fish",
		.summary = "print shell completion",
		.help = "Prints a script that completes commands, options, their values, running sandboxes, languages, themes "
			"and files. To have it in this shell:\n"
			"  bash: eval \"$(terrarium completion bash)\"\n"
			"  zsh:  source <(terrarium completion zsh), after compinit\n"
			"  fish: terrarium completion fish | source",
		.operands = "bash|zsh|fish",
		.run = completion_main,
};
