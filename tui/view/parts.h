/* SPDX-License-Identifier: MIT */
#ifndef TUI_PARTS_H
#define TUI_PARTS_H

/* The parts of view(); private to this room. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "metrics/metrics.h"

struct field;
struct metrics;
struct model;
struct output_line;

/* ---- text and lines: draw.c ---- */

struct style style_of(uint16_t role);
struct style style_with(uint16_t role, uint16_t attrs);

/* Draw a NUL-terminated text in a role with canvas_put(). Returns the column after it. */
int draw_text(struct canvas *c, struct rect clip, int row, int col, uint16_t role, const char *text);
/* The same; a text that does not fit ends in an ellipsis. */
int draw_cut_text(struct canvas *c, bool has_utf8, struct rect clip, int row, int col, uint16_t role,
		const char *text);
/* Draw a field of one row so that its cursor can be seen. Returns the cursor's column. */
int draw_field(struct canvas *c, struct rect area, const struct field *f);
int draw_format(struct canvas *c, struct rect clip, int row, int col, uint16_t role, const char *fmt, ...)
		__attribute__((format(printf, 6, 7)));

/* Signs that have an ASCII replacement. */
enum sign {
	SIGN_HORIZONTAL,
	SIGN_VERTICAL,
	SIGN_TOP_LEFT,
	SIGN_TOP_RIGHT,
	SIGN_BOTTOM_LEFT,
	SIGN_BOTTOM_RIGHT,
	SIGN_TEE_DOWN,
	SIGN_TEE_UP,
	SIGN_TEE_RIGHT,
	SIGN_TEE_LEFT,
	SIGN_CROSS,
	SIGN_MENU,
	SIGN_DOT,
	SIGN_MORE,
	SIGN_PROMPT,
	SIGN_CURRENT,
	SIGN_ELLIPSIS,
	SIGN_RISING,
	SIGN_FALLING,
	SIGN_SPAN,
	SIGN_COUNT
};
const char *sign(bool has_utf8, enum sign s);

void draw_horizontal(struct canvas *c, bool has_utf8, int row, int col, int cols, uint16_t role);
void draw_vertical(struct canvas *c, bool has_utf8, int row, int col, int rows, uint16_t role);
void draw_sign(struct canvas *c, bool has_utf8, int row, int col, enum sign s, uint16_t role);
void draw_box(struct canvas *c, bool has_utf8, struct rect box, uint16_t role);

/* ---- graphs: graph.c ---- */

/* From these shares of a limit on, the color of a metric changes. */
#define GRAPH_WARN 0.8
#define GRAPH_CRITICAL 0.95

struct graph {
	struct rect area;
	enum graph_style style;
	uint16_t role;
	double limit;               /* in the units of the series; 0: none */
	bool is_busy_at_limit;      /* at its limit it is busy, not in danger */
	int marked_from, marked_to; /* cells of the selected run; from > to: none */
	int cursor;                 /* cell whose value is told; -1: none */
	double scale;               /* set by draw_graph(): the value at full height */
};
/* Draw a series over a span of time, one column of the span per cell. With `halve` the scale may be a half,
 * a quarter … of the limit. */
void draw_graph(struct canvas *c, struct graph *g, const struct metric_history *h, enum series series,
		const struct metric_span *span, bool halve);

/* Draw values, oldest first (negative: unknown), up to g->scale: two in a cell of braille, else one. */
void draw_spark(struct canvas *c, struct graph *g, const float *values);

/* ---- meters: meter.c ---- */

/* One metric: its name, its text and its graph. */
struct meter {
	const char *name;
	uint16_t role;
	bool halves;           /* the scale of the graph may be a fraction of the limit */
	bool is_busy_at_limit; /* at its limit it is busy, not in danger */
	void (*tell)(const struct trm_sample *s, char out[64], bool is_short);
	void (*tell_value)(double value, char out[24]); /* a value of the history */
	double (*limit)(const struct trm_sample *s);    /* in the units of the series; 0: unknown */
	double (*load)(const struct trm_sample *s);     /* share of the limit, 0 … 1; negative: unknown */
};
extern const struct meter meters[SERIES_COUNT];
/* The color of the number. */
uint16_t meter_role(const struct meter *meter, const struct trm_sample *s);

/* ---- panes ---- */

void draw_status(const struct model *m, struct canvas *c); /* covers the bottom of the panes if it is long */
void draw_frame(const struct model *m, struct canvas *c);  /* borders, title, tabs, status, keys: frame.c */
/* Draw the parts of the frame that depend on the editor. */
void draw_editor_frame(const struct model *m, struct canvas *c);
void draw_output(const struct model *m, struct canvas *c); /* output_view.c */
void draw_finder(const struct model *m, struct canvas *c); /* finder_view.c */
/* figure_view.c: draw a row of the output that belongs to an image; draw an image on the whole screen
 * (false: none is shown). */
void draw_figure_row(const struct model *m, struct canvas *c, int row, struct rect area,
		const struct output_line *l);
bool draw_zoom(const struct model *m, struct canvas *c);
void draw_metrics(const struct model *m, struct canvas *c); /* metrics_view.c */
/* Draw the metrics of any sandbox. `has_runs`: it is the workbench's own sandbox, and its runs are marked. */
void draw_measured(const struct model *m, struct canvas *c, const struct metrics *x, struct rect area,
		bool has_focus, bool has_runs);
void draw_processes(const struct model *m, struct canvas *c, const struct process_table *t, int header_row,
		struct rect area, bool has_focus);             /* process_view.c */
void draw_sandboxes(const struct model *m, struct canvas *c);  /* sandboxes_view.c */
void draw_gallery(const struct model *m, struct canvas *c);    /* gallery_view.c */
void draw_table_page(const struct model *m, struct canvas *c); /* table_view.c */
void draw_strip(const struct model *m, struct canvas *c, struct rect area);
void draw_popup(const struct model *m, struct canvas *c);     /* popup_view.c */
void draw_variables(const struct model *m, struct canvas *c); /* variables_view.c */
bool signature_is_beside(const struct model *m);              /* signature_view.c */
void draw_signature(const struct model *m, struct canvas *c);
void draw_which_key(const struct model *m, struct canvas *c); /* which_key_view.c */
void draw_tutor(const struct model *m, struct canvas *c);
void draw_demo(const struct model *m, struct canvas *c);   /* demo_view.c */
void draw_replay(const struct model *m, struct canvas *c); /* replay_view.c */
void draw_dialog(const struct model *m, struct canvas *c); /* dialog_view.c */

#endif
