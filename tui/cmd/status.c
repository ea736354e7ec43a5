/* SPDX-License-Identifier: MIT */
#include "cmd/status.h"

#include <stdio.h>
#include <unistd.h>

#include "cmd/cmd.h"

static const struct {
	const char *word, *color;
} looks[] = {
		[TRM_CHECK_OK] = {"ok", "32"},
		[TRM_CHECK_WEAK] = {"weak", "33"},
		[TRM_CHECK_FAILED] = {"failed", "31"},
		[TRM_CHECK_NOTE] = {"note", "36"},
};

const char *status_word(enum trm_check_status status)
{
	return looks[status].word;
}

void status_print(enum trm_check_status status, const char *note)
{
	const char *word = status == TRM_CHECK_NOTE ? note : looks[status].word;
	if (cmd_has_color())
		printf("\033[%sm%-7s\033[m", looks[status].color, word);
	else
		printf("%-7s", word);
}

void status_print_text(const char *text, int indent)
{
	if (isatty(STDOUT_FILENO))
		cmd_print_wrapped(text, indent);
	else
		puts(text);
}
