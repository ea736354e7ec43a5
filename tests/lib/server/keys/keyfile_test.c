/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/server.h>

static char dir[64], file[128];

static int prepare(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/terrarium-key-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof file, "%s/server.key", dir);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(dir);
}

static void write_file(const char *text, mode_t mode)
{
	unlink(file);
	int fd = open(file, O_WRONLY | O_CREAT, mode);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void a_key_is_made_once(void **state)
{
	char first[TRM_SERVER_KEY], again[TRM_SERVER_KEY];
	struct stat st;
	(void)state;
	assert_int_equal(trm_server_key(file, false, first, NULL), 0);
	assert_int_equal(strlen(first), 32);
	assert_int_equal(strspn(first, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"), 32);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(trm_server_key(file, false, again, NULL), 0);
	assert_string_equal(first, again);
}

static void a_reset_makes_another(void **state)
{
	char first[TRM_SERVER_KEY], again[TRM_SERVER_KEY];
	(void)state;
	assert_int_equal(trm_server_key(file, false, first, NULL), 0);
	assert_int_equal(trm_server_key(file, true, again, NULL), 0);
	assert_string_not_equal(first, again);
	assert_int_equal(trm_server_key(file, false, first, NULL), 0);
	assert_string_equal(first, again);
}

static void files_of_others_are_refused(void **state)
{
	struct trm_error why = {0};
	char key[TRM_SERVER_KEY];
	(void)state;
	write_file("abcdefghijklmnopqrstuvwxyz012345", 0640);
	assert_int_equal(trm_server_key(file, false, key, &why), TRM_EPERM);
	assert_non_null(strstr(why.msg, "chmod 600"));
	write_file("abcdefghijklmnopqrstuvwxyz012345", 0600);
	assert_int_equal(trm_server_key(file, false, key, NULL), 0);
}

static void other_things_are_no_key(void **state)
{
	static const char *const bad[] = {"", "short", "abcdefghijklmnopqrstuvwxyz01234-",
			"abcdefghijklmnopqrstuvwxyz0123456", "abcdefghijklmnopqrstuvwxyz012345\n\n"};
	char key[TRM_SERVER_KEY];
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct trm_error why = {0};
		write_file(bad[i], 0600);
		assert_int_equal(trm_server_key(file, false, key, &why), TRM_EINVAL);
		assert_non_null(strstr(why.msg, "--reset-key"));
	}
	write_file("abcdefghijklmnopqrstuvwxyz012345\n", 0600);
	assert_int_equal(trm_server_key(file, false, key, NULL), 0);
}

static void what_is_no_file_is_refused(void **state)
{
	char key[TRM_SERVER_KEY];
	(void)state;
	assert_true(trm_server_key(dir, false, key, NULL) < 0);
	unlink(file);
	assert_int_equal(mkfifo(file, 0600), 0);
	assert_int_equal(trm_server_key(file, false, key, NULL),
			TRM_EPERM); /* and does not wait for a writer */
	assert_true(trm_server_key("/nowhere/at/all", false, key, NULL) < 0);
}

static void tokens_are_for_a_namespace(void **state)
{
	char token[TRM_SERVER_TOKEN];
	(void)state;
	assert_int_equal(trm_server_token("abcdefghijklmnopqrstuvwxyz012345", "*", 60, token, NULL), 0);
	assert_memory_equal(token, "msb_ey", 6);
	assert_int_equal(trm_server_token("abcdefghijklmnopqrstuvwxyz012345", "a b", 60, token, NULL),
			TRM_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_key_is_made_once),
			cmocka_unit_test(a_reset_makes_another),
			cmocka_unit_test(files_of_others_are_refused),
			cmocka_unit_test(other_things_are_no_key),
			cmocka_unit_test(what_is_no_file_is_refused),
			cmocka_unit_test(tokens_are_for_a_namespace),
	};
	return cmocka_run_group_tests(tests, prepare, clean);
}
