/* SPDX-License-Identifier: MIT */
#ifndef TUI_PARTS_H
#define TUI_PARTS_H

/* The pieces that view() is put together from; private to this folder. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/canvas.h"

struct model;

/* ---- drawing words and lines: draw.c ---- */

struct style style_of(uint16_t role);
struct style style_with(uint16_t role, uint16_t attrs);

/* canvas_put of a NUL-terminated text in a role. Returns the column behind it. */
int draw_text(struct canvas *c, struct rect clip, int row, int col, uint16_t role, const char *text);
int draw_format(struct canvas *c, struct rect clip, int row, int col, uint16_t role, const char *fmt, ...)
		__attribute__((format(printf, 6, 7)));

/* Signs that have an ASCII form. */
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
	SIGN_COUNT
};
const char *sign(bool has_utf8, enum sign s);

void draw_horizontal(struct canvas *c, bool has_utf8, int row, int col, int cols, uint16_t role);
void draw_vertical(struct canvas *c, bool has_utf8, int row, int col, int rows, uint16_t role);
void draw_sign(struct canvas *c, bool has_utf8, int row, int col, enum sign s, uint16_t role);
void draw_box(struct canvas *c, bool has_utf8, struct rect box, uint16_t role);

/* A graph in blocks, one column per value, negative ones blank; `rows` high. */
void draw_graph(struct canvas *c, bool has_utf8, struct rect area, const float *values, double scale,
		uint16_t role);

/* ---- panes ---- */

void draw_frame(const struct model *m, struct canvas *c); /* borders, title, tabs, status, keys: frame.c */
void draw_editor_frame(const struct model *m, struct canvas *c); /* of those, what tells of the editor */
void draw_output(const struct model *m, struct canvas *c);       /* output_view.c */
void draw_finder(const struct model *m, struct canvas *c);       /* finder_view.c */
void draw_metrics(const struct model *m, struct canvas *c);      /* metrics_view.c */
void draw_strip(const struct model *m, struct canvas *c, struct rect area);
void draw_variables(const struct model *m, struct canvas *c); /* variables_view.c */
void draw_dialog(const struct model *m, struct canvas *c);    /* dialog_view.c */

#endif
