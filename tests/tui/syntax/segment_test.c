/* SPDX-License-Identifier: MIT */
/* Segments so small that every text has many; and what they find out is held against a parse of the whole. */
#define TEXT_CHUNK 16
#define SYNTAX_WINDOW ((size_t)48)
#define HIGHLIGHT_US 2000000

#include "syntax/paint.c"
#include "syntax/parse.c"
#include "syntax/segment.c"
#include "text/text.c"

#include <stdio.h>

#include "cmocka_all.h"
#include "text/history.h"

#define MOST 20000

static struct grammars *grammars;

static unsigned rnd(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 8) % n;
}

struct lang {
	const char *name;
	const char *statements[12];
};

static const struct lang langs[] = {
		{"python", {"x = 1\n", "def f(a):\n    return f'{a} b'\n", "s = \"\"\"one\ntwo 'x\n\"\"\"\n",
					   "# comment\n", "class A(B):\n    def g(self):\n\n        pass\n\n",
					   "y = [1,\n  2,\n]\n", "if x:\n    y\nelse:\n    z\n", "\n"}},
		{"javascript", {"let x = 1;\n", "function f(a) {\n  return `a ${b + `c\n${d}`}\n e`;\n}\n",
					       "/* one\n two */\n", "// c\n",
					       "class A {\n  m() { return /x\"/g; }\n}\n",
					       "foo({a: 1,\n  b: [2]});\n",
					       "if (x) {\n  y();\n} else {\n  z();\n}\n"}},
		{"bash", {"x=1\n", "f() {\n  local y=\"$x\"\n}\n", "cat <<EOF\none $x\n\"two\nEOF\n", "# c\n",
					 "if true; then\n  echo hi\nelse\n  ls -l\nfi\n",
					 "echo 'a\nb' $(ls\n)\n", "for i in a b; do\n  echo $i\ndone\n",
					 "\n"}},
};

/* A text with a history, and what listens to it. */
struct rig {
	struct history *history;
	struct text *text;
	struct syntax *syntax;
	const struct syntax_language *language;
};

static bool set_up(struct rig *r, const char *name)
{
	*r = (struct rig){.language = grammars_get(grammars, name, NULL)};
	if (!r->language)
		return false;
	r->text = text_create();
	r->history = history_create(r->text);
	r->syntax = syntax_create();
	syntax_set_language(r->syntax, r->language);
	history_listen(r->history, syntax_edited, r->syntax);
	return true;
}

static void tear_down(struct rig *r)
{
	syntax_destroy(r->syntax);
	history_destroy(r->history);
}

static void check_sound(const struct syntax *s, const struct text *t)
{
	size_t sum = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (i == s->closed)
			assert_int_equal(sum, s->known);
		sum += s->segments[i].bytes;
		if (i < s->closed)
			assert_int_equal(s->segments[i].lead, 0);
	}
	assert_true(s->closed <= s->n);
	assert_true(sum <= text_len(t));
	if (s->closed == s->n)
		assert_int_equal(sum, s->known);
}

static void wait_quiet(struct rig *r, unsigned *seed)
{
	size_t len = text_len(r->text);
	for (int turns = 0; syntax_is_behind(r->syntax, r->text, 0, len); turns++) {
		syntax_work(r->syntax, r->text, 0, len, rnd(seed, 3) ? 0 : 1);
		check_sound(r->syntax, r->text);
		assert_true(turns < 5000);
	}
}

static void expect_same(struct rig *r, const char *name)
{
	static uint8_t whole[MOST], parts[MOST];
	size_t len = text_len(r->text);
	char *code = text_slice(r->text, 0, len);
	assert_true(len <= MOST);
	syntax_highlight(r->language, code, len, whole);
	for (size_t line = 0; line < text_lines(r->text); line++) {
		size_t from = text_line_start(r->text, line), to = text_line_end(r->text, line);
		syntax_paint(r->syntax, r->text, from, to, parts + from);
	}
	for (size_t i = 0; i < len; i++)
		if (whole[i] != parts[i] && !strchr(" \n", code[i]))
			fail_msg("%s: byte %zu is %d by itself and %d as a whole: %.20s\nbehind %.200s", name,
					i, parts[i], whole[i], code + i, code + (i > 190 ? i - 190 : 0));
	free(code);
}

