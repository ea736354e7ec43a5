/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_SYSTEMD_SCOPE_H
#define TRM_SUPERVISOR_LIMITS_SYSTEMD_SCOPE_H

/* A systemd scope for the supervisor: a control group that is delegated to its user and in which limits can
 * be set without being root. It is the same as `systemd-run --user --scope -p Delegate=yes`, but by one
 * message over the manager's private socket, so that neither a bus nor a program is needed.
 *
 * systemd removes the scope, with all groups in it, when the last process in it has ended for whatever
 * reason.
 *
 * Sources: org.freedesktop.systemd1(5), StartTransientUnit; D-Bus Specification, "Message Protocol" and
 * "Authentication Protocol"; systemd.resource-control(5), Delegate=. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

/* The longest time from the request to the move. Without systemd no time is lost. On a busy machine a
 * manager may take seconds, and limits must not become weak because of that. */
enum { SCOPE_TIMEOUT_MS = 10000 };

/* Move this process into a new scope "terrarium-PID.scope". `root` is CGROUP_ROOT. Returns false, and
 * leaves the process in its group, if there is no manager, if version 2 has no memory controller, or if the
 * manager refused. */
bool scope_enter(const char *root);

/* ---- inner parts, public for the tests ---- */

/* The same with a manager that listens at `socket_path`. `is_moved` returns true when the process has
 * moved. */
bool scope_ask(const char *socket_path, pid_t pid, bool (*is_moved)(pid_t pid), unsigned timeout_ms);
/* The message itself. 0 or TRM_ENOMEM. */
int scope_put_call(struct buf *out, pid_t pid);

#endif
