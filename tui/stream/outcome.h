/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTCOME_H
#define TUI_OUTCOME_H

struct trm_result;

/* The exit code that a program has whose run this was: the code's own, where it got to have one. Code that
 * ends the interpreter itself, with a 0, has one: os._exit(0), or Bash's `exec true`. An interpreter that
 * does not start has none: 125. */
int outcome_exit_code(const struct trm_result *result);

#endif
