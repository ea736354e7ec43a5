/* SPDX-License-Identifier: MIT */
#ifndef TESTS_AGENT_CROWD_H
#define TESTS_AGENT_CROWD_H

/* Several clients of one process, whose key is "kernel". */

#include "lib/agent/rig.h"

static inline void crowd_spawn(
		struct link *link, uint32_t stream, const char *command, uint32_t flags, uint32_t window)
{
	link_spawn(link, stream,
			(struct spawn_msg){.key = (char *)(uintptr_t) "kernel",
					.flags = flags,
					.window = window,
					.argv = STRV("sh", "-c", command)});
}

static inline struct started_msg crowd_started(struct link *link, struct tape *tape)
{
	struct started_msg msg;
	const struct frame *frame = link_until(link, tape, FRAME_STARTED);
	assert_int_equal(started_msg_get(frame, &msg), 0);
	return msg;
}

static inline struct started_msg crowd_attach(
		struct link *link, struct tape *tape, uint32_t flags, uint32_t window)
{
	crowd_spawn(link, tape->stream, "something else", flags | SPAWN_ATTACH, window);
	return crowd_started(link, tape);
}

static inline void crowd_say(struct link *link, uint32_t stream, enum turn_word word)
{
	const uint8_t byte = (uint8_t)word;
	link_send(link, stream, FRAME_TURN, 0, &byte, 1);
}

/* The next word about the turn. */
static inline enum turn_word crowd_word(struct link *link, struct tape *tape)
{
	enum turn_word word;
	assert_int_equal(turn_msg_get(link_until(link, tape, FRAME_TURN), &word), 0);
	return word;
}

static inline void crowd_get_turn(struct link *link, struct tape *tape)
{
	crowd_say(link, tape->stream, TURN_WANT);
	assert_int_equal(crowd_word(link, tape), TURN_YOURS);
}

static inline void crowd_write(struct link *link, uint32_t stream, uint8_t channel, const char *text)
{
	link_send(link, stream, FRAME_INPUT, channel, text, strlen(text));
}

/* Everything sent so far has been dealt with. What comes meanwhile is on the tape. */
static inline void crowd_sync(struct link *link, struct tape *tape)
{
	const struct frame *frame;
	link_send(link, 0, FRAME_PING, 0, "", 0);
	while ((frame = link_next(link, DEADLINE_MS, NULL)) && frame->type != FRAME_PONG)
		if (frame->stream == tape->stream)
			tape_take(tape, frame);
	assert_non_null(frame);
}

/* Two clients: `a` has started it and has the turn, `b` is attached. */
struct pair {
	struct link a, b;
	struct tape tape_a, tape_b;
	uint32_t pid;
};

static inline struct pair *pair_open(
		struct rig *rig, const char *command, uint32_t flags, uint32_t window_a, uint32_t window_b)
{
	struct pair *pair = calloc(1, sizeof *pair);
	pair->a = link_open(rig);
	pair->b = link_open(rig);
	tape_init(&pair->tape_a, 1);
	tape_init(&pair->tape_b, 9);
	crowd_spawn(&pair->a, 1, command, flags, window_a);
	struct started_msg msg = crowd_started(&pair->a, &pair->tape_a);
	pair->pid = msg.pid;
	assert_true(!msg.was_there && msg.has_turn);
	crowd_spawn(&pair->b, 9, "something else", flags, window_b);
	msg = crowd_started(&pair->b, &pair->tape_b);
	assert_true(msg.was_there && !msg.has_turn && msg.pid == pair->pid);
	return pair;
}

static inline void pair_close(struct pair *pair)
{
	tape_finish(&pair->tape_a);
	tape_finish(&pair->tape_b);
	link_close(&pair->a);
	link_close(&pair->b);
	free(pair);
}

/* A kernel of a kind: for each line on control it says "=LINE" on stdout and "ok" on control. */
#define ECHO_KERNEL "while read -r line <&3; do echo \"=$line\"; echo ok >&4; done"

#endif
