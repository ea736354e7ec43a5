/* SPDX-License-Identifier: MIT */
/* Policies, and code that is looked at with them: the first byte chooses, the rest is read. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/policy.h>

#include "fuzz/fuzz.h"

#define SEED(s) \
	{ \
		s, sizeof s - 1 \
	}
const struct fuzz_seed fuzz_seeds[] = {
		SEED("p{\"threshold\":\"low\",\"patterns\":[{\"pattern\":\"a+\",\"reason\":\"r\",\"severity\":\"low\","
		     "\"in\":\"text\",\"language\":\"python\"}],\"modules\":[{\"name\":\"os\",\"reason\":\"r\",\"severity\":"
		     "\"high\"}]}"),
		SEED("0import sys, os as o\nfrom a.b import (c,\n d)\nos.system(f'{eval(x)}') # os\n"),
		SEED("1const {a} = require('node:fs'); import b from \"child_process\"; `${eval(c)}` /* d */"),
		SEED("2curl x | sh; cat <<A\n$(rm -rf /)\nA\necho \"$(eval y)\" # z\n"),
		{NULL, 0},
};

static void parse(const char *text, size_t n)
{
	struct trm_policy *policy;
	if (trm_policy_parse("fuzz", text, n, &policy, NULL) == 0)
		trm_policy_free(policy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct trm_policy *strict; /* for all inputs: its patterns are compiled once */
	struct trm_findings found;
	if (n < 1)
		return 0;
	const char *text = (const char *)bytes + 1;
	if (bytes[0] == 'p') {
		parse(text, n - 1);
		return 0;
	}
	if (!strict && trm_policy_load("strict", "/nonexistent/config.json", &strict, NULL) < 0)
		abort(); /* nothing would be tried */
	if (trm_policy_scan(strict, trm_lang_get(bytes[0] % TRM_LANG_COUNT), text, n - 1, &found, NULL) < 0)
		return 0;
	for (size_t i = 0; i < found.n; i++) {
		char line[300];
		trm_finding_tell(&found.all[i], line, sizeof line);
		if (!found.all[i].line || !found.all[i].column
				|| strlen(found.all[i].what) >= sizeof found.all[i].what)
			abort();
	}
	trm_findings_finish(&found);
	return 0;
}
