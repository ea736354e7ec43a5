/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_FAIL_H
#define TUI_CMD_FAIL_H

#include <stdarg.h>
#include <stdio.h>

#include <terrarium/error.h>

/* Fill in a sentence; returns `code`. */
static inline int __attribute__((format(printf, 3, 4)))
fail(struct trm_error *err, int code, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(err->msg, sizeof err->msg, fmt, args);
	va_end(args);
	err->code = code;
	return code;
}

#endif
