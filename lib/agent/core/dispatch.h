/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_DISPATCH_H
#define TRM_AGENT_CORE_DISPATCH_H

#include "agent/core/client.h"

/* Act on one frame from a client. What breaks the protocol ends the client. */
void dispatch(struct client *client, const struct frame *frame);

#endif
