/* SPDX-License-Identifier: MIT */
#ifndef TUI_FIGURES_H
#define TUI_FIGURES_H

/* The images that runs have shown: their bytes as they came, to be saved and opened, and how they are drawn.
 * In the output a figure is `rows` lines of kind OUT_FIGURE, each with the text "ID ROW"; its size in cells
 * is settled when it comes. Bytes have a cap: the oldest figures are given up for the newest.
 *
 * A figure that is to be seen for the first time is asked for (EFFECT_DRAW_FIGURE); the app has it decoded in
 * a child, and hands in a picture. Figures far away in the scrollback are not. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/image.h"
#include "image/picture.h"

struct output_line;

#define FIGURES_BYTES ((size_t)128 << 20)   /* of images as they came */
#define FIGURES_PICTURES ((size_t)64 << 20) /* of what they are drawn from */

enum figure_state { FIGURE_WAITING, FIGURE_ASKED, FIGURE_READY, FIGURE_FAILED };

struct figure {
	uint32_t id;     /* from 1, in the order they came */
	uint32_t run;    /* serial */
	unsigned number; /* of the run's figures, from 1 */
	char mime[64];
	struct image_info info; /* type IMAGE_NONE: it cannot be drawn */
	uint8_t *bytes;         /* owned */
	size_t n;
	int lines;      /* of the output that are its own */
	int cols, rows; /* it is drawn so large, in the last of these lines */
	enum figure_state state;
	struct picture *picture; /* READY; owned */
	char why[160];           /* FAILED: a sentence */
};

/* What the terminal can show, as far as it was asked. */
struct figure_terminal {
	bool is_known, is_asked;
	bool is_off;               /* the person wants none drawn */
	struct picture_style look; /* kind, cell size, colors, glyphs */
};

/* The forms of a display that is coming in: the best so far, and the plain one. */
struct figure_form {
	char mime[64];
	char *data; /* owned */
	size_t n;
};
struct figure_offer {
	uint32_t serial; /* of the run that shows it */
	bool is_open;
	size_t bundle;
	struct figure_form best, plain;
};

struct figures {
	struct figure *all; /* by id */
	size_t n, cap;
	uint32_t last_id, last_picture;
	size_t bytes, picture_bytes;
	size_t n_waiting; /* figures that were not drawn yet */
	struct figure_terminal terminal;
	uint32_t zoomed;      /* the figure shown on the whole screen; 0: none */
	struct picture *zoom; /* how; NULL: not drawn yet */
	char zoom_why[160];   /* why not */
	bool is_zoom_asked;
	int zoom_cols, zoom_rows; /* the size that it was asked for in */
	uint64_t shown_hash; /* of the text of what was shown last, so that it is not shown as the value as
				well */
	size_t shown_len;
	int pane_rows, pane_cols; /* that they were last fitted to */
	struct figure_offer offer;
	uint32_t pending; /* the figure that a question is about */
	char saved[4096]; /* where one was saved last; "": none was */
};

void figures_finish(struct figures *f); /* takes a zeroed object */
void figures_clear(struct figures *f);  /* ids go on */

/* Take one in; `bytes` are the image itself, and become the store's. NULL: out of memory (`bytes` are freed).
 * Older pointers to figures are void. */
struct figure *figures_add(struct figures *f, uint32_t run, const char *mime, uint8_t *bytes, size_t n);

struct figure *figures_find(const struct figures *f, uint32_t id); /* NULL: there is none any more */

/* Settle in how many cells it is shown, at most that many. */
void figure_fit(const struct figures *f, struct figure *fig, int max_cols, int max_rows);

/* The pane has another size: draw those that have got too large smaller, and again larger up to their lines.
 */
void figures_refit(struct figures *f, int max_cols, int max_rows);
/* Which row of its picture a line of the output shows; -1: none. */
int figure_row_at(const struct figure *fig, int line);

/* Hand in what was made of it, or why it cannot be drawn. Takes `picture`. */
void figure_set_picture(struct figures *f, struct figure *fig, struct picture *picture, const char *why);
/* Forget what figures are drawn from: the terminal has changed. */
void figures_forget_pictures(struct figures *f);

/* Forget the forms that have come in. */
void figures_end_offer(struct figures *f);

/* Its file: "fig-RUN-N.png". */
void figure_file_name(const struct figure *fig, unsigned run_number, char out[64]);

/* Fill in a line of the output that is a row of a figure, as far as that is characters. */
void figures_fill(const struct figures *f, struct output_line *line, bool has_utf8);

#endif
