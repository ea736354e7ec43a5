/* SPDX-License-Identifier: MIT */
#include "command/keymap.h"

#include <string.h>

#include <terrarium/error.h>

#include "cells/event.h"
#include "cmocka_all.h"

static struct keymap map;

static int setup(void **state)
{
	(void)state;
	return keymap_init(&map);
}

static int teardown(void **state)
{
	(void)state;
	keymap_finish(&map);
	return 0;
}

static enum keymap_match look(enum key_context key_context, const char *text, const char **ret_name)
{
	const struct command *c = NULL;
	struct keys keys;

	assert_int_equal(keys_parse(text, &keys), 0);
	enum keymap_match match = keymap_resolve(&map, key_context, &keys, &c);
	*ret_name = match == KEYMAP_COMMAND ? c->name : NULL;
	return match;
}

static void assert_means(enum key_context key_context, const char *keys, const char *want)
{
	const char *name;

	look(key_context, keys, &name);
	if (want)
		assert_string_equal(name, want);
	else
		assert_null(name);
}

static void names_go_there_and_back(void **state)
{
	static const char *const pairs[][2] = {{"ctrl-f", "^F"}, {"shift-f6", "Shift-F6"}, {"f12", "F12"},
			{"alt-shift-up", "Alt-Shift-Up"}, {"shift-alt-up", "Alt-Shift-Up"},
			{"ctrl-x ctrl-s", "^X ^S"}, {"ctrl-space", "^Space"}, {"ctrl--", "^-"},
			{"ctrl-insert", "^Ins"}, {"?", "?"}, {"alt-\xC3\xA4", "Alt-\xC3\xA4"},
			{"alt-v", "Alt-V"}, {"alt-N", "Alt-Shift-N"}, {"ctrl-shift-z", "^Shift-Z"},
			{"N", "N"}};
	char name[KEYMAP_NAME_BYTES];
	struct keys keys;

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		assert_int_equal(keys_parse(pairs[i][0], &keys), 0);
		keys_name(&keys, name);
		assert_string_equal(name, pairs[i][1]);
	}
}

static void what_is_no_key_is_refused(void **state)
{
	static const char *const bad[] = {"", " ", "ctrl-", "f0", "f13", "f1x", "hyper-x", "ab", "\xFF",
			"ctrl-a b c d", "ctrl-\x01"};
	struct keys keys;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(keys_parse(bad[i], &keys), TRM_EINVAL);
}

static void every_default_key_has_one_meaning(void **state)
{
	(void)state;
	for (size_t i = 0; i < map.n; i++) {
		assert_non_null(map.bindings[i].command);
		for (size_t k = 0; k < i; k++)
			assert_false(map.bindings[i].key_context == map.bindings[k].key_context
					&& memcmp(&map.bindings[i].keys, &map.bindings[k].keys,
							   sizeof(struct keys))
							   == 0);
	}
}

static void every_command_has_a_name_of_its_own(void **state)
{
	const struct command *c;

	(void)state;
	for (size_t i = 0; (c = command_at(i)) != NULL; i++) {
		assert_ptr_equal(command_find(c->name), c);
		assert_true(!c->run != !c->edit);
	}
}

static void alt_digits_are_function_keys(void **state)
{
	(void)state;
	assert_means(CONTEXT_ANY, "alt-5", "run");
	assert_means(CONTEXT_ALWAYS, "alt-0", "quit");
	assert_int_equal(keymap_bind(&map, CONTEXT_ANY, "alt-5", "save", NULL), 0);
	assert_means(CONTEXT_ANY, "alt-5", "save");
}

static void a_sequence_waits_for_its_end(void **state)
{
	const char *name;

	(void)state;
	assert_int_equal(keymap_bind(&map, CONTEXT_ANY, "ctrl-j ctrl-s", "save", NULL), 0);
	assert_int_equal(look(CONTEXT_ANY, "ctrl-j", &name), KEYMAP_PREFIX);
	assert_means(CONTEXT_ANY, "ctrl-j ctrl-s", "save");
	assert_int_equal(look(CONTEXT_ANY, "ctrl-j x", &name), KEYMAP_NONE);
}

static void keys_can_be_bound_anew_and_taken_away(void **state)
{
	struct trm_error err;

	(void)state;
	assert_int_equal(keymap_bind(&map, CONTEXT_EDITOR, "ctrl-d", "cut-line", &err), 0);
	assert_means(CONTEXT_EDITOR, "ctrl-d", "cut-line");
	assert_int_equal(keymap_bind(&map, CONTEXT_EDITOR, "ctrl-d", "", &err), 0);
	assert_means(CONTEXT_EDITOR, "ctrl-d", NULL);
	assert_int_equal(keymap_bind(&map, CONTEXT_EDITOR, "ctrl-d", "nonsense", &err), TRM_EINVAL);
	assert_non_null(strstr(err.msg, "no command \"nonsense\""));
	assert_int_equal(keymap_bind(&map, CONTEXT_EDITOR, "what", "save", &err), TRM_EINVAL);
	assert_non_null(strstr(err.msg, "\"what\" is not a key"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(names_go_there_and_back),
			TEST(what_is_no_key_is_refused),
			TEST(every_default_key_has_one_meaning),
			TEST(every_command_has_a_name_of_its_own),
			TEST(alt_digits_are_function_keys),
			TEST(a_sequence_waits_for_its_end),
			TEST(keys_can_be_bound_anew_and_taken_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
