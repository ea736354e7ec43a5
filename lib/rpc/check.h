/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_CHECK_H
#define TRM_RPC_CHECK_H

/* Strict JSON, looked at before cJSON sees it, which is lenient and recursive: RFC 8259 in valid UTF-8, one
 * value, at most RPC_DEPTH_MAX deep, of RPC_VALUES_MAX values at most (cJSON takes forty bytes for one that
 * is written with one), numbers that a double can hold, no NUL character in a string (cJSON would cut there).
 */

#include <stddef.h>

struct cJSON;
struct trm_error;

enum { RPC_DEPTH_MAX = 32, RPC_VALUES_MAX = 1 << 17 };

/* Part of a text. */
struct rpc_span {
	size_t at, n;
};

/* 0; TRM_EPROTO with a sentence that names line and column; TRM_EINVAL: all is well but for a NUL character
 * in a string. `member` (may be NULL): a name; then *ret_span is where its value stands in the outermost
 * object, n == 0 if there is none. */
int rpc_check(const char *text, size_t n, const char *member, struct rpc_span *ret_span,
		struct trm_error *reterr);

/* No object has a name twice. (Whoever reads the first of two and whoever reads the last would disagree.) 0,
 * TRM_EPROTO or TRM_ENOMEM. */
int rpc_check_names(const struct cJSON *json, struct trm_error *reterr);

#endif
