/* SPDX-License-Identifier: MIT */
#ifndef TRM_POLICY_PRIVATE_H
#define TRM_POLICY_PRIVATE_H

/* The inside of a policy: policy.c reads it, scan.c looks at code with it. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/error.h>
#include <terrarium/grammar.h>
#include <terrarium/policy.h>
#include <terrarium/regex.h>

struct pattern {
	char *text;
	struct trm_regex *regex; /* NULL: one of a shipped policy that has not been wanted yet */
	char *reason;
	enum trm_severity severity;
	const struct trm_lang *lang; /* NULL: every one */
	bool is_in_text;             /* what strings hold counts */
};

struct module {
	char *name, *reason;
	enum trm_severity severity;
	const struct trm_lang *lang;
	struct trm_regex *imports[TRM_LANG_MAX]; /* how it is imported, for code without a tree; made when
						      wanted */
};

struct trm_policy {
	char name[64];
	enum trm_severity threshold;
	struct pattern *patterns;
	struct module *modules;
	size_t n_patterns, n_modules;
	struct trm_grammar grammars[TRM_LANG_MAX];
	bool has_tried[TRM_LANG_MAX];
	struct trm_error no_grammar[TRM_LANG_MAX]; /* why there is none of those that were tried */
};

/* Does a rule of one language (NULL: of all) hold for another? What is said of JavaScript holds for
 * TypeScript, and of C for C++: they import in the same way. */
bool policy_counts(const struct trm_lang *of_rule, const struct trm_lang *lang);

/* More are counted, but not kept. */
enum { POLICY_FINDINGS_MAX = 1000 };
/* Put the findings of `more` among those of `into`, and end it. TRM_ENOMEM. */
int policy_join_findings(struct trm_findings *into, struct trm_findings *more);

#endif
