/* SPDX-License-Identifier: MIT */
#ifndef TUI_ENGINES_H
#define TUI_ENGINES_H

/* What else runs in container engines: at the foot of the page of sandboxes, once somebody has asked
 * (EFFECT_CONTAINERS; MSG_CONTAINER for each, then MSG_CONTAINERS_END). To look into one, an agent is put
 * into it (EFFECT_LOOK_CONTAINER), after a question. */

#include <stdbool.h>
#include <stddef.h>

struct model;
struct msg;

struct engine_row {
	char name[324];  /* "ENGINE:NAME", as `terrarium attach` takes it */
	char engine[64]; /* name of the recipe */
	char id[128], image[256], state[64];
	char problem[300]; /* a sentence, instead of a container: this engine cannot be asked; "" */
};

struct engines {
	bool is_shown, is_asking;
	struct engine_row *rows;
	size_t n, cap;
	long selected;            /* row; -1: none */
	char error[240];          /* why nobody could be asked; "" */
	struct engine_row target; /* that the question is about */
};

void engines_finish(struct engines *e); /* takes a zeroed object; nothing is shown any more */

/* Lines of the table that they take, a heading and, where there are no rows, a word about that included. */
size_t engines_lines(const struct engines *e);
const struct engine_row *engines_selected(const struct engines *e); /* NULL: none */

/* MSG_CONTAINER, MSG_CONTAINERS_END */
void engines_take(struct engines *e, const struct msg *msg);
/* A dialog that says what will be done; of an engine that cannot be asked, that sentence. */
void engines_ask_look(struct model *m, const struct engine_row *row);

#endif
