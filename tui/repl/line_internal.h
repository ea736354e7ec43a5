/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_LINE_INTERNAL_H
#define TUI_REPL_LINE_INTERNAL_H

/* The line's own parts: line.c is readline's side, line_take.c what comes from the terminal, line_show.c what
 * goes to it. Private to these three. */

#include <stdio.h>
#include <termios.h>

#include "repl/library.h"
#include "repl/line.h"
#include "repl/paste.h"
#include "repl/typed.h"
#include "stream/sink.h"
#include "stream/tty.h"

struct line {
	struct trm_loop *loop;
	struct sink *out;
	const struct line_cb *cb;
	void *user;
	struct trm_watch *watch;
	bool has_library;
	struct readline rl;
	FILE *paint; /* readline's output */
	line_borrow_fn *borrower;
	void *borrower_user;
	bool is_shown, is_hidden, is_suspended, passes;
	bool has_tab;
	bool is_accepted; /* readline has called back */
	char *accepted;
	struct typed typed;
	struct typed held;    /* typed before a question that it does not answer */
	struct termios found; /* how the terminal was */
	struct paste paste;
	char *shown_prompt;
};

/* line.c: let readline begin a line. */
void line_install(struct line *l, const char *prompt);

/* line_take.c */
void line_on_readable(void *user, int fd, uint32_t events);
void line_take_typed(struct line *l);   /* as long as a line is shown, and there is something */
void line_update_watch(struct line *l); /* after what it depends on has changed */

#endif
