/* SPDX-License-Identifier: MIT */
#ifndef TUI_FINDER_H
#define TUI_FINDER_H

/* Finding and replacing in the current buffer: a bar of one or two rows at the foot of the editor. While it
 * is open it takes what is typed; the pattern is looked for with every key. Replacing goes from match to
 * match and shows what would come in place of each: yes, no, all the rest, or enough. */

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
	FINDER_WHAT,   /* the pattern is typed */
	FINDER_BY,     /* what shall come in its place is typed */
	FINDER_ASKING, /* a match is shown with what would replace it: y, n, a, q */
};

struct finder {
	enum finder_state state;
	bool has_replace;
	struct field what, by;
	struct find_opts opts;
	struct find *find; /* NULL: there is no pattern, or it is wrong */
	bool is_marking;   /* all matches are marked */
	char said[160];    /* about the last search: "3 of 17", "no match", what is wrong with the pattern */
	bool is_wrong;     /* … and it is a failure */
	struct selection origin; /* where the search began: typing more looks from there again */

	/* While replacing. */
	struct find_match match; /* shown */
	char *preview;           /* what would replace it; owned */
	size_t to;               /* matches that begin before this are meant */
	size_t wraps_to;         /* behind `to`, it goes on from the top up to here; 0: no */
	size_t replaced;
};

void finder_finish(struct finder *f); /* takes a zeroed object */

/* How many rows of the editor's pane the bar takes. */
int finder_rows(const struct finder *f);

void finder_open(struct model *m, bool has_replace);
void finder_close(struct model *m);
/* A key, a paste or a click while the editor has the focus. False: it is not for the bar. */
bool finder_event(struct model *m, const struct msg *msg, struct effects *out);

/* ---- between finder.c and replacer.c ---- */

bool finder_compile(struct finder *f); /* the pattern that is typed; false: there is none, or it is wrong */
void finder_say(struct finder *f, bool is_wrong, const char *text);
void finder_show(struct model *m, struct find_match match);

void replacer_begin(struct model *m); /* what, and by what, is typed */
void replacer_answer(struct model *m, const struct event *ev, struct effects *out);
void replacer_end(struct model *m);

#endif
