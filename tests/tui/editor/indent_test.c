/* SPDX-License-Identifier: MIT */
/* What is typed ('\n' is Enter) and what stands in the buffer then; '|' is the cursor. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "cells/event.h"
#include "cmocka_all.h"
#include "command/command.h"
#include "editor/editor.h"
#include "syntax/syntax.h"
#include "text/text.h"

static struct clipboard clipboard;
static struct editor ed;
static uint64_t now_ns;

static void type(const char *keys)
{
	for (; *keys; keys++) {
		struct event ev = {.type = EVENT_KEY, .key = (unsigned char)*keys};
		ev.time_ns = now_ns += 100000000;
		if (*keys == '\n')
			editor_command(&ed, command_find("new-line"), false, now_ns);
		else
			editor_handle(&ed, &ev);
	}
}

static void begin(const char *lang, const char *text)
{
	const struct trm_lang *l = NULL;
	editor_finish(&ed);
	assert_int_equal(trm_lang_find(lang, &l, NULL), 0);
	assert_int_equal(editor_init(&ed, l, &clipboard), 0);
	editor_resize(&ed, 10, 80);
	char plain[1024] = "";
	size_t at = strcspn(text, "|");
	memcpy(plain, text, at);
	if (text[at])
		strcpy(plain + at, text + at + 1);
	assert_int_equal(editor_set_text(&ed, plain, strlen(plain)), 0);
	editor_select(&ed, at, at);
}

static void expect(const char *want)
{
	char got[2048];
	size_t at = ed.sel.cursor, n = text_copy(ed.text, 0, got, at);
	got[n++] = '|';
	n += text_copy(ed.text, at, got + n, sizeof(got) - n - 1);
	got[n] = '\0';
	assert_string_equal(got, want);
}

struct sample {
	const char *before, *typed, *after;
};

static void expect_samples(const char *lang, const struct sample *s)
{
	for (; s->before; s++) {
		begin(lang, s->before);
		type(s->typed);
		expect(s->after);
	}
}

static void test_python(void **state)
{
	static const struct sample samples[] = {
			{"", "def f(a, b):\nif a:\nreturn b\nelse:\npass\n",
					"def f(a, b):\n    if a:\n        return b\n    else:\n        pass\n    |"},
			{"", "x = foo(a,\nb)\ny", "x = foo(a,\n        b)\ny|"},
			{"", "x = [\n1,\n]\ny", "x = [\n    1,\n]\ny|"},
			{"", "def f(a,\nb):\npass", "def f(a,\n      b):\n    pass|"},
			{"", "s = 'if x:'\ny", "s = 'if x:'\ny|"},
			{"", "x = {'a:': 1} # b:\ny", "x = {'a:': 1} # b:\ny|"},
			{"", "if x: # why (not\ny", "if x: # why (not\n    y|"},
			{"try:\n    a\n|", "    except E as e:\n", "try:\n    a\nexcept E as e:\n    |"},
			{"for a in b:\n  if c:\n    d|", "\nelse:\ne",
					"for a in b:\n  if c:\n    d\n  else:\n    e|"},
			{"x = d[|]", "\n", "x = d[\n    |\n]"},
			{"elsewhere = 1\n    |", "else_ = 2", "elsewhere = 1\n    else_ = 2|"},
			{"x = '''a\n  b|", "\nc", "x = '''a\n  b\n  c|"},
			{NULL, NULL, NULL},
	};
	(void)state;
	expect_samples("python", samples);
}

static void test_ruby(void **state)
{
	static const struct sample samples[] = {
			{"", "def f(a)\nif a\n1\nelse\n2\nend\nend\nx",
					"def f(a)\n    if a\n        1\n    else\n        2\n    end\nend\nx|"},
			{"", "list.each do |one|\nputs one\nend\n",
					"list.each do |one|\n    puts one\nend\n|"},
			{"", "def f = 1\nx", "def f = 1\nx|"},
			{"", "return 1 if x\ny", "return 1 if x\ny|"},
			{"", "class A; end\ny", "class A; end\ny|"},
			{"", "begin\na\nrescue => e\nb\nensure\nc\nend",
					"begin\n    a\nrescue => e\n    b\nensure\n    c\nend|"},
			{"def f\n    endless|", " = 1", "def f\n    endless = 1|"},
			{"", "s = {\na: 1,\n}\ny", "s = {\n    a: 1,\n}\ny|"},
			{NULL, NULL, NULL},
	};
	(void)state;
	expect_samples("ruby", samples);
}

static void test_javascript(void **state)
{
	static const struct sample samples[] = {
			{"", "function f(a) {\nreturn [\n1,\n];\n}\n",
					"function f(a) {\n    return [\n        1,\n    ];\n}\n|"},
			{"foo(() => {|})", "\n", "foo(() => {\n    |\n})"},
			{"", "foo(a, function() {\nx;\n});\ny", "foo(a, function() {\n    x;\n});\ny|"},
			{"", "s = '{' // (\ny", "s = '{' // (\ny|"},
			{"switch (x) {\n  case 1:|", "\ny", "switch (x) {\n  case 1:\n    y|"},
			{"if (a) {\n\tb();\n\t|", "}", "if (a) {\n\tb();\n}|"},
			{NULL, NULL, NULL},
	};
	(void)state;
	expect_samples("javascript", samples);
}

static void test_bash(void **state)
{
	static const struct sample samples[] = {
			{"", "if true; then\na\nelse\nb\nfi\nc", "if true; then\n    a\nelse\n    b\nfi\nc|"},
			{"", "for i in a; do\nif b\nthen\nc\nfi\ndone\n",
					"for i in a; do\n    if b\n    then\n        c\n    fi\ndone\n|"},
			{"", "f() {\na\n}\n", "f() {\n    a\n}\n|"},
			{"", "case $x in\na)\nb\n;;\nesac\n",
					"case $x in\n    a)\n        b\n        ;;\nesac\n|"},
			{"", "if a; then\nfile", "if a; then\n    file|"},
			{"", "if a; then\ndone_it; fi2", "if a; then\n    done_it; fi2|"},
			{"if a; then b; fi\n    |", "fi", "if a; then b; fi\n    fi|"},
			{"", "echo '{ (' # then\nx", "echo '{ (' # then\nx|"},
			{"", "while a; do b; done\nx", "while a; do b; done\nx|"},
			{NULL, NULL, NULL},
	};
	(void)state;
	expect_samples("bash", samples);
}

/* A new block is indented as the rest of the file is. */
static void test_tabs(void **state)
{
	static const struct sample python[] = {
			{"def f():\n\ta\n\n|", "def g():\nb", "def f():\n\ta\n\ndef g():\n\tb|"},
			{"if b:|\n\nif a:\n\tb\n", "\nc", "if b:\n\tc|\n\nif a:\n\tb\n"},
			{"if a:\n\tb\nx = [|]", "\n", "if a:\n\tb\nx = [\n\t|\n]"},
			{"if a:\n\tb\nif c:\n    d\n|", "if e:\nf",
					"if a:\n\tb\nif c:\n    d\nif e:\n    f|"},
			{"if a:\n\tb\n|", "if c:\nd\nelse_ = 1", "if a:\n\tb\nif c:\n\td\n\telse_ = 1|"},
			{NULL, NULL, NULL},
	};
	static const struct sample javascript[] = {
			{"/**\n * x\n */\nif (a) {\n\tb();\n}\n|", "if (c) {\nd();\n}",
					"/**\n * x\n */\nif (a) {\n\tb();\n}\nif (c) {\n\td();\n}|"},
			{NULL, NULL, NULL},
	};
	(void)state;
	expect_samples("python", python);
	expect_samples("javascript", javascript);
	begin("python", "if a:\n\tb\n|c\n");
	editor_command(&ed, command_find("indent"), false, now_ns);
	expect("if a:\n\tb\n\t|c\n");
	editor_undo(&ed);
	editor_select(&ed, 9, 10);
	editor_command(&ed, command_find("indent"), false, now_ns);
	expect("if a:\n\tb\n\tc|\n");
}

