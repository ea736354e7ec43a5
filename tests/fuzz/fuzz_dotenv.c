/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <terrarium/config.h>
#include <terrarium/error.h>

#include "config/config.h"
#include "config/dotenv.h"
#include "fuzz/fuzz.h"

static int on_binding(void *user, const char *key, const char *value, size_t line)
{
	size_t *sum = user;

	*sum += strlen(key) + (value ? strlen(value) : 0) + line;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct trm_config config;
	struct config_target target = {.config = &config};
	struct trm_error e;
	size_t sum = 0;

	dotenv_each((const char *)bytes, n, on_binding, &sum, &e);
	trm_config_default(&config);
	dotenv_parse(&target, (const char *)bytes, n, ".env", &e);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("export TERRARIUM_MEMORY=\"64\" # c\nTERRARIUM_CPUS = 2\r\nA='b\\'\nc'\n"),
		SEED("A=${B:-x}${A}\nTERRARIUM_NAME=${A}-${HOME}\n'a b'=\"\\t\\n\\\\\"\n"),
		SEED("\xef\xbb\xbfTERRARIUM_THEME=\xc2\xa0light\xe2\x80\xa8#\nA=${A}${A}\nA=${A}${A}\n"),
		{NULL, 0},
};
