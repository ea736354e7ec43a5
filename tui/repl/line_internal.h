/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_LINE_INTERNAL_H
#define TUI_REPL_LINE_INTERNAL_H

/* The parts of the line. line.c contains the callbacks of readline, line_take.c the input from the
 * terminal, line_show.c the output to it. Private to these three. */

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
	bool is_accepted; /* readline has delivered the line */
	char *accepted;
	struct typed typed;
	struct typed held;    /* typed ahead of a question; no answer to it */
	struct termios found; /* original mode of the terminal */
	struct paste paste;
	char *shown_prompt;
};

/* line.c: let readline begin a line. */
void line_install(struct line *l, const char *prompt);

/* line_take.c */
void line_on_readable(void *user, int fd, uint32_t events);
void line_take_typed(struct line *l);   /* while a line is shown and bytes are left */
void line_update_watch(struct line *l); /* after each change of the line's state */

#endif
