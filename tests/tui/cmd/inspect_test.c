/* SPDX-License-Identifier: MIT */
/* Lines of mountinfo, which come from inside a sandbox and may be anything. */
#include <stdlib.h>
#include <string.h>

#include "cmd/inspect.h"
#include "cmocka_all.h"

static bool parse(const char *line, struct inspect_mount *ret)
{
	char *copy = strdup(line);
	bool is_mount = inspect_parse_mount(copy, ret);
	free(copy);
	return is_mount;
}

static void a_line_is_read(void **state)
{
	struct inspect_mount m;

	(void)state;
	assert_true(parse(
			"482 459 0:97 /workspace /workspace rw,nosuid - tmpfs tmpfs rw,size=262144k,mode=755",
			&m));
	assert_string_equal(m.path, "/workspace");
	assert_string_equal(m.type, "tmpfs");
	assert_string_equal(m.source, "");
	assert_true(m.is_writable);
	assert_int_equal(m.size_bytes, 256 << 20);
	assert_true(parse(
			"460 459 254:0 /usr\\040x /usr\\040x ro,nosuid shared:1 master:2 - ext4 /dev/vda rw,discard",
			&m));
	assert_string_equal(m.path, "/usr x");
	assert_string_equal(m.source, "/usr x");
	assert_false(m.is_writable);
	assert_int_equal(m.size_bytes, 0);
	/* The host has replaced the file since. */
	assert_true(parse("461 459 254:0 /etc/ld.so.cache//deleted /etc/ld.so.cache ro - ext4 /dev/vda rw",
			&m));
	assert_string_equal(m.source, "/etc/ld.so.cache");
}

static void details_are_left_out(void **state)
{
	struct inspect_mount m;

	(void)state;
	assert_false(parse("464 463 0:6 /null /proc/keys ro - devtmpfs devtmpfs rw", &m));
	assert_false(parse("474 473 0:6 /null /dev/null rw - devtmpfs devtmpfs rw", &m));
	assert_true(parse("463 459 0:100 / /proc rw - proc proc rw", &m));
}

static void nonsense_is_none(void **state)
{
	static const char *const lines[] = {"", " ", "-", "- - - - - - - -", "1 2 3", "1 2 3 4 5 6 7",
			"1 2 3 4 /a rw -", "1 2 3 4 /a rw - tmpfs", "1 2 3 4 /a rw - tmpfs x"};
	struct inspect_mount m;
	char many[4000];

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_false(parse(lines[i], &m));
	memset(many, ' ', sizeof many - 1);
	many[sizeof many - 1] = '\0';
	assert_false(parse(many, &m));
	memset(many, 'x', sizeof many - 1);
	assert_false(parse(many, &m));
	assert_true(parse("1 2 3 4 /\033[31m\\033\\9\\ rw - tmpfs x size=99999999999999999999999g", &m));
	assert_null(strchr(m.path, '\033'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_line_is_read),
			cmocka_unit_test(details_are_left_out),
			cmocka_unit_test(nonsense_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
