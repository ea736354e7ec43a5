/* SPDX-License-Identifier: MIT */
#ifndef TUI_FAIL_H
#define TUI_FAIL_H

/* Errors of the program's own rooms, in the library's form: `return fail(e, TRM_EIO, "…")`. */

#include <terrarium/error.h>

/* Write a sentence; returns `code`. Control characters and broken UTF-8 that came in
 * through arguments (file names) are shown as U+FFFD. `err` may be NULL. */
int fail(struct trm_error *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* As fail, with ": " and the text of errno at the end; the code follows errno. */
int fail_errno(struct trm_error *err, int saved_errno, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

#endif
