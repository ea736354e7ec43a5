/* SPDX-License-Identifier: MIT */
#ifndef TUI_SANDBOXES_H
#define TUI_SANDBOXES_H

/* The page of all sandboxes that this user runs on this machine, over the panes: a list with live
 * figures, and from it a look into one of them. While it is shown the app looks for sandboxes once a
 * second (EFFECT_SANDBOXES); while one is looked into, it is attached to (EFFECT_PEEK). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/registry.h>

#include "cells/canvas.h"
#include "metrics/metrics.h"
#include "model/engines.h"
#include "model/sandbox_peek.h"

struct effects;
struct event;
struct model;
struct msg;

enum sandboxes_sort {
	SANDBOXES_BY_NAME,
	SANDBOXES_BY_CPU,
	SANDBOXES_BY_MEM,
	SANDBOXES_BY_PROCS,
	SANDBOXES_BY_UPTIME,
	SANDBOXES_SORTS
};

struct sandboxes {
	bool is_shown;
	bool is_known;             /* a list has come */
	struct trm_entry *entries; /* sorted */
	size_t n, cap;
	enum sandboxes_sort sort;
	bool is_reversed;
	uint32_t selected_supervisor; /* 0: none */
	uint64_t selected_start;
	size_t top;      /* line of the table that is shown first */
	char error[240]; /* why there is no list; "" */
	/* looking into one */
	bool is_inside;
	char inside[324];
	char doing[160]; /* what takes its time before it can be looked into; "" */
	char ended[240]; /* why it cannot be looked into any more; "" */
	struct metrics metrics;
	struct peek_log log;
	struct trm_entry target; /* that a question is about */
	struct engines engines;
};

void sandboxes_finish(struct sandboxes *s); /* takes a zeroed object */

/* MSG_SANDBOXES, MSG_CONTAINER…, MSG_INSIDE_…. */
void sandboxes_update(struct model *m, const struct msg *msg);
void sandboxes_show(struct model *m, struct effects *out);
/* Look into something called so: an effect is to follow. */
void sandboxes_enter(struct model *m, const char *name);
/* A key that is no command of the page: nothing of it goes to the panes below. */
void sandboxes_leave(struct model *m, struct effects *out);
bool sandboxes_mouse(struct model *m, const struct event *ev, struct effects *out); /* false: not shown */

void sandboxes_sort_by(struct sandboxes *s, enum sandboxes_sort sort); /* again: the other way round */
/* The lines of the table: sandboxes, or one word where there are none, then what else engines run: a heading,
 * which cannot be selected, and containers. */
size_t sandboxes_engines_at(const struct sandboxes *s); /* line of that heading */
bool sandboxes_can_select(const struct sandboxes *s, size_t line);
void sandboxes_select(struct sandboxes *s, long line, size_t page); /* lines shown at a time */
long sandboxes_selected(const struct sandboxes *s);                 /* line; -1 */
void sandboxes_show_engines(struct model *m);                       /* bring their heading into sight */
bool sandboxes_is_own(const struct model *m, const struct trm_entry *entry);

/* Where the page lies, and its table. */
struct sandboxes_layout {
	struct rect box, inner;
	int header_row;
	struct rect table;
	int hint_row;
};
struct sandboxes_layout sandboxes_layout(const struct model *m);

/* Columns, the same for drawing and clicking; cols 0: not shown in a table so wide. */
enum sandboxes_column {
	SANDBOXES_NAME,
	SANDBOXES_CPU,
	SANDBOXES_MEM,
	SANDBOXES_DISK,
	SANDBOXES_PROCS,
	SANDBOXES_UPTIME,
	SANDBOXES_CLIENTS,
	SANDBOXES_KEPT,
	SANDBOXES_GROUP,
	SANDBOXES_CLIENT,
	SANDBOXES_COLUMNS
};
struct sandboxes_column_info {
	const char *title;
	bool is_left;
	int cols, from; /* shown in tables at least so wide */
	enum sandboxes_sort sort;
};
extern const struct sandboxes_column_info sandboxes_columns[SANDBOXES_COLUMNS];
/* `has_groups`: some are managed by somebody; else that column is left out. */
bool sandboxes_place(
		enum sandboxes_column column, int table_cols, bool has_groups, int *ret_col, int *ret_cols);
bool sandboxes_has_groups(const struct sandboxes *s);

#endif
