/* SPDX-License-Identifier: MIT */
#ifndef TRM_KUBE_KUBE_H
#define TRM_KUBE_KUBE_H

/* Does what a command line of kubectl says, over one `kubectl proxy` for all (proxy.h) in place of a kubectl
 * for each command: 5 ms in place of 90 for a stream to a pod, and no 50 MB. Its standard descriptors, exit
 * codes and messages are those of kubectl. What it does not know, or cannot do because there is no proxy, is
 * left to kubectl itself, so the recipe `kubernetes` is the same in both cases. */

#include <stdbool.h>

enum { KUBE_REASON = 160 };

/* Which way commands went; in memory that is shared with the processes of the commands. */
struct kube_report {
	bool is_proxied;       /* the last command went over the proxy … */
	char why[KUBE_REASON]; /* … or why one did not; "": none has tried */
};

struct kube_place {
	const char *dir;            /* the runtime directory */
	char *const *env;           /* of kubectl */
	struct kube_report *report; /* NULL: nobody wants to know */
	bool waits; /* `exec`: try again while the container does not run; what was read of the input is sent
		       again */
};

/* In a process of its own, with standard input, output and error as kubectl would have them. Returns an exit
 * status, or -1: nothing has been done, kubectl must do it. */
int kube_run(const struct kube_place *place, char *const *argv);

#endif
