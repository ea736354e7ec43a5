/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_COMPLETION_H
#define TUI_CMD_COMPLETION_H

/* Print the replacement of @TABLE@ in the scripts of tui/cmd/completion/ on stdout. */

void completion_rows(void);       /* bash and zsh: rows within a string in single quotes */
void completion_fish_lines(void); /* fish: lines of `complete` */

#endif
