/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_DETACH_H
#define TUI_MODEL_DETACH_H

/* Sandboxes that outlive the workbench: keeping one, and leaving it running. */

#include <stdbool.h>

struct effects;
struct model;

/* There is a sandbox that leaving would not end. */
bool detach_is_certain(const struct model *m);

#endif
