/* SPDX-License-Identifier: MIT */
#include <terrarium/config.h>
#include <terrarium/error.h>

#include "config/config.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct trm_config config;
	struct trm_error e;
	trm_config_default(&config);
	config_parse(&(struct config_target){.config = &config}, (const char *)bytes, n, "config.json", &e);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{ \"memory\": 512, // MiB\n \"cpus\": 0.5, /* half */ \"confirm\": false }"),
		SEED("{\"timeout\": \"30s\", \"theme\": \"dark\", \"disk\": \"2G\"}"),
		SEED("{\"backend\": \"fake\", \"name\": \"a\\u00e9\\ud83d\\ude00\", \"metrics_interval\": 0.2}"),
		{NULL, 0},
};
