/* SPDX-License-Identifier: MIT */
#include <terrarium/policy.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "cmocka_all.h"

static struct trm_policy *load(const char *name)
{
	struct trm_policy *policy = NULL;
	struct trm_error why = {0};
	if (trm_policy_load(name, "/nonexistent/config.json", &policy, &why) < 0)
		fail_msg("%s", why.msg);
	return policy;
}

static struct trm_findings look(struct trm_policy *policy, const char *lang_name, const char *code)
{
	const struct trm_lang *lang;
	struct trm_findings found;
	struct trm_error why = {0};
	assert_int_equal(trm_lang_find(lang_name, &lang, NULL), 0);
	if (trm_policy_scan(policy, lang, code, strlen(code), &found, &why) < 0)
		fail_msg("%s", why.msg);
	return found;
}

/* How many findings the preset has in the code. */
static size_t count(const char *preset, const char *lang, const char *code)
{
	struct trm_policy *policy = load(preset);
	struct trm_findings found = look(policy, lang, code);
	size_t n = found.n;
	if (found.has_no_tree)
		print_message("(no grammar of %s: comments and strings count)\n", lang);
	trm_findings_finish(&found);
	trm_policy_free(policy);
	return n;
}

static bool has_trees(void)
{
	struct trm_policy *policy = load("strict");
	struct trm_findings found = look(policy, "python", "x");
	bool has = !found.has_no_tree;
	trm_findings_finish(&found);
	trm_policy_free(policy);
	return has;
}

static void test_imports_are_found_however_they_are_written(void **state)
{
	static const char *const python[] = {"import os", "import sys, os", "import os as o",
			"from os import path", "import os.path", "x = 1; import os", "if 1:\n\timport os",
			"import json, \\\n  os", "__import__('os')",
			"from importlib import import_module\nimport_module('os')",
			"import \xf0\x9d\x93\xb8s", "import \xef\xbd\x8f\xef\xbd\x93", "import o\xc5\xbf",
			"x = 'caf\xc3\xa9 \xff'; import os"};
	static const char *const javascript[] = {"require('child_process')",
			"import * as c from 'child_process'", "import 'node:child_process'",
			"await import(\"child_process\")", "const {exec} = require(`child_process`)"};
	(void)state;
	if (!has_trees())
		skip();
	for (size_t i = 0; i < sizeof python / sizeof *python; i++)
		if (!count("educational", "python", python[i]))
			fail_msg("not found: %s", python[i]);
	for (size_t i = 0; i + 1 < sizeof javascript / sizeof *javascript; i++)
		if (!count("educational", "javascript", javascript[i]))
			fail_msg("not found: %s", javascript[i]);
	assert_int_equal(count("educational", "bash", "x=1; /usr/bin/curl -s host | sh"), 1);
}

static void expect_found(const char *preset, const char *lang, const char *const *codes)
{
	for (; *codes; codes++)
		if (!count(preset, lang, *codes))
			fail_msg("the policy '%s' finds nothing in: %s", preset, *codes);
}

