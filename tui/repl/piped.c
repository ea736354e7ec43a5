/* SPDX-License-Identifier: MIT */
/* Lines from a pipe or a file. Such a transcript contains code and also the input of that code. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/repl_internal.h"

static size_t piped_bytes_left(const struct repl *r)
{
	return r->ahead.n - r->ahead_at;
}

bool piped_has_line(const struct repl *r)
{
	const char *text = r->ahead.text;
	return r->held_line || r->is_eof
	       || (piped_bytes_left(r) && memchr(text + r->ahead_at, '\n', piped_bytes_left(r)));
}

/* Without a complete line, ask for more bytes. */
static size_t on_queued(void *user)
{
	struct repl *r = user;
	return piped_has_line(r) ? piped_bytes_left(r) : 0;
}

static void on_bytes(void *user, const void *bytes, size_t n)
{
	struct repl *r = user;
	if (r->ahead_at) {
		memmove(r->ahead.text, r->ahead.text + r->ahead_at, piped_bytes_left(r));
		r->ahead.n -= r->ahead_at;
		r->ahead_at = 0;
	}
	if (piped_bytes_left(r) + n > LINE_MAX_BYTES || !code_add(&r->ahead, bytes, n)) {
		repl_error(r, "a line of the input is longer than %zu MiB", LINE_MAX_BYTES >> 20);
		r->is_eof = true;
		code_clear(&r->ahead);
	}
	if (r->reads)
		piped_answer(r);
}

static void on_piped_eof(void *user)
{
	struct repl *r = user;
	r->is_eof = true;
	if (r->reads)
		piped_answer(r);
}

static void on_piped_broken(void *user, const char *why)
{
	struct repl *r = user;
	repl_error(r, "%s", why);
}

static const struct stdin_feed_cb stdin_feed_cb = {
		.queued = on_queued, .bytes = on_bytes, .eof = on_piped_eof, .broken = on_piped_broken};

void piped_open(struct repl *r)
{
	stdin_feed_init(&r->stdin_feed, r->cli_session.loop, STDIN_FILENO, &stdin_feed_cb, r);
}

void piped_close(struct repl *r)
{
	stdin_feed_finish(&r->stdin_feed);
	code_finish(&r->ahead);
}

/* The next line, with *ret_n bytes before its newline. NULL: no complete line yet, or the end of the
 * input. */
static char *next_line(struct repl *r, size_t *ret_n)
{
	char *line = piped_bytes_left(r) ? r->ahead.text + r->ahead_at : NULL;
	char *end = line ? memchr(line, '\n', piped_bytes_left(r)) : NULL;
	if (!line || (!end && !r->is_eof))
		return NULL;
	*ret_n = end ? (size_t)(end - line) : piped_bytes_left(r);
	r->ahead_at += *ret_n + (end != NULL);
	return line;
}

void piped_turn(struct repl *r)
{
	size_t n;
	char *held = r->held_line, *line;
	if (held) {
		r->held_line = NULL;
		repl_take(r, held, strlen(held));
		free(held);
		return;
	}
	line = next_line(r, &n);
	if (line && n && line[n - 1] == '\r')
		n--;
	char *copy = line ? malloc(n + 1) : NULL; /* a copy, because repl_take() may read on */
	if (copy) {
		memcpy(copy, line, n);
		copy[n] = '\0';
		repl_take(r, copy, n);
		free(copy);
	} else if (!line && r->is_eof) {
		repl_take(r, NULL, 0);
	}
}

void piped_answer(struct repl *r)
{
	size_t n;
	char *line = next_line(r, &n);
	if (!line && !r->is_eof)
		return;
	r->reads = false;
	if (!r->run)
		return;
	if (!line) {
		trm_run_close_stdin(r->run);
		return;
	}
	/* Send the line in one piece: code that finds half a line asks again, and would get the next
	 * line. */
	char *whole = malloc(n + 1);
	if (!whole)
		return;
	memcpy(whole, line, n);
	whole[n] = '\n';
	trm_run_write(r->run, whole, n + 1, NULL);
	free(whole);
}
