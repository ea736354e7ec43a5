/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_POLICY_GATE_H
#define TUI_STREAM_POLICY_GATE_H

/* The policy that the config names (terrarium/policy.h), and what it means for a front end. */

#include <stdbool.h>

#include <terrarium/config.h>
#include <terrarium/policy.h>

struct policy_gate {
	struct trm_policy *policy; /* NULL: none was opened */
	enum trm_policy_mode mode;
};

/* `config_path` as in trm_config_load(). TRM_EINVAL: there is no such policy, or it has a mistake. Where
 * PCRE2 is missing, advice is done without; a policy that asks or enforces is TRM_ENOTSUP. */
int policy_gate_open(struct policy_gate *policy_gate, const struct trm_config *config,
		const char *config_path, struct trm_error *reterr);
void policy_gate_close(struct policy_gate *policy_gate); /* takes a zeroed one */

/* What a session is to enforce; NULL: nothing. */
struct trm_policy *policy_gate_enforced(const struct policy_gate *policy_gate);
/* Is a person to be asked although confirmation is off? */
bool policy_gate_asks(const struct policy_gate *policy_gate, const struct trm_findings *findings);
/* With a gate that has no policy: no findings. As trm_policy_scan(). */
int policy_gate_scan(const struct policy_gate *policy_gate, const struct trm_lang *lang, const char *code,
		size_t n, struct trm_findings *ret, struct trm_error *reterr);

#endif
