/* SPDX-License-Identifier: MIT */
#ifndef TUI_DIALOG_H
#define TUI_DIALOG_H

/* A dialog covers the panes and takes all keys. It has a text that scrolls, below it a text field or a list,
 * and below that buttons. Each part may be missing. This file implements the behavior; the function
 * of the dialog acts on the answers. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "widget/field.h"

struct effects;
struct event;
struct model;

struct dialog_button {
	const char *label, *brief; /* brief: for little room; NULL: the same */
	char letter;               /* its key; 0: none */
	int answer;
};

struct dialog_line {
	char *text; /* owned, NUL-terminated */
	uint16_t role;
	/* Length of a label at the start; wrapped rows are aligned with the text after it. */
	uint8_t label_len;
	bool is_code;   /* cut at the edge instead of wrapped */
	uint8_t *kinds; /* owned; for code: enum syntax_kind of each byte of `text`; NULL: unknown */
};

#define DIALOG_ITEM 256   /* bytes of an item, including its NUL */
#define DIALOG_ITEM_COL 3 /* its first column in the list, after the sign of the current item */

struct dialog_choice {
	char right[40];              /* at the right edge: the keys of a command */
	uint64_t marks;              /* bit i: byte i of the item matches the search … */
	uint16_t mark_from, mark_to; /* … and these bytes do */
	uint16_t label_len;          /* bytes at the start that only say where the item is from */
	const void *of;              /* borrowed: the object of the item */
};

struct dialog {
	/* Acts on each answer; also tells dialogs apart. NULL: no dialog is open. */
	void (*answer)(struct model *m, int answer, struct effects *out);
	const char *command; /* name of a command whose key also closes the dialog; NULL: none */
	char title[96];
	struct dialog_line *lines;
	size_t n_lines, cap_lines;
	size_t scroll; /* rows above the first visible one */
	bool has_field;
	struct field field;
	const char *field_label;
	char (*items)[DIALOG_ITEM];    /* the list */
	struct dialog_choice *choices; /* right side of the items; NULL: none */
	size_t n_items, current;
	char typed[32]; /* letters that were typed to find an item */
	int list_rows;  /* fixed rows of a filtered list, so that it does not move; 0: one per item */
	int list_cols;  /* … and the columns of its dialog where there is room for more than usual; 0 */
	char none[160]; /* what an empty list says; "": that nothing matches */
	char hint[240]; /* below the list, about the current item */
	bool is_live;   /* each change in the field is reported: ANSWER_TYPED */
	const char *alt_keys; /* letters that are answers when they are typed with Alt; NULL: none */
	const struct dialog_button *buttons;
	int n_buttons, focus;
	bool is_large; /* use most of the screen */
	int below_col; /* place it below the title, near this column; 0: in the middle */
	/* Until then, text goes to the pane below: the person had begun to type before the dialog opened. */
	uint64_t lets_type_until_ns;
	bool has_typed;
};

/* Answers in addition to those of the buttons. */
enum {
	ANSWER_NONE = -1,
	ANSWER_CANCEL = -2,
	ANSWER_ENTER = -3,
	ANSWER_MOVED = -4,
	ANSWER_TAB = -5,
	ANSWER_TYPED = -6
};

void dialog_finish(struct dialog *d); /* accepts a zeroed object; no dialog is open then */
void dialog_begin(struct dialog *d, const char *title,
		void (*answer)(struct model *m, int answer, struct effects *out));
/* A list of so many rows, and a field that filters it as one types. `command` opens the dialog, and closes
 * it. */
void dialog_begin_filtered(struct dialog *d, const char *title,
		void (*answer)(struct model *m, int answer, struct effects *out), const char *command,
		bool has_utf8, int rows);
static inline bool dialog_is_open(const struct dialog *d)
{
	return d->answer != NULL;
}
/* Add the text field. `text` may be NULL. Typing adds to it if it `is_mended`, else replaces it. */
void dialog_set_field(struct dialog *d, const char *label, const char *text, bool is_mended);
void dialog_set_buttons(struct dialog *d, const struct dialog_button *buttons, int n);

/* Add a line to the text. Out of memory: it is left out. */
void dialog_add(struct dialog *d, uint16_t role, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Add "LABEL  text". The text is wrapped in a column of its own. */
void dialog_add_labeled(struct dialog *d, const char *label, uint16_t role, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));
void dialog_add_code(struct dialog *d, const char *text, size_t n);
/* Color all lines of code from line `from` on, as one text. `l` may be NULL: they stay plain. */
struct syntax_language;
void dialog_color_code(struct dialog *d, size_t from, const struct syntax_language *l);
void dialog_add_item(struct dialog *d, const char *text); /* to the list */
void dialog_add_choice(struct dialog *d, const char *text, const char *right, uint64_t marks, const void *of);
/* An item that is a place and some text, with a part [mark, mark_end) that matches. */
void dialog_add_match(struct dialog *d, const char *text, size_t label_len, size_t mark, size_t mark_end);
void dialog_clear_items(struct dialog *d);
void dialog_clear_lines(struct dialog *d);
const void *dialog_choice(const struct dialog *d); /* object of the current item; NULL: none */

/* The position of each part on a screen of this size. */
struct dialog_layout {
	struct rect box;  /* with its border */
	struct rect text; /* visible rows of the text */
	struct rect list; /* 0 rows: none */
	struct rect field;
	struct rect hint; /* 0 rows: none */
	int buttons_row;  /* -1: none */
	size_t n_rows;    /* all rows of the wrapped text */
};
struct dialog_layout dialog_layout(const struct dialog *d, int rows, int cols);
int dialog_item_cols(const struct dialog *d, int rows, int cols); /* columns of an item's text */
size_t dialog_first_item(const struct dialog *d, const struct dialog_layout *l); /* first visible item */

/* Button k: its columns, and the label that fits. */
struct dialog_place {
	int col, cols;
	const char *label;
	bool has_air; /* there is room for brackets */
};
struct dialog_place dialog_button_place(const struct dialog *d, const struct dialog_layout *l, int k);

/* Iterate over the wrapped rows of the text. *line and *at start at 0. Returns the bytes and the indentation
 * of a row. False: end of the text. */
struct dialog_row {
	const struct dialog_line *line;
	const char *text;
	size_t n;
	int indent;
	bool is_first; /* of its line */
};
bool dialog_next_row(const struct dialog *d, size_t width, size_t *line, size_t *at, struct dialog_row *ret);

/* Handle an event on a screen of this size. Returns the answer of a button, or one of ANSWER_…. */
int dialog_handle(struct dialog *d, const struct event *ev, int rows, int cols);

#endif
