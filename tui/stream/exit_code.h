/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_EXIT_CODE_H
#define TUI_STREAM_EXIT_CODE_H

struct trm_result;

/* The exit code that a program has whose run this was: the code's own, where it got to have one. Code that
 * ends the interpreter itself, with a 0, has one: os._exit(0), or Bash's `exec true`. An interpreter that
 * does not start has none: 125. */
int exit_code_of(const struct trm_result *result);

#endif
