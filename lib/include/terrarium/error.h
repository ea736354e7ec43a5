/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_ERROR_H
#define TERRARIUM_ERROR_H

/* Errors of libterrarium.
 *
 * Functions return 0 or a negative TRM_E… code. Functions with more to say take a `struct trm_error
 * *reterr` as their last argument. The caller owns it, and it may be NULL. Nothing is allocated, and on
 * success it is not changed. The message is one sentence for a person: what failed, why, and, if known,
 * what to do. It is valid UTF-8 without control characters, whatever the sandbox or a server sent. */

#include <terrarium/api.h>

TRM_BEGIN_API

#define TRM_ERROR_MAP(X) \
	X(EINVAL, 1, "invalid argument") \
	X(ENOMEM, 2, "out of memory") \
	X(EIO, 3, "input/output error") \
	X(ENOTSUP, 4, "not supported here") \
	X(ENOENT, 5, "not found") \
	X(EPERM, 6, "not permitted") \
	X(ETIMEDOUT, 7, "timed out") \
	X(ECANCELED, 8, "canceled") \
	X(ETOOBIG, 9, "too big") \
	X(EPROTO, 10, "protocol error") \
	X(ECLOSED, 11, "closed") \
	X(EBUSY, 12, "busy") \
	X(EEXIST, 13, "already exists") \
	X(ENOISOLATION, 14, "no isolation works here") \
	X(EMISSING, 15, "a program or service that is needed is missing") \
	X(ENOIMAGE, 16, "image not found") \
	X(EPULL, 17, "image cannot be fetched")

enum trm_error_code {
	TRM_OK = 0,
#define X(name, number, text) TRM_##name = -(number),
	TRM_ERROR_MAP(X)
#undef X
};

struct trm_error {
	int code;      /* TRM_OK or one of the codes above */
	char msg[480]; /* NUL-terminated sentence without a final newline */
};

/* The end of a request that gives nothing back: why->code is TRM_OK, or the reason. Borrowed. */
typedef void trm_done_fn(void *user, const struct trm_error *why);

/* The general text of a code ("not found"); never NULL. Prefer trm_error.msg. */
const char *trm_strerror(int code);

/* Write a sentence and return `code`: `return trm_error_set(e, TRM_EIO, "…")`. Control characters and
 * invalid UTF-8 in the arguments are replaced. `err` may be NULL. */
int trm_error_set(struct trm_error *err, int code, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

/* Like trm_error_set(), with ": " and the text of errno added; the returned code follows from errno. */
int trm_error_set_errno(struct trm_error *err, int saved_errno, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

TRM_END_API

#endif
