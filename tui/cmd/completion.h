/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_COMPLETION_H
#define TUI_CMD_COMPLETION_H

/* terrarium __complete WORD...: what may stand in place of the last word, which is still being typed and may
 * be empty. The words are those after "terrarium". The scripts of tui/cmd/completion/ ask this.
 *
 * Each line is a whole word, and a tab with a description if there is one. A word that ends with "/", ":" or
 * "=" goes on. ":files" and ":dirs" mean that the shell also offers its own files or folders. Returns the
 * exit code. */
int completion_answer(int n, char **words);

#endif
