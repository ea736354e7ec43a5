/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_FINDINGS_H
#define TUI_CMD_FINDINGS_H

/* What a policy found, all of it, for people and programs. */

#include <stdio.h>

struct json_out;
struct source;
struct trm_findings;
struct trm_policy;

/* Lines "NAME:LINE:COLUMN: severity: code: reason", as compilers write them. */
void findings_print(FILE *out, const struct source *source, const struct trm_findings *findings);
/* The list "findings" of the open object, and "dropped_findings". */
void findings_put_json(struct json_out *json, const struct trm_findings *findings);
/* On stderr, if it was scanned without a grammar: that it was, and why. */
void findings_note_coarse(const struct trm_policy *policy, const struct source *source,
		const struct trm_findings *findings);

#endif
