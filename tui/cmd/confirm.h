/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_CONFIRM_H
#define TUI_CMD_CONFIRM_H

#include <stddef.h>
#include <stdio.h>

struct policy_gate;
struct source;
struct trm_config;
struct trm_findings;

enum confirm_answer { CONFIRM_YES, CONFIRM_NO, CONFIRM_NOBODY /* there is no terminal for the question */ };

/* Ask if the config or the policy requires it. 0, or an exit code after a message. */
int confirm_if_wanted(const struct trm_config *config, const struct policy_gate *policy_gate,
		const struct source *sources, size_t n);

/* For commands and packages, about which there is no other question: refuse what the policy refuses, or ask
 * if it requires that. 0, or an exit code after a message. */
int confirm_findings(const struct policy_gate *policy_gate, const struct trm_findings *findings);

/* Ask before an agent is put into config->container, which somebody else created. 0, or an exit code after a
 * message. */
int confirm_container(const struct trm_config *config);

/* For the REPL and the linear workbench: if no isolation works, ask whether to run code without it. Store
 * the answer in `config`, and on request in the config file. 0, or an exit code after a message. */
int confirm_isolation(struct trm_config *config, const char *config_path);

/* Print one line about a source: what it is ("python"), its length and its first line. */
void confirm_show(FILE *tty, const char *what, const struct source *source);

#endif