static void test_literal_names_are_found_however_they_are_spelled(void **state)
{
	static const char *const javascript[] = {"require(`child_process`)", "await import(`child_process`)",
			"module.require(\"child_process\")", "globalThis.require(\"child_process\")",
			"(require)(\"child_process\")", "require(/*y*/\"child_process\")",
			"(0, require)('child_process')", "require?.('child_process')",
			"process.getBuiltinModule('node:child_process')", "require('child' + '_process')",
			"require('\\x63hild_process')", "const r = require; r('child_process')",
			"const {getBuiltinModule: g} = process; g('child_process')",
			"function f() { return r('child_process') }\nconst r = module.require; f()",
			"import {createRequire as c} from 'module'; c('/')('child_process')",
			"export * from 'child_process'", NULL};
	static const char *const python[] = {"importlib.import_module('os')", "__import__(\"os\")",
			"__import__(name='o' 's')", "__import__(r'os')",
			"import importlib as i; i.import_module('os')",
			"from importlib import import_module as im\nim('os')", "f = __import__; f('os')",
			"def f(): return g('os')\ng = __import__\nf()", "builtins.__import__('os')",
			"(__import__)('\\x6fs')", "if (g := __import__): g('os')",
			"getattr(builtins, '__import__')('os')", NULL};
	static const char *const python_calls[] = {"import subprocess as s; s.run(1)",
			"from subprocess import run\nrun(1)", "from subprocess import run as r\nr(1)",
			"r = subprocess.run\nr(1)", "getattr(subprocess, 'run')(1)", "subprocess . run(1)",
			"sys.modules['subprocess'].run(1)", "e = eval\ne('1')", "builtins.eval('1')", NULL};
	static const char *const bash[] = {"/bin/rm -rf x", "\"rm\" -rf x", "r\\m -rf x", "$'r\\x6d' -r x",
			"r'm' -r x", "'rm' -rf x", "sudo /bin/rm -rf x", "env A=b nice -n 5 \"rm\" -rf x",
			"alias x=rm; x -rf y", "c=rm; $c -r x", "c='rm -r'; ${c} -r x", "x=$(\"rm\" -r y)",
			NULL};
	(void)state;
	if (!has_trees())
		skip();
	expect_found("educational", "javascript", javascript);
	expect_found("educational", "python", python);
	expect_found("production", "python", python_calls);
	expect_found("educational", "bash", bash);
	assert_int_equal(count("educational", "bash", "echo \"rm -rf x\"; ls /bin/rm"), 0);
	assert_int_equal(count("educational", "python", "def run(): pass\nrun(1)\nself.run()"), 0);
	assert_int_equal(
			count("production", "python", "from subprocess import run\nself.run()\nf(run=1)"), 1);
	assert_int_equal(count("educational", "javascript", "const r = x => x; r('child_process')"), 0);
}

static void test_a_place_is_found_once_per_rule(void **state)
{
	struct trm_policy *policy = load("production");
	struct trm_findings found = look(policy, "bash", "true\n  /bin/rm -rf x\n");
	(void)state;
	if (!found.has_no_tree) {
		assert_int_equal(found.n, 1);
		assert_int_equal(found.all[0].line, 2);
		assert_int_equal(found.all[0].column, 3);
		assert_string_equal(found.all[0].what, "/bin/rm");
	}
	trm_findings_finish(&found);
	found = look(policy, "python", "import os as o\no.system('rm')\n");
	if (!found.has_no_tree) {
		assert_int_equal(found.n, 2);
		assert_int_equal(found.all[1].line, 2);
		assert_string_equal(found.all[1].what, "o.system");
	}
	trm_findings_finish(&found);
	trm_policy_free(policy);
}

static void test_what_is_no_code_does_not_count(void **state)
{
	(void)state;
	if (!has_trees())
		skip();
	assert_int_equal(count("strict", "python", "# import os; os.system('x')\n"), 0);
	assert_int_equal(count("strict", "python", "print('import os; os.system(1); eval(2)')\n"), 0);
	assert_int_equal(count("strict", "python", "\"\"\"\nimport os\nos.system('x')\n\"\"\"\n"), 0);
	assert_int_equal(count("strict", "python", "osmosis = 1\nimport osmosis\n"), 0);
	assert_int_equal(count("strict", "javascript", "// require('fs')\n/* eval('1') */ 'require(\"fs\")'"),
			0);
	assert_int_equal(count("strict", "bash", "# rm -rf x\necho 'rm -rf x'\n"), 0);
	/* but code in a string is code */
	assert_int_equal(count("strict", "python", "print(f'{eval(x)}')\n"), 1);
	assert_int_equal(count("strict", "javascript", "`${eval(x)}`"), 1);
	assert_int_equal(count("strict", "bash", "echo \"$(eval x)\""), 1);
}

static void test_findings_tell_place_severity_and_reason(void **state)
{
	struct trm_policy *policy = load("production");
	struct trm_findings found = look(policy, "python", "x = 'é'\nif x:\n    é = eval('1')\n");
	struct trm_error why = {0};
	char line[300];
	(void)state;
	assert_int_equal(found.n, 1);
	assert_int_equal(found.all[0].line, 3);
	assert_int_equal(found.all[0].column, 9);
	assert_int_equal(found.all[0].severity, TRM_MEDIUM);
	assert_true(found.all[0].is_refused);
	assert_string_equal(trm_finding_describe(&found.all[0], line, sizeof line),
			"line 3: eval: runs code that is made while it runs (medium)");
	assert_int_equal(trm_policy_refusal(policy, &found, &why), TRM_EPERM);
	assert_non_null(strstr(why.msg, "'production'"));
	trm_findings_finish(&found);
	trm_policy_free(policy);
}

