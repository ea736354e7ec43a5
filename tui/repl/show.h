/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_SHOW_H
#define TUI_REPL_SHOW_H

/* All that the REPL prints, in one order. On a terminal: what runs print, filtered, stderr in its color; our
 * own words in the colors of their roles; pictures. While a picture is being made, what comes after it
 * waits. In a pipe: stdout's bytes and values to stdout, all else to stderr, as they are. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "repl/paint.h"
#include "stream/filter.h"
#include "stream/sink.h"

struct picture;
struct trm_loop;

struct show_cb {
	void (*released)(void *user, size_t n);      /* bytes of show_output() are out of the way */
	void (*broken)(void *user, int saved_errno); /* nobody reads stdout any more, or worse */
	/* Something is to be printed: a prompt that stands there goes away. */
	void (*before)(void *user);
};

struct show {
	const struct show_cb *cb;
	void *user;
	struct paint *paint;
	bool is_terminal; /* stdout is one */
	bool is_mixed;    /* stderr is the same terminal */
	struct sink out, err;
	struct filter filters[2];
	int stream;     /* whose colors are on; -1: none */
	bool is_inside; /* of a line */
	bool waits;     /* for a picture; what comes meanwhile is kept in `kept` */
	struct kept {
		int kind; /* TRM_STDOUT, TRM_STDERR; else -1 - role of a line of ours */
		size_t n;
		bool is_owed;
		struct kept *next;
		char bytes[];
	} * first, **last;
};

void show_init(struct show *s, struct trm_loop *loop, struct paint *paint, const struct show_cb *cb,
		void *user);
void show_finish(struct show *s); /* takes a zeroed object */

/* What a run has printed; each byte is released in time, if `is_owed`. */
void show_output(struct show *s, int stream, const void *bytes, size_t n, bool is_owed);
/* A line of our own, or several; a line that the run has left open is ended first. */
void show_line(struct show *s, enum role role, const char *text);
void show_print(struct show *s, enum role role, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same, but an answer to a command: on stdout in a pipe, too. */
void show_answer(struct show *s, enum role role, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What a program draws that has a terminal of its own, through its filter; NULL: it has ended. */
void show_screen(struct show *s, struct filter *filter, const void *bytes, size_t n);
/* A line that is written over by the next one; "" takes it away. Only on a terminal. */
void show_status(struct show *s, const char *text);
/* The terminal has echoed what was typed. */
void show_typed(struct show *s, const char *bytes, size_t n);
/* The end of what a run prints: its colors are off, the cursor is at the start of a line. */
void show_end(struct show *s);

/* Much comes, of which the end is wanted: nothing is printed until show_from(), which prints what has come
 * from that place on, and in the place of the rest a line. */
void show_gather(struct show *s);
size_t show_place(const struct show *s); /* where what comes next will be */
bool show_is_gathering(const struct show *s);
void show_from(struct show *s, size_t place, const char *instead);

/* A picture is on its way: hold back what comes; draw it (NULL: there is none after all, which `note` tells),
 * and go on. */
void show_wait(struct show *s);
void show_picture(struct show *s, const struct picture *picture, const char *note);

/* All has been printed and taken. */
bool show_is_idle(const struct show *s);

#endif
