/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_ERR_H
#define TRM_BASE_ERR_H

/* What the library does with errors beyond <terrarium/error.h>. */

#include <terrarium/error.h>

/* Put a noun in front of what is already there: "session 'x': …"; returns `code`. */
int err_wrap(struct trm_error *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Code that fits an errno. */
int err_code_of(int saved_errno);

#endif
