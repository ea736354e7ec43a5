/* SPDX-License-Identifier: MIT */
#ifndef TUI_STAY_H
#define TUI_STAY_H

/* Sandboxes that outlive the workbench: keeping one, and leaving it running. */

#include <stdbool.h>

struct effects;
struct model;

/* There is a sandbox that leaving would not end. */
bool stay_is_certain(const struct model *m);

#endif
