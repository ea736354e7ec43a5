/* SPDX-License-Identifier: MIT */
#include "stream/gate.h"

#include <terrarium/error.h>

int gate_open(struct gate *gate, const struct trm_config *config, const char *config_path,
		struct trm_error *reterr)
{
	*gate = (struct gate){0};
	int r = trm_policy_mode_find(config->policy_mode, &gate->mode, reterr);
	if (r == 0)
		r = trm_policy_load(config->policy, config_path, &gate->policy, reterr);
	return r == TRM_ENOTSUP && gate->mode == TRM_POLICY_ADVISE ? 0 : r;
}

void gate_close(struct gate *gate)
{
	trm_policy_free(gate->policy);
	*gate = (struct gate){0};
}

struct trm_policy *gate_enforced(const struct gate *gate)
{
	return gate->mode == TRM_POLICY_ENFORCE ? gate->policy : NULL;
}

bool gate_asks(const struct gate *gate, const struct trm_findings *findings)
{
	return gate->mode == TRM_POLICY_ASK && findings->n_refused;
}

int gate_scan(const struct gate *gate, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_findings *ret, struct trm_error *reterr)
{
	*ret = (struct trm_findings){0};
	return gate->policy ? trm_policy_scan(gate->policy, lang, code, n, ret, reterr) : 0;
}
