/* SPDX-License-Identifier: MIT */
#include "stream/policy_gate.h"

#include <terrarium/error.h>

int policy_gate_open(struct policy_gate *policy_gate, const struct trm_config *config,
		const char *config_path, struct trm_error *reterr)
{
	*policy_gate = (struct policy_gate){0};
	int r = trm_policy_mode_find(config->policy_mode, &policy_gate->mode, reterr);
	if (r == 0)
		r = trm_policy_load(config->policy, config_path, &policy_gate->policy, reterr);
	return r == TRM_ENOTSUP && policy_gate->mode == TRM_POLICY_ADVISE ? 0 : r;
}

void policy_gate_close(struct policy_gate *policy_gate)
{
	trm_policy_free(policy_gate->policy);
	*policy_gate = (struct policy_gate){0};
}

struct trm_policy *policy_gate_enforced(const struct policy_gate *policy_gate)
{
	return policy_gate->mode == TRM_POLICY_ENFORCE ? policy_gate->policy : NULL;
}

bool policy_gate_asks(const struct policy_gate *policy_gate, const struct trm_findings *findings)
{
	return policy_gate->mode == TRM_POLICY_ASK && findings->n_refused;
}

int policy_gate_scan(const struct policy_gate *policy_gate, const struct trm_lang *lang, const char *code,
		size_t n, struct trm_findings *ret, struct trm_error *reterr)
{
	*ret = (struct trm_findings){0};
	return policy_gate->policy ? trm_policy_scan(policy_gate->policy, lang, code, n, ret, reterr) : 0;
}
