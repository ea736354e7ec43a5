/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

const char *trm_strerror(int code)
{
	switch (code) {
	case TRM_OK: return "no error";
#define X(name, number, text) \
	case TRM_##name: return text;
		TRM_ERROR_MAP(X)
#undef X
	}
	return "unknown error";
}

static void set_message(struct trm_error *err, int code, const char *fmt, va_list args)
{
	char raw[sizeof err->msg];
	vsnprintf(raw, sizeof raw, fmt, args);
	err->code = code;
	trm_text_clean_line(err->msg, sizeof err->msg, raw, strlen(raw));
}

int trm_error_set(struct trm_error *err, int code, const char *fmt, ...)
{
	if (err) {
		va_list args;
		va_start(args, fmt);
		set_message(err, code, fmt, args);
		va_end(args);
	}
	return code;
}

int trm_error_set_errno(struct trm_error *err, int saved_errno, const char *fmt, ...)
{
	int code = err_code_of(saved_errno);
	if (err) {
		char what[sizeof err->msg];
		va_list args;
		va_start(args, fmt);
		vsnprintf(what, sizeof what, fmt, args);
		va_end(args);
		return trm_error_set(err, code, "%s: %s", what, strerror(saved_errno));
	}
	return code;
}

int err_wrap(struct trm_error *err, int code, const char *fmt, ...)
{
	if (err) {
		char noun[sizeof err->msg], below[sizeof err->msg];
		va_list args;
		va_start(args, fmt);
		vsnprintf(noun, sizeof noun, fmt, args);
		va_end(args);
		memcpy(below, err->msg, sizeof below);
		return trm_error_set(err, code, "%s: %s", noun, below);
	}
	return code;
}

int err_code_of(int saved_errno)
{
	switch (saved_errno) {
	case EINVAL: return TRM_EINVAL;
	case ENOMEM: return TRM_ENOMEM;
	case ENOENT:
	case ENOTDIR: return TRM_ENOENT;
	case EPERM:
	case EACCES:
	case EROFS: return TRM_EPERM;
	case ENOSYS:
	case EOPNOTSUPP: return TRM_ENOTSUP;
	case ETIMEDOUT: return TRM_ETIMEDOUT;
	case ECANCELED: return TRM_ECANCELED;
	case EFBIG:
	case E2BIG:
	case ENOSPC:
	case ENAMETOOLONG:
	case EMSGSIZE: return TRM_ETOOBIG;
	case EPROTO:
	case EBADMSG: return TRM_EPROTO;
	case EPIPE:
	case ECONNRESET:
	case ENOTCONN:
	case ECONNREFUSED: return TRM_ECLOSED;
	case EBUSY:
	case ETXTBSY: return TRM_EBUSY;
	case EEXIST: return TRM_EEXIST;
	default: return TRM_EIO;
	}
}
