/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_RUN_FACTS_H
#define TUI_STREAM_RUN_FACTS_H

/* Sentences about where code will run, for the question before it runs: in the REPL, and in commands that
 * ask on the terminal. */

#include <stddef.h>

#include <terrarium/sandbox.h>

struct trm_config;
struct trm_limits;

/* The limits, after the level of isolation where that is weaker than namespaces. A backend that is a recipe
 * names only those limits that it asks for. Returns `out`. */
char *run_facts_limits(const char *backend, const struct trm_config *config, const struct trm_limits *limits,
		enum trm_isolation level, char *out, size_t cap);

/* The names of the limits of this strength, separated by commas; "" if there are none. Returns `out`. */
char *run_facts_guards(const struct trm_sandbox *sandbox, enum trm_strength strength, char *out, size_t cap);

/* The engine options of a new container, one sentence for each call of say(). Values are not cleaned: a
 * sentence may contain control characters. */
void run_facts_engine(
		const struct trm_config *config, void (*say)(void *user, const char *sentence), void *user);

#endif
