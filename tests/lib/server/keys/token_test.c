/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/base64.h"
#include "base/buf.h"
#include "server/keys/token.h"

#define KEY "abcdefghijklmnopqrstuvwxyz012345"
#define NOW 1800000000.0

static struct hmac hmac;

static int load(void **state)
{
	(void)state;
	return hmac_load(&hmac, NULL);
}

static void put(struct buf *out, const void *bytes, size_t n)
{
	size_t from = out->len;
	base64_put(out, bytes, n);
	while (buf_at(out)[out->len - 1] == '=')
		out->len--;
	for (size_t i = from; i < out->len; i++) {
		char *c = buf_at(out) + i;
		*c = *c == '+' ? '-' : *c == '/' ? '_' : *c;
	}
}

/* A token as anybody could make it who has the key; NUL-terminated in `out`. */
static char *sign(struct buf *out, const char *header, const char *claims, const char *key)
{
	unsigned char signature[SHA256_LEN];
	buf_init(out, TOKEN_MAX * 2);
	put(out, header, strlen(header));
	buf_append(out, ".", 1);
	put(out, claims, strlen(claims));
	assert_true(hmac_sha256(&hmac, key, buf_at(out), out->len, signature));
	buf_append(out, ".", 1);
	put(out, signature, sizeof signature);
	buf_append(out, "", 1);
	return buf_at(out);
}

static bool reads(const char *token, struct token_claims *ret, const char **why)
{
	return token_read(&hmac, KEY, token, strlen(token), NOW, ret, why);
}

/* A well-known example. */
static void the_hash_is_hmac_sha256(void **state)
{
	static const unsigned char wanted[] = {0xf7, 0xbc, 0x83, 0xf4, 0x30, 0x53, 0x84, 0x24};

	unsigned char got[SHA256_LEN];
	(void)state;
	assert_true(hmac_sha256(&hmac, "key", "The quick brown fox jumps over the lazy dog", 43, got));
	assert_memory_equal(got, wanted, sizeof wanted);
}

static void what_was_made_is_read(void **state)
{
	struct token_claims made = {.expires_s = NOW + 10, .issued_s = NOW, .namespace = "team-a"}, read;
	char text[TOKEN_MAX];
	(void)state;
	assert_true(token_make(&hmac, KEY, &made, text));
	assert_memory_equal(text, TOKEN_PREFIX, 4);
	assert_true(reads(text + 4, &read, NULL));
	assert_string_equal(read.namespace, "team-a");
	assert_true(read.expires_s == NOW + 10 && read.issued_s == NOW);
}

static void each_changed_letter_spoils_it(void **state)
{
	struct token_claims made = {.expires_s = NOW + 10, .issued_s = NOW, .namespace = "*"}, read;
	char text[TOKEN_MAX];
	(void)state;
	assert_true(token_make(&hmac, KEY, &made, text));
	for (char *at = text + 4; *at; at++) {
		char was = *at;
		*at = was == 'A' ? 'B' : 'A';
		assert_false(reads(text + 4, &read, NULL));
		*at = was;
	}
	for (size_t n = 0; n < strlen(text + 4); n++)
		assert_false(token_read(&hmac, KEY, text + 4, n, NOW, &read, NULL));
	assert_false(token_read(&hmac, "Abcdefghijklmnopqrstuvwxyz012345", text + 4, strlen(text + 4), NOW,
			&read, NULL));
}

#define HS256 "{\"alg\":\"HS256\"}"

static void only_good_claims_are_good(void **state)
{
	static const struct {
		const char *header, *claims, *namespace; /* NULL: refused */
	} cases[] = {
			{HS256, "{\"exp\":1800000001,\"iat\":1}", "*"},
			{HS256, "{\"exp\":1800000001,\"namespace\":\"ab\"}", "ab"},
			{HS256, "{\"exp\":1799999941}", "*"},
			{HS256, "{\"exp\":1799999939}", NULL},
			{HS256, "{\"exp\":1e300}", "*"},
			{HS256, "{\"exp\":\"1800000001\"}", NULL},
			{HS256, "{\"iat\":1}", NULL},
			{HS256, "{\"exp\":1800000001,\"nbf\":1800000061}", NULL},
			{HS256, "{\"exp\":1800000001,\"nbf\":1800000059}", "*"},
			{HS256, "{\"exp\":1800000001,\"namespace\":null}", NULL},
			{HS256, "{\"exp\":1800000001,\"namespace\":\"a b\"}", NULL},
			{HS256, "{\"exp\":1,\"exp\":1800000001}", NULL},
			{HS256, "[1800000001]", NULL},
			{HS256, "", NULL},
			{"{\"alg\":\"none\"}", "{\"exp\":1800000001}", NULL},
			{"{\"alg\":\"hs256\"}", "{\"exp\":1800000001}", NULL},
			{"{\"alg\":\"HS512\"}", "{\"exp\":1800000001}", NULL},
			{"{\"alg\":\"RS256\"}", "{\"exp\":1800000001}", NULL},
			{"{\"alg\":\"HS256\",\"crit\":[\"x\"]}", "{\"exp\":1800000001}", NULL},
			{"{\"typ\":\"JWT\"}", "{\"exp\":1800000001}", NULL},
			{"HS256", "{\"exp\":1800000001}", NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct token_claims read = {0};
		struct buf token;
		assert_int_equal(reads(sign(&token, cases[i].header, cases[i].claims, KEY), &read, NULL),
				cases[i].namespace != NULL);
		if (cases[i].namespace)
			assert_string_equal(read.namespace, cases[i].namespace);
		buf_finish(&token);
	}
}

static void unsigned_ones_are_refused(void **state)
{
	static const char *const bad[] = {"", ".", "..", "...", "a.b.c",
			"eyJhbGciOiJub25lIn0.eyJleHAiOjE4MDAwMDAwMDF9.",
			"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE4MDAwMDAwMDF9.",
			"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE4MDAwMDAwMDF9",
			"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE4MDAwMDAwMDF9.AAAA.AAAA"};
	struct token_claims read;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(reads(bad[i], &read, NULL));
}

static void long_ones_are_refused(void **state)
{
	static char text[3 * TOKEN_MAX];
	struct token_claims read;
	(void)state;
	memset(text, 'A', sizeof text - 1);
	text[10] = text[20] = '.';
	assert_false(reads(text, &read, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(the_hash_is_hmac_sha256),
			cmocka_unit_test(what_was_made_is_read),
			cmocka_unit_test(each_changed_letter_spoils_it),
			cmocka_unit_test(only_good_claims_are_good),
			cmocka_unit_test(unsigned_ones_are_refused),
			cmocka_unit_test(long_ones_are_refused),
	};
	return cmocka_run_group_tests(tests, load, NULL);
}
