/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_INSTALL_NOTE_H
#define TRM_SERVER_METHODS_INSTALL_NOTE_H

/* The line of a reply that says how to get a package that was missing. */

#include <stdbool.h>

struct trm_result;
struct trm_sandbox;

enum { INSTALL_NOTE = 320 };

/* A run did not find a module, or pip, npm or apt-get could not fetch something in a sandbox. `result`: of a
 * run, or the kept output of a command. False: there is nothing to be said. */
bool install_note_find(
		const struct trm_sandbox *sandbox, const struct trm_result *result, char out[INSTALL_NOTE]);

#endif
