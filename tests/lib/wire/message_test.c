/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <terrarium/error.h>

#include "wire/message.h"

/* A frame that was written, taken out of its buffer. Every shorter one must be refused, not misread. */
static struct frame frame_of(struct buf *buf)
{
	struct frame frame;
	assert_int_equal(frame_next(buf, &frame), 1);
	return frame;
}

static struct buf buffer(void)
{
	struct buf buf;
	buf_init(&buf, 2 * (FRAME_HEADER + FRAME_MAX_PAYLOAD));
	return buf;
}

static void test_welcome(void **state)
{
	struct buf buf = buffer();
	struct welcome_msg msg;
	(void)state;
	assert_int_equal(welcome_msg_put(&buf, "1.2.3", 7, NULL, 0), 0);
	struct frame frame = frame_of(&buf);
	assert_int_equal(frame.type, FRAME_WELCOME);
	assert_int_equal(welcome_msg_get(&frame, &msg), 0);
	assert_int_equal(msg.version, FRAME_VERSION);
	assert_int_equal(msg.client, 7);
	for (uint32_t len = frame.len; len--;) {
		struct frame cut = {.type = frame.type, .payload = frame.payload, .len = len};
		assert_int_equal(welcome_msg_get(&cut, &msg), TRM_EPROTO);
	}
	buf_finish(&buf);
}

static void test_welcome_of_another_version_is_read_as_far_as_that(void **state)
{
	const struct frame frame = {.type = FRAME_WELCOME, .payload = "\7\0\0\0???", .len = 7};
	struct welcome_msg msg;
	(void)state;
	assert_int_equal(welcome_msg_get(&frame, &msg), 0);
	assert_int_equal(msg.version, 7);
}

static void test_started(void **state)
{
	const struct started_msg put = {.pid = 41,
			.was_there = true,
			.is_torn = true,
			.pinned_bytes = 10,
			.replay_bytes = 300,
			.lost_bytes = UINT64_C(1) << 40,
			.position = (UINT64_C(1) << 40) + 5,
			.greeting = "{}",
			.greeting_len = 2};
	struct buf buf = buffer();
	struct started_msg msg;
	(void)state;
	assert_int_equal(started_msg_put(&buf, 3, &put), 0);
	struct frame frame = frame_of(&buf);
	assert_int_equal(frame.stream, 3);
	assert_int_equal(started_msg_get(&frame, &msg), 0);
	assert_int_equal(msg.pid, 41);
	assert_true(msg.was_there && msg.is_torn && !msg.has_turn);
	assert_int_equal(msg.pinned_bytes, 10);
	assert_int_equal(msg.replay_bytes, 300);
	assert_int_equal(msg.lost_bytes, put.lost_bytes);
	assert_int_equal(msg.position, put.position);
	assert_int_equal(msg.greeting_len, 2);
	assert_memory_equal(msg.greeting, "{}", 2);
	for (uint32_t len = frame.len; len--;) {
		struct frame cut = {.type = frame.type, .payload = frame.payload, .len = len};
		assert_int_equal(started_msg_get(&cut, &msg), TRM_EPROTO);
	}
	buf_finish(&buf);
}

static void test_started_that_contradicts_itself(void **state)
{
	static const char big[FRAME_GREETING_MAX + 1];
	const struct started_msg bad[] = {
			{.pinned_bytes = 2, .replay_bytes = 1},
			{.lost_bytes = 2, .position = 1},
			{.greeting = big, .greeting_len = sizeof big},
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct buf buf = buffer();
		struct started_msg msg;
		assert_int_equal(started_msg_put(&buf, 1, &bad[i]), 0);
		struct frame frame = frame_of(&buf);
		assert_int_equal(started_msg_get(&frame, &msg), TRM_EPROTO);
		buf_finish(&buf);
	}
}

static void test_turn(void **state)
{
	static const enum turn_word words[] = {
			TURN_WANT, TURN_RELEASE, TURN_TAKE, TURN_YOURS, TURN_WANTED, TURN_TAKEN};
	enum turn_word word;
	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct buf buf = buffer();
		assert_int_equal(turn_msg_put(&buf, 1, words[i]), 0);
		struct frame frame = frame_of(&buf);
		assert_int_equal(turn_msg_get(&frame, &word), 0);
		assert_int_equal(word, words[i]);
		buf_finish(&buf);
	}
	static const char others[] = {0, TURN_TAKE + 1, TURN_YOURS - 1, TURN_TAKEN + 1, (char)255};
	for (size_t i = 0; i < sizeof others; i++) {
		struct frame frame = {.type = FRAME_TURN, .payload = &others[i], .len = 1};
		assert_int_equal(turn_msg_get(&frame, &word), TRM_EPROTO);
	}
	struct frame empty = {.type = FRAME_TURN};
	assert_int_equal(turn_msg_get(&empty, &word), TRM_EPROTO);
}

