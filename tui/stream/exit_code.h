/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_EXIT_CODE_H
#define TUI_STREAM_EXIT_CODE_H

struct trm_result;

/* The exit code of a program with this run: the code's own, if it has one. Code that ends the interpreter
 * itself with 0 has one: os._exit(0), or Bash's `exec true`. An interpreter that does not start has none:
 * 125. */
int exit_code_of(const struct trm_result *result);

#endif
