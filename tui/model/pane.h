/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_PANE_H
#define TUI_MODEL_PANE_H

/* What a pane does with events: a row of a table for each. layout.h has their places, view.c draws them. */

#include "command/command.h"
#include "model/layout.h"

struct effects;
struct event;
struct model;

/* A function that is NULL ignores the event. */
struct pane_ops {
	enum key_context key_context; /* its own keys; also its name in config and session */
	void (*key)(struct model *m, const struct event *ev, struct effects *out); /* one without a command */
	void (*paste)(struct model *m, const struct event *ev, struct effects *out);
	void (*mouse)(struct model *m, const struct event *ev, struct effects *out);
};
extern const struct pane_ops pane_ops[PANE_COUNT];

/* The context of the keys that are typed now: of a page, of the variables, or of the focused pane. */
enum key_context context_of_keys(const struct model *m);
/* Whether keys and pastes go to the focused pane: no page and no box lies over it. */
bool pane_has_keys(const struct model *m);
/* Focus the pane whose own keys these are, if there is one; nothing lies over it then. */
void pane_focus_for(struct model *m, enum key_context key_context);

/* editor_update.c */
void editor_pane_key(struct model *m, const struct event *ev, struct effects *out);
void editor_pane_paste(struct model *m, const struct event *ev, struct effects *out);
void editor_pane_mouse(struct model *m, const struct event *ev, struct effects *out);

#endif
