/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/sink.h"

/* A sink into a pipe, and what it told. */
struct fixture {
	struct trm_loop *loop;
	struct sink sink;
	int reader, writer;
	size_t released;
	int broken; /* errno */
};

static void on_released(void *user, size_t n)
{
	struct fixture *f = user;
	f->released += n;
}

static void on_broken(void *user, struct sink *sink, int saved_errno)
{
	struct fixture *f = user;
	assert_ptr_equal(sink, &f->sink);
	assert_int_equal(f->broken, 0);
	f->broken = saved_errno;
}

static const struct sink_cb cb = {.released = on_released, .broken = on_broken};

static void open_all(struct fixture *f)
{
	int fds[2];
	memset(f, 0, sizeof *f);
	assert_int_equal(trm_loop_create(&f->loop, NULL), 0);
	assert_int_equal(pipe(fds), 0);
	f->reader = fds[0];
	f->writer = fds[1];
	sink_init(&f->sink, f->loop, f->writer, FILTER_LINES, &cb, f);
}

static void close_all(struct fixture *f)
{
	sink_finish(&f->sink);
	if (f->reader >= 0)
		close(f->reader);
	close(f->writer);
	trm_loop_destroy(f->loop);
}

static void bytes_pass_as_they_are(void **state)
{
	(void)state;
	struct fixture f;
	char got[16];
	open_all(&f);
	sink_write(&f.sink, "\033[2J\0\xff", 6);
	assert_int_equal(f.released, 6);
	sink_line(&f.sink, "own");
	assert_int_equal(f.released, 6);
	assert_int_equal(read(f.reader, got, sizeof got), 11);
	assert_memory_equal(got, "\033[2J\0\xff\nown\n", 11);
	close_all(&f);
}

static void a_slow_reader_never_blocks(void **state)
{
	(void)state;
	enum { SIZE = 1 << 20 };
	struct fixture f;
	char *bytes = malloc(SIZE), got[65536];
	size_t n_got = 0;
	assert_non_null(bytes);
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (char)(i * 31 >> 3);
	open_all(&f);
	sink_write(&f.sink, bytes, SIZE / 2);
	sink_write(&f.sink, bytes + SIZE / 2, SIZE / 2);
	assert_int_equal(f.released, 0);
	assert_int_equal(fcntl(f.writer, F_GETFL) & O_NONBLOCK, 0); /* ours is another description */
	while (n_got < SIZE) {
		ssize_t n = read(f.reader, got, sizeof got);
		assert_true(n > 0);
		assert_memory_equal(got, bytes + n_got, n);
		n_got += (size_t)n;
		trm_loop_step(f.loop, 0);
	}
	assert_int_equal(f.released, SIZE);
	assert_true(sink_is_empty(&f.sink));
	close_all(&f);
	free(bytes);
}

static void a_reader_that_went_is_reported_once(void **state)
{
	(void)state;
	struct fixture f;
	open_all(&f);
	close(f.reader);
	f.reader = -1;
	sink_write(&f.sink, "abc", 3);
	assert_int_equal(f.broken, EPIPE);
	sink_write(&f.sink, "def", 3);
	assert_int_equal(f.released, 6);
	close_all(&f);
}

static void a_reader_may_go_while_bytes_are_held(void **state)
{
	(void)state;
	static const char bytes[1 << 18];
	struct fixture f;
	open_all(&f);
	sink_write(&f.sink, bytes, sizeof bytes);
	assert_false(sink_is_empty(&f.sink));
	close(f.reader);
	f.reader = -1;
	trm_loop_step(f.loop, 1000);
	assert_int_equal(f.broken, EPIPE);
	assert_int_equal(f.released, sizeof bytes);
	assert_true(sink_is_empty(&f.sink));
	close_all(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(bytes_pass_as_they_are),
			cmocka_unit_test(a_slow_reader_never_blocks),
			cmocka_unit_test(a_reader_that_went_is_reported_once),
			cmocka_unit_test(a_reader_may_go_while_bytes_are_held),
	};
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
