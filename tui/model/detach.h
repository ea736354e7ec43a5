/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_DETACH_H
#define TUI_MODEL_DETACH_H

/* Sandboxes that outlive the workbench: keeping a sandbox, and detaching from it. */

#include <stdbool.h>

struct effects;
struct model;

/* Is there a sandbox that would keep running after detaching? */
bool detach_is_certain(const struct model *m);
/* … but only until its owner ends, who has not kept it? */
bool detach_loses_later(const struct model *m);

#endif
