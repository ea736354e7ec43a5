/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "backend/microsandbox/nodes.h"

#define ROW(head, path, target) head "\0" path "\0" target "\0"
#define READ(list, text) nodes_read(list, text, sizeof text - 1)

static void a_tree_is_read(void **state)
{
	static const char text[] = ROW("d 1755 4096 1700000000.5000000000 0", "", "")
			ROW("d 700 4096 -5.25 1", "sub", "") ROW("f 644 12 7.000000001 2", "sub/a b\n", "")
					ROW("l 777 3 7.0 1", "l", "a/b") ROW("p 600 9 7.0 1", "p", "");
	struct node_list list;
	(void)state;
	assert_true(READ(&list, text));
	assert_int_equal(list.n, 5);
	assert_int_equal(list.at[0].kind, ENTRY_DIR);
	assert_int_equal(list.at[0].mode, 0755);
	assert_int_equal(list.at[0].size, 0);
	assert_int_equal(list.at[0].mtime_s, 1700000000);
	assert_int_equal(list.at[0].mtime_ns, 500000000);
	assert_string_equal(node_name(&list.at[0]), "");
	assert_int_equal(list.at[2].kind, ENTRY_FILE);
	assert_int_equal(list.at[2].size, 12);
	assert_int_equal(list.at[2].mtime_ns, 1);
	assert_string_equal(list.at[2].path, "sub/a b\n");
	assert_string_equal(node_name(&list.at[2]), "a b\n");
	assert_int_equal(list.at[3].kind, ENTRY_LINK);
	assert_string_equal(list.at[3].target, "a/b");
	assert_int_equal(list.at[4].kind, ENTRY_OTHER);
	nodes_finish(&list);
}

#define ROOT ROW("d 755 0 0.0 0", "", "")

static void what_is_no_tree_is_refused(void **state)
{
	static const struct {
		const char *text;
		size_t n;
	} bad[] = {
#define BAD(text) {text, sizeof text - 1}
			BAD(""),
			BAD("d"),
			BAD("d 755 0 0.0 0\0\0"),
			BAD(ROW("d 755 0 0.0", "", "")),
			BAD(ROW("d 755 0 0.0 1", "x", "")),
			BAD(ROW("d 755 0 0.0 0", "x", "")),
			BAD(ROOT ROOT),
			BAD(ROOT ROW("f 644 0 0.0 1", "", "")),
			BAD(ROOT ROW("f 644 0 0.0 1", "..", "")),
			BAD(ROOT ROW("f 644 0 0.0 1", "x/.", "")),
			BAD(ROOT ROW("f 644 0 0.0 2", "x/y", "")),
			BAD(ROOT ROW("f 644 0 0.0 1", "x", "") ROW("f 644 0 0.0 2", "x/y", "")),
			BAD(ROOT ROW("f 644 0 0.0 -1", "x", "")),
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct node_list list;
		assert_false(nodes_read(&list, bad[i].text, bad[i].n));
		nodes_finish(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_tree_is_read),
			cmocka_unit_test(what_is_no_tree_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
