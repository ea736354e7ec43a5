/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_PUT_TEXT_H
#define TRM_SUPERVISOR_CONTAINER_PUT_TEXT_H

/* The input of a PUT step that is text with several versions (plan_msg.puts_text), each ended by a NUL. */

#include "supervisor/container/step.h"

/* Make a file in memory with the version `nth`, its marks replaced. The text is JSON, in which a mark's
 * control characters are written as \u0001. Returns a descriptor; -ENOENT: there is no such version; -errno.
 */
int put_text_open(const struct step_facts *facts, int fd, unsigned nth);

/* Did the engine refuse this version by a policy of its own, so that another one may be accepted? */
bool put_text_is_refused(const struct step *s);

#endif
