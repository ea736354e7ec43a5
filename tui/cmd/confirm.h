/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_CONFIRM_H
#define TUI_CMD_CONFIRM_H

#include <stddef.h>
#include <stdio.h>

struct policy_gate;
struct source;
struct trm_config;
struct trm_findings;

enum confirm_answer { CONFIRM_YES, CONFIRM_NO, CONFIRM_NOBODY /* no terminal to ask on */ };

/* Show what would run, where and under which limits, and what the policy finds in it, and ask on the terminal
 * (/dev/tty, so that it works with stdin and stdout in a pipe). Blocks. */
enum confirm_answer confirm_runs(const struct trm_config *config, const struct policy_gate *policy_gate,
		const struct source *sources, size_t n);

/* Ask if that is wanted: by the config, or by the policy. 0, or an exit code after a sentence. */
int confirm_if_wanted(const struct trm_config *config, const struct policy_gate *policy_gate,
		const struct source *sources, size_t n);

/* For what is not asked about else, commands and packages: refuse what the policy refuses, or ask because it
 * wants that. 0, or an exit code after a sentence. */
int confirm_findings(const struct policy_gate *policy_gate, const struct trm_findings *findings);

/* Ask before an agent is put into config->container, which somebody else has made. 0, or an exit code after a
 * sentence. */
int confirm_container(const struct trm_config *config);

/* For the REPL and the workbench in lines: where no isolation works, ask whether code is to run without, and
 * note that in `config` (and for good, in its file, if that is wanted). 0, or an exit code after a sentence.
 */
int confirm_isolation(struct trm_config *config, const char *config_path);

/* One line about one of them: what it is ("python"), its length and how it begins. */
void confirm_show(FILE *tty, const char *what, const struct source *source);

#endif
