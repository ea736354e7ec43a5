/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_WITH_H
#define TUI_CMD_WITH_H

/* --with of the REPL and the workbench: packages that are installed before anything else happens. */

#include <stddef.h>

struct options;
struct policy_gate;
struct trm_config;
struct trm_lang;

/* Add the packages that the texts name (each may name several) to the list *ret_with, for
 * trm_libraries_free(). 0, or an exit code after a message. */
int with_add(const struct trm_lang *lang, const char *const *texts, size_t n, char ***ret_with);

/* Refuse packages if --net off was asked for. 0, or an exit code after a message. */
int with_check_net(const struct options *o, const struct trm_config *config);

/* Refuse what the policy refuses, or ask if it requires that. 0, or an exit code after a message. */
int with_check_policy(const struct policy_gate *gate, const struct trm_lang *lang, char *const *with);

#endif
