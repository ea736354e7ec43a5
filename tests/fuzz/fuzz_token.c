/* SPDX-License-Identifier: MIT */
/* Keys: the input as it is must never be good, as nobody can sign it; and as header and claims (a newline
 * between them), signed by us, it must be read without harm, and be good only with HS256. */
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "fuzz/fuzz.h"
#include "server/keys/token.h"

#define KEY "abcdefghijklmnopqrstuvwxyz012345"
#define NOW 1800000000.0

static void put(struct buf *out, const void *bytes, size_t n)
{
	size_t from = out->len;
	if (base64_put(out, bytes, n) < 0)
		return;
	while (out->len > from && buf_at(out)[out->len - 1] == '=')
		out->len--;
	for (size_t i = from; i < out->len; i++) {
		char *c = buf_at(out) + i;
		*c = *c == '+' ? '-' : *c == '/' ? '_' : *c;
	}
}

static void read_signed(const struct hmac *hmac, const char *bytes, size_t n)
{
	unsigned char signature[SHA256_LEN];
	struct token_claims claims;
	struct buf token;
	const char *newline = memchr(bytes, '\n', n);
	size_t header = newline ? (size_t)(newline - bytes) : n;
	buf_init(&token, 2 * TOKEN_MAX);
	put(&token, bytes, header);
	buf_append(&token, ".", 1);
	if (newline)
		put(&token, newline + 1, n - header - 1);
	if (!hmac_sha256(hmac, KEY, buf_at(&token), token.len, signature))
		abort();
	buf_append(&token, ".", 1);
	put(&token, signature, sizeof signature);
	if (token_read(hmac, KEY, buf_at(&token), token.len, NOW, &claims, NULL)
			&& (!memmem(bytes, header, "256", 3) || claims.expires_s < NOW - TOKEN_LEEWAY_S))
		abort();
	buf_finish(&token);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct hmac hmac; /* loaded once: the fuzzer has no other place for it */
	struct token_claims claims;
	if (!hmac.fast && hmac_load(&hmac, NULL) < 0)
		return 0;
	if (token_read(&hmac, KEY, (const char *)bytes, n, NOW, &claims, NULL))
		abort();
	read_signed(&hmac, (const char *)bytes, n);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"typ\":\"JWT\",\"alg\":\"HS256\"}\n{\"exp\":1800000010,\"iat\":1800000000,\"namespace\":\"ab\"}"),
		SEED("{\"alg\":\"none\"}\n{\"exp\":1e300,\"nbf\":-5}"),
		SEED("eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJleHAiOjE4MDAwMDAwMTB9.28rTx6jkUHh4e0hFyLNFWVFzjQcU13XfS06gSwpXYGs"),
		SEED("eyJhbGciOiJub25lIn0.eyJleHAiOjE4MDAwMDAwMTB9."),
		{NULL, 0},
};
