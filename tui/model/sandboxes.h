/* SPDX-License-Identifier: MIT */
#ifndef TUI_SANDBOXES_H
#define TUI_SANDBOXES_H

/* The page of all sandboxes of this user on this machine, which covers the panes: a list with live metrics,
 * and a view into one of them. While the page is open the app lists sandboxes once a second
 * (EFFECT_SANDBOXES). While it looks into a sandbox, the app is attached to it (EFFECT_PEEK). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/registry.h>

#include "cells/canvas.h"
#include "metrics/metrics.h"
#include "metrics/sandbox_column.h"
#include "model/engines.h"
#include "model/sandbox_peek.h"

struct effects;
struct event;
struct model;
struct msg;

enum { SANDBOXES_POOLS = 5 }; /* of so many pools there are figures */

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
	bool is_known;             /* a list has arrived */
	struct trm_entry *entries; /* sorted */
	size_t n, cap;
	struct trm_pool_entry pools[SANDBOXES_POOLS];
	size_t n_pools; /* all, also those that are not in `pools` */
	enum sandboxes_sort sort;
	bool is_reversed;
	uint32_t selected_supervisor; /* 0: none */
	uint64_t selected_start;
	size_t top;      /* first visible line of the table */
	char error[240]; /* why there is no list; "" */
	/* Looking into one sandbox. */
	bool is_inside;
	char inside[324];
	char doing[160]; /* current step before it can be shown; "" */
	char ended[240]; /* why it can no longer be shown; "" */
	struct metrics metrics;
	struct peek_log log;
	struct trm_entry target; /* subject of the open question */
	struct engines engines;
};

void sandboxes_finish(struct sandboxes *s); /* accepts a zeroed object */

/* MSG_SANDBOXES, MSG_CONTAINER…, MSG_INSIDE_…. */
void sandboxes_update(struct model *m, const struct msg *msg);
void sandboxes_show(struct model *m, struct effects *out);
/* Look into the sandbox with this name. The caller adds the effect. */
void sandboxes_enter(struct model *m, const char *name);
/* Close the page. */
void sandboxes_leave(struct model *m, struct effects *out);
bool sandboxes_mouse(struct model *m, const struct event *ev, struct effects *out); /* false: not shown */

/* a second call reverses the order */
void sandboxes_sort_by(struct sandboxes *s, enum sandboxes_sort sort);
/* The lines of the table: sandboxes (or a line that says that there are none), then a heading, which cannot
 * be selected, and the other containers of the engines. */
size_t sandboxes_engines_at(const struct sandboxes *s); /* line of that heading */
bool sandboxes_can_select(const struct sandboxes *s, size_t line);
void sandboxes_select(struct sandboxes *s, long line, size_t page); /* `page`: visible lines */
long sandboxes_selected(const struct sandboxes *s);                 /* line; -1 */
void sandboxes_show_engines(struct model *m);                       /* scroll to their heading */
bool sandboxes_is_own(const struct model *m, const struct trm_entry *entry);

/* The areas of the page and its table. */
struct sandboxes_layout {
	struct rect box, inner;
	int header_row;
	struct rect table;
	struct rect pools; /* rows 0: there are none, or there is no room */
	int hint_row;
};
struct sandboxes_layout sandboxes_layout(const struct model *m);

/* The columns of the table, for drawing and for clicks. */
enum { SANDBOXES_COLUMNS = 10 };
struct sandboxes_column_info {
	enum sandbox_column column;
	int from; /* least width of the table that shows it */
	enum sandboxes_sort sort;
};
extern const struct sandboxes_column_info sandboxes_columns[SANDBOXES_COLUMNS];
/* Place column i. False: it is not shown. `has_groups`: some sandboxes belong to a group; else that column is
 * left out. */
bool sandboxes_place(unsigned i, int table_cols, bool has_groups, int *ret_col, int *ret_cols);
bool sandboxes_has_groups(const struct sandboxes *s);

#endif
