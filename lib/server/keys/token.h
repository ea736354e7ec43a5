/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_KEYS_TOKEN_H
#define TRM_SERVER_KEYS_TOKEN_H

/* API keys: "msb_" and a JSON Web Token (RFC 7519), signed with HMAC-SHA256 by the server key. No other
 * algorithm is accepted, whatever the token claims. */

#include <stdint.h>

#include "server/http/library.h"

#define TOKEN_PREFIX "msb_"

enum {
	TOKEN_MAX = 4096,
	TOKEN_NAMESPACE_MAX = 64, /* with its NUL */
	TOKEN_LEEWAY_S = 60,      /* for clocks that differ, as in the original */
};

struct token_claims {
	double expires_s, issued_s;          /* since 1970 */
	char namespace[TOKEN_NAMESPACE_MAX]; /* "*": all */
};

/* Write prefix, token and NUL to `out`, which has at least TOKEN_MAX bytes. Returns false if the claims do
 * not fit or GnuTLS refuses. */
bool token_make(const struct hmac *hmac, const char *server_key, const struct token_claims *claims,
		char *out);

/* Read the claims of a token (without prefix) that the key has signed and that is valid at `now_s`. A token
 * without a namespace is for all. Returns false if the token is not valid. *ret_why (may be NULL) then
 * holds the reason, which the client must not see. */
bool token_read(const struct hmac *hmac, const char *server_key, const char *token, size_t n, double now_s,
		struct token_claims *ret, const char **ret_why);

#endif
