/* SPDX-License-Identifier: MIT */
/* vi's keys. The cases are run in a real vim, too, where there is one: what we expect is what it does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cells/event.h"
#include "cmocka_all.h"
#include "editor/editor_internal.h"
#include "editor/vi.h"
#include "text/text.h"
#include "text/walk.h"

static struct editor e;
static struct clipboard clipboard;
static struct vi v;
static uint64_t now_ns;
static uint32_t seed; /* of random keys */

static void key(uint32_t k, uint8_t mods)
{
	struct event ev = {.type = EVENT_KEY, .key = k, .mods = mods, .time_ns = now_ns += 10000000};
	enum vi_request request = VI_NOTHING;

	if (!vi_wants(&v, &ev)) {
		vi_typed(&v, &e, &ev);
		if (k == K_ENTER)
			edit_enter(&e, 0);
		else if (k == K_BACKSPACE)
			edit_erase(&e, MOVE_LEFT);
		else
			editor_handle(&e, &ev);
		return;
	}
	vi_key(&v, &e, &ev, &request);
	if (request == VI_REPEAT) {
		uint32_t keys[VI_KEYS];
		size_t n = v.n_last;
		memcpy(keys, v.last, sizeof keys);
		v.n_typed = 0;
		v.has_failed = false;
		v.is_repeating = true;
		for (size_t i = 0; i < n && !v.has_failed; i++)
			key(keys[i] < ' ' ? keys[i] | 0x60 : keys[i], keys[i] < ' ' ? MOD_CTRL : 0);
		v.is_repeating = false;
	}
}

/* \x1b is Escape, \r Enter, \b Backspace; other control characters are keys with Ctrl. */
static void keys(const char *text)
{
	for (; *text; text++)
		if (*text == '\x1b' || *text == '\r' || *text == '\b')
			key(*text == '\r' ? K_ENTER : *text == '\b' ? K_BACKSPACE : K_ESCAPE, 0);
		else
			key(*text < ' ' ? (uint32_t)*text | 0x60 : (uint32_t)*text,
					*text < ' ' ? MOD_CTRL : 0);
}

struct vi_case {
	const char *text, *keys, *want; /* the cursor begins at the first character */
};

