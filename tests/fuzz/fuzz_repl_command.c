/* SPDX-License-Identifier: MIT */
/* A line that begins with a colon: which command it names, and how it may go on. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "repl/command.h"

static void find(const char *word, size_t n)
{
	enum { CAP = 40 }; /* less than the names of all commands */
	const struct repl_command *found = NULL;
	char words[CAP];
	enum repl_command_match match =
			repl_command_find(repl_command_table, word, n, &found, words, sizeof words);
	if (match == REPL_COMMAND_FOUND && strncmp(found->name, word, n) != 0)
		abort();
	if (strlen(words) >= sizeof words)
		abort();
}

static void complete(const char *line, size_t point)
{
	struct candidates candidates = {0};
	size_t from = repl_command_complete(NULL, line, point, &candidates);
	if (from > strlen(line) || (candidates.n && from > point && point))
		abort();
	candidates_finish(&candidates);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *line = malloc(n + 2);
	if (!line)
		return 0;
	line[0] = ':';
	memcpy(line + 1, bytes, n);
	line[n + 1] = '\0';
	n = strlen(line);
	find(line + 1, n - 1);
	complete(line, n);
	complete(line, n / 2 + 1);
	free(line);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("he"),
		SEED(" timeout 30"),
		SEED("lang pyt"),
		SEED("cp /usr/share/d"),
		SEED("run ~/"),
		SEED("theme da"),
		SEED("hlep"),
		SEED("keep o"),
		{NULL, 0},
};
