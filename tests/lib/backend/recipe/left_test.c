/* SPDX-License-Identifier: MIT */
#include "backend/recipe/left.c"

#include "cmocka_all.h"

static struct left_list list;

static int find_own_label(void **state)
{
	(void)state;
	owner_label(list.own_label, sizeof list.own_label);
	return 0;
}

/* A supervisor of this user and host, in another PID namespace. */
static const char *gone_label(void)
{
	static char label[OWNER_LABEL + 8];
	const char *slash = strchr(strchr(list.own_label, '/') + 1, '/'); /* before the namespace */
	snprintf(label, sizeof label, "%.*s/9%s", (int)(slash - list.own_label), list.own_label, slash + 1);
	return label;
}

static bool read_text(const char *format, const char *label, struct trm_kube_left *ret)
{
	char line[1024];
	snprintf(line, sizeof line, format, label);
	return read_row(&list, line, ret);
}

static void a_pod_that_a_server_has_left(void **state)
{
	struct trm_kube_left row;
	(void)state;
	assert_true(read_text("terrarium-lab-0123abcd\t%s\tdefault/lab\t00112233445566778899aabbccddeeff\t1",
			gone_label(), &row));
	assert_string_equal(row.pod, "terrarium-lab-0123abcd");
	assert_string_equal(row.adoptable, "default/lab");
	assert_string_equal(row.key, "00112233445566778899aabbccddeeff");
	assert_int_equal(row.version, 1);
	assert_true(read_text("terrarium-lab-0123abcd\t%s\tdefault/lab\t00112233445566778899aabbccddeeff\t0",
			gone_label(), &row));
	assert_int_equal(row.version, 0);
}

static void a_server_that_lives_has_left_none(void **state)
{
	struct trm_kube_left row;
	(void)state;
	assert_false(read_text("terrarium-lab-0123abcd\t%s\tdefault/lab\t00112233445566778899aabbccddeeff\t0",
			list.own_label, &row));
	assert_false(read_text("terrarium-lab-0123abcd\t%s\tdefault/lab\t00112233445566778899aabbccddeeff\t0",
			"elsewhere/1/2/0/1/1", &row));
}

/* Whoever may annotate one pod must not name another one by a mark with a line's end. */
static void marks_in_quotes(void **state)
{
	struct trm_kube_left row;
	(void)state;
	assert_true(read_text(
			"terrarium-lab-0123abcd\t\"%s\"\t\"default/lab\"\t\"00112233445566778899aabbccddeeff\"\t1",
			gone_label(), &row));
	assert_string_equal(row.adoptable, "default/lab");
	assert_string_equal(row.key, "00112233445566778899aabbccddeeff");
	assert_false(read_text(
			"terrarium-lab-0123abcd\t\"%s\"\t\"default/lab\\n\"\t\"00112233445566778899aabbccddeeff\"\t1",
			gone_label(), &row));
	assert_false(read_text(
			"terrarium-lab-0123abcd\t\"%s\"\t\"\"\t\"00112233445566778899aabbccddeeff\"\t1",
			gone_label(), &row));
}

/* They become arguments of commands. */
static void strange_rows_are_none(void **state)
{
	static const char *const lines[] = {"", "\t", "terrarium-lab",
			"-lab\t%s\ta/b\t00112233445566778899aabbccddeeff\t0",
			"other-lab\t%s\ta/b\t00112233445566778899aabbccddeeff\t0",
			"terrarium-Lab\t%s\ta/b\t00112233445566778899aabbccddeeff\t0",
			"terrarium-lab\t%s\ta/b\t--key\t0", "terrarium-lab\t%s\ta/b\t\t0",
			"terrarium-lab\t%s\ta/b\t00ff\t0",
			"terrarium-lab\t%s\t\t00112233445566778899aabbccddeeff\t0",
			"terrarium-lab\t%s\ta/b\t0123456789abcdef0123456789abcdef0\t0"};
	struct trm_kube_left row;
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_false(read_text(lines[i], gone_label(), &row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_pod_that_a_server_has_left),
			cmocka_unit_test(a_server_that_lives_has_left_none),
			cmocka_unit_test(marks_in_quotes),
			cmocka_unit_test(strange_rows_are_none),
	};
	return cmocka_run_group_tests(tests, find_own_label, NULL);
}
