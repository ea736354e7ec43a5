/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "stream/stdin_feed.h"

/* Somebody who takes bytes, as fast as the test says. */
struct taker {
	size_t queued, n, n_eofs;
	char last, why[80];
};

static size_t on_queued(void *user)
{
	struct taker *t = user;
	return t->queued;
}

static void on_bytes(void *user, const void *bytes, size_t n)
{
	struct taker *t = user;
	t->n += n;
	t->queued += n;
	t->last = ((const char *)bytes)[n - 1];
}

static void on_eof(void *user)
{
	struct taker *t = user;
	t->n_eofs++;
}

static void on_broken(void *user, const char *why)
{
	struct taker *t = user;
	snprintf(t->why, sizeof t->why, "%s", why);
}

static const struct stdin_feed_cb cb = {
		.queued = on_queued, .bytes = on_bytes, .eof = on_eof, .broken = on_broken};

static void ignore(void *user, int fd, uint32_t events)
{
	(void)user;
	(void)fd;
	(void)events;
}

static void turn(struct stdin_feed *f, struct trm_loop *loop)
{
	stdin_feed_turn(f);
	trm_loop_step(loop, stdin_feed_is_hungry(f) ? 0 : 20);
}

static void a_pipe_is_read_only_while_there_is_room(void **state)
{
	(void)state;
	struct trm_loop *loop;
	struct stdin_feed f;
	struct taker t = {0};
	int fds[2];
	assert_int_equal(trm_loop_create(&loop, NULL), 0);
	assert_int_equal(pipe(fds), 0);
	stdin_feed_init(&f, loop, fds[0], &cb, &t);
	assert_int_equal(write(fds[1], "abc", 3), 3);
	turn(&f, loop);
	turn(&f, loop);
	assert_int_equal(t.n, 3);
	t.queued = 1 << 20;
	assert_int_equal(write(fds[1], "def", 3), 3);
	for (int i = 0; i < 3; i++)
		turn(&f, loop);
	assert_int_equal(t.n, 3);
	t.queued = 0;
	close(fds[1]);
	for (int i = 0; i < 6; i++)
		turn(&f, loop);
	assert_int_equal(t.n, 6);
	assert_int_equal(t.n_eofs, 1);
	stdin_feed_restart(&f); /* the next taker is told as well */
	assert_int_equal(t.n_eofs, 2);
	stdin_feed_finish(&f);
	close(fds[0]);
	trm_loop_destroy(loop);
}

static void a_file_cannot_be_watched_but_is_read(void **state)
{
	(void)state;
	enum { SIZE = 300000 };
	char path[] = "/tmp/feed-test-XXXXXX", *bytes = calloc(1, SIZE);
	struct trm_loop *loop;
	struct stdin_feed f;
	struct taker t = {0};
	int fd = mkstemp(path);
	assert_true(fd >= 0 && bytes);
	bytes[SIZE - 1] = 'z';
	assert_int_equal(write(fd, bytes, SIZE), SIZE);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(trm_loop_create(&loop, NULL), 0);
	stdin_feed_init(&f, loop, fd, &cb, &t);
	for (int i = 0; i < 100 && !t.n_eofs; i++) {
		turn(&f, loop);
		assert_true(t.queued <= 128 << 10);
		t.queued = 0;
	}
	assert_int_equal(t.n, SIZE);
	assert_int_equal(t.last, 'z');
	assert_int_equal(t.n_eofs, 1);
	stdin_feed_finish(&f);
	close(fd);
	unlink(path);
	free(bytes);
	trm_loop_destroy(loop);
}

/* Nor is it taken for a file for want of descriptors: nobody may wait for what somebody types. */
static void a_terminal_is_read_without_waiting(void **state)
{
	(void)state;
	enum { PIPES = 8 }; /* more than the loop watches without a descriptor of its own */
	struct trm_loop *loop;
	struct trm_watch *watches[PIPES];
	struct stdin_feed f;
	struct taker t = {0};
	struct rlimit before, none;
	int pipes[PIPES][2], keyboard = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(keyboard >= 0 && grantpt(keyboard) == 0 && unlockpt(keyboard) == 0);
	int fd = open(ptsname(keyboard), O_RDWR | O_NOCTTY);
	assert_true(fd >= 0);
	assert_int_equal(trm_loop_create(&loop, NULL), 0);
	for (int i = 0; i < PIPES; i++) {
		assert_int_equal(pipe(pipes[i]), 0);
		assert_int_equal(
				trm_loop_add_fd(loop, pipes[i][0], TRM_READ, ignore, NULL, &watches[i], NULL),
				0);
	}
	int first_free = dup(0);
	close(first_free);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){(rlim_t)first_free, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	alarm(20);
	stdin_feed_init(&f, loop, fd, &cb, &t);
	stdin_feed_begin(&f);
	for (int i = 0; i < 3; i++)
		turn(&f, loop);
	assert_int_equal(t.n, 0);
	assert_int_equal(write(keyboard, "abc\n", 4), 4);
	for (int i = 0; i < 3; i++)
		turn(&f, loop);
	assert_int_equal(t.n, 4);
	alarm(0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	stdin_feed_finish(&f);
	for (int i = 0; i < PIPES; i++) {
		trm_watch_remove(watches[i]);
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	close(fd);
	close(keyboard);
	trm_loop_destroy(loop);
}

static void what_cannot_be_read_is_reported(void **state)
{
	(void)state;
	const int fds[] = {open("/tmp", O_RDONLY), open("/dev/null", O_WRONLY)};
	const char *const words[] = {"cannot read standard input: Is a directory", ""};
	struct trm_loop *loop;
	assert_int_equal(trm_loop_create(&loop, NULL), 0);
	for (int i = 0; i < 2; i++)
		for (int begins = 0; begins <= 1; begins++) {
			struct taker t = {0};
			struct stdin_feed f;
			assert_true(fds[i] >= 0);
			stdin_feed_init(&f, loop, fds[i], &cb, &t);
			if (begins)
				stdin_feed_begin(&f);
			for (int n = 0; n < 3; n++)
				turn(&f, loop);
			assert_true(f.is_ended);
			assert_string_equal(t.why, words[i]);
			stdin_feed_finish(&f);
		}
	close(fds[0]);
	close(fds[1]);
	trm_loop_destroy(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_pipe_is_read_only_while_there_is_room),
			cmocka_unit_test(a_file_cannot_be_watched_but_is_read),
			cmocka_unit_test(a_terminal_is_read_without_waiting),
			cmocka_unit_test(what_cannot_be_read_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