#define POLICY(threshold) \
	"{\"threshold\":\"" threshold "\",\"patterns\":[" \
	"{\"pattern\":\"one\",\"severity\":\"low\",\"reason\":\"r1\"}," \
	"{\"pattern\":\"two\",\"severity\":\"medium\",\"reason\":\"r2\"}," \
	"{\"pattern\":\"three\",\"severity\":\"high\",\"reason\":\"r3\"}]}"

static size_t refused(const char *json)
{
	struct trm_policy *policy;
	assert_int_equal(trm_policy_parse("p", json, strlen(json), &policy, NULL), 0);
	struct trm_findings found = look(policy, "python", "one\ntwo\nthree\n");
	size_t n = found.n_refused;
	assert_int_equal(found.n, 3);
	assert_int_equal(found.worst, TRM_HIGH);
	trm_findings_finish(&found);
	trm_policy_free(policy);
	return n;
}

static void test_the_threshold_decides(void **state)
{
	(void)state;
	assert_int_equal(refused(POLICY("safe")), 0);
	assert_int_equal(refused(POLICY("low")), 3);
	assert_int_equal(refused(POLICY("medium")), 2);
	assert_int_equal(refused(POLICY("high")), 1);
}

static void refuse(const char *json, const char *words)
{
	struct trm_policy *policy = NULL;
	struct trm_error why = {0};
	assert_int_equal(trm_policy_parse("mine", json, strlen(json), &policy, &why), TRM_EINVAL);
	if (!strstr(why.msg, words))
		fail_msg("'%s' does not contain '%s'", why.msg, words);
}

static void test_mistakes_are_named(void **state)
{
	struct trm_policy *policy;
	struct trm_error why = {0};
	(void)state;
	refuse("[", "not valid JSON");
	refuse("{\"about\": \"a\\u0000b\"}", "\\u0000 is not allowed in a string here");
	refuse("{}", "\"threshold\": must be");
	refuse("{\"threshold\":\"extreme\"}", "\"safe\", \"low\"");
	refuse("{\"threshold\":\"low\",\"patern\":[]}", "\"patern\": is an unknown key");
	refuse("{\"threshold\":\"low\",\"patterns\":[{\"pattern\":\"(\",\"reason\":\"r\",\"severity\":\"low\"}]}",
			"patterns[0], \"pattern\":");
	refuse("{\"threshold\":\"low\",\"modules\":[{\"name\":\"x\",\"severity\":\"low\"}]}",
			"modules[0], \"reason\": must be a string");
	refuse("{\"threshold\":\"low\",\"modules\":[3]}", "modules[0]");
	assert_int_equal(trm_policy_load("nosuch", "/nonexistent/config.json", &policy, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "none, minimal, development"));
}

static void expect_command(const char *json, const char *const *argv, const char *what)
{
	struct trm_policy *policy;
	struct trm_findings found;
	assert_int_equal(trm_policy_parse("mine", json, strlen(json), &policy, NULL), 0);
	assert_int_equal(trm_policy_scan_command(policy, argv, &found, NULL), 0);
	if (!found.n_refused || strcmp(found.all[0].what, what) != 0)
		fail_msg("%s: '%s' is not what is refused", argv[1], what);
	trm_findings_finish(&found);
	trm_policy_free(policy);
}

static void test_scripts_in_commands(void **state)
{
	static const char json[] = "{\"threshold\":\"high\",\"patterns\":["
				   "{\"pattern\":\"\\\\bevil\\\\b\",\"reason\":\"r\",\"severity\":\"high\"},"
				   "{\"pattern\":\"\\\\bodd\\\\b\",\"reason\":\"r\",\"severity\":\"low\"}]}";
	static const char *const commands[][6] = {
			{"bash", "-c", "evil x"},
			{"/bin/bash", "-c", "-x", "evil x"},
			{"bash", "-eo", "pipefail", "-xc", "evil x"},
			{"bash", "+x", "--rcfile", "f", "-c", "evil x"},
			{"bash", "-c", "--", "evil x"},
			{"python3", "-Ic", "evil()"},
			{"python3", "-cevil()"},
			{"python3", "-W", "ignore", "-Xdev", "-c", "evil()"},
			{"node", "-r", "m", "--eval", "evil()"},
			{"node", "--print=evil()"},
			{"bash", "-c", "odd x", "a", "evil"},
	};
	(void)state;
	if (!has_trees())
		skip();
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		expect_command(json, commands[i], "evil");
}

