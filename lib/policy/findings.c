/* SPDX-License-Identifier: MIT */
/* What a scan has found: joined, and in words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "policy/policy.h"

void trm_findings_finish(struct trm_findings *findings)
{
	free(findings->all);
	*findings = (struct trm_findings){0};
}

static int by_place(const void *a, const void *b)
{
	const struct trm_finding *x = a, *y = b;
	return x->line != y->line ? (x->line < y->line ? -1 : 1)
				  : (x->column > y->column) - (x->column < y->column);
}

int policy_join_findings(struct trm_findings *into, struct trm_findings *more)
{
	struct trm_finding *all = realloc(into->all, (into->n + more->n + 1) * sizeof *all);
	if (!all)
		return TRM_ENOMEM;
	into->all = all;
	if (more->n)
		memcpy(all + into->n, more->all, more->n * sizeof *all);
	into->n += more->n;
	if (into->n)
		qsort(all, into->n, sizeof *all, by_place);
	into->n_dropped += more->n_dropped;
	into->n_refused += more->n_refused;
	into->worst = more->worst > into->worst ? more->worst : into->worst;
	if (more->has_no_tree && !into->has_no_tree) {
		into->has_no_tree = true;
		memcpy(into->why_no_tree, more->why_no_tree, sizeof into->why_no_tree);
	}
	into->comments_count |= more->comments_count;
	if (into->n > POLICY_FINDINGS_MAX) {
		into->n_dropped += into->n - POLICY_FINDINGS_MAX;
		into->n = POLICY_FINDINGS_MAX;
	}
	trm_findings_finish(more);
	return 0;
}

const char *trm_finding_describe(const struct trm_finding *f, char *out, size_t cap)
{
	char reason[200], line[24] = "";
	trm_text_clean_line(reason, sizeof reason, f->reason, strlen(f->reason));
	size_t n = strlen(f->what);
	n -= n > 1 && f->what[n - 1] == '('; /* the policy looks for a call, and the message names it */
	if (f->line)
		snprintf(line, sizeof line, "line %u: ", f->line);
	snprintf(out, cap, "%s%.*s: %s (%s)", line, (int)n, f->what, reason, trm_severity_name(f->severity));
	return out;
}

int trm_policy_refusal(const struct trm_policy *policy, const struct trm_findings *findings,
		struct trm_error *reterr)
{
	char reported[360], more[40] = "";
	if (!findings->n_refused)
		return 0;
	size_t i = 0;
	while (i < findings->n && !findings->all[i].is_refused)
		i++;
	if (i == findings->n)
		snprintf(reported, sizeof reported, "%zu findings", findings->n_refused);
	else
		trm_finding_describe(&findings->all[i], reported, sizeof reported);
	if (findings->n_refused > 1)
		snprintf(more, sizeof more, ", and %zu more", findings->n_refused - 1);
	return trm_error_set(reterr, TRM_EPERM, "the policy '%s' refuses this: %s%s", policy->name, reported,
			more);
}
