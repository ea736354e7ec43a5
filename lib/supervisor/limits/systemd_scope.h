/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_SYSTEMD_SCOPE_H
#define TRM_SUPERVISOR_LIMITS_SYSTEMD_SCOPE_H

/* A scope of systemd for the supervisor: a control group of its own, delegated to its user, in which real
 * limits can be set without being root. It is what `systemd-run --user --scope -p Delegate=yes` asks for, by
 * one message over the manager's private socket, so that no bus and no program is needed.
 *
 * systemd removes the scope, and all groups in it, when the last process in it has ended, however it did.
 *
 * Sources: org.freedesktop.systemd1(5), StartTransientUnit; D-Bus Specification, "Message Protocol" and
 * "Authentication Protocol"; systemd.resource-control(5), Delegate=. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

/* Longest that it may take, from the first look to the move; where there is no systemd it takes no time. On a
 * busy machine a manager takes seconds, and that shall not make limits weak. */
enum { SCOPE_TIMEOUT_MS = 10000 };

/* Move this process into a new scope "terrarium-PID.scope". `root` is CGROUP_ROOT. False: it is where it was,
 * because there is no manager, or no version 2 of control groups with a memory controller, or it refused. */
bool scope_enter(const char *root);

/* ---- inner parts, apart for the tests ---- */

/* The same with a manager that listens at `socket_path`; `is_moved` tells when it is done. */
bool scope_ask(const char *socket_path, pid_t pid, bool (*is_moved)(pid_t pid), unsigned timeout_ms);
/* The message itself. 0 or TRM_ENOMEM. */
int scope_put_call(struct buf *out, pid_t pid);

#endif
