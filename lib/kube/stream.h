/* SPDX-License-Identifier: MIT */
#ifndef TRM_KUBE_STREAM_H
#define TRM_KUBE_STREAM_H

/* A command in a pod, with standard input and output over a WebSocket. */

#include <stdbool.h>

#include "kube/command.h"
#include "kube/proxy.h"

/* Passes on descriptors 0, 1 and 2 until the command in the pod has ended. Returns its exit status, or 1 with
 * a message on standard error. -1: the API did not open the stream, and nothing has been read from descriptor
 * 0; `why` says why. `waits`: while the container does not run, try again. */
int kube_stream(const struct proxy_use *use, const char *space, const struct kube_command *command,
		bool waits, char why[PROXY_WORDS]);

#endif
