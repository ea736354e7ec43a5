/* SPDX-License-Identifier: MIT */
#ifndef TUI_FIGURES_H
#define TUI_FIGURES_H

/* The images that runs have displayed: their original bytes, for saving and opening, and the pictures for
 * drawing. In the output a figure is `lines` lines of kind OUT_FIGURE, each with the text "ID ROW". Its
 * number of lines is fixed when it arrives. The bytes have a limit, and the oldest figures are dropped.
 *
 * When a figure is visible for the first time, it is requested (EFFECT_DRAW_FIGURE). The app has it decoded
 * in a child process and adds the picture. Figures far away in the scrollback are not decoded. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/image.h"
#include "image/picture.h"

struct output_line;

#define FIGURES_BYTES ((size_t)128 << 20)   /* limit for original images */
#define FIGURE_ROWS 6                       /* less than so many rows show nothing of a larger image */
#define FIGURES_PICTURES ((size_t)64 << 20) /* limit for pictures */

enum figure_state { FIGURE_WAITING, FIGURE_ASKED, FIGURE_READY, FIGURE_FAILED };

struct figure {
	uint32_t id;     /* from 1, in the order of arrival */
	uint32_t run;    /* serial */
	unsigned number; /* among the figures of the run, from 1 */
	char mime[64], title[100];
	bool is_collected;      /* it is a file of the code's; the title is its name */
	struct image_info info; /* type IMAGE_NONE: it cannot be drawn */
	uint8_t *bytes;         /* owned */
	size_t n;
	int lines;      /* its lines in the output */
	int cols, rows; /* size of the drawing, in the last of these lines */
	bool is_named;  /* there is no room for it: a line says what it is, and which key shows it */
	enum figure_state state;
	struct picture *picture; /* READY; owned */
	char why[160];           /* FAILED: a sentence */
};

/* The abilities of the terminal, as far as they are known. */
struct figure_terminal {
	bool is_known, is_asked;
	bool is_off;               /* the person wants no images */
	struct picture_style look; /* kind, cell size, colors, glyphs */
};

/* The forms of a display that is arriving: the best so far, and the plain text. */
struct figure_form {
	char mime[64], title[100];
	bool is_collected;
	char *data; /* owned */
	size_t n;
};
struct figure_offer {
	uint32_t serial; /* of the run that displays it */
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
	struct picture *zoom; /* its picture; NULL: not drawn yet */
	char zoom_why[160];   /* why it cannot be drawn */
	bool is_zoom_asked;
	int zoom_cols, zoom_rows; /* the requested size */
	/* Hash of the text that was last displayed, so that an equal value is not shown again. */
	uint64_t shown_hash;
	size_t shown_len;
	int pane_rows, pane_cols; /* the size to which they were last fitted */
	char zoom_key[64];        /* the name of the key that shows an image on the whole screen */
	struct figure_offer offer;
	uint32_t pending; /* figure of the open question */
	char saved[4096]; /* path of the last save; "": none */
};

void figures_finish(struct figures *f); /* accepts a zeroed object */
void figures_clear(struct figures *f);  /* ids continue */

/* Add a figure. `bytes` is the image itself, and the store owns it from now on. NULL: out of memory (`bytes`
 * were freed). Earlier pointers to figures become invalid. */
struct figure *figures_add(struct figures *f, uint32_t run, const char *mime, uint8_t *bytes, size_t n);

struct figure *figures_find(const struct figures *f, uint32_t id); /* NULL: it was dropped */

/* Choose the size in cells, up to this maximum. An image that is larger than it, where it is less than
 * FIGURE_ROWS, is only named. */
void figure_fit(const struct figures *f, struct figure *fig, int max_cols, int max_rows);

/* The size of the pane has changed. Shrink figures that are too large, and enlarge others up to their lines.
 */
void figures_refit(struct figures *f, int max_cols, int max_rows);
/* The row of the picture that a line of the output shows; -1: none. */
int figure_row_at(const struct figure *fig, int line);

/* Set the picture, or the reason why it cannot be drawn. Takes ownership of `picture`. */
void figure_set_picture(struct figures *f, struct figure *fig, struct picture *picture, const char *why);
/* Drop all pictures, because the terminal has changed. */
void figures_forget_pictures(struct figures *f);

/* Drop the forms that have arrived. */
void figures_end_offer(struct figures *f);

/* The name of its file: "fig-RUN-N.png". */
void figure_file_name(const struct figure *fig, unsigned run_number, char out[64]);

/* Fill a line of the output with a row of a figure, if the row consists of characters. */
void figures_fill(const struct figures *f, struct output_line *line, bool has_utf8);

#endif
