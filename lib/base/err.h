/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_ERR_H
#define TRM_BASE_ERR_H

/* The library's own error functions, beyond <terrarium/error.h>. */

#include <terrarium/error.h>

/* Prepend a noun to the message: "session 'x': …". Returns `code`. */
int err_wrap(struct trm_error *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The code that fits an errno. */
int err_code_of(int saved_errno);

#endif
