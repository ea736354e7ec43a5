/* SPDX-License-Identifier: MIT */
#include "base/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/codepoint.h"

/* Copy what is fit to be shown on one line of a terminal. */
static void clean(char *out, size_t cap, const char *s, size_t n)
{
	size_t len = 0;
	for (size_t at = 0; at < n;) {
		uint32_t cp;
		int is_valid;
		size_t n_in = codepoint_decode(s + at, n - at, &cp, &is_valid);
		bool is_fit = is_valid && cp >= 0x20 && cp != 0x7F && !codepoint_is_deceptive(cp);
		size_t n_out = is_fit ? n_in : 3;
		if (len + n_out + 1 > cap)
			break;
		memcpy(out + len, is_fit ? s + at : "\xEF\xBF\xBD", n_out);
		len += n_out;
		at += n_in;
	}
	out[len] = '\0';
}

static void write_sentence(struct trm_error *err, int code, const char *fmt, va_list args)
{
	char raw[sizeof(err->msg)];
	vsnprintf(raw, sizeof(raw), fmt, args);
	clean(err->msg, sizeof(err->msg), raw, strlen(raw));
	err->code = code;
}

int fail(struct trm_error *err, int code, const char *fmt, ...)
{
	if (err) {
		va_list args;
		va_start(args, fmt);
		write_sentence(err, code, fmt, args);
		va_end(args);
	}
	return code;
}

static int code_of(int number)
{
	switch (number) {
	case ENOENT:
	case ENOTDIR: return TRM_ENOENT;
	case EACCES:
	case EROFS:
	case EPERM: return TRM_EPERM;
	case ENOMEM: return TRM_ENOMEM;
	case EFBIG: return TRM_ETOOBIG;
	default: return TRM_EIO;
	}
}

int fail_errno(struct trm_error *err, int saved_errno, const char *fmt, ...)
{
	int code = code_of(saved_errno);
	if (err) {
		va_list args;
		va_start(args, fmt);
		write_sentence(err, code, fmt, args);
		va_end(args);
		size_t len = strlen(err->msg);
		snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", strerror(saved_errno));
	}
	return code;
}
