/* SPDX-License-Identifier: MIT */
#ifndef TUI_ENGINES_H
#define TUI_ENGINES_H

/* Other containers of the container engines, at the bottom of the page of sandboxes. They are listed on
 * request (EFFECT_CONTAINERS; MSG_CONTAINER for each, then MSG_CONTAINERS_END). After a question, an agent
 * is put into a container so that the page can show its processes and metrics (EFFECT_LOOK_CONTAINER). */

#include <stdbool.h>
#include <stddef.h>

struct model;
struct msg;

struct engine_row {
	char name[324];  /* "ENGINE:NAME", as `terrarium attach` accepts it */
	char engine[64]; /* name of the recipe */
	char id[128], image[256], state[64];
	/* Instead of a container: a sentence that says why this engine cannot be asked; "": a container. */
	char problem[300];
};

struct engines {
	bool is_shown, is_asking;
	struct engine_row *rows;
	size_t n, cap;
	long selected;            /* row; -1: none */
	char error[240];          /* why no engine could be asked; "" */
	struct engine_row target; /* subject of the open question */
};

void engines_finish(struct engines *e); /* accepts a zeroed object; the list is empty afterwards */

/* The lines of the table for containers, including a heading and, if there are none, a line that says so. */
size_t engines_lines(const struct engines *e);
const struct engine_row *engines_selected(const struct engines *e); /* NULL: none */

/* MSG_CONTAINER, MSG_CONTAINERS_END */
void engines_take(struct engines *e, const struct msg *msg);
/* Ask before an agent is put into the container. For an engine that cannot be asked, show the reason. */
void engines_ask_peek(struct model *m, const struct engine_row *row);

#endif
