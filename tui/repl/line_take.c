/* SPDX-License-Identifier: MIT */
/* Input from the terminal: keys, pastes, typed-ahead bytes. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/line_internal.h"

enum { READ_BYTES = 65536, AHEAD_MAX = 1 << 20, BATCH_LEAST = 16 };

static const char *front(const struct line *l)
{
	return l->typed.bytes + l->typed.at;
}

/* Bytes that nobody reads yet are kept, up to a limit, and not echoed, so that they do not mix with the
 * output. */
void line_update_watch(struct line *l)
{
	bool has_room = !l->typed.is_ended && (l->is_shown || typed_left(&l->typed) < AHEAD_MAX);
	bool is_wanted = l->passes || l->borrower || (has_room && !l->is_hidden);
	trm_watch_set_events(l->watch, is_wanted && !l->is_suspended ? TRM_READ : 0);
}

static void insert_line_text(struct line *l, const char *text, size_t n)
{
	if ((size_t)*l->rl.end + n > LINE_MAX_BYTES) {
		l->rl.ding();
		return;
	}
	l->rl.begin_undo_group();
	l->rl.insert_text(text);
	l->rl.end_undo_group();
	l->rl.redisplay();
}

/* Number of bytes at the front of the queue that are plain characters. */
static size_t plain_run(const struct line *l)
{
	size_t n = 0;
	int kind;
	while (n < typed_left(&l->typed) && (unsigned char)front(l)[n] >= ' ' && front(l)[n] != 0x7f)
		n++;
	while (n && n == typed_left(&l->typed) && ((unsigned char)front(l)[n - 1] & 0x80))
		n--; /* the rest of a character may still come */
	bool is_plain = n >= BATCH_LEAST && !(*l->rl.state & READLINE_STATE_BUSY)
			&& l->rl.function_of("a", NULL, &kind) == l->rl.insert;
	return is_plain ? n : 0;
}

static bool insert_run(struct line *l)
{
	size_t n = plain_run(l);
	char *text = n ? strndup(front(l), n) : NULL;
	if (!text)
		return false;
	l->typed.at += n;
	insert_line_text(l, text, n);
	free(text);
	return true;
}

/* Take one step. False: more bytes are needed. */
static bool take_step(struct line *l)
{
	size_t used = 0;
	switch (paste_feed(&l->paste, front(l), typed_left(&l->typed), &used)) {
	case PASTE_MORE: l->typed.at += used; return false;
	case PASTE_DONE:
		l->typed.at += used;
		if (l->paste.is_cut)
			l->rl.ding();
		else if (!(*l->rl.state & READLINE_STATE_BUSY))
			insert_line_text(l, l->paste.text, l->paste.n);
		return true;
	case PASTE_NONE: break;
	}
	if (!insert_run(l))
		l->rl.read_char();
	if (l->has_tab)
		l->cb->tab(l->user);
	l->has_tab = false;
	return true;
}

static void deliver(struct line *l)
{
	char *text = l->accepted;
	l->accepted = NULL;
	l->is_accepted = false;
	l->is_shown = l->is_hidden = false;
	if (l->paint)
		fflush(l->paint);
	tty_quiet(&l->found);
	line_update_watch(l);
	l->cb->accepted(l->user, text);
	free(text);
}

/* Without the library: take a line that the terminal has edited. */
static void take_plain(struct line *l)
{
	const char *end = memchr(front(l), '\n', typed_left(&l->typed));
	if (!end && l->typed.is_ended && typed_left(&l->typed) && typed_add(&l->typed, "\n", 1))
		end = l->typed.bytes + l->typed.n - 1;
	if (!end && !l->typed.is_ended)
		return;
	l->is_accepted = true;
	if (end) {
		size_t n = (size_t)(end - (front(l)));
		l->accepted = strndup(front(l), n);
		l->typed.at += n + 1;
	}
}

void line_take_typed(struct line *l)
{
	while (l->is_shown && !l->is_accepted && l->has_library && typed_left(&l->typed) && take_step(l))
		;
	if (!l->has_library && l->is_shown && (typed_left(&l->typed) || l->typed.is_ended))
		take_plain(l);
	if (l->typed.is_ended && !l->is_accepted && l->is_shown && l->has_library) {
		l->rl.remove();
		l->is_accepted = true;
	}
	if (l->paint)
		fflush(l->paint);
	if (l->is_accepted)
		deliver(l);
}

/* Bytes typed after a Ctrl-C must be handled after it. */
static bool interrupt_is_pending(void)
{
	sigset_t set;
	return sigpending(&set) == 0 && sigismember(&set, SIGINT) == 1;
}

static void pass_on(struct line *l)
{
	char bytes[READ_BYTES];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	n = n < 0 ? 0 : n;
	if (l->borrower)
		l->borrower(l->borrower_user, bytes, (size_t)n);
	else
		l->cb->passed(l->user, bytes, (size_t)n);
}

void line_borrow(struct line *l, line_borrow_fn *fn, void *user)
{
	l->borrower = fn;
	l->borrower_user = user;
	line_update_watch(l);
}

void line_type_ahead(struct line *l, const char *bytes, size_t n)
{
	typed_add(&l->typed, bytes, n);
}

void line_hold(struct line *l, const char *text)
{
	if (!l->passes)
		typed_poll(&l->typed);
	typed_add(&l->held, front(l), typed_left(&l->typed));
	typed_clear(&l->typed);
	if (text && typed_add(&l->held, text, strlen(text)))
		typed_add(&l->held, l->has_library ? "\r" : "\n", 1);
}

void line_release(struct line *l)
{
	struct typed later = l->typed;
	l->typed = l->held;
	l->held = (struct typed){0};
	typed_add(&l->typed, later.bytes + later.at, typed_left(&later));
	l->typed.is_ended = later.is_ended;
	free(later.bytes);
}

void line_pass(struct line *l, bool is_on)
{
	if (is_on && !l->passes)
		tty_restore(&l->found);
	else if (!is_on && l->passes && !l->is_shown)
		tty_quiet(&l->found);
	l->passes = is_on;
	line_update_watch(l);
}

void line_on_readable(void *user, int fd, uint32_t events)
{
	struct line *l = user;
	(void)fd;
	(void)events;
	if (l->passes || l->borrower) {
		pass_on(l);
	} else if (!interrupt_is_pending()) {
		typed_read(&l->typed);
		line_take_typed(l);
		line_update_watch(l);
	}
}

char *line_take_ahead(struct line *l, size_t *ret_n)
{
	if (!l->passes)
		typed_poll(&l->typed);
	size_t n = typed_left(&l->typed);
	char *text = n ? strndup(front(l), n) : NULL;
	*ret_n = text ? strlen(text) : 0;
	for (size_t i = 0; i < *ret_n; i++)
		text[i] = text[i] == '\r' ? '\n' : text[i];
	typed_clear(&l->typed);
	return text;
}
