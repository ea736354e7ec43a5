/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_CONTAINER_GC_H
#define TRM_SUPERVISOR_CONTAINER_CONTAINER_GC_H

/* What supervisors that were killed have left with an engine. All that we make there bears a label that names
 * its supervisor, HOST/BOOT/PIDNS/UID/PID/START. It is an orphan if that supervisor was our user's, and
 *
 *   is of this boot and of our PID namespace, and there is no longer such a process
 *   is of an earlier boot of this host, and it does not run
 *
 * Everything else, and what is called …-kept (PLAN_SPARED), is left alone: the engine may be one that several
 * machines, or containers on this one, share. So is what has a name that we do not give: labels are inherited
 * through images. */

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/container/step.h"

/* Our own label. Returns out. */
char *container_gc_label(char *out, size_t cap);

/* One line that LIST has printed; true: *ret_id is the id of an orphan. */
bool container_gc_is(const char *line, size_t n, const char *own_label, char *ret_id, size_t cap);

/* In a process of its own: list, and destroy what nobody keeps. Does not return. `facts->id` is ignored. */
_Noreturn void container_gc_sweep(const struct step_facts *facts);

#endif
