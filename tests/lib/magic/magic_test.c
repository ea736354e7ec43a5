/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>
#include <terrarium/magic.h>

#include "cmocka_all.h"

static const struct trm_lang *row(const char *name)
{
	const struct trm_lang *lang = NULL;
	assert_int_equal(trm_lang_find(name, &lang, NULL), 0);
	return lang;
}

/* "LANG|code|plain|shell|libraries|timed"; "-": it is code as it stands; "!…": refused. To be freed. */
static char *read_as(const char *lang, const char *code)
{
	struct trm_magic m;
	struct trm_error why = {0};
	char libraries[200] = "", *out = NULL;
	int r = trm_magic_read(row(lang), code, strlen(code), &m, &why);
	if (r <= 0) {
		assert_null(m.code);
		assert_true(asprintf(&out, r < 0 ? "!%s" : "-%s", r < 0 ? why.msg : "") >= 0);
		return out;
	}
	for (char **name = m.libraries; name && *name; name++)
		snprintf(libraries + strlen(libraries), sizeof libraries - strlen(libraries), "%s%s",
				name == m.libraries ? "" : " ", *name);
	assert_int_equal(strlen(m.code), m.code_len);
	assert_true(asprintf(&out, "%s|%s|%s|%s|%s|%d", m.lang->name, m.code, m.plain,
				    m.shell ? m.shell : "-", libraries, m.is_timed)
			>= 0);
	trm_magic_finish(&m);
	return out;
}

static void expect(const char *lang, const char *code, const char *wanted)
{
	char *got = read_as(lang, code);
	assert_string_equal(got, wanted);
	free(got);
}

static void code_stays_as_it_is(void **state)
{
	(void)state;
	static const char *const python[] = {"", "x != 1", "x = (7\n% 3)", "x = 7 \\\n% 3",
			"'''\n!ls\n%pip x\n'''", "f(\"\"\"a\n!b\n\"\"\", [\n!x\n])", "x = '\\\n!ls'",
			"r'\\\n!ls'", "# a\n# !ls", "print('%d'\n%3)", "!= 3", "%", "!", "% 3"};
	static const char *const javascript[] = {"!f()", "!ls -la", "!x", "!new Foo", "!await x", "!a in b",
			"!function f(){}()", "!a instanceof B", "x\n% y", "x = 5\n!pip list",
			"!/a/g.test(x)"};
	for (size_t i = 0; i < sizeof python / sizeof *python; i++)
		expect("python", python[i], "-");
	for (size_t i = 0; i < sizeof javascript / sizeof *javascript; i++)
		expect("javascript", javascript[i], "-");
	expect("bash", "! grep x y", "-");
	expect("bash", "%%bash\nls", "-");
	expect("ruby", "!puts x", "-");
	expect("ruby", "%w[a b].each", "-");
	expect("ruby", "%%bash\necho 50%\n", "-");
	expect("r", "!x", "-");
}

static void commands_of_python(void **state)
{
	(void)state;
	expect("python", "!ls", "python|__magic__.shell(\"ls\", True)|   | ls||0");
	expect("python", "x = 1\n!ls -l \"a\"\ny",
			"python|x = 1\n__magic__.shell(\"ls -l \\\"a\\\"\")\ny|x = 1\n"
			"          \ny|     \n ls -l \"a\"\n ||0");
	expect("python", "if x:\n\t!ls\n",
			"python|if x:\n\t__magic__.shell(\"ls\")\n|if x:\n\t   \n|     \n\t ls\n||0");
	expect("python", "a, b = !ls", "python|a, b = __magic__.lines(\"ls\")|          |        ls||0");
	expect("python", "!a \\\n  b\nx",
			"python|__magic__.shell(\"a \\\\\\x0a  b\")\n\nx|    \n   \nx| a \\\n  b\n ||0");
	expect("python", "!echo {os.x} é",
			"python|__magic__.shell(\"echo {os.x} é\", True)|      (os.x)  | echo {os.x} é||0");
	expect("python", "%time f(x)\n%matplotlib inline\n%cd /tmp",
			"python|__magic__.time(\"f(x)\")\npass\n__magic__.cd(\"/tmp\")|      f(x)\n                  \n"
			"        |-||0");
}

