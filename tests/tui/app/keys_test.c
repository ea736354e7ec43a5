/* SPDX-License-Identifier: MIT */
#include "app/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"

static char path[] = "/tmp/terrarium-keys-XXXXXX";
static char reported[2000];

static void tell(void *user, const char *sentence)
{
	size_t used = strlen(reported);

	(void)user;
	snprintf(reported + used, sizeof reported - used, "%s\n", sentence);
}

static int load(const char *config, const char *set, struct keymap *ret)
{
	const struct keys_faults faults = {tell, NULL};
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(config, f);
	fclose(f);
	reported[0] = '\0';
	return app_keys_load(ret, path, set, &faults);
}

static const char *meaning(const struct keymap *map, enum key_context key_context, const char *text)
{
	const struct command *c = NULL;
	struct keys keys;

	assert_int_equal(keys_parse(text, &keys), 0);
	return keymap_resolve(map, key_context, &keys, &c) == KEYMAP_COMMAND ? c->name : "-";
}

static void binds_what_the_config_says(void **state)
{
	struct keymap map;
	char name[KEYMAP_NAME_BYTES];

	(void)state;
	assert_int_equal(load("{\"keys\": {\"editor\": {\"ctrl-d\": \"delete-right\", \"ctrl-k\": null},\n"
			      "\"f12\": \"theme\", \"ctrl-x ctrl-s\": \"save\", \"f4\": null}}",
					 "default", &map),
			0);
	assert_string_equal(reported, "");
	assert_string_equal(meaning(&map, CONTEXT_EDITOR, "ctrl-d"), "delete-right");
	assert_string_equal(meaning(&map, CONTEXT_EDITOR, "ctrl-k"), "-");
	assert_string_equal(meaning(&map, CONTEXT_ANY, "f12"), "theme");
	assert_string_equal(meaning(&map, CONTEXT_ANY, "f4"), "-");
	assert_string_equal(meaning(&map, CONTEXT_ANY, "ctrl-x ctrl-s"), "save");
	assert_string_equal(
			meaning(&map, CONTEXT_EDITOR, "ctrl-x"), "-"); /* or the sequence would never end */
	assert_string_equal(meaning(&map, CONTEXT_ANY, "ctrl-s"), "save");
	keys_name(keymap_keys(&map, command_find("save")), name);
	assert_string_equal(name, "^X ^S");
	keymap_finish(&map);
}

static const struct {
	const char *config, *key_context, *words;
} wrong[] = {
		{"{\"keys\": {\"f13\": \"help\"}}", ":1:11", "\"f13\" is not a key"},
		{"{\"keys\": {\n\"f5\": \"rnu\"}}", ":2:1", "no command \"rnu\""},
		{"{\"keys\": {\"metric\": {\n\"f5\": \"run\"}}}", ":2:1", "no pane \"metric\""},
		{"{\"keys\": {\"f5\": \"run\",\n\"f5\": \"help\"}}", ":2:1",
				"given above already, as \"run\""},
		{"{\"keys\": {\"ctrl-x\": \"run\",\n\"ctrl-x a\": \"help\"}}", ":2:1",
				"cannot both be reached"},
		{"{\"keys\": {\"f5\": [1]}}", ":1:11", "must be a string"},
		{"{\"keys\": {", ":1:", "not JSON"},
};

static void tells_what_is_wrong_and_goes_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct keymap map;
		assert_int_equal(load(wrong[i].config, "default", &map), 1);
		if (!strstr(reported, wrong[i].key_context) || !strstr(reported, wrong[i].words))
			fail_msg("case %zu: %s", i, reported);
		assert_string_equal(meaning(&map, CONTEXT_ALWAYS, "f10"), "quit");
		keymap_finish(&map);
	}
}

static void an_unknown_set_is_the_default_one(void **state)
{
	struct keymap map;

	(void)state;
	assert_int_equal(load("", "vim", &map), 1);
	assert_non_null(strstr(reported, "no key map \"vim\""));
	assert_string_equal(meaning(&map, CONTEXT_ANY, "f5"), "run");
	keymap_finish(&map);
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
			cmocka_unit_test(binds_what_the_config_says),
			cmocka_unit_test(tells_what_is_wrong_and_goes_on),
			cmocka_unit_test(an_unknown_set_is_the_default_one),
	};
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
