/* SPDX-License-Identifier: MIT */
/* Brackets and quotes that close themselves. A character a table; | is the cursor. */
#include <stdio.h>
#include <string.h>

#include "cells/event.h"
#include "cmocka_all.h"
#include "command/command.h"
#include "editor/editor_internal.h"
#include "text/text.h"

static struct editor e;
static struct clipboard clipboard;
static uint64_t now_ns = 1000000000;

static void start(const char *text)
{
	const char *bar = strchr(text, '|');
	char plain[256];

	assert_int_equal(editor_init(&e, NULL, &clipboard), 0);
	e.closes_pairs = true;
	snprintf(plain, sizeof plain, "%.*s%s", (int)(bar - text), text, bar + 1);
	editor_set_text(&e, plain, strlen(plain));
	editor_select(&e, (size_t)(bar - text), (size_t)(bar - text));
}

static void key(uint32_t k, uint64_t after_ns)
{
	struct event ev = {.type = EVENT_KEY, .key = k, .time_ns = now_ns += after_ns};

	if (k == K_BACKSPACE)
		edit_erase(&e, MOVE_LEFT);
	else if (k == K_ENTER)
		edit_enter(&e, 0);
	else
		editor_handle(&e, &ev);
}

static void expect(const char *text, const char *want)
{
	char got[256];
	size_t n = text_copy(e.text, 0, got, 200), cursor = e.sel.cursor;

	memmove(got + cursor + 1, got + cursor, n - cursor);
	got[cursor] = '|';
	got[n + 1] = '\0';
	if (strcmp(got, want) != 0)
		fail_msg("%s became %s, not %s", text, got, want);
}

static void what_is_typed_closes(void **state)
{
	/* \b is the key that deletes, \r is Enter. */
	static const struct {
		const char *text, *keys, *want;
	} cases[] = {
			{"|", "f(", "f(|)"},
			{"|", "f(1)", "f(1)|"},
			{"|", "f([{", "f([{|}])"},
			{"|", "f([{}])", "f([{}])|"},
			{"|x", "(", "(|x"},
			{"f(|)", ")", "f()|)"}, /* it was there before: not typed over */
			{"|", "(\b", "|"},
			{"(|)", "\b", "|)"},
			{"|", "\"a\"", "\"a\"|"},
			{"|", "f\"", "f\"|\""},
			{"|", "rb'", "rb'|'"},
			{"|", "don't", "don't|"},
			{"|", "\"\"\"", "\"\"\"|"},
			{"|", "x['a']", "x['a']|"},
			{"|", "{\r", "{\n    |\n}"},
			{"(a|)", "(", "(a(|))"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		start(cases[i].text);
		for (const char *k = cases[i].keys; *k; k++)
			key(*k == '\b' ? K_BACKSPACE : *k == '\r' ? K_ENTER : (uint32_t)*k, 100000000);
		expect(cases[i].keys, cases[i].want);
		editor_finish(&e);
	}
}

static void what_a_program_types_does_not(void **state)
{
	(void)state;
	start("|");
	for (const char *k = "f(g[1], \"x\")"; *k; k++)
		key((uint32_t)*k, k[0] == 'f' ? 100000000 : 1000);
	expect("a paste", "f(g[1], \"x\")|");
	editor_finish(&e);
}

static void a_selection_is_enclosed(void **state)
{
	(void)state;
	start("ab|c");
	editor_select(&e, 0, 2);
	key('(', 100000000);
	expect("(", "(ab|)c");
	assert_int_equal(e.sel.anchor, 1);
	editor_undo(&e);
	expect("undo", "ab|c");
	editor_finish(&e);
}

static void it_can_be_off(void **state)
{
	(void)state;
	start("|");
	e.closes_pairs = false;
	key('(', 100000000);
	expect("(", "(|");
	editor_finish(&e);
}

/* A partner whose place has been edited away is not taken for one. */
static void edits_elsewhere_keep_the_partner(void **state)
{
	(void)state;
	start("|");
	key('(', 100000000);
	editor_replace(&e, 0, 0, "ab\n", 3, BURST_NONE);
	editor_select(&e, 4, 4);
	key(')', 100000000);
	expect(")", "ab\n()|");
	editor_finish(&e);
	start("|");
	key('(', 100000000);
	editor_replace(&e, 1, 1, "", 0, BURST_NONE);
	editor_replace(&e, 1, 0, ")", 1, BURST_NONE);
	editor_select(&e, 1, 1);
	key(')', 100000000);
	expect(")", "()|)");
	editor_finish(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(what_is_typed_closes),
			cmocka_unit_test(what_a_program_types_does_not),
			cmocka_unit_test(a_selection_is_enclosed),
			cmocka_unit_test(it_can_be_off),
			cmocka_unit_test(edits_elsewhere_keep_the_partner),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
