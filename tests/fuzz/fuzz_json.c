/* SPDX-License-Identifier: MIT */
/* What the front makes of JSON is what cJSON makes of it. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "tui/front/own_json.h"

static void same_text(const char *a, const char *b)
{
	if (!a != !b || (a && strcmp(a, b) != 0))
		abort();
}

static void same(const cJSON *own, const cJSON *theirs)
{
	for (; own && theirs; own = own->next, theirs = theirs->next) {
		if ((own->type & 0xFF) != (theirs->type & 0xFF)
				|| memcmp(&own->valuedouble, &theirs->valuedouble, sizeof own->valuedouble)
						   != 0)
			abort();
		same_text(own->string, theirs->string);
		same_text(own->valuestring, theirs->valuestring);
		same(own->child, theirs->child);
	}
	if (own || theirs)
		abort();
}

/* Numbers of more than 62 characters are another thing to each version of cJSON. */
static bool has_long_number(const char *text, size_t n)
{
	size_t run = 0;
	for (size_t i = 0; i < n && run <= 62; i++)
		run = text[i] && strchr("0123456789+-eE.", text[i]) ? run + 1 : 0;
	return run > 62;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *exact = malloc(n + 1); /* of just that length: a sanitizer sees who reads on */
	if (!exact)
		return 0;
	memcpy(exact, bytes, n);
	exact[n] = '\0';
	for (size_t is_all = 0; is_all < 2 && !has_long_number(exact, n); is_all++) {
		cJSON *own = own_ParseWithLengthOpts(exact, n + is_all, NULL, (cJSON_bool)is_all);
		cJSON *theirs = cJSON_ParseWithLengthOpts(exact, n + is_all, NULL, (cJSON_bool)is_all);
		same(own, theirs);
		own_Delete(own);
		cJSON_Delete(theirs);
	}
	free(exact);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"a\":[1,-2.5e3,true,false,null,\"\\u00e9\\n\\ud83d\\ude00\"],\"\":{}}"),
		SEED("[[[[[]]]]] x"),
		SEED("\"\\ud83d\" 123456789012345678901"),
		{NULL, 0},
};
