/* SPDX-License-Identifier: MIT */
/* Announces our processes to the other clients of the sandbox (wire/frame.h: Announcements). */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sandbox/sandbox.h"

enum {
	PIECE = FRAME_ANNOUNCE_MAX - 256,
	WORDS_MAX = 16 * 1024, /* of a command line; the rest is left out */
	BY_MAX = 128,
};

struct tell {
	struct tell *next;
	struct trm_sandbox *sandbox;
	uint32_t id, pid; /* pid 0: it has not started */
	uint64_t began_ms, position;
	char by[BY_MAX];
	size_t n_words;
	char words[]; /* as a shell would read them */
};

/* ---- the command line ---------------------------------------------------------------------- */

static bool is_plain(const char *word)
{
	return *word
	       && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				     "%+,-./:=@_")];
}

static void append_bytes(char *out, size_t *n, const char *bytes, size_t len)
{
	size_t room = WORDS_MAX - *n;
	memcpy(out + *n, bytes, len < room ? len : room);
	*n += len < room ? len : room;
}

/* 'it'\''s' */
static void add_quoted(char *out, size_t *n, const char *word)
{
	append_bytes(out, n, "'", 1);
	for (const char *end; (end = strchr(word, '\'')); word = end + 1) {
		append_bytes(out, n, word, (size_t)(end - word));
		append_bytes(out, n, "'\\''", 4);
	}
	append_bytes(out, n, word, strlen(word));
	append_bytes(out, n, "'", 1);
}

struct tell *announce_create(struct trm_sandbox *sandbox, const char *by, const char *const *argv)
{
	struct tell *t = calloc(1, sizeof *t + WORDS_MAX);
	if (!t)
		return NULL;
	t->sandbox = sandbox;
	t->id = ++sandbox->last_tell;
	t->began_ms = clock_wall_ms();
	strncpy(t->by, by, sizeof t->by - 1);
	for (size_t i = 0; argv[i]; i++) {
		if (i)
			append_bytes(t->words, &t->n_words, " ", 1);
		if (is_plain(argv[i]))
			append_bytes(t->words, &t->n_words, argv[i], strlen(argv[i]));
		else
			add_quoted(t->words, &t->n_words, argv[i]);
	}
	struct tell *small = realloc(t, sizeof *t + t->n_words);
	if (small)
		t = small;
	t->next = sandbox->tells;
	sandbox->tells = t;
	return t;
}

/* ---- sending -------------------------------------------------------------------------------- */

static void send_to_others(struct trm_sandbox *s, const struct announced_msg *msg)
{
	if (s->n_clients < 2 || s->is_dead || s->state != SANDBOX_READY
			|| s->out.len > SANDBOX_OUT_SOFT_BYTES)
		return;
	sandbox_hold(s);
	announced_msg_put(&s->out, msg); /* without memory the other clients miss it */
	sandbox_release(s);
}

static void send_announcement(struct tell *t, struct announced_msg *msg)
{
	msg->id = t->id;
	msg->position = t->position;
	send_to_others(t->sandbox, msg);
}

static void say_present(struct trm_sandbox *s)
{
	struct announced_msg msg = {
			.kind = ANNOUNCED_PRESENT, .by = s->presence, .by_len = strlen(s->presence)};
	if (msg.by_len)
		send_to_others(s, &msg);
}

void announce_presence(struct trm_sandbox *sandbox, const char *by)
{
	strncpy(sandbox->presence, by, sizeof sandbox->presence - 1);
	say_present(sandbox);
}

static void say_began(struct tell *t)
{
	struct announced_msg msg = {.kind = ANNOUNCED_BEGIN,
			.began_ms = t->began_ms,
			.pid = t->pid,
			.by = t->by,
			.by_len = strlen(t->by),
			.words = t->words,
			.words_len = t->n_words};
	send_announcement(t, &msg);
}

void announce_begin(struct tell *t, uint32_t pid)
{
	t->pid = pid;
	say_began(t);
}

void announce_output(struct tell *t, unsigned channel, const void *bytes, size_t n)
{
	for (size_t at = 0; at < n;) {
		struct announced_msg msg = {.kind = ANNOUNCED_OUTPUT,
				.channel = channel == CHANNEL_STDERR ? CHANNEL_STDERR : CHANNEL_STDOUT,
				.bytes = (const char *)bytes + at,
				.n_bytes = n - at < PIECE ? n - at : PIECE};
		send_announcement(t, &msg);
		t->position += msg.n_bytes;
		at += msg.n_bytes;
	}
}

void announce_end(struct tell *t, const struct trm_exit *exit)
{
	struct announced_msg msg = {.kind = ANNOUNCED_END, .exit_code = -1};
	if (!t)
		return;
	if (exit) {
		msg.exit_code = exit->exit_code;
		msg.signal = (uint32_t)exit->signal;
	}
	if (t->pid)
		send_announcement(t, &msg);
	struct tell **at = &t->sandbox->tells;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	free(t);
}

void announce_to_newcomers(struct trm_sandbox *sandbox)
{
	say_present(sandbox);
	for (struct tell *t = sandbox->tells; t; t = t->next)
		if (t->pid)
			say_began(t);
}