static void test_undo_takes_the_move_along(void **state)
{
	(void)state;
	begin("bash", "if a; then\n    b\n    |");
	type("fi");
	expect("if a; then\n    b\nfi|");
	editor_undo(&ed);
	expect("if a; then\n    b\n    |");
	editor_redo(&ed);
	expect("if a; then\n    b\nfi|");
}

static void test_paste_stays(void **state)
{
	static const char code[] = "if x:\n        y\n    else:\n  }\nfi\n";
	struct event paste = {.type = EVENT_PASTE, .text = code, .text_len = sizeof(code) - 1};
	(void)state;
	for (unsigned i = 0; i < trm_lang_count(); i++) {
		begin(trm_lang_at(i)->name, "    |");
		editor_handle(&ed, &paste);
		expect("    if x:\n        y\n    else:\n  }\nfi\n|");
	}
}

static void test_brackets(void **state)
{
	(void)state;
	begin("python", "f|(a, [b], {c: (d)})");
	editor_command(&ed, command_find("to-bracket"), false, now_ns);
	expect("f(a, [b], {c: (d)}|)");
	editor_command(&ed, command_find("to-bracket"), false, now_ns);
	expect("f|(a, [b], {c: (d)})");
	begin("python", "a) |b");
	editor_command(&ed, command_find("to-bracket"), false, now_ns);
	expect("a) |b");
}

/* Where the grammar is at hand, brackets in strings do not count. */
static void test_brackets_in_strings(void **state)
{
	struct grammars *grammars = grammars_create();
	const struct syntax_language *l = grammars_get(grammars, "javascript", NULL);
	(void)state;
	begin("javascript", "|(')', `)${ f(')') }`, /[)]/)");
	syntax_set_language(ed.syntax, l);
	while (syntax_is_behind(ed.syntax, ed.text, 0, 100))
		syntax_work(ed.syntax, ed.text, 0, 100, 0);
	editor_command(&ed, command_find("to-bracket"), false, now_ns);
	if (l)
		expect("(')', `)${ f(')') }`, /[)]/|)");
	editor_finish(&ed);
	grammars_destroy(grammars);
}

static int finish(void **state)
{
	(void)state;
	editor_finish(&ed);
	clipboard_finish(&clipboard);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_python),
			cmocka_unit_test(test_ruby),
			cmocka_unit_test(test_javascript),
			cmocka_unit_test(test_bash),
			cmocka_unit_test(test_tabs),
			cmocka_unit_test(test_undo_takes_the_move_along),
			cmocka_unit_test(test_paste_stays),
			cmocka_unit_test(test_brackets),
			cmocka_unit_test(test_brackets_in_strings),
	};
	return cmocka_run_group_tests(tests, NULL, finish);
}
