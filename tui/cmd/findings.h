/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_FINDINGS_H
#define TUI_CMD_FINDINGS_H

/* Prints all findings of a policy, for people and programs. */

#include <stdio.h>

struct json_out;
struct source;
struct trm_findings;
struct trm_policy;

/* Print lines "NAME:LINE:COLUMN: severity: code: reason", as compilers do. */
void findings_print(FILE *out, const struct source *source, const struct trm_findings *findings);
/* Add the list "findings" and "dropped_findings" to the open object. */
void findings_put_json(struct json_out *json, const struct trm_findings *findings);
/* If the code was scanned without a grammar, say so and why, on stderr. */
void findings_note_coarse(const struct trm_policy *policy, const struct source *source,
		const struct trm_findings *findings);

#endif
