/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_LINE_H
#define TUI_REPL_LINE_H

/* The line that a person types, edited with GNU readline inside our loop: nothing here waits.
 *
 * Theory of operation. Readline's callback interface gets its bytes from a queue that is filled when the
 * terminal has some, and writes through a stream into our sink, so that what it paints keeps its place among
 * all other output. Pasted text (bracketed paste) never goes through readline's keys: it is put into the line
 * as a whole, newlines included. So are long runs of plain characters, for each of which readline would paint
 * the line anew. While no line is shown the terminal is as it was found, and is not read.
 *
 * Without the library lines are read as the terminal gives them. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/loop.h>

struct sink;
struct trm_error;
struct line;

struct line_cb {
	/* Enter: the text, which may have several lines; NULL at the end (Ctrl-D, the terminal is gone).
	 * No line is shown now. `text` is borrowed. */
	void (*accepted)(void *user, const char *text);
	/* Tab, where there is something to be completed. */
	void (*tab)(void *user);
	/* While line_pass() is on: bytes of the terminal as they come; 0: its end, or Ctrl-D. */
	void (*passed)(void *user, const char *bytes, size_t n);
};

#define LINE_MAX_BYTES ((size_t)16 << 20)

/* One at a time per process. `out` is stdout's. TRM_ENOMEM. `ret_notice` gets a sentence when lines cannot be
 * edited for want of the library. */
int line_open(struct trm_loop *loop, struct sink *out, const struct line_cb *cb, void *user,
		struct line **ret, struct trm_error *ret_notice, struct trm_error *reterr);
void line_close(struct line *l); /* takes NULL; the terminal is as it was */

/* Show a prompt (bytes between \001 and \002 take no room), with a text to begin with. */
void line_show(struct line *l, const char *prompt, const char *text);
/* Another prompt for what is shown: it is seen when the line is painted next. */
void line_set_prompt(struct line *l, const char *prompt);
bool line_is_shown(const struct line *l);
/* Give it up: what was typed is dropped, and stays on the screen with `why` behind it. Takes NULL. */
void line_drop(struct line *l, const char *why);
/* Take it off the screen for a while, so that something can be printed in its place; put it back. */
void line_hide(struct line *l);
void line_unhide(struct line *l);
/* While no line is shown: the terminal's bytes go to cb->passed. */
void line_pass(struct line *l, bool is_on);
/* Somebody wants them all for a moment, whatever else is on; NULL: no more. What is not theirs they give
 * back. */
typedef void line_borrow_fn(void *user, const char *bytes, size_t n);
void line_borrow(struct line *l, line_borrow_fn *fn, void *user);
void line_type_ahead(struct line *l, const char *bytes, size_t n);
/* What was typed ahead, and then `text` and its Enter (NULL: nothing), is set aside until line_release(),
 * which puts it before what is typed later. */
void line_hold(struct line *l, const char *text);
void line_release(struct line *l);
/* The terminal has another size. */
void line_resize(struct line *l); /* takes NULL */
/* The terminal is lent to the shell (job control), and taken back. The line stays. Take NULL. */
void line_suspend(struct line *l);
void line_resume(struct line *l);

/* What is typed so far, and where the cursor is, in bytes. */
const char *line_text(const struct line *l);
size_t line_point(const struct line *l);
/* Bytes from..to become `text`; the cursor is behind it. */
void line_replace(struct line *l, size_t from, size_t to, const char *text);
void line_bell(struct line *l);

/* What was typed ahead and is in nobody's hands yet; the caller has it now. malloc'd, or NULL. */
char *line_take_ahead(struct line *l, size_t *ret_n);

/* What can be recalled; both take NULL. */
void line_history_clear(struct line *l);
void line_history_add(struct line *l, const char *text);

#endif
