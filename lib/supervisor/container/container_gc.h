/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_CONTAINER_GC_H
#define TRM_SUPERVISOR_CONTAINER_CONTAINER_GC_H

/* Removes what killed supervisors have left in an engine. Everything that we make there has a label that
 * names its supervisor (sweep/owner.h). An object is an orphan if its supervisor belonged to
 * our user, and either
 *
 *   the supervisor was of this boot and of our PID namespace, and its process no longer exists, or
 *   the supervisor was of an earlier boot of this host, and the container is not running.
 *
 * Everything else is left alone, because several machines, or several containers on this one, may share the
 * engine. Sandboxes that wait for another server (OWNER_ADOPTABLE) and objects called …-kept (PLAN_SPARED)
 * are left alone, too. So are objects with names that we never give, because labels are inherited through
 * images. */

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/container/step.h"

/* Examine one line that the LIST step printed. Returns true if it describes an orphan, whose id is in
 * *ret_id. */
bool container_gc_is(
		const char *line, size_t n, const char *own_label, bool takes_over, char *ret_id, size_t cap);

/* List the containers and destroy the orphans. Runs in a process of its own and does not return.
 * `facts->id` is ignored. */
_Noreturn void container_gc_sweep(const struct step_facts *facts);

#endif
