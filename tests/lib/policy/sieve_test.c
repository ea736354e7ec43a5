/* SPDX-License-Identifier: MIT */
#include "policy/sieve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "cmocka_all.h"

/* "<word>" has both boundaries, "-" none at all. */
static const char *words_text(const char *pattern)
{
	static char out[512];
	struct sieve_word words[SIEVE_PATTERN_WORDS];
	size_t n = sieve_words_of(pattern, words), len = 0;
	out[0] = '\0';
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(out + len, sizeof out - len, "%s%s%.*s%s", i ? " " : "",
				words[i].begins ? "<" : "", (int)words[i].n, words[i].at,
				words[i].ends ? ">" : "");
	return n ? out : "-";
}

static void knows_words_of_patterns(void **state)
{
	static const char *const CASES[][2] = {
			{"\\bos\\.\\w+\\s*\\(", "<os>"}, {"\\bos\\.(?:system|popen)\\s*\\(", "system popen"},
			{"\\bos\\.(?:exec\\w+|spawn\\w+)\\s*\\(", "exec spawn"},
			{"(?<![\\w.])open\\s*\\([^)]*,\\s*(?:mode\\s*=\\s*)?[rbf]*['\"][^'\"]*[wax+]",
					"<open>"},
			{"\\b__import__\\b|\\bimportlib\\b", "<__import__> <importlib>"},
			{"\\bpickle\\.loads?\\s*\\(", "<pickle>"},
			{"\\brm\\s+(?:-\\w+\\s+)*-\\w*[rR]\\w*\\s+(?:-\\w+\\s+)*/(?!\\w)", "<rm>"},
			{"abcd?x", "abc"}, {"abc+d", "abc"}, {"ab{0,1}cde", "cde"},
			{"(?:foo|bar)?baz", "baz"}, {"(?:foo|)x", "-"}, {"foo|b", "-"}, {"[f]oo\\.a", "oo>"},
			{"(a+)+[^a]{9}", "-"}, {"(?i)foo", "-"}, {"(?=foo)\\w+", "-"}, {"\\x66oo", "-"},
			{"\\Qfoo\\E", "-"}, {"[[:alpha:]]foo", "-"}, {"foo(", "-"}, {"foo)", "-"}, {"", "-"},
			{"ab{2", "-"},       /* no end of the repetition */
			{"ab+?cd*+e", "ab"}, /* lazy and possessive */
			{"[ab", "-"},        /* no end of the class */
			{"[\\", "-"}, {"[]ab]cd", "cd"}, {"[^]\\]]EF", "EF"}, {"[[a]XYZ", "XYZ"},
			{"(*COMMIT)ab", "-"}, {"ab\\", "-"}, /* nothing is escaped */
			{"\\b*ab", "-"}, {"((((((((ab))))))))", "ab"},
			{"(((((((((ab)))))))))", "-"}, /* too deep */
			{"a1|b2|c3|d4|e5|f6|g7|h8|a1|b2|c3|d4|e5|f6|g7|h8|a1|b2|c3|d4|e5|f6|g7|h8|a1|b2|c3|d4|e5|f6|g7|h8"
			 "|i9",
					"-"}, /* too many words */
	};
	(void)state;
	for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
		assert_string_equal(words_text(CASES[i][0]), CASES[i][1]);
}

static bool may_find(struct trm_policy *policy, const char *code)
{
	return sieve_may_find(policy, trm_lang_default(), code, strlen(code));
}

static void clean_code_is_known(void **state)
{
	struct trm_policy *policy = NULL;
	(void)state;
	assert_int_equal(trm_policy_load("strict", "/nonexistent", &policy, NULL), 0);
	assert_false(may_find(policy, "position = cost + closest\nprint(reopen, opens, system_of)\n"));
	assert_false(may_find(policy, ""));
	assert_true(may_find(policy, "import os"));
	assert_true(may_find(policy, "# os"));
	assert_true(may_find(policy, "__import__('o' + 's')"));
	assert_true(may_find(policy, "getattr(x, '\\x65val')"));
	trm_policy_free(policy);
}

