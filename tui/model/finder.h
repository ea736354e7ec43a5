/* SPDX-License-Identifier: MIT */
#ifndef TUI_FINDER_H
#define TUI_FINDER_H

/* Finding and replacing in the current buffer, in a bar of one or two rows at the bottom of the editor.
 * While the bar is open it receives the keys, and each key searches again. Replacing goes from match to
 * match and previews the replacement of each: yes, no, all the rest, or stop. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "editor/editor.h"
#include "text/find.h"
#include "widget/field.h"

struct effects;
struct event;
struct model;
struct msg;

enum finder_state {
	FINDER_CLOSED,
	FINDER_WHAT,   /* the person types the pattern */
	FINDER_BY,     /* the person types the replacement */
	FINDER_ASKING, /* a match is shown with its replacement: y, n, a, q */
};

struct finder {
	enum finder_state state;
	bool has_replace;
	struct field what, by;
	struct find_opts opts;
	struct find *find; /* NULL: the pattern is empty or invalid */
	bool is_marking;   /* all matches are highlighted */
	/* Result of the last search: "3 of 17", "no match", or the error in the pattern. */
	char said[160];
	bool is_wrong;           /* … and it is an error */
	struct selection origin; /* start of the search; a changed pattern searches from there again */
	bool is_vi;              /* opened by vi's "/": search after the cursor; Enter closes the bar */
	bool is_back;            /* by vi's "?": search before the cursor, and n goes on so */
	struct selection shown;  /* the match that was selected last, */
	uint32_t shown_in;       /* in the buffer of this number */

	/* All positions are in this version of the text of this buffer. */
	uint64_t version;
	uint32_t buffer;

	/* While replacing. */
	struct find_match match; /* the match that is shown */
	char *preview;           /* its replacement; owned */
	size_t to;               /* matches that begin here or later are left alone */
	size_t wraps_to;         /* after `to`, continue from the top up to here; 0: do not */
	size_t replaced;
};

void finder_finish(struct finder *f); /* accepts a zeroed object */

/* The rows of the bar, which the editor's pane loses. */
int finder_rows(const struct finder *f);

/* The positions are in the text as it is now. */
void finder_note_text(struct model *m);
/* False: something else has changed the text since, or it is another buffer. */
bool finder_has_text(const struct model *m);

void finder_open_vi(struct model *m, bool is_back);
void finder_seek_word(struct model *m, bool is_back); /* vi's * and #: the word at the cursor */
void finder_close(struct model *m);
/* Close the bar, and go back to where the search began. False: it is not open. */
bool finder_give_up(struct model *m);
/* A short selection within a line, which may be a pattern. malloc'd; NULL: there is none. */
char *finder_selected(const struct editor *e);
/* Is the selection a match of the search, rather than something that the person has selected? */
bool finder_has_selected(const struct model *m);
/* A key, a paste or a click while the editor has the focus. False: it is not for the bar. */
bool finder_event(struct model *m, const struct msg *msg, struct effects *out);

/* The words behind a result if the search has left out lines; "": none. */
const char *finder_gap(const struct find *f);

/* ---- between finder.c and replacer.c ---- */

bool finder_compile(struct finder *f); /* compile the typed pattern; false: it is empty or invalid */
void finder_say(struct finder *f, bool is_wrong, const char *text);
void finder_say_none(struct finder *f); /* there is no match */
void finder_show(struct model *m, struct find_match match);

void replacer_begin(struct model *m); /* both texts have been typed */
void replacer_answer(struct model *m, const struct event *ev, struct effects *out);
void replacer_end(struct model *m);

#endif