static void put(struct rig *r, size_t pos, const char *bytes)
{
	history_begin(r->history, (struct selection){0}, false);
	assert_int_equal(history_insert(r->history, pos, bytes, strlen(bytes)), 0);
	history_end(r->history, (struct selection){0});
}

static void write_program(struct rig *r, const struct lang *lang, unsigned *seed, int statements)
{
	size_t n = 0;
	while (n < sizeof(lang->statements) / sizeof(*lang->statements) && lang->statements[n])
		n++;
	for (int i = 0; i < statements; i++)
		put(r, text_len(r->text), lang->statements[rnd(seed, (unsigned)n)]);
}

static void test_parts_are_as_the_whole(void **state)
{
	unsigned seed = 7;
	(void)state;
	for (size_t l = 0; l < sizeof(langs) / sizeof(*langs); l++)
		for (int round = 0; round < 40; round++) {
			struct rig r;
			if (!set_up(&r, langs[l].name))
				skip();
			write_program(&r, &langs[l], &seed, 1 + (int)rnd(&seed, 60));
			wait_quiet(&r, &seed);
			expect_same(&r, langs[l].name);
			tear_down(&r);
		}
}

static void edit(struct rig *r, unsigned *seed)
{
	static const char *const bits[] = {"\"", "'", "\"\"\"", "`", "${", "}", "(", "\n", "x", "    ", "#",
			"cat <<EOF\n", "EOF\n", "/*", "*/", "else:\n", "fi\n", "\xFF", "def f():\n",
			"\n\n\n"};
	const char *bit = bits[rnd(seed, sizeof(bits) / sizeof(*bits))];
	size_t len = text_len(r->text), pos = rnd(seed, (unsigned)len + 1);
	size_t n = 1 + rnd(seed, rnd(seed, 8) ? 5 : 200);
	history_begin(r->history, (struct selection){0}, false);
	if (pos + n > len || rnd(seed, 3))
		assert_int_equal(history_insert(r->history, pos, bit, strlen(bit)), 0);
	else
		assert_int_equal(history_delete(r->history, pos, n), 0);
	check_sound(r->syntax, r->text);
}

/* Any bytes anywhere, parsed or not in between: it stays sound; and when they are taken back, all is as it
 * was. */
static void test_edits(void **state)
{
	unsigned seed = 11;
	(void)state;
	for (int round = 0; round < 240; round++) {
		const struct lang *lang = &langs[round % 3];
		struct rig r;
		struct selection ignored;
		unsigned edits = 1 + rnd(&seed, 12);
		if (!set_up(&r, lang->name))
			skip();
		write_program(&r, lang, &seed, 30);
		wait_quiet(&r, &seed);
		for (unsigned i = 0; i < edits; i++) {
			edit(&r, &seed);
			if (rnd(&seed, 2))
				syntax_work(r.syntax, r.text, rnd(&seed, 300), rnd(&seed, 900),
						rnd(&seed, 2));
			if (rnd(&seed, 4) == 0)
				wait_quiet(&r, &seed);
		}
		/* The edits go, and now and then some of the statements. */
		for (unsigned undos = edits + rnd(&seed, 6); undos > 0; undos--) {
			assert_true(history_undo(r.history, &ignored));
			check_sound(r.syntax, r.text);
		}
		wait_quiet(&r, &seed);
		expect_same(&r, lang->name);
		tear_down(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_parts_are_as_the_whole),
			cmocka_unit_test(test_edits),
	};
	grammars = grammars_create();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	grammars_destroy(grammars);
	return failed;
}