static const struct vi_case cases[] = {
		{"one two three\n", "dw", "two three\n"},
		{"one two three\n", "2dw", "three\n"},
		{"one two three\n", "d2w", "three\n"},
		{"one two three\n", "wdw", "one three\n"},
		{"one two three\n", "wwdw", "one two \n"},
		{"one, two\n", "dw", ", two\n"},
		{"one,x two\n", "dW", "two\n"},
		{"one two three\n", "wcwTWO\x1b", "one TWO three\n"},
		{"one two three\n", "cw1\x1bw.w.", "1 1 1\n"},
		{"one two\n", "de", " two\n"},
		{"one two\n", "$db", "one o\n"},
		{"one two\n", "wD", "one \n"},
		{"one two\n", "wC2\x1b", "one 2\n"},
		{"one two\n", "d$", "\n"},
		{"  one\n", "$d^", "  e\n"},
		{"  one\n", "$d0", "e\n"},
		{"abc\n", "x", "bc\n"},
		{"abc\n", "2x", "c\n"},
		{"abc\n", "9x", "\n"},
		{"abc\n", "$x", "ab\n"},
		{"abc\n", "$X", "ac\n"},
		{"abc\n", "xp", "bac\n"},
		{"abc\n", "x3p", "baaac\n"},
		{"abc\n", "lxP", "abc\n"},
		{"a\nb\nc\n", "dd", "b\nc\n"},
		{"a\nb\nc\n", "2dd", "c\n"},
		{"a\nb\nc\n", "dj", "c\n"},
		{"a\nb\nc\n", "Gdk", "a\n"},
		{"a\nb\nc\n", "ddp", "b\na\nc\n"},
		{"a\nb\nc\n", "jddP", "a\nb\nc\n"},
		{"a\nb\nc\n", "yyjp", "a\nb\na\nc\n"},
		{"a\nb\nc\n", "yyP", "a\na\nb\nc\n"},
		{"a\nb\nc\n", "yy2p", "a\na\na\nb\nc\n"},
		{"a\nb\nc\n", "jccx\x1b", "a\nx\nc\n"},
		{"a\nb\nc\n", "jdgg", "c\n"},
		{"a\nb\nc\n", "jyyGp", "a\nb\nc\nb\n"},
		{"a\nb\nc\n", "ddj.", "b\n"},
		{"one\ntwo\n", "J", "one two\n"},
		{"one\n    two\nthree\n", "3J", "one two three\n"},
		{"f(\n)\n", "J", "f()\n"},
		{"abc\n", "rx", "xbc\n"},
		{"abc\n", "2rx", "xxc\n"},
		{"abc\n", "9rx", "abc\n"},
		{"aBc\n", "~~~", "AbC\n"},
		{"aBc\n", "3~", "AbC\n"},
		{"abc\n", "ix\x1b", "xabc\n"},
		{"abc\n", "ax\x1b", "axbc\n"},
		{"  abc\n", "$Ix\x1b", "  xabc\n"},
		{"abc\n", "Ax\x1b", "abcx\n"},
		{"abc\n", "ox\x1b", "abc\nx\n"},
		{"abc\n", "Ox\x1b", "x\nabc\n"},
		{"abc\n", "ox\x1b..", "abc\nx\nx\nx\n"},
		{"abc\n", "sxy\x1b", "xybc\n"},
		{"abc\ndef\n", "Sx\x1b", "x\ndef\n"},
		{"abc\n", "xxu", "bc\n"},
		{"abc\n", "xxuu", "abc\n"},
		{"abc\n", "xxuu\x12", "bc\n"},
		{"a(b)c\n", "f(x", "ab)c\n"},
		{"a.b.c\n", "2f.x", "a.bc\n"},
		{"a.b.c\n", "dt.", ".b.c\n"},
		{"a.b.c\n", "df.", "b.c\n"},
		{"a.b.c.d\n", "f.;x", "a.bc.d\n"},
		{"a.b.c.d\n", "$F.x", "a.b.cd\n"},
		{"a.b.c.d\n", "$T.x", "a.b.c.\n"},
		{"a.b.c.d\n", "$F.;,x", "a.b.cd\n"},
		{"f(a, (b))\n", "f(d%", "f\n"},
		{"f(a, (b))\n", "$d%", "f\n"},
		{"a\nb\n\nc\n", "d}", "\nc\n"},
		{"a\nb\n\nc\n", "G{x", "a\nb\n\nc\n"},
		{"one two three\n", "wvex", "one  three\n"},
		{"one two three\n", "vlld", " two three\n"},
		{"one two three\n", "$vbd", "one two \n"},
		{"one two three\n", "wvey$p", "one two threetwo\n"},
		{"a\nb\nc\n", "Vjd", "c\n"},
		{"a\nb\nc\n", "Vyjp", "a\nb\na\nc\n"},
		{"a\nb\nc\n", "jVcx\x1b", "a\nx\nc\n"},
		{"one two\n", "vwcX\x1b", "Xwo\n"},
		{"one two\n", "wveohx", "one\n"},
		{"abcd\n", "lv\x1bx", "acd\n"},
		{"a\nb\nc\nd\n", "3Gx", "a\nb\n\nd\n"},
		{"a\nb\nc\nd\n", "Gggx", "\nb\nc\nd\n"},
		{"a b c d e\n", "2w2x", "a b d e\n"},
		{"x = f(1)\n", "wwcwg\x1b", "x = g(1)\n"},
		{"ab\ncd\n", "$jx", "ab\nc\n"},
		{"abc\nd\nefg\n", "$jjx", "abc\nd\nef\n"},
		{"a\n\nb\n", "wx", "a\n\nb\n"},
		{"one\n", "yiw", "one\n"},
		{"one\n", "d\x1bx", "ne\n"},
		{"foo world\n", "wciwBAR\x1b", "foo BAR\n"},
		{"foo world bar\n", "wdaw", "foo bar\n"},
		{"foo world\n", "wdaw", "foo\n"},
		{"foo  bar baz\n", "lll diw", "foobar baz\n"},
		{"foo bar baz\n", "fodaw.", "baz\n"},
		{"foo bar baz qux\n", "d2aw", "baz qux\n"},
		{"a.b c\n", "diw", ".b c\n"},
		{"a.b c\n", "diW", " c\n"},
		{"  foo\n", "wdaw", "  \n"},
		{"x = \"one two\" + y\n", "ci\"z\x1b", "x = \"z\" + y\n"},
		{"x = \"one two\" + y\n", "fodi\"", "x = \"\" + y\n"},
		{"x = 'one' + y\n", "foda'", "x = + y\n"},
		{"f(a, g(b), c)\n", "fadi(", "f()\n"},
		{"f(a, g(b), c)\n", "fbdi)", "f(a, g(), c)\n"},
		{"f(a, g(b), c)\n", "fbd2i(", "f()\n"},
		{"f(a, g(b), c)\n", "fbdab", "f(a, g, c)\n"},
		{"f(a)\n", "$di(", "f()\n"},
		{"x[i + 1]\n", "fici[0\x1b", "x[0]\n"},
		{"x[i + 1]\n", "fida[", "x\n"},
		{"if {\n  a\n  b\n}\n", "jdi{", "if {\n}\n"},
		{"if { a }\n", "fadiB", "if {}\n"},
		{"a\nb\n\nc\n", "dip", "\nc\n"},
		{"a\nb\n\nc\n", "dap", "c\n"},
		{"a\n\nb\nc\n", "Gdap", "a\n"},
		{"a\nb\n\nc\n", "yipGp", "a\nb\n\nc\na\nb\n"},
		{"a\nb\n\nc\n", "vipd", "\nc\n"},
		{"one two\n", "wviwd", "one \n"},
		{"f(a, b)\n", "fbvi(y$p", "f(a, b)a, b\n"},
		{"abc\n", "diz", "abc\n"},
		{"foo bar\n", "ciwx\x1bw.", "x x\n"},
		{"one two\n", "3\x1bx", "ne two\n"},
		{"abcdefg\n", "x3.", "efg\n"},
		{"a b c d e f\n", "d2w3.", "f\n"},
		{"a b c d e f\n", "2dw.", "e f\n"},
		{"abc\n", "3ix\x1b", "xxxabc\n"},
		{"abc\n", "2axy\x1b", "axyxybc\n"},
		{"abc\n", "2Ax\x1bu", "abc\n"},
		{"abc\n", "2ox\x1b", "abc\nx\nx\n"},
		{"abc\n", "2Ox\x1biy\x1b", "x\nyx\nabc\n"},
		{"abc\n", "2ix\x1bl2.", "xxxxabc\n"},
		{"aBc dEf\n", "ve~", "AbC dEf\n"},
		{"aBc dEf\n", "veU", "ABC dEf\n"},
		{"aBc dEf\n", "Vu", "abc def\n"},
		{"abc\ndef\n", "vjrx", "xxx\nxef\n"},
		{"a\nb\nc\n", "VjJ", "a b\nc\n"},
		{"a\nb\nc\nd\n", "VjjJ", "a b c\nd\n"},
		{"one two\n", "yewvep", "one one\n"},
		{"one two\n", "yewvepx", "one on\n"},
		{"a\nb\nc\n", "yyjVp", "a\na\nc\n"},
		{"a\nb\nc\n", "yyjVpp", "a\na\nb\nc\n"},
		{"abc\nd\n", "yyjvp", "abc\n\nabc\n\n"},
		{"ab\ncd\nef\n", "ylVjp", "a\nef\n"},
		{"a\nb\nc\n", "vjD", "c\n"},
		{"a\nb\nc\n", "vYp", "a\na\nb\nc\n"},
		{"a\nb\nc\n", "vjCx\x1b", "x\nc\n"},
		{"a b\n  c d\ne\n", "w2dw", "a d\ne\n"},
		{"a b\n  c d\ne\n", "wdw", "a \n  c d\ne\n"},
		{"a\nb\n\nc\n", "d}p", "\na\nb\nc\n"},
		{"ab\nc\n\nd\n", "ld}", "a\n\nd\n"},
		{"a\nb\nc\n", "2d$", "c\n"},
		{"a\nb\n", "}x", "a\n\n"},
		{"x = f(a)\n", "ci(b\x1b", "x = f(b)\n"},
		{"a\n  \nb\n", "dap", "b\n"},
		{"abc def\n", "lyyp", "abc def\nabc def\n"},
		{"abc def\n", "lyyx", "ac def\n"},
		/* one change is one step of undo */
		{"one two\n", "xcwa b\x1bu", "ne two\n"},
		{"abc\n", "xsde\x1bu", "bc\n"},
		{"abc\n", "xSde\x1bu", "bc\n"},
		{"a.b\n",
				"xict.y\x1b"
				"0ct.y z\x1bu",
				"ct.y.b\n"},
		{"abc\n", "xoone two\rthree\x1bu", "bc\n"},
		{"abc\n", "xOone\x1bu", "bc\n"},
		{"abc\n", "xAone two\x1bu", "bc\n"},
		{"abc\n", "x3pu", "bc\n"},
		{"abc\n", "xA de\x1b.u", "bc de\n"},
		{"abc\n", "x3ide\x1bu", "bc\n"},
		{"abc\n", "x2ode\x1bu", "bc\n"},
		{"a b c\n", "cwx y\x1bww.uu", "a b c\n"},
		{"a b c\n", "cwx y\x1bww.uu\x12", "x y b c\n"},
		{"abc\ndef\n", "xvjcone\x1bu", "bc\ndef\n"},
		{"abc\ndef\n", "xVjcone\x1bu", "bc\ndef\n"},
		{"abc\ndef\n", "xVj>u", "bc\ndef\n"},
		{"a\nb\nc\n", "x3Ju", "\nb\nc\n"},
		{"abc\n", "x2~u", "bc\n"},
		{"a\nb\n", "yyjVpu", "a\nb\n"},
		{"abc\n", "yyp3pu", "abc\nabc\n"},
		/* operators of case */
		{"one two\n", "wgUiwx", "one WO\n"},
		{"One TWO\n", "wguiw", "One two\n"},
		{"One tWO\n", "wg~~", "oNE Two\n"},
		{"  one two\n", "wwgUUx", "  NE TWO\n"},
		{"one\ntwo\n", "lgUgUx", "NE\ntwo\n"},
		{"ONE\nTWO\n", "2guux", "ne\ntwo\n"},
		{"a\nb\n\nc\n", "gUapx", "\nB\n\nc\n"},
		{"one two\n", "gUwwx", "ONE wo\n"},
		{"one two three\n", "gU2wx", "NE TWO three\n"},
		{"one two\n", "$gUbx", "one Wo\n"},
		{"one two\n", "gU$u", "one two\n"},
		{"a b c\n", "gUlw.w.", "A B C\n"},
		{"f(ab)\n", "gUi(x", "f(B)\n"},
		{"one two\n", "vegUwx", "ONE wo\n"},
		{"one\ntwo\n", "jgUggx", "NE\nTWO\n"},
		{"a\nb\n\nc\n", ">ip.", "        a\n        b\n\nc\n"},
		{"    a\n    b\n\nc\n", "<ap", "a\nb\n\nc\n"},
		/* keys with Ctrl, and named ones */
		{"abc\n", "xxuu\x12\x12", "c\n"},
		{"abc\n", "xxuu2\x12", "c\n"},
		{"one two\n",
				"Athree four\x17"
				"5\x1b",
				"one twothree 5\n"},
		{"one two\n",
				"Athree\x17\x17"
				"5\x1b",
				"one 5\n"},
		{"one two\n", "A f(a.b)\x17\x17\x1b", "one two f(a.\n"},
		{"one two\n",
				"A three\x15"
				"5\x1b",
				"one two5\n"},
		{"one two\n",
				"A\x15"
				"5\x1b",
				"5\n"},
		{"  one two\n",
				"A\x15"
				"5\x1b",
				"  5\n"},
		{"  one\n",
				"A\x15\x15"
				"5\x1b",
				"5\n"},
		{"one\ntwo\n",
				"ji\x17"
				"5\x1b",
				"one5two\n"},
		{"one\ntwo\n",
				"Aa b\x17"
				"c\x1bj.",
				"onea c\ntwoa c\n"},
		{"abc\n", "3ixy z\x17w\x1b", "xy wxy wxy wabc\n"},
		{"abc\n", "lr\r", "a\nc\n"},
		/* what random keys have found */
		{"\nabc\n", "sk\x1b", "k\nabc\n"},
		{"\nabc\n", "ciwk\x1b", "k\nabc\n"},
		{"\nabc\n", "dw", "abc\n"},
		{"abc\n", "J", "abc\n"},
		{"a\nb\n", "j2D", "a\nb\n"},
		{"a\nb\n\nc\n", "3D", "c\n"},
		{"a\nb\n", "j2dd", "a\nb\n"},
		{"a\n\nb\n", "j>>", "a\n\nb\n"},
		{"  ab\n", "Sc\x1b", "  c\n"},
		{"  ab\n", "Oc\x1b", "  c\n  ab\n"},
		{"  ab\n", "o\x1bx", "  ab\n\n"},
		{"abc\n", "$2~", "abC\n"},
		{"a\nb(c)\n", "di(", "a\nb()\n"},
		{"a\nb\nc\nd\n", "50%x", "a\n\nc\nd\n"},
		{"a b\nc\n", "A d\x1bjxu\x12kx", " b d\n\n"},
		{"ab\ncd\n", "lVyx", "b\ncd\n"},
		{"ab\ncd\n", "lvjy$px", "ab\ncd\ncd\n"},
		{"a\n", "V2>", "        a\n"},
		{"        a\nb\n", "Vj2<", "a\nb\n"},
		{"a\nb\n", "yyjV2p", "a\na\na\n"},
		{"ab cd\n", "yewvePbvep", "ab ab\n"},
		{"one two\n", "ylwve3p", "one ooo\n"},
		/* "." after a visual command takes as much */
		{"one two three\n", "viwdw.", "  three\n"},
		{"ab cd ef\n", "vlcx\x1bw.w.", "x x x\n"},
		{"abc\ndef\nghi\njkl\n", "lvjdj.", "af\ngl\n"},
		{"a\nb\nc\nd\ne\n", "VjJj.", "a b\nc d\ne\n"},
		{"a\nb\nc\nd\n", "Vj>jj.", "    a\n    b\n    c\n    d\n"},
		{"abc\ndef\n", "lv$ry0j0.", "ayy\nyyy\n"},
		{"abcd\nefgh\n", "vlUj.", "ABcd\nEFgh\n"},
		/* objects turn whole lines into characters, and paragraphs the other way */
		{"one two\n", "wViwd", "one \n"},
		{"f(a)\n", "flVi(d", "f()\n"},
		{"a\nb\n\nc\n", "vipbx", "b\n\nc\n"},
		/* counts that go too far */
		{"a\nb\n", "9Gx", "a\n\n"},
		{"a\nb\n", "9ggx", "a\n\n"},
		{"a\nb\n", "9D", ""},
		{"a b\nc\n", "j9dWix\x1b", "a b\nx\n"},
		{"abc\n", "x2J.", "c\n"},
		{"ab\n", "lx2rz.", "\n"},
		{"a b\nc\nd\n", "2Cx.\x1bj.", "x.\nd\n"}, /* what is typed in it is no command */
		/* lines that are opened */
		{"a\n", "2o\x1bix\x1b", "a\n\nx\n"},
		{"    a\n", "2o\x1bix\x1b", "    a\n\nx\n"},
		{"one two\n", "wox\x1bux", "one wo\n"},
		{"one two\n", "wOx\x1bux", "one wo\n"},
		{"one two\n", "wox\x1bu\x12x", "one wo\nx\n"},
		/* columns */
		{"abc\nd\nefghi\n", "$jjx", "abc\nd\nefgh\n"},
		{"abc\ndef\n", "jlgUkx", "AC\nDEF\n"},
		{"abcd\nefgh\n", "lvl\x1bjx", "abcd\nefh\n"},
		{"abc\ndef\n", "$ x", "abc\nef\n"},
		{"abc\ndef\n", "j\bx", "ab\ndef\n"},
		{"a\n   \nb\n", "j^x", "a\n  \nb\n"},
		{"a \nb\n", "J", "a b\n"},
		{"a\n\nb\n", "3J", "a b\n"},
		{"  \nword two\n", "daw", " two\n"},
		{"abc\n", "chx\x1b", "xabc\n"},
		{"abc\n", "ylhdhp", "aabc\n"},
};