static void packages(void **state)
{
	(void)state;
	expect("python", "%pip install -q six 'rich>=13,<14'\nimport six",
			"python|__magic__.installed(\"install -q six 'rich>=13,<14'\")\nimport six|                                  \nimport six|-|six rich>=13,<14|0");
	expect("python", "!pip install six",
			"python|__magic__.installed(\"install six\")|                |-|six|0");
	expect("python", "%pip list", "python|__magic__.pip(\"list\")|         |-||0");
	char *got = read_as("python", "%pip install -r file");
	assert_non_null(strstr(got, "not the option -r"));
	free(got);
	got = read_as("python", "%pip install https://example.org/x");
	assert_int_equal(*got, '!');
	free(got);
}

static void cells(void **state)
{
	(void)state;
	expect("python", "%%time\nx", "python|\nx|\nx|-||1");
	expect("python", "\n%%bash\nls\n!x", "bash|\n\nls\n!x|\n\nls\n!x|-||0");
	expect("javascript", "%%time\n%%python\n!ls",
			"python|\n\n__magic__.shell(\"ls\", True)|\n\n   |\n\n ls||1");
	expect("java", "%%sh\nls", "bash|\nls|\nls|-||0");
	expect("ruby", "%%time\nputs 1", "ruby|\nputs 1|\nputs 1|-||1");
	expect("python", "%%writefile -a a.txt\nx\"\n",
			"python|\n__magic__.write(True, \"a.txt\", \"x\\\"\\x0a\")\n|\n|-||0");
	expect("r", "%%writefile a\nEND_OF_FILE",
			"bash|\ncat > 'a' <<'END_OF_FILE_0'\nEND_OF_FILE\nEND_OF_FILE_0|\n"
			"cat > 'a' <<'END_OF_FILE_0'\nEND_OF_FILE\nEND_OF_FILE_0|-||0");
	expect("python", "%%time", "python|||-||1");
	expect("python", "%%unknown\nx", "-");
	expect("python", "%%bash --out x\nls", "-");
}

static void commands_of_others(void **state)
{
	(void)state;
	expect("javascript", "!pip list\n\n!./a b\n",
			"bash| pip list\n\n ./a b\n| pip list\n\n ./a b\n|-||0");
	expect("go", "!cat a", "bash| cat a| cat a|-||0");
	assert_true(trm_magic_is_command(row("python"), "!ls", 3));
	assert_true(trm_magic_is_command(row("bash"), "!ls", 3));
	assert_false(trm_magic_is_command(row("bash"), "! ls", 4));
	assert_false(trm_magic_is_command(row("javascript"), "!f()", 4));
	assert_true(trm_magic_is_command(row("javascript"), "!cat a", 6));
}

static void hints(void **state)
{
	char hint[400];
	(void)state;
	assert_true(trm_magic_hint(row("python"), "x\n%foo y", 8, hint, sizeof hint));
	assert_non_null(strstr(hint, "there is no %foo here"));
	assert_false(trm_magic_hint(row("python"), "!ls", 3, hint, sizeof hint));
	assert_false(trm_magic_hint(row("python"), "x = (7\n% 3)", 11, hint, sizeof hint));
	assert_true(trm_magic_hint(row("javascript"), "!ls -la", 7, hint, sizeof hint));
	assert_non_null(strstr(hint, "%%bash"));
	assert_true(trm_magic_hint(row("bash"), "%pip install x", 14, hint, sizeof hint));
	assert_false(trm_magic_hint(row("bash"), "! false", 7, hint, sizeof hint));
}

/* A line of 10 MB, and a million quotes, are read in a moment. */
static void long_lines(void **state)
{
	(void)state;
	size_t n = 10 << 20;
	char *code = malloc(n);
	struct trm_magic m;
	const char *const fillers[] = {"%", "!", "\"", "(", "\\", " ", "!\n", "%\n", "x = "};
	for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++) {
		for (size_t k = 0; k < n; k++)
			code[k] = fillers[i][k % strlen(fillers[i])];
		assert_true(trm_magic_read(row("python"), code, n, &m, NULL) >= 0);
		trm_magic_finish(&m);
		assert_true(trm_magic_read(row("go"), code, n, &m, NULL) >= 0);
		trm_magic_finish(&m);
	}
	free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(code_stays_as_it_is),
			cmocka_unit_test(commands_of_python),
			cmocka_unit_test(packages),
			cmocka_unit_test(cells),
			cmocka_unit_test(commands_of_others),
			cmocka_unit_test(hints),
			cmocka_unit_test(long_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
