/* SPDX-License-Identifier: MIT */
#include "server/keys/token.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "rpc/check.h"
#include "rpc/names.h"

#define HEADER "{\"typ\":\"JWT\",\"alg\":\"HS256\"}"

/* ---- base64url without padding ---- */

static bool put_part(struct buf *out, const void *bytes, size_t n)
{
	size_t from = out->len;
	if (base64_put(out, bytes, n) < 0)
		return false;
	while (out->len > from && buf_at(out)[out->len - 1] == '=')
		out->len--;
	for (char *at = buf_at(out) + from; at < buf_at(out) + out->len; at++)
		*at = *at == '+' ? '-' : *at == '/' ? '_' : *at;
	return true;
}

/* Decode one part, malloc'd and NUL-terminated. NULL: it is invalid. */
static char *get_part(const char *letters, size_t n, size_t *ret_len)
{
	char usual[TOKEN_MAX + 4];
	if (n > TOKEN_MAX || memchr(letters, '+', n) || memchr(letters, '/', n) || memchr(letters, '=', n))
		return NULL;
	for (size_t i = 0; i < n; i++)
		usual[i] = letters[i] == '-' ? '+' : letters[i] == '_' ? '/' : letters[i];
	while (n % 4)
		usual[n++] = '=';
	return base64_decode(usual, n, ret_len);
}

/* ---- making ---- */

static char *claims_text(const struct token_claims *claims)
{
	cJSON *json = cJSON_CreateObject();
	char *text = NULL;
	if (cJSON_AddNumberToObject(json, "exp", claims->expires_s)
			&& cJSON_AddNumberToObject(json, "iat", claims->issued_s)
			&& cJSON_AddStringToObject(json, "namespace", claims->namespace))
		text = cJSON_PrintUnformatted(json);
	cJSON_Delete(json);
	return text;
}

static bool put_token(struct buf *out, const struct hmac *hmac, const char *server_key, const char *claims)
{
	unsigned char signature[SHA256_LEN];
	const size_t prefix = strlen(TOKEN_PREFIX);
	return buf_append(out, TOKEN_PREFIX, prefix) == 0 && put_part(out, HEADER, strlen(HEADER))
	       && buf_append(out, ".", 1) == 0 && put_part(out, claims, strlen(claims))
	       && hmac_sha256(hmac, server_key, buf_at(out) + prefix, out->len - prefix, signature)
	       && buf_append(out, ".", 1) == 0 && put_part(out, signature, sizeof signature)
	       && buf_append(out, "", 1) == 0;
}

bool token_make(const struct hmac *hmac, const char *server_key, const struct token_claims *claims, char *out)
{
	struct buf token;
	char *text = claims_text(claims);
	buf_init(&token, TOKEN_MAX);
	bool is_made = text && put_token(&token, hmac, server_key, text);
	if (is_made)
		memcpy(out, buf_at(&token), token.len);
	buf_finish(&token);
	free(text);
	return is_made;
}

/* ---- reading ---- */

/* Compares in constant time, so that a forger cannot learn where two signatures begin to differ. */
static bool is_same(const unsigned char *a, const unsigned char *b)
{
	volatile unsigned char differ = 0;
	for (size_t i = 0; i < SHA256_LEN; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

static bool is_signed(const struct hmac *hmac, const char *server_key, const char *token, size_t n,
		const char *dot, const char **ret_why)
{
	unsigned char wanted[SHA256_LEN];
	size_t len = 0;
	char *given = get_part(dot + 1, n - (size_t)(dot + 1 - token), &len);
	bool is_good = given && len == SHA256_LEN
		       && hmac_sha256(hmac, server_key, token, (size_t)(dot - token), wanted)
		       && is_same(wanted, (unsigned char *)given);
	free(given);
	*ret_why = "its signature is not by this server's key";
	return is_good;
}

/* The part must be a JSON object. */
static cJSON *get_object(const char *letters, size_t n)
{
	size_t len;
	char *text = get_part(letters, n, &len);
	cJSON *json = text && rpc_check(text, len, NULL, NULL, NULL) == 0 ? cJSON_ParseWithLength(text, len)
									  : NULL;
	free(text);
	if (cJSON_IsObject(json) && rpc_check_names(json, NULL) == 0)
		return json;
	cJSON_Delete(json);
	return NULL;
}

static bool is_hs256(const char *letters, size_t n, const char **ret_why)
{
	cJSON *header = get_object(letters, n);
	const cJSON *algorithm = cJSON_GetObjectItemCaseSensitive(header, "alg");
	bool is_good = cJSON_IsString(algorithm) && !strcmp(algorithm->valuestring, "HS256")
		       && !cJSON_GetObjectItemCaseSensitive(header, "crit");
	cJSON_Delete(header);
	*ret_why = "it is not signed with HS256";
	return is_good;
}

/* Read a number. Returns false if the member has another type, or is required and missing. */
static bool get_time(const cJSON *claims, const char *name, bool is_needed, double *ret)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(claims, name);
	if (!item)
		return !is_needed;
	*ret = item->valuedouble;
	return cJSON_IsNumber(item);
}

static bool get_namespace(const cJSON *claims, char ret[TOKEN_NAMESPACE_MAX])
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(claims, "namespace");
	const char *name = item ? cJSON_GetStringValue(item) : RPC_EVERYWHERE;
	if (!name || (strcmp(name, RPC_EVERYWHERE) != 0 && rpc_name_check("namespace", name, NULL) < 0))
		return false;
	snprintf(ret, TOKEN_NAMESPACE_MAX, "%s", name);
	return true;
}

static bool get_claims(const cJSON *json, double now_s, struct token_claims *ret, const char **ret_why)
{
	double not_before_s = now_s;
	*ret_why = "its claims are not those of a key";
	if (!get_time(json, "exp", true, &ret->expires_s) || !get_time(json, "iat", false, &ret->issued_s)
			|| !get_time(json, "nbf", false, &not_before_s)
			|| !get_namespace(json, ret->namespace))
		return false;
	*ret_why = ret->expires_s < now_s ? "it has expired" : "it is not valid yet";
	return ret->expires_s >= now_s - TOKEN_LEEWAY_S && not_before_s <= now_s + TOKEN_LEEWAY_S;
}

bool token_read(const struct hmac *hmac, const char *server_key, const char *token, size_t n, double now_s,
		struct token_claims *ret, const char **ret_why)
{
	struct token_claims claims = {0};
	const char *unwanted;
	const char *first = n <= TOKEN_MAX ? memchr(token, '.', n) : NULL;
	const char *last = first ? memrchr(token, '.', n) : NULL;
	if (!ret_why)
		ret_why = &unwanted;
	*ret_why = "it is not a JSON Web Token";
	if (!last || first == last || memchr(first + 1, '.', (size_t)(last - first - 1)))
		return false;
	if (!is_hs256(token, (size_t)(first - token), ret_why)
			|| !is_signed(hmac, server_key, token, n, last, ret_why))
		return false;
	cJSON *json = get_object(first + 1, (size_t)(last - first - 1));
	bool is_good = get_claims(json, now_s, &claims, ret_why);
	cJSON_Delete(json);
	if (is_good)
		*ret = claims;
	return is_good;
}