static void test_shared(void **state)
{
	struct buf buf = buffer();
	char *key = NULL, longest[66];
	(void)state;
	assert_int_equal(shared_msg_put(&buf, "kernel:python"), 0);
	struct frame frame = frame_of(&buf);
	assert_int_equal(frame.stream, 0);
	assert_int_equal(shared_msg_get(&frame, &key), 0);
	assert_string_equal(key, "kernel:python");
	free(key);
	buf_clear(&buf);
	memset(longest, 'k', sizeof longest);
	longest[65] = '\0';
	assert_int_equal(shared_msg_put(&buf, longest), 0);
	frame = frame_of(&buf);
	assert_int_equal(shared_msg_get(&frame, &key), TRM_EPROTO);
	buf_finish(&buf);
}

/* Only who does not want to start anything may name no program. */
static void test_spawn_without_a_program(void **state)
{
	struct buf buf = buffer();
	struct spawn_msg msg = {.key = (char *)(uintptr_t) "k"}, got;
	(void)state;
	assert_int_equal(spawn_msg_put(&buf, 1, &msg), 0);
	struct frame frame = frame_of(&buf);
	assert_int_equal(spawn_msg_get(&frame, &got), TRM_EPROTO);
	buf_clear(&buf);
	msg.flags = SPAWN_ATTACH;
	assert_int_equal(spawn_msg_put(&buf, 1, &msg), 0);
	frame = frame_of(&buf);
	assert_int_equal(spawn_msg_get(&frame, &got), 0);
	spawn_msg_finish(&got);
	buf_finish(&buf);
}

/* One frame that it does not take, and the agent turns its client away. */
static void test_spawn_is_no_more_than_can_be_read(void **state)
{
	enum { MOST = 4096 };
	static char *args[MOST + 2], path[MOST + 2], label[SPAWN_LABEL_MAX + 2];
	struct buf buf = buffer();
	struct spawn_msg msg = {.argv = args, .env = args, .cwd = path, .label = label}, got;
	(void)state;
	for (size_t i = 0; i < MOST; i++)
		args[i] = label;
	memset(path, '/', MOST);
	memset(label, 'l', SPAWN_LABEL_MAX);
	args[0] = path;
	msg.env = NULL;
	label[1] = '\0';
	assert_int_equal(spawn_msg_put(&buf, 1, &msg), 0);
	struct frame frame = frame_of(&buf);
	assert_int_equal(spawn_msg_get(&frame, &got), 0);
	spawn_msg_finish(&got);
	buf_clear(&buf);
	label[1] = 'l';
	label[SPAWN_LABEL_MAX] = 'l';
	msg.argv = (char *[]){path, NULL};
	assert_int_equal(spawn_msg_put(&buf, 1, &msg), TRM_ETOOBIG);
	label[SPAWN_LABEL_MAX] = '\0';
	path[MOST] = '/';
	assert_int_equal(spawn_msg_put(&buf, 1, &msg), TRM_ETOOBIG);
	path[MOST] = '\0';
	args[MOST] = label;
	label[1] = '\0';
	msg.argv = args;
	assert_int_equal(spawn_msg_put(&buf, 1, &msg), TRM_ETOOBIG);
	msg.argv = (char *[]){path, NULL};
	msg.env = args;
	assert_int_equal(spawn_msg_put(&buf, 1, &msg), TRM_ETOOBIG);
	assert_int_equal(buf.len, 0);
	buf_finish(&buf);
}

/* What a client is, as the agent passes it on: the number of the client stands in front. */
static void test_present(void **state)
{
	struct buf buf = buffer();
	struct announced_msg msg;
	(void)state;
	assert_int_equal(announced_msg_put(&buf, &(struct announced_msg){.kind = ANNOUNCED_PRESENT,
								 .client = 9,
								 .by = "repl, pid 4",
								 .by_len = 11}),
			0);
	struct frame frame = frame_of(&buf);
	assert_int_equal(announced_msg_get(&frame, &msg), 0);
	assert_true(msg.kind == ANNOUNCED_PRESENT && msg.client == 9 && msg.by_len == 11);
	assert_memory_equal(msg.by, "repl, pid 4", 11);
	while (--frame.len > 4)
		assert_int_equal(announced_msg_get(&frame, &msg), TRM_EPROTO);
	/* No more than its number: it is gone. */
	assert_int_equal(announced_msg_get(&frame, &msg), 0);
	assert_true(msg.kind == ANNOUNCED_GONE && msg.client == 9);
	buf_finish(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_welcome),
			cmocka_unit_test(test_welcome_of_another_version_is_read_as_far_as_that),
			cmocka_unit_test(test_started),
			cmocka_unit_test(test_started_that_contradicts_itself),
			cmocka_unit_test(test_turn),
			cmocka_unit_test(test_shared),
			cmocka_unit_test(test_present),
			cmocka_unit_test(test_spawn_without_a_program),
			cmocka_unit_test(test_spawn_is_no_more_than_can_be_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