/* A motion fails in them, and the keys after it are commands of their own. */
static const struct vi_case failing[] = {
		{"a\nb\n", "d-x", "\nb\n"},
		{"a\nb\n", "G+x", "a\n\n"},
		{"a\nb\n", "Gjx", "a\n\n"},
		{"ab\ncd\n", "lkx", "a\ncd\n"},
		{"ab cd\n", "wwwx", "ab c\n"},
		{"ab cd\n", "eeex", "ab c\n"},
};

static void start(const char *text)
{
	assert_int_equal(editor_init(&e, NULL, &clipboard), 0);
	assert_int_equal(text_insert(e.text, 0, text, strlen(text)), 0); /* no step of undo */
	v = (struct vi){.mode = VI_NORMAL};
}

static char *result(void)
{
	static char out[4096];

	out[text_copy(e.text, 0, out, sizeof out - 1)] = '\0';
	return out;
}

static size_t count_wrong(const struct vi_case *c, size_t n)
{
	size_t n_wrong = 0;

	for (size_t i = 0; i < n; i++) {
		start(c[i].text);
		keys(c[i].keys);
		if (strcmp(result(), c[i].want) != 0) {
			print_error("%s typed in \"%s\" made \"%s\", not \"%s\"\n", c[i].keys, c[i].text,
					result(), c[i].want);
			n_wrong++;
		}
		editor_finish(&e);
		clipboard_finish(&clipboard);
	}
	return n_wrong;
}

