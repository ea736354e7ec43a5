/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_SHOW_H
#define TUI_REPL_SHOW_H

/* Everything that the REPL prints, in one order. On a terminal: filtered output of runs with stderr in
 * its color, the REPL's own messages in the colors of their roles, and pictures. While a picture is being
 * prepared, later output waits. In a pipe: stdout of the code and values go to stdout, everything else to
 * stderr, unchanged. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "repl/paint.h"
#include "stream/filter.h"
#include "stream/sink.h"

struct picture;
struct trm_loop;

struct show_cb {
	void (*released)(void *user, size_t n);      /* bytes of show_output() have been printed */
	void (*broken)(void *user, int saved_errno); /* stdout is closed, or writing failed otherwise */
	/* Output is about to be printed: hide the prompt. */
	void (*before)(void *user);
};

struct show {
	const struct show_cb *cb;
	void *user;
	struct paint *paint;
	bool is_terminal; /* stdout is a terminal */
	bool is_mixed;    /* stderr is the same terminal */
	struct sink out, err;
	struct filter filters[2];
	int stream;     /* the stream with its colors on; -1: none */
	bool is_inside; /* the cursor is inside a line */
	bool waits;     /* waits for a picture; `kept` holds later output */
	struct kept {
		int kind; /* TRM_STDOUT or TRM_STDERR; -1 - role for an own line */
		size_t n;
		bool is_owed;
		struct kept *next;
		char bytes[];
	} * first, **last;
};

void show_init(struct show *s, struct trm_loop *loop, struct paint *paint, const struct show_cb *cb,
		void *user);
void show_finish(struct show *s); /* takes a zeroed object */

/* Print output of a run. With `is_owed` each byte is released after printing. */
void show_output(struct show *s, int stream, const void *bytes, size_t n, bool is_owed);
/* Print one or several own lines. A line that the run has left open is ended first. */
void show_line(struct show *s, enum role role, const char *text);
void show_print(struct show *s, enum role role, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Print an answer to a command. In a pipe the answer goes to stdout. */
void show_answer(struct show *s, enum role role, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Print output of a program with its own terminal, through its filter. NULL: the program has ended. */
void show_screen(struct show *s, struct filter *filter, const void *bytes, size_t n);
/* Print a line that the next one overwrites; "" removes it. Only on a terminal. */
void show_status(struct show *s, const char *text);
/* The terminal has echoed what was typed. */
void show_typed(struct show *s, const char *bytes, size_t n);
/* The output of a run has ended: turn its colors off and move the cursor to the start of a line. */
void show_end(struct show *s);

/* Gather a lot of output of which only the end matters. Nothing is printed until show_parts(), which
 * prints these parts of it, after `instead` unless that is empty. */
void show_gather(struct show *s);
size_t show_place(const struct show *s); /* place of the next output */
bool show_is_gathering(const struct show *s);
struct show_part {
	size_t from, end; /* places */
};
void show_parts(struct show *s, const struct show_part *parts, size_t n, const char *instead);

/* show_wait() holds output back while a picture is prepared. show_picture() draws the picture and
 * continues. A NULL picture means that there is none; `note` tells why. */
void show_wait(struct show *s);
void show_picture(struct show *s, const struct picture *picture, const char *note);

/* True: everything has been printed and written. */
bool show_is_idle(const struct show *s);

#endif