static void test_commands_and_packages(void **state)
{
	struct trm_policy *policy = load("production");
	struct trm_findings found;
	const char *const curl[] = {"/usr/bin/curl", "http://x", NULL}, *const quoted[] = {"echo",
											"a; curl x", NULL};
	const char *const python[] = {"python3", "-c", "import subprocess", NULL};
	(void)state;
	if (!has_trees())
		skip();
	assert_int_equal(trm_policy_scan_command(policy, curl, &found, NULL), 0);
	assert_int_equal(found.n_refused, 1);
	trm_findings_finish(&found);
	assert_int_equal(trm_policy_scan_command(policy, quoted, &found, NULL), 0);
	assert_int_equal(found.n, 0);
	trm_findings_finish(&found);
	assert_int_equal(trm_policy_scan_command(policy, python, &found, NULL), 0);
	assert_int_equal(found.n, 1);
	trm_findings_finish(&found);
	assert_int_equal(trm_policy_scan_package(policy, trm_lang_default(), "Socket==1.0", &found, NULL), 0);
	assert_int_equal(found.n_refused, 1);
	trm_findings_finish(&found);
	assert_int_equal(trm_policy_scan_package(policy, trm_lang_default(), "sockets", &found, NULL), 0);
	assert_int_equal(found.n, 0);
	trm_findings_finish(&found);
	trm_policy_free(policy);
}

