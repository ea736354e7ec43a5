/* SPDX-License-Identifier: MIT */
#include "cmd/findings.h"

#include <string.h>

#include <terrarium/policy.h>
#include <terrarium/text.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "cmd/source.h"

static const char *source_label(const struct source *source)
{
	static const char *const labels[] = {NULL, "-", "-c"};
	bool has_name = source->kind == SOURCE_FILE || source->kind == SOURCE_CELL;
	return has_name ? source->name : labels[source->kind];
}

void findings_print(FILE *out, const struct source *source, const struct trm_findings *findings)
{
	char name[200], reason[200];
	const char *label = source_label(source);
	trm_text_clean_line(name, sizeof name, label, strlen(label));
	for (size_t i = 0; i < findings->n; i++) {
		const struct trm_finding *f = &findings->all[i];
		trm_text_clean_line(reason, sizeof reason, f->reason, strlen(f->reason));
		fprintf(out, "%s:%u:%u: %s: %s: %s%s\n", name, f->line, f->column,
				trm_severity_name(f->severity), f->what, reason,
				f->is_refused ? "" : " (not refused)");
	}
	if (findings->n_dropped)
		fprintf(out, "%s: and %zu more findings\n", name, findings->n_dropped);
}

void findings_put_json(struct json_out *json, const struct trm_findings *findings)
{
	json_open(json, "findings", '[');
	for (size_t i = 0; i < findings->n; i++) {
		const struct trm_finding *f = &findings->all[i];
		json_open(json, NULL, '{');
		json_put_u64(json, "line", f->line);
		json_put_u64(json, "column", f->column);
		json_put_text(json, "severity", trm_severity_name(f->severity));
		json_put_bool(json, "refused", f->is_refused);
		json_put_text(json, "code", f->what);
		json_put_text(json, "reason", f->reason);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_put_u64(json, "dropped_findings", findings->n_dropped);
}

void findings_note_coarse(const struct trm_policy *policy, const struct source *source,
		const struct trm_findings *findings)
{
	if (findings->has_no_tree)
		cmd_fail("note: the policy '%s' scans %s coarsely, and counts strings%s as code: %s",
				trm_policy_name(policy), source->lang->name,
				findings->comments_count ? " and comments" : "", findings->why_no_tree);
}