/* Nothing is left out where words are not known, or too many to look for. */
static void unknown_patterns_let_everything_through(void **state)
{
	static char names[600][8];
	static char words[] = "ab|cd", intricate[] = "(?i)ab";
	struct trm_policy policy = {.n_patterns = 0};
	struct module modules[600];
	const struct trm_lang *bash;

	(void)state;
	assert_false(may_find(&policy, "x = 1"));
	assert_int_equal(trm_lang_find("bash", &bash, NULL), 0);
	assert_true(sieve_may_find(&policy, bash, "x=1", 3));
	memset(modules, 0, sizeof modules);
	for (size_t i = 0; i < 600; i++) {
		snprintf(names[i], sizeof names[i], "mod%zu", i);
		modules[i].name = names[i];
	}
	policy.modules = modules;
	policy.n_modules = 400;
	assert_false(may_find(&policy, "x = 1"));
	assert_true(may_find(&policy, "import mod399"));
	assert_false(may_find(&policy, "import mod3999 # _mod1"));
	policy.n_modules = 600;
	assert_true(may_find(&policy, "x = 1"));
	policy.n_modules = 1;
	names[0][1] = '\0'; /* too short to look for */
	assert_true(may_find(&policy, "x = 1"));
	policy.n_modules = 0;
	struct pattern patterns[400];
	memset(patterns, 0, sizeof patterns);
	for (size_t i = 0; i < 400; i++)
		patterns[i].text = words;
	policy.patterns = patterns;
	policy.n_patterns = 200;
	assert_false(may_find(&policy, "x = 1"));
	policy.n_patterns = 400;
	assert_true(may_find(&policy, "x = 1"));
	policy.n_patterns = 1;
	patterns[0].text = intricate;
	assert_true(may_find(&policy, "x = 1"));
}

static size_t found_in(struct trm_policy *policy, const char *code)
{
	struct trm_findings found;
	assert_int_equal(trm_policy_scan(policy, trm_lang_default(), code, strlen(code), &found, NULL), 0);
	size_t n = found.n;
	trm_findings_finish(&found);
	return n;
}

/* A comment with such a word changes no finding, but makes the sieve let the code through. */
static void nothing_is_missed(void **state)
{
	static const char *const CODES[] = {"import os", "import os as o\no.system('x')",
			"from os import system as s\ns()", "f = __import__\nf('o' 's')",
			"import importlib as i\ni.import_module('o' + 's').system('x')",
			"getattr(__builtins__, 'ev' + 'al')('1')", "__builtins__['ev' 'al']('1')",
			"import sys as y\ny.modules['o' + 's'].system('x')",
			"from sys import modules as m\nm['os'].remove('x')", "o\\\n= 1", "import \\\n  os",
			"e = eval\ne('1')", "x = open\nx('f', 'w')", "(o := eval)('1')",
			"\xF0\x9D\x93\xB8\xF0\x9D\x93\xBC.system('x')",
			"import \xF0\x9D\x93\xB8\xF0\x9D\x93\xBC", "f'{eval(1)}'", "import urllib . request",
			"import threading, json", "print('rm -rf /')", "x = 'format c:'",
			"def f():\n    return s('x')\nfrom os import system as s", "position = 1",
			"class open: pass\nopen()"};
	static const char *const PRESETS[] = {"minimal", "development", "educational", "data_science",
			"web_scraping", "production", "strict"};
	(void)state;
	for (size_t p = 0; p < sizeof PRESETS / sizeof *PRESETS; p++) {
		struct trm_policy *policy = NULL;
		assert_int_equal(trm_policy_load(PRESETS[p], "/nonexistent", &policy, NULL), 0);
		for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++) {
			char marked[256];
			snprintf(marked, sizeof marked, "%s\n# getattr", CODES[i]);
			assert_int_equal(found_in(policy, CODES[i]), found_in(policy, marked));
		}
		assert_false(may_find(policy, "x = 1")); /* every pattern of it has words */
		trm_policy_free(policy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(knows_words_of_patterns),
			cmocka_unit_test(clean_code_is_known),
			cmocka_unit_test(unknown_patterns_let_everything_through),
			cmocka_unit_test(nothing_is_missed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