static void test_what_cannot_be_judged_is_said(void **state)
{
	static const char json[] =
			"{\"threshold\":\"low\",\"patterns\":[{\"pattern\":\"(a+)+[^a]{9}\",\"severity\":"
			"\"low\",\"reason\":\"repeats\"}]}";
	static const char code[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
	struct trm_policy *policy;
	struct trm_findings found;
	struct trm_error why = {0};
	(void)state;
	assert_int_equal(trm_policy_parse("slow", json, sizeof json - 1, &policy, NULL), 0);
	assert_int_equal(trm_policy_scan(policy, trm_lang_default(), code, sizeof code - 1, &found, &why),
			TRM_ETIMEDOUT);
	assert_non_null(strstr(why.msg, "the policy 'slow' cannot check this code"));
	trm_policy_free(policy);
}

static void test_a_policy_may_be_like_another(void **state)
{
	static const char json[] = "{\"like\":\"production\",\"patterns\":[{\"pattern\":\"\\\\bodd\\\\b\","
				   "\"reason\":\"r\",\"severity\":\"high\"}]}";
	struct trm_policy *policy = NULL;
	(void)state;
	assert_int_equal(trm_policy_parse("mine", json, strlen(json), &policy, NULL), 0);
	assert_int_equal(trm_policy_threshold(policy), TRM_LOW);
	struct trm_findings found = look(policy, "python", "import os\nodd\n");
	assert_int_equal(found.n_refused, 2);
	trm_findings_finish(&found);
	trm_policy_free(policy);
	refuse("{\"like\":\"nosuch\"}", "\"like\": there is no such policy");
	refuse("{\"like\":5}", "\"like\": must be the name of a policy");
	refuse("{\"like\":\"mine\"}", "\"like\": there is no such policy");
}

static void test_entries_can_be_added(void **state)
{
	struct trm_policy *policy = load("none");
	struct trm_policy_pattern pattern = {.pattern = "\\bodd\\b", .reason = "r", .severity = TRM_HIGH};
	struct trm_policy_module module = {.name = "json", .reason = "r", .severity = TRM_LOW};
	struct trm_error why = {0};
	(void)state;
	assert_int_equal(trm_policy_add_pattern(policy, &pattern, NULL), 0);
	assert_int_equal(trm_policy_add_module(policy, &module, NULL), 0);
	struct trm_findings found = look(policy, "python", "import json\nodd\n");
	assert_int_equal(found.n, 2);
	trm_findings_finish(&found);
	pattern.pattern = "(";
	assert_int_equal(trm_policy_add_pattern(policy, &pattern, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "missing closing parenthesis"));
	module.reason = "";
	assert_int_equal(trm_policy_add_module(policy, &module, &why), TRM_EINVAL);
	trm_policy_free(policy);
	/* nothing was left half done */
	policy = load("none");
	for (int i = 0; i < 1000; i++)
		assert_int_equal(trm_policy_add_module(policy,
						 &(struct trm_policy_module){"m", "r", TRM_LOW, NULL}, NULL),
				0);
	module.reason = "r";
	assert_int_equal(trm_policy_add_module(policy, &module, &why), TRM_ETOOBIG);
	trm_policy_free(policy);
}

static void test_languages_without_grammars_have_comments(void **state)
{
	static const char json[] =
			"{\"threshold\":\"low\",\"modules\":[{\"name\":\"net\",\"reason\":\"r\",\"severity\":\"low\"}]}";
	static const struct {
		const char *lang, *code;
		size_t n;
	} cases[] = {{"go", "import (\n\t\"net/http\"\n)\n// \"net\"\n", 1},
			{"go", "import (\"fmt\"; \"net/http\"); f(\"net\")\n", 1},
			{"java", "/* \nimport net.x;\n*/\n", 0},
			{"java", "String s = \"/*\";\nimport net.x;\n", 1},
			{"ruby", "# require 'net'\nrequire 'net/http'\n", 1},
			{"r", "library(net) # library(net)\n", 1},
			{"cpp", "// #include <net.h>\n#include <net/if.h>\n", 1},
			{"typescript", "// import 'net'\nimport {a} from 'node:net'\n", 1}};
	struct trm_policy *policy;
	(void)state;
	assert_int_equal(trm_policy_parse("p", json, strlen(json), &policy, NULL), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trm_findings found = look(policy, cases[i].lang, cases[i].code);
		if (found.n != cases[i].n)
			fail_msg("%zu findings, not %zu, in: %s", found.n, cases[i].n, cases[i].code);
		assert_true(found.has_no_tree);
		trm_findings_finish(&found);
	}
	trm_policy_free(policy);
}

/* Each preset knows how each language starts programs, deletes and so on. */
static void test_presets_know_every_language(void **state)
{
	static const char *const every[] = {"minimal", "development", "educational", "data_science",
			"web_scraping", "production", "strict"};
	static const struct {
		const char *lang, *destroys, *harmless, *reaches; /* the last one: found by "strict" */
	} cases[] = {
			{"python", "import os\nos.system('rm -rf /')\n", "print('system')\n", "open('x')\n"},
			{"javascript", "require('child_process').exec('rm -rf /')\n", "console.log(1)\n",
					"fetch('x')\n"},
			{"bash", "rm -rf /\n", "echo hello\n", "kill 1\n"},
			{"typescript", "import {exec} from 'child_process'\nexec('rm -rf /')\n",
					"let a = 1\n", "import 'dgram'\n"},
			{"ruby", "system('rm -rf /')\n", "puts [1, 2].sum # system('x')\n",
					"File.read('x')\n"},
			{"r", "system(\"rm -rf /\")\n", "system.time(sum(1:9))\n", "Sys.getenv('x')\n"},
			{"java", "Runtime.getRuntime().exec(\"rm -rf /\");\n", "System.out.println(1);\n",
					"import java.io.File;\n"},
			{"go", "exec.Command(\"rm\", \"-rf\", \"/\").Run()\n", "fmt.Println(1)\n",
					"import (\"fmt\"; \"os\")\n"},
			{"c", "int main() { system(\"rm -rf /\"); }\n", "int main() { puts(\"x\"); }\n",
					"#include <dlfcn.h>\n"},
			{"cpp", "int main() { std::system(\"rm -rf /\"); }\n",
					"int f() { return a.remove(1); }\n", "#include <thread>\n"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
		struct trm_policy *policy = load(every[i]);
		for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
			struct trm_findings found = look(policy, cases[k].lang, cases[k].destroys);
			if (found.n == 0)
				fail_msg("%s finds nothing in: %s", every[i], cases[k].destroys);
			trm_findings_finish(&found);
			found = look(policy, cases[k].lang, cases[k].harmless);
			if (found.n > 0)
				fail_msg("%s finds something in: %s", every[i], cases[k].harmless);
			trm_findings_finish(&found);
			found = look(policy, cases[k].lang, cases[k].reaches);
			if (!strcmp(every[i], "strict") && found.n == 0)
				fail_msg("strict finds nothing in: %s", cases[k].reaches);
			trm_findings_finish(&found);
		}
		trm_policy_free(policy);
	}
}

static void test_safe_is_what_may_run(void **state)
{
	struct trm_policy *policy = load("production");
	struct trm_findings found;
	const struct trm_lang *python = trm_lang_default();
	(void)state;
	assert_true(trm_policy_is_safe(policy, python, "6 * 7", 5, NULL, NULL));
	assert_false(trm_policy_is_safe(policy, python, "import os", 9, &found, NULL));
	assert_int_equal(found.n, 1);
	trm_findings_finish(&found);
	trm_policy_free(policy);
}

/* Each place where a match may begin costs little; all of them together would take hours. */
static void test_a_long_line_ends(void **state)
{
	static const char json[] =
			"{\"threshold\":\"low\",\"patterns\":[{\"pattern\":\"a{0,60}a{0,60}[bc]\",\"severity\":"
			"\"low\",\"reason\":\"repeats\"}]}";
	enum { LONG = 10 << 20 };
	struct trm_policy *policy;
	struct trm_findings found;
	struct trm_error why = {0};
	char *code = malloc(LONG);
	(void)state;
	assert_non_null(code);
	memset(code, 'a', LONG);
	assert_int_equal(trm_policy_parse("slow", json, sizeof json - 1, &policy, NULL), 0);
	assert_int_equal(
			trm_policy_scan(policy, trm_lang_default(), code, LONG, &found, &why), TRM_ETIMEDOUT);
	trm_policy_free(policy);
	free(code);
}

static void take_name(void *user, const char *name, const char *description, bool is_own)
{
	size_t *n = user;
	struct trm_policy *policy = load(name);
	assert_true(*description);
	assert_false(is_own);
	trm_policy_free(policy);
	++*n;
}

static void test_every_shipped_policy_is_sound(void **state)
{
	size_t n = 0;
	(void)state;
	assert_int_equal(trm_policy_list("/nonexistent/config.json", take_name, &n, NULL), 0);
	assert_int_equal(n, 8);
}

static void test_without_a_grammar_everything_counts(void **state)
{
	(void)state;
	setenv("TERRARIUM_GRAMMARS", "/nonexistent", 1);
	struct trm_policy *policy = load("development");
	for (int again = 0; again < 2; again++) {
		struct trm_findings found = look(policy, "bash", "true");
		assert_true(found.has_no_tree);
		assert_string_equal(found.why_no_tree,
				"there is no bash.so in /nonexistent, which TERRARIUM_GRAMMARS names");
		trm_findings_finish(&found);
	}
	trm_policy_free(policy);
	assert_int_equal(count("educational", "python", "import sys, os\n"), 1);
	assert_int_equal(count("educational", "python", "x = __import__('os')\n"), 1);
	assert_int_equal(count("educational", "javascript", "const c = require('node:child_process')\n"), 1);
	assert_int_equal(count("educational", "bash", "true; curl x"), 1);
	assert_int_equal(count("educational", "python", "x = 1; import os\n"), 1);
	assert_int_equal(count("educational", "python", "if 1: import os\n"), 1);
	assert_int_equal(count("educational", "python", "# import os\n"), 1);
	assert_int_equal(count("educational", "javascript", "(require)(/*y*/`child_process`)\n"), 1);
	assert_int_equal(count("educational", "typescript", "globalThis.require('child_process')\n"), 1);
	unsetenv("TERRARIUM_GRAMMARS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_imports_are_found_however_they_are_written),
			cmocka_unit_test(test_literal_names_are_found_however_they_are_spelled),
			cmocka_unit_test(test_a_place_is_found_once_per_rule),
			cmocka_unit_test(test_what_is_no_code_does_not_count),
			cmocka_unit_test(test_findings_tell_place_severity_and_reason),
			cmocka_unit_test(test_the_threshold_decides),
			cmocka_unit_test(test_mistakes_are_named),
			cmocka_unit_test(test_scripts_in_commands),
			cmocka_unit_test(test_commands_and_packages),
			cmocka_unit_test(test_what_cannot_be_judged_is_said),
			cmocka_unit_test(test_a_policy_may_be_like_another),
			cmocka_unit_test(test_entries_can_be_added),
			cmocka_unit_test(test_languages_without_grammars_have_comments),
			cmocka_unit_test(test_presets_know_every_language),
			cmocka_unit_test(test_safe_is_what_may_run),
			cmocka_unit_test(test_a_long_line_ends),
			cmocka_unit_test(test_every_shipped_policy_is_sound),
			cmocka_unit_test(test_without_a_grammar_everything_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
