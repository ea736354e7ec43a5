/* SPDX-License-Identifier: MIT */
/* Names of packages, and what pip and npm say that they have fetched: no name may lead out of the cache, and
 * a list that is plain holds nothing but names. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "install/install.h"

static void check_name(const char *name)
{
	for (unsigned i = 0; i < trm_lang_count(); i++) {
		const struct recipe *recipe = recipe_for(trm_lang_at((unsigned)i));
		if (recipe && recipe->is_name && recipe->is_name(name)
				&& (strstr(name, "..") == name || strstr(name, "/.") || strstr(name, "//")
						|| name[0] == '/' || strlen(name) >= 255))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text = malloc(n + 1);
	if (!text)
		return 0;
	memcpy(text, bytes, n);
	text[n] = '\0';
	check_name(text);
	/* Options, addresses and paths are not plain. */
	if (requirements_are_plain(text, n) && n == strlen(text)
			&& (strstr(text, "://") || strstr(text, "\n-") || text[0] == '-' || text[0] == '/')
			&& !strpbrk(text, "#;")) /* comments and markers may hold anything */
		abort();
	free(text);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("0123456789abcdef/six-1.16.0-py2.py3-none-any.whl"),
		SEED("ab/cd/"
		     "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123"
		     "456789012345678901234567890123"),
		SEED("six==1.16\nrequests[socks]>=2,<3 # why\n\n"),
		SEED("--index-url http://x/\nsix"),
		SEED("name @ file:///etc/passwd"),
		{NULL, 0},
};
