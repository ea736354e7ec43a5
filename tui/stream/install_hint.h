/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_INSTALL_HINT_H
#define TUI_STREAM_INSTALL_HINT_H

/* The one command that brings what is missing. */

#include <stdbool.h>
#include <stddef.h>

struct trm_result;
struct trm_sandbox;

enum install_hint_kind {
	INSTALL_HINT_RUN,  /* the command line of a run in a sandbox that ends with it */
	INSTALL_HINT_EXEC, /* that of a command in such a sandbox */
	INSTALL_HINT_NAME, /* that of a sandbox that stays */
	INSTALL_HINT_REPL,
};

enum { INSTALL_HINT = 300 };

/* A run did not find a module, or its code was "%pip install x". `name` is the sandbox's, `what` the words of
 * the command line that stand for the code ("plot.py"; NULL: "…"). False: there is nothing to be said. */
bool install_hint_of_result(const struct trm_result *result, enum install_hint_kind kind, const char *name,
		const char *what, char out[INSTALL_HINT]);
/* What the code has started has said, at the end of its stderr, that it could install nothing: pip or npm
 * without a network, or apt-get in a local sandbox. `sandbox` NULL: nothing is said. */
bool install_hint_of_words(const struct trm_sandbox *sandbox, const char *words, enum install_hint_kind kind,
		const char *what, char out[INSTALL_HINT]);
/* A command has failed: was it to install something without a network? `argv` or `line`; the other is NULL.
 */
bool install_hint_of_command(struct trm_sandbox *sandbox, const char *const *argv, const char *line,
		enum install_hint_kind kind, char out[INSTALL_HINT]);

#endif
