/* SPDX-License-Identifier: MIT */
#ifndef TRM_SWEEP_OWNER_H
#define TRM_SWEEP_OWNER_H

/* Everything that is made in an engine has a label that names its supervisor: HOST/BOOT/PIDNS/UID/PID/START.
 */

#include <stdbool.h>
#include <stddef.h>

enum { OWNER_LABEL = 256 };

/* The state, in lists, of a sandbox that runs and waits for another server: nobody else removes it. */
#define OWNER_ADOPTABLE "adoptable"

/* Format the label of this process. Returns out. */
char *owner_label(char *out, size_t cap);

/* In place: a mark as lists print it, in quotes if others could have written a line's end or a tab into it.
 * Returns false for such a one. */
bool owner_unquote(char *mark);

/* Has the supervisor with this label ended? It must be one of our user. `state`: of what it has made.
 * `takes_over`: a supervisor of our host's name, but of another boot or PID namespace, has ended. */
bool owner_is_gone(const char *label, const char *state, const char *own_label, bool takes_over);

#endif
