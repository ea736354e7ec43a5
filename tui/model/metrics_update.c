/* SPDX-License-Identifier: MIT */
/* What is done in the metrics pane. */
#include "model/command.h"
#include "model/model.h"
#include "model/update.h"
#include "term/event.h"

static void scroll(struct model *m, long by)
{
	long to = (long)m->process_scroll + by, last = (long)m->n_processes - 1;

	m->process_scroll = to < 0 || last < 0 ? 0 : (size_t)(to > last ? last : to);
	m->needs_draw = true;
}

static void up(struct model *m, struct effects *out)
{
	(void)out;
	scroll(m, -1);
}

static void down(struct model *m, struct effects *out)
{
	(void)out;
	scroll(m, 1);
}

static void page_up(struct model *m, struct effects *out)
{
	(void)out;
	scroll(m, -10);
}

static void page_down(struct model *m, struct effects *out)
{
	(void)out;
	scroll(m, 10);
}

static void first(struct model *m, struct effects *out)
{
	(void)out;
	scroll(m, -MODEL_PROCESSES);
}

static const struct command commands[] = {
		{"processes-up", NULL, "scroll the processes", PLACE_METRICS, up, NULL, 0, false},
		{"processes-down", NULL, NULL, PLACE_METRICS, down, NULL, 0, false},
		{"processes-page-up", NULL, "scroll by a page", PLACE_METRICS, page_up, NULL, 0, false},
		{"processes-page-down", NULL, NULL, PLACE_METRICS, page_down, NULL, 0, false},
		{"processes-first", NULL, "the first process", PLACE_METRICS, first, NULL, 0, false},
};
const struct command_table metrics_commands = COMMAND_TABLE(commands);

void metrics_mouse(struct model *m, const struct event *ev)
{
	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN)
		scroll(m, ev->action == MOUSE_WHEEL_UP ? -3 : 3);
}
