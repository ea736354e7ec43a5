/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_POLICY_H
#define TERRARIUM_POLICY_H

/* The policy gate: checks what code would do, as far as that is visible without running it.
 *
 * A policy is a list of patterns and of restricted modules, each with a severity and a reason, and a
 * threshold. A scan returns findings. Findings at or above the threshold count as refused. The mode decides
 * what happens then: advise (show the findings in the confirmation question), ask (always ask), or enforce
 * (never run the code).
 *
 * If there is a grammar for the language, comments and the contents of strings do not count as code, and
 * modules are found where the language imports them (`import sys, os`, `require("fs")`, a command's name).
 * Literal names are found however they are spelled: (require)(`fs`), getattr(os, "system"), "r"m, and other
 * names that the same code gives to something (`import os as o`, `const r = require`, `alias x=rm`).
 * Where the grammar is missing everything counts, comments and strings too; of a language that has none,
 * strings do.
 *
 * A policy cannot see names that are built while the code runs, code inside code, or other programs. It
 * protects against carelessness and shows what deserves a look. The security boundary is the sandbox. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/api.h>
#include <terrarium/lang.h>

TRM_BEGIN_API

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
	unsigned line;      /* from 1; 0: it is the name of a package */
	unsigned column;    /* from 1, in code points; 0: likewise */
	const char *reason; /* from the policy; valid as long as the policy */
	char what[80];      /* the piece of code, as one line of clean text */
};

/* The findings, in the order of the code; valid until trm_findings_finish(). */
struct trm_findings {
	struct trm_finding *all;
	size_t n;
	size_t n_refused;
	size_t n_dropped;    /* number of findings beyond the first 1000, which are not kept */
	bool has_no_tree;    /* it was scanned coarsely: strings count as code … */
	bool comments_count; /* … and comments, too; else those are known by their signs */
	char why_no_tree[240];
	enum trm_severity worst;
};
void trm_findings_finish(struct trm_findings *findings); /* takes a zeroed one */

/* List all policies that trm_policy_load() knows: the built-in ones, then those of the config file, which
 * replace built-in ones of the same name. */
typedef void trm_policy_fn(void *user, const char *name, const char *description, bool is_own);
int trm_policy_list(const char *config_path, trm_policy_fn *fn, void *user, struct trm_error *reterr);

/* Load a policy by name: from the section "policies" of the config file `config_path` (as in
 * trm_config_load()), else a built-in one. TRM_EINVAL: there is none (the sentence lists those that exist),
 * or it has a mistake (the sentence says which, and where); TRM_ENOTSUP: PCRE2 is missing. */
int trm_policy_load(
		const char *name, const char *config_path, struct trm_policy **ret, struct trm_error *reterr);
/* Parse a policy from JSON text: { "description", "like", "threshold", "patterns": [ { "pattern", "reason",
 * "severity", "in", "language" } ], "modules": [ { "name", "reason", "severity", "language" } ] }. `in` is
 * "code" (the default: comments and strings are blanked out) or "text" (only comments are). Without
 * `language`, an entry applies to all languages. A threshold of "safe" refuses nothing. `like` names the
 * policy whose entries this one has, too, and whose threshold it has unless it has one of its own: for
 * trm_policy_load() any other one, for trm_policy_parse() a built-in one. */
int trm_policy_parse(const char *name, const char *json, size_t n, struct trm_policy **ret,
		struct trm_error *reterr);
void trm_policy_free(struct trm_policy *policy); /* takes NULL */

/* What a policy looks for. NULL for `lang`: it applies to all languages. Texts are copied. */
struct trm_policy_pattern {
	const char *pattern; /* PCRE2 */
	const char *reason;
	enum trm_severity severity;
	const struct trm_lang *lang;
	bool is_in_text; /* what strings hold counts as well */
};
struct trm_policy_module {
	const char *name;
	const char *reason;
	enum trm_severity severity;
	const struct trm_lang *lang;
};
/* Add an entry to a policy that has been loaded; others of the same name are not changed. TRM_EINVAL: the
 * pattern has a mistake (the sentence says which), a text is missing or empty, or the severity is none;
 * TRM_ETOOBIG: more than 1000 entries; TRM_ENOTSUP: PCRE2 is missing; TRM_ENOMEM. */
int trm_policy_add_pattern(struct trm_policy *policy, const struct trm_policy_pattern *pattern,
		struct trm_error *reterr);
int trm_policy_add_module(
		struct trm_policy *policy, const struct trm_policy_module *module, struct trm_error *reterr);

const char *trm_policy_name(const struct trm_policy *policy);
enum trm_severity trm_policy_threshold(const struct trm_policy *policy);

/* Scan code. TRM_ENOTSUP: PCRE2 is missing; TRM_ENOMEM; TRM_ETOOBIG: more than 16 MiB; TRM_ETIMEDOUT: a
 * pattern would take too long. A caller that enforces the policy must not run code that could not be
 * scanned. A scan ends within about ten seconds, whatever the patterns and the code are. It does not change
 * the policy, except that it loads grammars and patterns and keeps them. */
int trm_policy_scan(struct trm_policy *policy, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_findings *ret, struct trm_error *reterr);
/* True if the policy lets the code run: it could be scanned, and nothing in it is at or above the threshold.
 * `ret`: the findings, of both kinds, for trm_findings_finish(); NULL: nobody wants to know them. If the code
 * could not be scanned there is a sentence in `reterr`. */
bool trm_policy_is_safe(struct trm_policy *policy, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_findings *ret, struct trm_error *reterr);
/* Scan a command line as a line of Bash. Code that it passes to an interpreter (as with bash -c) is also
 * scanned in that language. The findings are those of the worse of the two scans. */
int trm_policy_scan_command(struct trm_policy *policy, const char *const *argv, struct trm_findings *ret,
		struct trm_error *reterr);
/* Scan a package before its installation: is it the name of a restricted module? ("name==1.0" and
 * "name[extra]" count, too.) */
int trm_policy_scan_package(struct trm_policy *policy, const struct trm_lang *lang, const char *package,
		struct trm_findings *ret, struct trm_error *reterr);

/* Format a finding: "line 3: os.system(…): starts other programs (high)". Returns `out`. */
const char *trm_finding_describe(const struct trm_finding *finding, char *out, size_t cap);
/* Returns TRM_EPERM with a sentence that names the policy and its first refused finding, or 0 if none is
 * refused. */
int trm_policy_refusal(const struct trm_policy *policy, const struct trm_findings *findings,
		struct trm_error *reterr);

TRM_END_API

#endif
