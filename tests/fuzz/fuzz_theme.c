/* SPDX-License-Identifier: MIT */
#include <terrarium/error.h>

#include "fuzz/fuzz.h"
#include "theme/theme.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct theme theme;
	struct trm_error e;
	theme_parse((const char *)bytes, n, "theme.json", NULL, NULL, &theme, &e);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"name\": \"x\", // c\n\"palette\": {\"ink\": \"#102030\"}, \"roles\": {\"text\": {\"fg\": \"ink\", "
		     "\"bg\": \"default\", \"attrs\": [\"bold\"]}}}"),
		SEED("{\"inherits\": \"dark\", \"roles\": {\"dim\": {\"fg\": \"color12\"}}}"),
		{NULL, 0},
};
