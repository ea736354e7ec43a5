/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_KEYS_TOKEN_H
#define TRM_SERVER_KEYS_TOKEN_H

/* API keys: "msb_" and a JSON Web Token (RFC 7519), signed with HMAC-SHA256 by the server key. No other
 * algorithm is known here, whatever the token says of itself. */

#include <stdint.h>

#include "server/http/library.h"

#define TOKEN_PREFIX "msb_"

enum {
	TOKEN_MAX = 4096,
	TOKEN_NAMESPACE_MAX = 64, /* with its NUL */
	TOKEN_LEEWAY_S = 60,      /* for clocks that differ, as the original allows */
};

struct token_claims {
	double expires_s, issued_s;          /* since 1970 */
	char namespace[TOKEN_NAMESPACE_MAX]; /* "*": all */
};

/* Prefix, token and NUL into `out`, of at least TOKEN_MAX bytes. False: the claims do not fit, or GnuTLS
 * refuses. */
bool token_make(const struct hmac *hmac, const char *server_key, const struct token_claims *claims,
		char *out);

/* What a token (without prefix) says, if it is signed by the key and in force at `now_s`. A token without
 * namespace is for all. False: it is not good; why is nobody's business but ours, and *ret_why (may be NULL)
 * says it. */
bool token_read(const struct hmac *hmac, const char *server_key, const char *token, size_t n, double now_s,
		struct token_claims *ret, const char **ret_why);

#endif
