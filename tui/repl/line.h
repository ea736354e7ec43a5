/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_LINE_H
#define TUI_REPL_LINE_H

/* The line that a person types, edited by GNU readline inside terrarium's loop: nothing here waits.
 *
 * Theory of operation. Readline's callback interface reads from a queue, which the loop fills when the
 * terminal has bytes. Readline writes through a stream into the sink, so that its painting stays in order
 * with all other output. Pasted text (bracketed paste) does not pass through readline's keys: it is
 * inserted as a whole, with its newlines. Long runs of plain characters are inserted as a whole too,
 * because readline would repaint the line for each character. While no line is shown, the terminal is in
 * its original mode, and nothing reads from it.
 *
 * Without the library, the terminal itself edits the lines. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/loop.h>

struct sink;
struct trm_error;
struct line;

struct line_cb {
	/* Enter: the text, which may have several lines. NULL at the end of input (Ctrl-D, or the
	 * terminal is gone). The line is no longer shown. `text` is borrowed. */
	void (*accepted)(void *user, const char *text);
	/* Tab, at a place where completion is possible. */
	void (*tab)(void *user);
	/* While line_pass() is on: bytes of the terminal as they come. 0 bytes: end of the terminal, or
	 * Ctrl-D. */
	void (*passed)(void *user, const char *bytes, size_t n);
};

#define LINE_MAX_BYTES ((size_t)16 << 20)

/* Only one line per process. `out` is the sink of stdout. Errors: TRM_ENOMEM. Without the library the
 * line cannot be edited, and `ret_notice` gets a sentence about it. */
int line_open(struct trm_loop *loop, struct sink *out, const struct line_cb *cb, void *user,
		struct line **ret, struct trm_error *ret_notice, struct trm_error *reterr);
void line_close(struct line *l); /* takes NULL; restores the terminal */

/* Show a prompt (bytes between \001 and \002 take no room) with an initial text. */
void line_show(struct line *l, const char *prompt, const char *text);
/* Replace the prompt of the shown line. The new prompt appears when the line is next painted. */
void line_set_prompt(struct line *l, const char *prompt);
bool line_is_shown(const struct line *l);
/* Drop the line: its text stays on the screen with `why` behind it. Takes NULL. */
void line_drop(struct line *l, const char *why);
/* Hide the line, so that something can be printed in its place; unhide it again. */
void line_hide(struct line *l);
void line_unhide(struct line *l);
/* While no line is shown: the terminal's bytes go to cb->passed. */
void line_pass(struct line *l, bool is_on);
/* Lend all bytes of the terminal to a borrower, which has priority over everything else; NULL ends that.
 * The borrower returns typed bytes by line_type_ahead(). */
typedef void line_borrow_fn(void *user, const char *bytes, size_t n);
void line_borrow(struct line *l, line_borrow_fn *fn, void *user);
void line_type_ahead(struct line *l, const char *bytes, size_t n);
/* Set typed-ahead bytes aside, followed by `text` and an Enter (NULL: nothing). line_release() puts them
 * in front of everything typed later. */
void line_hold(struct line *l, const char *text);
void line_release(struct line *l);
/* The size of the terminal has changed. */
void line_resize(struct line *l); /* takes NULL */
/* Lend the terminal to the shell (job control), and take it back. The line stays. Both take NULL. */
void line_suspend(struct line *l);
void line_resume(struct line *l);

/* The typed text, and the cursor in bytes. */
const char *line_text(const struct line *l);
size_t line_point(const struct line *l);
/* Replace bytes from..to by `text` and put the cursor behind it. */
void line_replace(struct line *l, size_t from, size_t to, const char *text);
void line_bell(struct line *l);

/* Take the typed-ahead bytes that nobody has read. The result is malloc'd and belongs to the caller;
 * NULL: none. */
char *line_take_ahead(struct line *l, size_t *ret_n);

/* The history for recall. Both take NULL. */
void line_history_clear(struct line *l);
void line_history_add(struct line *l, const char *text);

#endif
