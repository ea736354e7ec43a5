/* SPDX-License-Identifier: MIT */
/* The file of what was run: private, bounded, whole lines whoever writes at the same time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "cmocka_all.h"

static char folder[] = "/tmp/terrarium-history-XXXXXX";
static char path[128];
static struct app app;

static void remember(const char *code, size_t n)
{
	size_t size = n + 64;
	char *text = malloc(size);

	assert_non_null(text);
	int used = snprintf(text, size, "{\"language\":\"python\",\"code\":\"%.*s\"}", (int)n, code);
	app_remember(&app, &(struct effect){.type = EFFECT_REMEMBER, .text = {text, (size_t)used}});
	app_flush_history(&app);
	free(text);
}

/* Lines of the file; each must be whole. */
static size_t count_lines(size_t *ret_bytes)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0, lines = 0;
	ssize_t n;

	assert_non_null(f);
	*ret_bytes = 0;
	while ((n = getline(&line, &cap, f)) > 0) {
		assert_memory_equal(line, "{\"time\":", 8);
		assert_memory_equal(line + n - 3, "\"}\n", 3);
		lines++;
		*ret_bytes += (size_t)n;
	}
	free(line);
	fclose(f);
	return lines;
}

static int set_up(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	assert_non_null(mkdtemp(folder));
	setenv("XDG_STATE_HOME", folder, 1);
	snprintf(path, sizeof path, "%s/terrarium/history.jsonl", folder);
	return 0;
}

static int tear_down(void **state)
{
	char inside[128];

	(void)state;
	unlink(path);
	snprintf(inside, sizeof inside, "%s/terrarium", folder);
	rmdir(inside);
	assert_int_equal(rmdir(folder), 0); /* nothing else was left there */
	return 0;
}

static void it_is_for_its_owner_alone(void **state)
{
	struct stat st;
	size_t bytes;

	(void)state;
	umask(0);
	remember("1", 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	remember("2", 1);
	assert_int_equal(count_lines(&bytes), 2);
}

static void it_does_not_grow_for_ever(void **state)
{
	size_t n = 100000, bytes;
	char *code = malloc(n);

	(void)state;
	assert_non_null(code);
	memset(code, 'x', n);
	for (int i = 0; i < 100; i++)
		remember(code, n);
	remember("last", 4);
	size_t lines = count_lines(&bytes);
	assert_true(bytes <= 4u << 20);
	assert_true(bytes >= 1u << 20);
	assert_true(lines < 50);
	free(code);
}

static void several_write_at_the_same_time(void **state)
{
	enum { WRITERS = 4, EACH = 60 };
	char code[3000];
	size_t bytes;

	(void)state;
	memset(code, 'y', sizeof code);
	for (int w = 0; w < WRITERS; w++)
		if (fork() == 0) {
			for (int i = 0; i < EACH; i++)
				remember(code, sizeof code - (size_t)(i * 7 % 2000));
			_exit(0);
		}
	for (int w = 0; w < WRITERS; w++) {
		int status;
		wait(&status);
		assert_int_equal(status, 0);
	}
	assert_int_equal(count_lines(&bytes), WRITERS * EACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(it_is_for_its_owner_alone, set_up, tear_down),
			cmocka_unit_test_setup_teardown(it_does_not_grow_for_ever, set_up, tear_down),
			cmocka_unit_test_setup_teardown(several_write_at_the_same_time, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
