/* SPDX-License-Identifier: MIT */
/* What a microsandbox server, or whatever else listens there, answers over HTTP. The first two bytes are the
 * status, the rest up to a newline the content type. The sentence that comes of it must be fit for a
 * terminal, and never hold the key. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "backend/microsandbox/is_complete.h"
#include "backend/microsandbox/reply.h"
#include "fuzz/fuzz.h"

static const char KEY[] = "msb_secret";

static void check_sentence(const struct trm_error *why)
{
	char clean[2 * sizeof why->msg];
	size_t n = strlen(why->msg);
	trm_text_clean_line(clean, sizeof clean, why->msg, n);
	if (!n || strcmp(clean, why->msg) != 0 || strstr(why->msg, KEY))
		abort();
}

static void read_answer(int status, const char *type, const char *body, size_t n)
{
	static const struct reply_about about = {.what = "start sandbox 'x'",
			.url = "http://localhost:5555",
			.space = "default",
			.key = KEY,
			.hidden = "is the image there?"};
	const struct http_answer answer = {.status = status, .content_type = type, .body = body, .n = n};
	struct trm_error why = {0};
	cJSON *root = NULL;
	const cJSON *result = NULL;
	if (reply_read(&answer, &about, &root, &result, &why) < 0)
		check_sentence(&why);
	else if (!root || !result)
		abort();
	cJSON_Delete(root);
}

static void ask_whole(const char *code)
{
	char indent[16];
	static const enum dialect dialects[] = {DIALECT_PYTHON, DIALECT_JAVASCRIPT, DIALECT_BASH};
	for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
		is_complete_is(dialects[i], code, indent, sizeof indent);
		if (strlen(indent) >= sizeof indent)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text = malloc(n + 1);
	if (!text || n < 2) {
		free(text);
		return 0;
	}
	memcpy(text, bytes, n);
	text[n] = '\0';
	char *type = text + 2, *newline = memchr(type, '\n', n - 2);
	char *body = newline ? newline + 1 : text + n;
	if (newline)
		*newline = '\0';
	read_answer(bytes[0] << 1 | (bytes[1] & 1), newline ? type : "", body, (size_t)(text + n - body));
	ask_whole(body);
	free(text);
	return 0;
}

/* 200 and 500 */
#define OK "\x64 application/json\n"
#define BAD "\xfa application/json\n"
const struct fuzz_seed fuzz_seeds[] = {
		SEED(OK "{\"jsonrpc\":\"2.0\",\"result\":{\"output\":[{\"stream\":\"stdout\",\"text\":\"x\"}]},\"id\":1}"),
		SEED(BAD "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"Internal server error\"},\"id\":1}"),
		SEED(BAD "{\"error\":\"msb_\\u0073ecret \\u001b]0;x\\u0007 \xe2\x80\xae\",\"code\":5002}"),
		SEED("\xc8 text/html\n<html><head><title>502 \x1b[2J msb_secret</title></head></html>"),
		SEED("\xc8 text/plain\nif x:\n    f('''\"\n"),
		{NULL, 0},
};
