/* SPDX-License-Identifier: MIT */

/* The supervisor is a program of its own, so its parts are built into this test. */

#include "supervisor/container/put_text.c"
#include "supervisor/container/step.c"

#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Put `n` bytes in, take version `nth` out: its text, or NULL with the error in *ret_error. */
static const char *version(const char *text, size_t n, unsigned nth, int *ret_error)
{
	static char out[400];
	const struct step_facts facts = {.supervisor = "host/1"};
	int from = memfd_create("from", 0);
	assert_int_equal(write(from, text, n), n);
	int fd = put_text_open(&facts, from, nth);
	close(from);
	*ret_error = fd < 0 ? fd : 0;
	if (fd < 0)
		return NULL;
	ssize_t len = pread(fd, out, sizeof out - 1, 0);
	close(fd);
	out[len > 0 ? len : 0] = '\0';
	return out;
}

static void test_versions_and_marks(void **state)
{
	static const char text[] = "a \\u0001supervisor\\u0001 b \\u0001supervisor\\u0001\0second";
	int error;
	(void)state;
	assert_string_equal(version(text, sizeof text, 0, &error), "a host/1 b host/1");
	assert_string_equal(version(text, sizeof text, 1, &error), "second");
	assert_null(version(text, sizeof text, 2, &error));
	assert_int_equal(error, -ENOENT);
	assert_null(version("", 0, 0, &error)); /* nothing at all */
	assert_int_equal(error, -EIO);
	assert_string_equal(version("no end", 6, 0, &error), "no end");
}

static struct step failed_with(const char *words)
{
	struct step s = {.end = STEP_FAILED};
	s.err.n = (size_t)snprintf(s.err_bytes, sizeof s.err_bytes, "%s", words);
	return s;
}

static void test_what_is_a_refusal(void **state)
{
	static struct step s;
	(void)state;
	s = failed_with("pods \"x\" is forbidden: violates PodSecurity \"restricted:latest\": …");
	assert_true(put_text_is_refused(&s));
	s = failed_with("admission webhook \"a.b\" denied the request: no NET_ADMIN");
	assert_true(put_text_is_refused(&s));
	s = failed_with("pods \"x\" is forbidden: exceeded quota: few");
	assert_false(put_text_is_refused(&s));
	s = failed_with("violates PodSecurity");
	s.end = STEP_LATE;
	assert_false(put_text_is_refused(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_versions_and_marks),
			cmocka_unit_test(test_what_is_a_refusal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
