/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_CONFIRM_H
#define TUI_CMD_CONFIRM_H

#include <stddef.h>
#include <stdio.h>

struct source;
struct trm_config;

enum confirm_answer { CONFIRM_YES, CONFIRM_NO, CONFIRM_NOBODY /* no terminal to ask on */ };

/* Show what would run, where and under which limits, and ask on the terminal (/dev/tty, so that it
 * works with stdin and stdout in a pipe). Blocks. */
enum confirm_answer confirm_runs(const struct trm_config *config, const struct source *sources, size_t n);

/* One line about one of them: what it is ("python"), its length and how it begins. */
void confirm_show(FILE *tty, const char *what, const struct source *source);

#endif
