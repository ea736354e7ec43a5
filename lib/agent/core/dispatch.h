/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_DISPATCH_H
#define TRM_AGENT_CORE_DISPATCH_H

#include "agent/core/client.h"

/* Handle one frame from a client. A client that breaks the protocol is disconnected. */
void dispatch(struct client *client, const struct frame *frame);

#endif
