/* SPDX-License-Identifier: MIT */
#include "model/engines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/doctor.h>
#include <terrarium/sandbox.h>

#include "command/command.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

static void answer_container(struct model *m, int answer, struct effects *out);

enum { ROWS_MAX = 4096 };

void engines_finish(struct engines *e)
{
	free(e->rows);
	*e = (struct engines){.selected = -1};
}

size_t engines_lines(const struct engines *e)
{
	return e->is_shown ? 1 + (e->n ? e->n : 1) : 0;
}

const struct engine_row *engines_selected(const struct engines *e)
{
	return e->n && e->selected >= 0 ? &e->rows[e->selected] : NULL;
}

/* ---- asking ---- */

static struct engine_row *new_row(struct engines *e)
{
	if (e->n == e->cap) {
		size_t cap = e->cap ? 2 * e->cap : 16;
		struct engine_row *rows = cap > ROWS_MAX ? NULL : realloc(e->rows, cap * sizeof *rows);
		if (!rows)
			return NULL;
		e->rows = rows;
		e->cap = cap;
	}
	e->rows[e->n] = (struct engine_row){0};
	return &e->rows[e->n++];
}

static void add_engine_container(struct engines *e, const struct trm_container_info *info)
{
	struct engine_row *row = new_row(e);

	if (!row)
		return;
	snprintf(row->engine, sizeof row->engine, "%s", info->backend);
	snprintf(row->name, sizeof row->name, "%s:%s", info->backend, *info->name ? info->name : info->id);
	snprintf(row->id, sizeof row->id, "%s", info->id);
	snprintf(row->image, sizeof row->image, "%s", info->image);
	snprintf(row->state, sizeof row->state, "%s", info->state);
	if (*info->problem)
		snprintf(row->problem, sizeof row->problem, "%s cannot list its containers: %s",
				info->backend, info->problem);
}

void engines_take(struct engines *e, const struct msg *msg)
{
	if (!e->is_asking)
		return; /* no longer needed */
	if (msg->type == MSG_CONTAINER) {
		add_engine_container(e, msg->container);
		return;
	}
	e->is_asking = false;
	snprintf(e->error, sizeof e->error, "%s", msg->text ? msg->text : "");
}

static void ask_engines(struct model *m, struct effects *out)
{
	struct engines *e = &m->sandboxes.engines;

	if (m->sandboxes.is_inside || e->is_asking)
		return;
	if (!m->sandboxes.is_shown)
		sandboxes_show(m, out);
	engines_finish(e);
	e->is_shown = e->is_asking = true;
	sandboxes_show_engines(m);
	effect_plain(out, EFFECT_CONTAINERS);
	m->needs_draw = true;
}

/* ---- looking into a container ---- */

void engines_ask_peek(struct model *m, const struct engine_row *row)
{
	static const struct dialog_button buttons[] = {
			{"Look inside", NULL, 'l', 1}, {"Cancel", NULL, 'c', 0}};
	char words[TRM_CONTAINER_BYTES];

	if (row->problem[0]) {
		notices_add(&m->notices, m->now_ns, true, "%s", row->problem);
		return;
	}
	m->sandboxes.engines.target = *row;
	dialog_begin(&m->dialog, "Look into this container?", answer_container);
	const char *name = row->name + strlen(row->engine) + 1;
	dialog_add(&m->dialog, ROLE_DIALOG, "%s",
			trm_container_describe(row->engine, name, NULL, words, sizeof words));
	dialog_set_buttons(&m->dialog, buttons, COUNT(buttons));
}

static void answer_container(struct model *m, int answer, struct effects *out)
{
	const struct engine_row *row = &m->sandboxes.engines.target;

	dialog_close(m);
	if (answer != 1 || !m->sandboxes.is_shown)
		return;
	sandboxes_enter(m, row->name);
	effect_add(out, (struct effect){.type = EFFECT_LOOK_CONTAINER,
					.container = {effects_string(out, row->engine),
							effects_string(out, row->id)}});
}

static const struct command commands[] = {
		{"sandboxes-containers", "Other containers…",
				"list other containers of the engines; Enter asks, then looks inside one",
				CONTEXT_SANDBOXES, .run = ask_engines},
};
const struct command_table engines_commands = COMMAND_TABLE(commands);
