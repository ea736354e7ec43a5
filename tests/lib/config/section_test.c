/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/config.h>
#include <terrarium/error.h>

#include "cmocka_all.h"

static char path[] = "/tmp/terrarium-section-XXXXXX";
static char seen[1000];

static void on_entry(void *user, const struct trm_config_entry *e)
{
	size_t used = strlen(seen);

	(void)user;
	snprintf(seen + used, sizeof seen - used, "%s/%s=%s@%s\n", e->group, e->key, e->value,
			strchr(e->where, ':') + 1);
}

static int walk(const char *text, struct trm_error *err)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	seen[0] = '\0';
	return trm_config_walk(path, "keys", on_entry, NULL, err);
}

static void tells_entries_with_their_places(void **state)
{
	struct trm_config c;

	(void)state;
	assert_int_equal(walk("// mine\n{ \"memory\": 512, \"keys\": {\n"
			      "  \"editor\": { \"ctrl-d\": \"duplicate\", // {\n"
			      "    \"ctrl-k\": \"\" },\n"
			      "  \"f9\": null, \"f8\": \"theme\"\n} }",
					 NULL),
			0);
	assert_string_equal(
			seen, "editor/ctrl-d=duplicate@3:15\neditor/ctrl-k=@4:5\n/f9=@5:3\n/f8=theme@5:15\n");
	assert_int_equal(trm_config_load(&c, path, NULL), 0);
	assert_int_equal(c.limits.mem_bytes, 512 << 20);
}

static void what_is_not_there_is_empty(void **state)
{
	(void)state;
	assert_int_equal(walk("", NULL), 0);
	assert_int_equal(walk("{}", NULL), 0);
	assert_int_equal(walk("{\"keys\": {\"any\": {}}}", NULL), 0);
	assert_string_equal(seen, "");
	assert_int_equal(trm_config_walk("/nonexistent/x", "keys", on_entry, NULL, NULL), 0);
}

static void says_what_is_wrong(void **state)
{
	struct trm_error err = {0};
	struct trm_config c;

	(void)state;
	assert_true(walk("{\"keys\": {\"any\": {\n\"f9\": 3}}}", &err) < 0);
	assert_non_null(strstr(err.msg, ":2:1: the value must be a string"));
	assert_true(walk("{\"keys\": {", &err) < 0);
	assert_non_null(strstr(err.msg, "not JSON"));
	walk("{\"keys\": 3}", NULL);
	assert_true(trm_config_load(&c, path, &err) < 0);
	assert_non_null(strstr(err.msg, ":1:2: this must be an object"));
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0 ? -1 : 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(tells_entries_with_their_places),
			cmocka_unit_test(what_is_not_there_is_empty),
			cmocka_unit_test(says_what_is_wrong),
	};
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
