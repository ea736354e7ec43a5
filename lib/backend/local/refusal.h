/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_REFUSAL_H
#define TRM_LOCAL_REFUSAL_H

/* What this process is confined by, to explain why the kernel refuses something to it. All of it is guessed
 * from /proc; what cannot be read counts as absent. */

#include <stdbool.h>
#include <stddef.h>

/* The process runs under a seccomp filter: a container's profile, or a service's. */
bool refusal_has_seccomp(void);
/* The process runs in a container of Docker or Podman, or in a pod. */
bool refusal_is_in_container(void);
/* Parts of /proc are hidden under mounts, as containers do it. */
bool refusal_is_proc_masked(void);
/* The AppArmor profile of this process, or "" if there is none. */
void refusal_apparmor(char *out, size_t cap);
/* The options with which the container would have to be started to make namespaces inside it; "" if they are
 * all given, or this is no container. */
void refusal_container_cure(char *out, size_t cap);

#endif
