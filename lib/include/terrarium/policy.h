/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_POLICY_H
#define TERRARIUM_POLICY_H

/* The policy gate: what code is about to do, as far as one can see it without running it.
 *
 * A policy is a list of patterns and of restricted modules, each with a severity and a reason, and a
 * threshold. Scanning gives findings; what is at or above the threshold counts as refused. What comes of that
 * is the mode's matter: to advise (findings are shown where one is asked before a run), to ask (one is asked
 * in any case), or to enforce (it never runs).
 *
 * Where there is a grammar of the language, comments and the contents of strings do not count as code, and
 * modules are found where the language imports them (`import sys, os`, `require("fs")`, a command's name).
 * Without one everything counts.
 *
 * What this cannot see: names that are put together while the code runs, code in code, other programs. A
 * policy keeps the careless from harm, and says what is to be looked at; the boundary is the sandbox. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/lang.h>

struct trm_error;
struct trm_policy;

enum trm_severity { TRM_SAFE, TRM_LOW, TRM_MEDIUM, TRM_HIGH };
const char *trm_severity_name(enum trm_severity severity); /* "safe", "low", … */

enum trm_policy_mode { TRM_POLICY_ADVISE, TRM_POLICY_ASK, TRM_POLICY_ENFORCE };
/* "advise", "ask", "enforce"; TRM_EINVAL for others. */
int trm_policy_mode_find(const char *word, enum trm_policy_mode *ret, struct trm_error *reterr);

struct trm_finding {
	enum trm_severity severity;
	bool is_refused;    /* at or above the threshold */
	unsigned line;      /* from 1 */
	unsigned column;    /* from 1, in code points */
	const char *reason; /* of the policy's; valid as long as the policy */
	char what[80];      /* the piece of code, on one clean line */
};

/* Valid until trm_findings_finish(); in the order of the code. */
struct trm_findings {
	struct trm_finding *all;
	size_t n;
	size_t n_refused;
	size_t n_dropped; /* beyond the first 1000, not kept */
	bool has_no_tree; /* comments and strings count as code */
	char why_no_tree[240];
	enum trm_severity worst;
};
void trm_findings_finish(struct trm_findings *findings); /* takes a zeroed one */

/* All that trm_policy_load() knows: the shipped ones, then those of the config file, which hide shipped ones
 * of their names. */
typedef void trm_policy_fn(void *user, const char *name, const char *description, bool is_own);
int trm_policy_list(const char *config_path, trm_policy_fn *fn, void *user, struct trm_error *reterr);

/* A policy by name: one of the section "policies" of the config file `config_path` (as in trm_config_load()),
 * else a shipped one. TRM_EINVAL: there is none (the sentence lists those that there are), or it has a
 * mistake (which, and where); TRM_ENOTSUP: PCRE2 is missing. */
int trm_policy_load(
		const char *name, const char *config_path, struct trm_policy **ret, struct trm_error *reterr);
/* The same from JSON text: { "description", "threshold", "patterns": [ { "pattern", "reason", "severity",
 * "in", "language" } ], "modules": [ { "name", "reason", "severity", "language" } ] }. `in` is "code" (the
 * default: comments and strings are blank) or "text" (comments alone are); `language` missing: every one. A
 * threshold of "safe" refuses nothing. */
int trm_policy_parse(const char *name, const char *json, size_t n, struct trm_policy **ret,
		struct trm_error *reterr);
void trm_policy_free(struct trm_policy *policy); /* takes NULL */

const char *trm_policy_name(const struct trm_policy *policy);
enum trm_severity trm_policy_threshold(const struct trm_policy *policy);

/* Look at code. TRM_ENOTSUP PCRE2 is missing; TRM_ENOMEM; TRM_ETOOBIG beyond 16 MiB; TRM_ETIMEDOUT a pattern
 * would take too long; a caller that enforces must not run what could not be looked at. The policy is not
 * changed by it, but for grammars and patterns that are loaded then and kept. */
int trm_policy_scan(struct trm_policy *policy, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_findings *ret, struct trm_error *reterr);
/* A command line is looked at as a line of Bash, and what an interpreter is given in it (as by bash -c) as
 * that language's code; the findings are those of the worse of the two. */
int trm_policy_scan_command(struct trm_policy *policy, const char *const *argv, struct trm_findings *ret,
		struct trm_error *reterr);
/* A package that is to be installed: is its name that of a restricted module? ("name==1.0", "name[extra]"
 * too.) */
int trm_policy_scan_package(struct trm_policy *policy, const struct trm_lang *lang, const char *package,
		struct trm_findings *ret, struct trm_error *reterr);

/* "line 3: os.system(…): starts other programs (high)". Returns `out`. */
const char *trm_finding_tell(const struct trm_finding *finding, char *out, size_t cap);
/* TRM_EPERM with a sentence that names the policy and its first refused finding; 0 if none is refused. */
int trm_policy_refusal(const struct trm_policy *policy, const struct trm_findings *findings,
		struct trm_error *reterr);

#endif
