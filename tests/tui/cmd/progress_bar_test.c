/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/progress_bar.h"
#include "text/cluster.h"

#define MIB (UINT64_C(1) << 20)

static const char *text_of(unsigned columns, const struct trm_copy_progress *p, double seconds)
{
	static char text[512];
	progress_bar_text(text, sizeof text, columns, p, seconds);
	assert_true(cluster_columns(text, strlen(text)) <= columns);
	return text;
}

static void test_bytes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {{0, "0 bytes"}, {1, "1 byte"}, {1023, "1023 bytes"}, {1024, "1.0 KiB"},
			{10239, "10 KiB"}, {1048575, "1.0 MiB"}, {MIB * 1024, "1.0 GiB"},
			{MIB * 1536, "1.5 GiB"}, {UINT64_MAX, "16777216 TiB"}};
	char text[24];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		progress_bar_bytes(text, sizeof text, cases[i].bytes);
		assert_string_equal(text, cases[i].text);
	}
}

static void test_a_line(void **state)
{
	struct trm_copy_progress p = {.bytes = 256 * MIB,
			.total_bytes = 1024 * MIB,
			.files = 3,
			.total_files = 10,
			.path = "data\n.csv"};
	(void)state;
	assert_string_equal(text_of(120, &p, 2),
			"[=====               ]  25 %  256 MiB of 1.0 GiB  128 MiB/s  0:06 left  3 of 10 files  data .csv");
	/* What does not fit is not there, from the right on; the bar goes first. */
	assert_string_equal(text_of(50, &p, 2), "256 MiB of 1.0 GiB  128 MiB/s  0:06 left");
	assert_string_equal(text_of(20, &p, 2), "256 MiB of 1.0 GiB");
	assert_string_equal(text_of(5, &p, 2), "");
}

static void test_without_an_end(void **state)
{
	struct trm_copy_progress p = {.bytes = 3 * MIB, .path = ""};
	(void)state;
	assert_string_equal(text_of(80, &p, 1), "3.0 MiB  3.0 MiB/s");
	p = (struct trm_copy_progress){.files = 50, .total_files = 100, .path = "\xff"};
	assert_non_null(strstr(text_of(100, &p, 1), "50 %"));
	p = (struct trm_copy_progress){.bytes = 200, .total_bytes = 100, .path = ""}; /* it has grown */
	assert_non_null(strstr(text_of(100, &p, 1), "[====================] 100 %"));
	text_of(100, &p, 0);
}

static void test_nothing_is_drawn_into_a_pipe(void **state)
{
	struct trm_copy_progress p = {.bytes = 1, .path = ""};
	struct progress_bar progress_bar;
	int fds[2];
	char byte;
	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	progress_bar_init(&progress_bar, fds[1], 0);
	progress_bar_draw(&progress_bar, &p, UINT64_C(60) * 1000000000);
	progress_bar_clear(&progress_bar);
	assert_int_equal(read(fds[0], &byte, 1), -1);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_bytes),
			cmocka_unit_test(test_a_line),
			cmocka_unit_test(test_without_an_end),
			cmocka_unit_test(test_nothing_is_drawn_into_a_pipe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
