/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "repl/history.h"

static char folder[] = "/tmp/repl-history-XXXXXX";

static void add(struct history *h, const char *text)
{
	history_add(h, text, strlen(text));
}

static void inputs_come_back_whole(void **state)
{
	struct history h = {0};
	struct stat st;

	(void)state;
	history_open(&h, NULL, "python", true);
	assert_int_equal(h.n, 0);
	add(&h, "one");
	add(&h, "def f():\n    return \"é\\n\"");
	add(&h, "def f():\n    return \"é\\n\""); /* again */
	add(&h, " secret");
	add(&h, "");
	history_open(&h, NULL, "bash", true);
	assert_int_equal(h.n, 0);
	add(&h, "ls");
	history_close(&h);
	history_open(&h, NULL, "python", true);
	assert_int_equal(h.n, 2);
	assert_string_equal(h.items[0], "one");
	assert_string_equal(h.items[1], "def f():\n    return \"é\\n\"");
	assert_int_equal(stat(h.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	history_close(&h);
}

static void in_private_mode_nothing_is_kept(void **state)
{
	struct history h = {0};

	(void)state;
	history_open(&h, NULL, "javascript", false);
	add(&h, "mine");
	assert_int_equal(h.n, 1);
	history_close(&h);
	history_open(&h, NULL, "javascript", true);
	assert_int_equal(h.n, 0);
	history_close(&h);
}

static void a_broken_file_is_read_as_far_as_it_goes(void **state)
{
	struct history h = {0};
	FILE *f;

	(void)state;
	history_open(&h, NULL, "broken", true);
	f = fopen(h.path, "w");
	assert_non_null(f);
	fputs("\"good\"\nno json\n{\"an\":\"object\"}\n\"cut sh", f);
	fclose(f);
	history_open(&h, NULL, "broken", true);
	assert_int_equal(h.n, 1);
	assert_string_equal(h.items[0], "good");
	add(&h, "more");
	history_open(&h, NULL, "broken", true);
	assert_int_equal(h.n, 2);
	assert_string_equal(h.items[1], "more");
	history_close(&h);
}

static void the_oldest_are_forgotten(void **state)
{
	struct history h = {0};
	char text[32];

	(void)state;
	history_open(&h, NULL, "many", false);
	for (int i = 0; i < 6000; i++) {
		snprintf(text, sizeof text, "input %d", i);
		add(&h, text);
	}
	assert_int_equal(h.n, 5000);
	assert_string_equal(h.items[0], "input 1000");
	assert_string_equal(h.items[4999], "input 5999");
	history_close(&h);
	history_close(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(inputs_come_back_whole),
			cmocka_unit_test(in_private_mode_nothing_is_kept),
			cmocka_unit_test(a_broken_file_is_read_as_far_as_it_goes),
			cmocka_unit_test(the_oldest_are_forgotten),
	};
	char command[100];

	if (!mkdtemp(folder))
		return 1;
	setenv("XDG_STATE_HOME", folder, 1);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command) != 0 || failed;
}
