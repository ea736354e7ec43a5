/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/metrics.h>

#include "wire/message.h"

static void frames_survive_any_cutting(void **state)
{
	struct buf out, in;
	(void)state;
	buf_init(&out, 1 << 20);
	for (uint32_t i = 0; i < 50; i++) {
		char payload[300];
		memset(payload, (int)i, sizeof payload);
		assert_int_equal(frame_put(&out, i + 1, FRAME_OUTPUT, (uint8_t)i, payload, i * 6), 0);
	}
	for (size_t step = 1; step < 700; step += 97) {
		uint32_t seen = 0;
		buf_init(&in, FRAME_HEADER + FRAME_MAX_PAYLOAD);
		for (size_t at = 0; at < out.len; at += step) {
			struct frame f;
			size_t n = out.len - at < step ? out.len - at : step;
			assert_int_equal(buf_append(&in, buf_at(&out) + at, n), 0);
			while (frame_next(&in, &f) == 1) {
				assert_int_equal(f.stream, seen + 1);
				assert_int_equal(f.type, FRAME_OUTPUT);
				assert_int_equal(f.channel, seen);
				assert_int_equal(f.len, seen * 6);
				for (uint32_t k = 0; k < f.len; k++)
					assert_int_equal((uint8_t)f.payload[k], seen);
				frame_done(&in, &f);
				seen++;
			}
		}
		assert_int_equal(seen, 50);
		assert_int_equal(in.len, 0);
		buf_finish(&in);
	}
	buf_finish(&out);
}

static void lying_headers_are_refused(void **state)
{
	struct buf in;
	struct frame f;
	(void)state;
	buf_init(&in, FRAME_HEADER + FRAME_MAX_PAYLOAD);
	buf_append(&in, "\xff\xff\xff\xff\1\0\0\0\1\0\0\0", 12);
	assert_int_equal(frame_next(&in, &f), TRM_EPROTO);
	buf_clear(&in);
	buf_append(&in, "\1\0\4\0\1\0\0\0\1\0\0\0", 12); /* one byte more than allowed */
	assert_int_equal(frame_next(&in, &f), TRM_EPROTO);
	buf_clear(&in);
	buf_append(&in, "\1\0\0\0\1\0\0\0\1\0\1\0x", 13); /* a reserved byte that is not zero */
	assert_int_equal(frame_next(&in, &f), TRM_EPROTO);
	buf_finish(&in);
}

static void a_payload_that_is_too_big_leaves_nothing(void **state)
{
	struct buf out;
	size_t mark;
	char *big = calloc(1, FRAME_MAX_PAYLOAD + 1);
	(void)state;
	buf_init(&out, 4 << 20);
	assert_int_equal(frame_put(&out, 1, FRAME_INPUT, 0, big, FRAME_MAX_PAYLOAD + 1), TRM_ETOOBIG);
	assert_int_equal(out.len, 0);
	assert_int_equal(frame_begin(&out, 1, FRAME_INPUT, 0, &mark), 0);
	buf_append(&out, big, FRAME_MAX_PAYLOAD + 1);
	assert_int_equal(frame_end(&out, mark), TRM_ETOOBIG);
	assert_int_equal(out.len, 0);
	assert_int_equal(frame_put(&out, 1, FRAME_INPUT, 0, big, FRAME_MAX_PAYLOAD), 0);
	buf_finish(&out);
	free(big);
}

static void only(struct buf *b, struct frame *f)
{
	assert_int_equal(frame_next(b, f), 1);
	assert_int_equal(b->len, FRAME_HEADER + f->len);
}

static void spawn_round_trip_and_every_truncation(void **state)
{
	char program[] = "/usr/bin/python3", option[] = "-c", code[] = "x", variable[] = "A=b";
	char key[] = "kernel:python", cwd[] = "/workspace";
	char *argv[] = {program, option, code, NULL}, *env[] = {variable, NULL};
	struct spawn_msg put = {.key = key,
			.flags = SPAWN_CONTROL,
			.rows = 24,
			.cols = 80,
			.spare_sets = 4,
			.window = 1 << 20,
			.argv = argv,
			.env = env,
			.cwd = cwd,
			.script = "print(1)\0z",
			.script_len = 10};
	struct spawn_msg got;
	struct buf b;
	struct frame f;
	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(spawn_msg_put(&b, 9, &put), 0);
	only(&b, &f);
	assert_int_equal(spawn_msg_get(&f, &got), 0);
	assert_string_equal(got.key, put.key);
	assert_string_equal(got.argv[1], "-c");
	assert_null(got.argv[3]);
	assert_string_equal(got.env[0], "A=b");
	assert_int_equal(got.window, 1 << 20);
	assert_int_equal(got.spare_sets, 4);
	assert_int_equal(got.script_len, 10);
	assert_memory_equal(got.script, put.script, 10);
	spawn_msg_finish(&got);
	for (uint32_t n = 0; n < f.len; n++) {
		struct frame cut = f;
		char *exact = malloc(n + 1); /* so that a sanitizer sees a read past the end */
		memcpy(exact, f.payload, n);
		cut.payload = exact;
		cut.len = n;
		assert_int_equal(spawn_msg_get(&cut, &got), TRM_EPROTO);
		free(exact);
	}
	buf_finish(&b);
}

