/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_COMMAND_WORDS_H
#define TRM_BASE_COMMAND_WORDS_H

/* Formats a command as one line for a person, who can copy it into a shell. Values of variables are
 * hidden, because they may be secrets. No memory is allocated. */

#include <stdbool.h>
#include <stddef.h>

/* The line of a command begins with this sign. No other progress message does. */
#define COMMAND_WORDS_SIGN "$ "
enum { COMMAND_WORDS_MAX = 3500 };

struct command_words {
	char line[COMMAND_WORDS_MAX];
	size_t n, n_args;
	bool is_hidden; /* the next argument is NAME=value */
	bool is_full;
};

/* Begin a command of a step: "$ create: ". */
void command_words_begin(struct command_words *words, const char *step);
void command_words_add(struct command_words *words, const char *arg);
/* Returns the line. */
const char *command_words_end(struct command_words *words);

#endif
