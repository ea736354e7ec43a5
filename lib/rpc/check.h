/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_CHECK_H
#define TRM_RPC_CHECK_H

/* Checks strict JSON before cJSON parses it, because cJSON is lenient and recursive. The text must be RFC
 * 8259 in valid UTF-8: one value, at most RPC_DEPTH_MAX deep, with at most RPC_VALUES_MAX values (cJSON may
 * need forty bytes for a one-byte value), numbers that a double can hold, and no NUL character in a string
 * (cJSON would cut the string there). */

#include <stddef.h>

struct cJSON;
struct trm_error;

enum { RPC_DEPTH_MAX = 32, RPC_VALUES_MAX = 1 << 17 };

/* Part of a text. */
struct rpc_span {
	size_t at, n;
};

/* Returns 0, or TRM_EPROTO with a message that names line and column, or TRM_EINVAL if the only fault is a
 * NUL character in a string. `member` (may be NULL) is a name. *ret_span is then the place of its value in
 * the outermost object, with n == 0 if there is none. */
int rpc_check(const char *text, size_t n, const char *member, struct rpc_span *ret_span,
		struct trm_error *reterr);

/* Check that no object has a name twice: one reader would take the first value, another the last. Returns
 * 0, TRM_EPROTO or TRM_ENOMEM. */
int rpc_check_names(const struct cJSON *json, struct trm_error *reterr);

#endif
