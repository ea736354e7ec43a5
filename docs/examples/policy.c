/* SPDX-License-Identifier: MIT */
/* policy = get_security_policy("production")
 * policy.add_pattern(SecurityPattern(r"\bplaceholder\b", "a placeholder", SecurityIssueSeverity.HIGH))
 * policy.add_restricted_module(RestrictedModule("pickle", "runs code of others", SecurityIssueSeverity.HIGH))
 * with SandboxSession(lang="python", security_policy=policy) as session:
 *     is_safe, violations = session.is_safe(code)
 *     if is_safe: session.run(code)
 *
 * Here run() refuses as well: nothing depends on who remembers to ask. */
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

static const char *const CODES[] = {
		"print('# import os is just a text')",
		"import pickle\nprint(6 * 7)",
		"import math\nplaceholder(math.pi)",
};

static struct trm_policy *make_policy(struct trm_error *why)
{
	static const struct trm_policy_pattern pattern = {
			.pattern = "\\bplaceholder\\b", .reason = "a placeholder", .severity = TRM_HIGH};
	static const struct trm_policy_module module = {
			.name = "pickle", .reason = "runs code of others", .severity = TRM_HIGH};
	struct trm_policy *policy = NULL;
	if (trm_policy_load("production", NULL, &policy, why) == 0
			&& trm_policy_add_pattern(policy, &pattern, why) == 0
			&& trm_policy_add_module(policy, &module, why) == 0)
		return policy;
	trm_policy_free(policy);
	return NULL;
}

static void check_and_run(struct trm_sync *session, struct trm_policy *policy, const char *code)
{
	struct trm_findings violations;
	struct trm_execution result;
	struct trm_error why;
	bool is_safe = trm_policy_is_safe(policy, trm_lang_default(), code, strlen(code), &violations, &why);
	printf("%s", is_safe ? "safe" : "not safe");
	for (size_t i = 0; i < violations.n; i++)
		printf("; line %u: %s", violations.all[i].line, violations.all[i].reason);
	trm_findings_finish(&violations);
	int r = trm_sync_run(session, code, &result, &why);
	printf("\n  %s\n", r == 0 ? result.output : r == TRM_EPERM ? "refused" : why.msg);
	trm_execution_finish(&result);
}

int main(void)
{
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_error why;
	trm_sync_opts_default(&opts);
	opts.policy = make_policy(&why);
	bool is_good = opts.policy && trm_sync_create(&opts, &session, &why) == 0
		       && trm_sync_start(session, &why) == 0;
	for (size_t i = 0; is_good && i < sizeof CODES / sizeof *CODES; i++)
		check_and_run(session, opts.policy, CODES[i]);
	if (!is_good)
		fprintf(stderr, "%s\n", why.msg);
	trm_sync_destroy(session);
	trm_policy_free(opts.policy);
	return !is_good;
}