static void it_does_what_vi_does(void **state)
{
	(void)state;
	assert_int_equal(count_wrong(cases, sizeof cases / sizeof *cases), 0);
	assert_int_equal(count_wrong(failing, sizeof failing / sizeof *failing), 0);
}

/* ---- a real vim ---- */

static void write_file(const char *dir, size_t i, const char *text)
{
	char path[64];

	snprintf(path, sizeof path, "%s/%zu", dir, i);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *read_file(const char *dir, size_t i)
{
	static char got[4096];
	char path[64];

	snprintf(path, sizeof path, "%s/%zu", dir, i);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	got[fread(got, 1, sizeof got - 1, f)] = '\0';
	fclose(f);
	return got;
}

/* Type the keys of each case in vim, in a file of its own. They come as from a keyboard: undo has its
 * steps, and a motion that fails leaves the keys after it. Returns how many cases differ from what
 * is wanted. */
static size_t count_other_in_vim(const struct vi_case *c, size_t n)
{
	char dir[] = "/tmp/terrarium-vi-XXXXXX", path[64], command[256];
	size_t n_other = 0;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/script", dir);
	FILE *script = fopen(path, "w");
	assert_non_null(script);
	fputs(":set sw=4 ts=4 et ai bs=indent,eol,start noswapfile\r", script);
	for (size_t i = 0; i < n; i++) {
		write_file(dir, i, c[i].text);
		fprintf(script, ":e! %s/%zu\r:call cursor(1,1)\r%s\x1b\x1b\x1b:w!\r", dir, i, c[i].keys);
	}
	fputs(":qa!\r", script);
	fclose(script);
	snprintf(command, sizeof command,
			"timeout 300 vim -u NONE -i NONE -N -n --not-a-term -T dumb "
			"<%s/script >/dev/null 2>&1",
			dir);
	(void)!system(command);
	for (size_t i = 0; i < n; i++) {
		const char *got = read_file(dir, i);
		if (strcmp(got, c[i].want) != 0) {
			print_error("vi: %s typed in \"%s\" makes \"%s\", not \"%s\"\n", c[i].keys, c[i].text,
					got, c[i].want);
			n_other++;
		}
	}
	snprintf(command, sizeof command, "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	return n_other;
}

static void need_vim(void)
{
	if (system("vim --version >/dev/null 2>&1") != 0)
		skip();
}

static void real_vi_agrees(void **state)
{
	(void)state;
	need_vim();
	assert_int_equal(count_other_in_vim(cases, sizeof cases / sizeof *cases), 0);
	assert_int_equal(count_other_in_vim(failing, sizeof failing / sizeof *failing), 0);
}

/* ---- random keys ---- */

enum { RANDOM_CASES = 300, RANDOM_KEYS = 96, RANDOM_TEXT = 4096 };

static const char *pick(const char *const *from, size_t n)
{
	return from[(seed = seed * 1103515245u + 12345u) / 65536 % n];
}
#define PICK(array) pick(array, sizeof(array) / sizeof *(array))

/* Commands in any order, each whole: what begins one mode ends it. */
static void make_keys(char out[RANDOM_KEYS])
{
	static const char *const counts[] = {"", "", "", "", "2", "3"};
	static const char *const motions[] = {"h", "l", "w", "b", "e", "W", "B", "E", "^", "$", "j", "k", "G",
			"gg", "+", "-", "fa", "t(", "Fo", "T ", ";", ",", "{", "}", "%"};
	/* vim lets an operator that takes no text change what is at the cursor, so it gets no motion that may
	 * stay there. */
	static const char *const targets[] = {"l", "w", "b", "e", "W", "E", "$", "j", "k", "G", "gg", "+",
			"-", "fa", "t(", "Fo", "}", "%"};
	static const char *const objects[] = {"iw", "aw", "iW", "aW", "i(", "a(", "i\"", "a\"", "ip", "ap"};
	static const char *const operators[] = {"d", "y", "gu", "gU", "g~", ">"};
	static const char *const doubled[] = {"dd", "yy", "cc1\x1b", ">>", "guu", "gUU", "g~~"};
	static const char *const plain[] = {
			"x", "X", "D", "Y", "p", "P", "J", "~", "rz", "u", "u", "u\x12", "."};
	static const char *const inserts[] = {
			"i", "a", "I", "A", "O", "s", "S", "C", "cw", "ciw", "cb", "c$"};
	static const char *const typed[] = {"k\x1b", "q r\x1b", "a b\27c\x1b", "z\x15y\x1b", "\x1b"};
	static const char *const visual[] = {"d", "y", "c2\x1b", "~", "u", "U", "J", "r-", ">", "p", "\x1b"};

	/* There is something to put, to repeat and to find again. */
	snprintf(out, RANDOM_KEYS, "ylfo0xu");
	for (size_t k = 0; k < 5; k++) {
		char *at = out + strlen(out);
		const char *const kinds[] = {"m", "o", "O", "D", "x", "i", "v"};
		size_t room = RANDOM_KEYS - (size_t)(at - out);
		const char *count = PICK(counts), *motion = PICK(motions), *kind = PICK(kinds);
		switch (*kind) {
		case 'm': snprintf(at, room, "%s%s", count, motion); break;
		case 'o': snprintf(at, room, "%s%s", PICK(operators), PICK(targets)); break;
		case 'O': snprintf(at, room, "%s%s", PICK(operators), PICK(objects)); break;
		case 'D': snprintf(at, room, "%s%s", count, PICK(doubled)); break;
		case 'x': snprintf(at, room, "%s%s", count, PICK(plain)); break;
		case 'i': snprintf(at, room, "%s%s", PICK(inserts), PICK(typed)); break;
		default: snprintf(at, room, "%s%s%s", seed & 0x10000 ? "v" : "V", motion, PICK(visual));
		}
	}
}

/* TERRARIUM_VI_SEED=N tries others. Only the last newline may differ. */
static void real_vi_agrees_on_random_keys(void **state)
{
	static const char text[] =
			"one two(a, b) \"c d\"\nthree\n\n    four five.six\n    x = [1, (2)]\n\nend of it\n";
	static char made[RANDOM_CASES][RANDOM_KEYS], want[RANDOM_CASES][RANDOM_TEXT];
	static struct vi_case random[RANDOM_CASES];
	const char *other = getenv("TERRARIUM_VI_SEED");

	(void)state;
	need_vim();
	seed = other ? (uint32_t)atoi(other) : 1;
	for (size_t i = 0; i < RANDOM_CASES; i++) {
		make_keys(made[i]);
		start(text);
		keys(made[i]);
		snprintf(want[i], RANDOM_TEXT, "%s", result());
		editor_finish(&e);
		clipboard_finish(&clipboard);
		random[i] = (struct vi_case){text, made[i], want[i]};
	}
	size_t n_other = count_other_in_vim(random, RANDOM_CASES);
	print_message("%zu of %d random cases differ\n", n_other, RANDOM_CASES);
	assert_true(n_other <= RANDOM_CASES / 50);
}

static void keys_with_ctrl_are_the_key_maps(void **state)
{
	struct event ev = {.type = EVENT_KEY, .key = K_F1};

	(void)state;
	start("a\n");
	assert_false(vi_wants(&v, &ev));
	ev = (struct event){.type = EVENT_KEY, .key = 'p', .mods = MOD_CTRL};
	assert_false(vi_wants(&v, &ev));
	ev = (struct event){.type = EVENT_KEY, .key = K_ESCAPE};
	assert_false(vi_wants(&v, &ev));
	keys("i");
	ev = (struct event){.type = EVENT_KEY, .key = 'x'};
	assert_false(vi_wants(&v, &ev));
	assert_string_equal(vi_mode_name(&v), "INSERT");
	v.mode = VI_OFF;
	assert_false(vi_wants(&v, &ev));
	editor_finish(&e);
}

static void a_count_begins_where_the_cursor_has_erased_to(void **state)
{
	(void)state;
	start("abcd\nef\n");
	keys("$3i");
	key(K_BACKSPACE, 0);
	keys("xy\x1b");
	assert_string_equal(result(), "abxyxyxyd\nef\n");
	keys("3o");
	key(K_BACKSPACE, 0); /* no new line */
	keys("z\x1b");
	assert_string_equal(result(), "abxyxyxydz\nef\n");
	editor_finish(&e);
}

/* j and k go by the rows of a wrapped line, and stay where there is none. */
static void rows_of_a_wrapped_line_are_moved_by(void **state)
{
	(void)state;
	start("0123456789012345678901234567890123456789\n");
	e.wraps = true;
	e.rows = 10;
	e.cols = 16;
	keys("llj");
	size_t second = e.sel.cursor;
	assert_true(second > 2 && second < 20);
	keys("9j");
	size_t last = e.sel.cursor;
	assert_true(last > second && last < 40);
	keys("j");
	assert_int_equal(e.sel.cursor, last);
	keys("9k");
	assert_int_equal(e.sel.cursor, 2);
	keys("k");
	assert_int_equal(e.sel.cursor, 2);
	editor_finish(&e);
}

/* Visual mode has positions in the text, which something else may change. */
static void visual_mode_ends_when_the_text_changes(void **state)
{
	static const char *const visual[] = {"rz", "~", "u", "U", "d", "c", "y", ">", "J", "p", "P", "o", "$",
			"w", "j", "iw", "ap", "gU", "\x06", "D", "r\r"};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof visual / sizeof *visual; i++) {
		start("a\n");
		keys("yy2000p");
		keys(i % 2 ? "vG$" : "VG");
		editor_undo(&e);
		assert_int_equal(text_len(e.text), 2);
		keys(visual[i / 2]);
		assert_int_not_equal(v.mode, VI_VISUAL);
		assert_int_not_equal(v.mode, VI_VISUAL_LINES);
		assert_true(e.sel.cursor <= text_len(e.text) && e.sel.anchor <= text_len(e.text));
		assert_true(text_len(e.text) <= 8);
		editor_finish(&e);
		clipboard_finish(&clipboard);
	}
}

/* A reload is a step of undo, after which other characters are where the cursor was. */
static void redo_of_a_reload_stays_between_characters(void **state)
{
	static const char wide[] = "\xC3\xA9\xE4\xB8\xAD x\n";

	(void)state;
	start("abcdefg\n");
	keys("$hhh");
	assert_int_equal(editor_set_text(&e, wide, strlen(wide)), 0);
	keys("u\x12");
	assert_int_not_equal(text_byte(e.text, e.sel.cursor) & 0xC0, 0x80);
	keys("u0lll3i");
	assert_int_equal(editor_set_text(&e, wide, strlen(wide)), 0);
	keys("x\x1b");
	assert_int_equal(text_broken_bytes(e.text, &(size_t){0}), 0);
	editor_finish(&e);
}

static void visual_mode_ends_in_another_buffer(void **state)
{
	static struct editor other;

	(void)state;
	start("a\n");
	v = (struct vi){.mode = VI_VISUAL, .cursor = 20, .of = &other, .version = editor_version(&e)};
	vi_follow(&v, &e, true);
	assert_int_equal(v.mode, VI_NORMAL);
	keys("rz");
	assert_string_equal(result(), "z\n");
	editor_finish(&e);
}

static void what_is_put_over_a_selection_may_hold_any_byte(void **state)
{
	char got[16];

	(void)state;
	start("one\n");
	assert_int_equal(text_insert(e.text, 0, "a\0b ", 4), 0);
	keys("yW$viwp");
	assert_int_equal(text_copy(e.text, 0, got, sizeof got), 9);
	assert_memory_equal(got, "a\0b a\0b \n", 9);
	assert_int_equal(clipboard.len, 3);
	assert_memory_equal(clipboard.text, "one", 3);
	assert_non_null(clipboard.older[0].text);
	editor_finish(&e);
	clipboard_finish(&clipboard);
}

/* Any keys in any order: the cursor stays in the text. */
static void no_keys_lead_astray(void **state)
{
	static const char all[] =
			"hjklwbeWBE0^$GgfFtTrxXdDcCyYpPuJ~iaoOIAvV.;,%{}<>sS123\"'[`\x1b\x1b\x1b\r()a =!zUg"
			"\x12\x17\x15\x04\x06\x02\x05\x19";
	(void)state;
	seed = 1;
	start("one (two)\n\n  three\nfour");
	for (int i = 0; i < 200000; i++) {
		char one[2] = {all[(seed = seed * 1103515245u + 12345u) / 65536 % (sizeof all - 1)], '\0'};
		keys(one);
		assert_true(e.sel.cursor <= text_len(e.text) && e.sel.anchor <= text_len(e.text));
		if (text_len(e.text) > 2000) {
			editor_set_text(&e, "a\n", 2);
			v = (struct vi){.mode = VI_NORMAL};
		}
	}
	editor_finish(&e);
	clipboard_finish(&clipboard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(it_does_what_vi_does),
			cmocka_unit_test(real_vi_agrees),
			cmocka_unit_test(real_vi_agrees_on_random_keys),
			cmocka_unit_test(keys_with_ctrl_are_the_key_maps),
			cmocka_unit_test(a_count_begins_where_the_cursor_has_erased_to),
			cmocka_unit_test(rows_of_a_wrapped_line_are_moved_by),
			cmocka_unit_test(visual_mode_ends_when_the_text_changes),
			cmocka_unit_test(visual_mode_ends_in_another_buffer),
			cmocka_unit_test(redo_of_a_reload_stays_between_characters),
			cmocka_unit_test(what_is_put_over_a_selection_may_hold_any_byte),
			cmocka_unit_test(no_keys_lead_astray),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