static void spawn_without_a_program_is_refused(void **state)
{
	char *none[] = {NULL};
	struct spawn_msg put = {.argv = none, .env = none}, got;
	struct buf b;
	struct frame f;
	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(spawn_msg_put(&b, 9, &put), 0);
	only(&b, &f);
	assert_int_equal(spawn_msg_get(&f, &got), TRM_EPROTO);
	buf_finish(&b);
}

static void a_count_of_strings_may_not_exceed_what_is_there(void **state)
{
	struct unpack u = {.at = "\xff\xff\xff\x7f\1\0\0\0a", .left = 9};
	(void)state;
	assert_null(unpack_strv(&u, 1u << 31, 1u << 30));
	assert_true(u.bad);
}

static void metrics_round_trip_and_bad_numbers(void **state)
{
	struct trm_process rows[2] = {{.pid = 7,
						      .ppid = 1,
						      .state = 'R',
						      .has_cpu = true,
						      .cpu_percent = 12.5,
						      .mem_bytes = 4096,
						      .threads = 3,
						      .cpu_ns = 99,
						      .start = 4711,
						      .command = "python3"},
			{.pid = 8, .state = '\x1b', .command = "a\x1b[2Jb"}};
	struct trm_process table[METRICS_MAX_PROCESSES];
	struct trm_metrics put = {.processes = rows, .n_processes = 2, .has_processes = true}, got;
	struct buf b;
	struct frame f;
	(void)state;
	put.sample = (struct trm_sample){.known = TRM_METRIC_MEM,
			.cpu_percent = 3.5,
			.mem_bytes = 77,
			.oom_kills = 2,
			.cpu_throttled = 5,
			.pressure_io_percent = 1.5,
			.source = "cgroup v2"};
	buf_init(&b, 1 << 20);
	assert_int_equal(metrics_msg_put(&b, &put), 0);
	only(&b, &f);
	assert_int_equal(metrics_msg_get(&f, &got, table), 0);
	assert_int_equal(got.sample.known, TRM_METRIC_MEM);
	assert_true(fabs(got.sample.cpu_percent - 3.5) < 1e-9);
	assert_int_equal(got.sample.mem_bytes, 77);
	assert_int_equal(got.sample.oom_kills, 2);
	assert_string_equal(got.sample.source, "cgroup v2");
	assert_int_equal(got.n_processes, 2);
	assert_string_equal(got.processes[0].command, "python3");
	assert_int_equal(got.sample.cpu_throttled, 5);
	assert_true(fabs(got.sample.pressure_io_percent - 1.5) < 1e-9);
	assert_int_equal(got.processes[0].threads, 3);
	assert_int_equal(got.processes[0].cpu_ns, 99);
	assert_int_equal(got.processes[0].start, 4711);
	assert_int_equal(got.processes[1].state, '?');
	assert_string_equal(got.processes[1].command, "a\xEF\xBF\xBD[2Jb");
	for (uint32_t n = 0; n < f.len; n++) {
		struct frame cut = f;
		cut.len = n;
		assert_int_equal(metrics_msg_get(&cut, &got, table), TRM_EPROTO);
	}
	buf_clear(&b);
	put.sample.cpu_percent = NAN;
	assert_int_equal(metrics_msg_put(&b, &put), 0);
	only(&b, &f);
	assert_int_equal(metrics_msg_get(&f, &got, table), TRM_EPROTO);
	buf_finish(&b);
}

static void exits_and_errors(void **state)
{
	struct exited_msg put = {.exit_code = -1,
					  .signal = 9,
					  .user_us = 5,
					  .max_rss_bytes = 6,
					  .has_unread = true},
			  got;
	struct trm_error e;
	struct buf b;
	struct frame f;
	(void)state;
	buf_init(&b, 1 << 20);
	exited_msg_put(&b, 3, &put);
	only(&b, &f);
	assert_int_equal(exited_msg_get(&f, &got), 0);
	assert_int_equal(got.exit_code, -1);
	assert_int_equal(got.signal, 9);
	assert_true(got.has_unread);
	buf_clear(&b);
	put.exit_code = 4000;
	exited_msg_put(&b, 3, &put);
	only(&b, &f);
	assert_int_equal(exited_msg_get(&f, &got), TRM_EPROTO);
	buf_clear(&b);
	error_msg_put(&b, 3, TRM_ENOENT, "python3: not found\x07");
	only(&b, &f);
	assert_int_equal(error_msg_get(&f, &e), 0);
	assert_int_equal(e.code, TRM_ENOENT);
	assert_string_equal(e.msg, "python3: not found\xEF\xBF\xBD");
	buf_clear(&b);
	error_msg_put(&b, 3, 12345, "a code from nowhere");
	only(&b, &f);
	assert_int_equal(error_msg_get(&f, &e), 0);
	assert_int_equal(e.code, TRM_EIO);
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(frames_survive_any_cutting),
			cmocka_unit_test(lying_headers_are_refused),
			cmocka_unit_test(a_payload_that_is_too_big_leaves_nothing),
			cmocka_unit_test(spawn_round_trip_and_every_truncation),
			cmocka_unit_test(spawn_without_a_program_is_refused),
			cmocka_unit_test(a_count_of_strings_may_not_exceed_what_is_there),
			cmocka_unit_test(metrics_round_trip_and_bad_numbers),
			cmocka_unit_test(exits_and_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
