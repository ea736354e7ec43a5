/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_POLICY_GATE_H
#define TUI_STREAM_POLICY_GATE_H

/* The policy that the config names (terrarium/policy.h), and its meaning for a front end. */

#include <stdbool.h>

#include <terrarium/config.h>
#include <terrarium/policy.h>

struct policy_gate {
	struct trm_policy *policy; /* NULL: none was opened */
	enum trm_policy_mode mode;
};

/* `config_path` as in trm_config_load(). TRM_EINVAL: there is no such policy, or it has a mistake. If
 * PCRE2 is missing, a policy that only advises is skipped; one that asks or enforces fails with
 * TRM_ENOTSUP. */
int policy_gate_open(struct policy_gate *policy_gate, const struct trm_config *config,
		const char *config_path, struct trm_error *reterr);
void policy_gate_close(struct policy_gate *policy_gate); /* accepts a zeroed one */

/* The policy that a session must enforce; NULL: none. */
struct trm_policy *policy_gate_enforced(const struct policy_gate *policy_gate);
/* Must a person be asked although confirmation is off? */
bool policy_gate_asks(const struct policy_gate *policy_gate, const struct trm_findings *findings);
/* As trm_policy_scan(). Without a policy there are no findings. */
int policy_gate_scan(const struct policy_gate *policy_gate, const struct trm_lang *lang, const char *code,
		size_t n, struct trm_findings *ret, struct trm_error *reterr);

#endif
