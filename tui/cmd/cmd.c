/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include <string.h>

#include <terrarium/sandbox.h>

#include "text/edit_distance.h"

static const struct cmd *const commands[] = {
#define ROW(name) &cmd_##name,
		CMD_LIST(ROW)
#undef ROW
};
#define N_COMMANDS (sizeof commands / sizeof *commands)

static const struct {
	const char *word;
	const struct cmd *cmd;
} words[] = {
		{"--help", &cmd_help},
		{"-h", &cmd_help},
		{"--version", &cmd_version},
		{"-V", &cmd_version},
};

const struct cmd *const *cmd_table(size_t *ret_count)
{
	*ret_count = N_COMMANDS;
	return commands;
}

const struct cmd *cmd_find(const char *word)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(word, commands[i]->name)
				|| (commands[i]->alias && !strcmp(word, commands[i]->alias)))
			return commands[i];
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i].word))
			return words[i].cmd;
	return NULL;
}

const struct cmd *cmd_nearest(const char *word)
{
	struct near near = edit_distance_to(word, strlen(word));
	for (size_t i = 0; i < N_COMMANDS; i++)
		edit_distance_try(&near, commands[i]->name);
	return near.best ? cmd_find(near.best) : NULL;
}

void cmd_note_hints(const struct trm_sandbox *sandbox)
{
	char hint[TRM_NET_HINT];
	const struct trm_mount *mounts;
	if (trm_sandbox_is_attached(sandbox))
		return;
	if (trm_net_hint(trm_sandbox_limits(sandbox), hint, sizeof hint))
		cmd_fail("note: %s", hint);
	for (size_t i = 0, n = trm_sandbox_mounts(sandbox, &mounts); i < n; i++)
		if (trm_mount_hint(&mounts[i], hint, sizeof hint))
			cmd_fail("note: %s", hint);
}
