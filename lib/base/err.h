/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_ERR_H
#define TRM_BASE_ERR_H

/* Filling in a trm_error, in one expression: `return err_fail(e, TRM_EIO, "…")`. */

#include <terrarium/error.h>

/* Write a sentence; returns `code`. Control characters and broken UTF-8 that
 * came in through arguments are replaced. `err` may be NULL. */
int err_fail(struct trm_error *err, int code, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

/* As err_fail, with ": " and the text of errno at the end; the code follows errno. */
int err_errno(struct trm_error *err, int saved_errno, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

/* Put a noun in front of what is already there: "session 'x': …"; returns `code`. */
int err_wrap(struct trm_error *err, int code, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

/* Code that fits an errno. */
int err_code_of(int saved_errno);

#endif
