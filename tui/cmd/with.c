/* SPDX-License-Identifier: MIT */
#include "cmd/with.h"

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "stream/policy_gate.h"

int with_add(const struct trm_lang *lang, const char *const *texts, size_t n, char ***ret_with)
{
	struct trm_error why = {0};
	for (size_t i = 0; i < n; i++)
		if (trm_libraries_add(ret_with, lang, texts[i], &why) < 0)
			return cmd_fail("--with: %s", why.msg);
	return CMD_OK;
}

int with_check_net(const struct options *o, const struct trm_config *config)
{
	if (!options_has(o, "net") || config->limits.net)
		return CMD_OK;
	return cmd_fail("--net off also forbids fetching packages; leave it out: they are fetched outside of "
			"the sandbox, which gets no network by that");
}

int with_check_policy(const struct policy_gate *gate, const struct trm_lang *lang, char *const *with)
{
	struct trm_error why = {0};
	int code = CMD_OK;
	for (; with && *with && gate->policy && code == CMD_OK; with++) {
		struct trm_findings found = {0};
		code = trm_policy_scan_package(gate->policy, lang, *with, &found, &why) < 0
				       ? cmd_fail("%s", why.msg)
				       : confirm_findings(gate, &found);
		trm_findings_finish(&found);
	}
	return code;
}
