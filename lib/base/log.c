/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "base/utf8.h"

/* The library's only mutable global: a host program sets the hook once per process, before it has any
 * handle from us. */
static struct {
	trm_log_fn *fn;
	void *user;
} hook;

void trm_set_log(trm_log_fn *fn, void *user)
{
	hook.fn = fn;
	hook.user = user;
}

void log_write(enum log_level level, const char *fmt, ...)
{
	char raw[512], line[512];
	va_list args;
	if (!hook.fn)
		return;
	va_start(args, fmt);
	vsnprintf(raw, sizeof raw, fmt, args);
	va_end(args);
	trm_text_clean_line(line, sizeof line, raw, strlen(raw));
	hook.fn(hook.user, (int)level, line);
}
