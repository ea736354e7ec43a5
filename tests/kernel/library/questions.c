/* SPDX-License-Identifier: MIT */
/* Questions to the kernels through the whole library: what is answered, that nothing of the user's is run for
 * it, that a run does not wait for it, and how long it takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "support/bed.h"

static struct bed bed;

static const struct {
	const char *lang, *code;
} SETUPS[] = {
		{"python", "import math, os\nxalpha, xanadu = 1, [1, 2, 3]\nopen('data.csv', 'w').write('a')\n"
			   "class Robot:\n\tdef speak(self, words, loud=False):\n\t\t'Say it.'\n"
			   "\t@property\n\tdef trap(self): raise SystemExit('RAN')\n"
			   "robot = Robot()"},
		{"javascript", "const xalpha = 1; let xanadu = [1, 2, 3]; require('fs').writeFileSync('data.csv', 'a');\n"
			       "class Robot { speak(words, loud = false) {} get trap() { process.exit(9) } }\n"
			       "const robot = new Robot(); let ran = 0; function touch() { ran = 1; return [] }"},
		{"bash", "xalpha=1 xanadu=(1 2 3); echo a >data.csv; robot() { echo; }"},
};

/* `has` and `has_not` are looked for in the JSON of the answer. The cursor is at the end. */
static const struct {
	const char *lang;
	enum trm_question question;
	const char *code, *has, *has_not;
} CASES[] = {
		{"python", TRM_ASK_COMPLETE, "print(xa", "\"matches\":[\"xalpha\",\"xanadu\"]", NULL},
		{"python", TRM_ASK_COMPLETE, "xanadu.ap", "\"kinds\":[\"function\"]", NULL},
		{"python", TRM_ASK_COMPLETE, "robot.", "\"speak\"", "__init__"},
		{"python", TRM_ASK_COMPLETE, "from math import sq", "\"sqrt\"", NULL},
		{"python", TRM_ASK_COMPLETE, "open('da", "\"data.csv\"", NULL},
		{"python", TRM_ASK_COMPLETE, "f'{xal", "\"xalpha\"", NULL},
		{"python", TRM_ASK_COMPLETE, "# xal", "\"matches\":[]", NULL},
		{"python", TRM_ASK_INSPECT, "robot.speak", "speak(words, loud=False)", "self"},
		{"python", TRM_ASK_INSPECT, "robot.trap", "\"found\":false", NULL},
		{"python", TRM_ASK_VARIABLES, NULL, "\"name\":\"xanadu\",\"type\":\"list\",\"size\":\"3\"",
				NULL},
		{"javascript", TRM_ASK_COMPLETE, "f(xa", "\"matches\":[\"xalpha\",\"xanadu\"]", NULL},
		{"javascript", TRM_ASK_COMPLETE, "xanadu.pu", "\"kinds\":[\"function\"]", NULL},
		{"javascript", TRM_ASK_COMPLETE, "robot.", "\"speak\"", "__proto__"},
		{"javascript", TRM_ASK_COMPLETE, "'abc'.toUp", "\"toUpperCase\"", NULL},
		{"javascript", TRM_ASK_COMPLETE, "touch().", "\"matches\":[]", NULL},
		{"javascript", TRM_ASK_COMPLETE, "ra", "\"ran\"", NULL},
		{"javascript", TRM_ASK_COMPLETE, "require('child_p", "\"child_process\"", NULL},
		{"javascript", TRM_ASK_COMPLETE, "open('da", "\"data.csv\"", NULL},
		{"javascript", TRM_ASK_COMPLETE, "`${xal", "\"xalpha\"", NULL},
		{"javascript", TRM_ASK_COMPLETE, "// xal", "\"matches\":[]", NULL},
		{"javascript", TRM_ASK_INSPECT, "robot.speak", "speak(words, loud = false)", NULL},
		{"javascript", TRM_ASK_INSPECT, "robot.trap", "\"found\":false", NULL},
		{"javascript", TRM_ASK_INSPECT, "ran", "\"value\":\"0\"", NULL},
		{"javascript", TRM_ASK_IS_COMPLETE, "if (x) {", "\"incomplete\"", NULL},
		{"javascript", TRM_ASK_IS_COMPLETE, "1 + 1", "\"complete\"", "incomplete"},
		{"javascript", TRM_ASK_IS_COMPLETE, ")", "\"invalid\"", NULL},
		{"javascript", TRM_ASK_IS_COMPLETE, "await f([", "\"incomplete\"", NULL},
		{"javascript", TRM_ASK_IS_COMPLETE, "for await (const x of y) {", "\"incomplete\"", NULL},
		{"javascript", TRM_ASK_IS_COMPLETE, "import {", "\"incomplete\"", NULL},
		{"javascript", TRM_ASK_IS_COMPLETE, "'a \\", "\"incomplete\",\"indent\":\"\"", NULL},
		{"javascript", TRM_ASK_IS_COMPLETE, "'a", "\"invalid\"", NULL},
		{"javascript", TRM_ASK_IS_COMPLETE, "{ a: 1,\n  b: [", "\"incomplete\"", NULL},
		{"javascript", TRM_ASK_IS_COMPLETE, "{ a: 1, b: 2 }", "\"complete\"", "incomplete"},
		{"javascript", TRM_ASK_IS_COMPLETE, "try {\n}", "\"incomplete\"", NULL},
		{"javascript", TRM_ASK_VARIABLES, NULL,
				"\"name\":\"xanadu\",\"type\":\"Array\",\"size\":\"3\"", NULL},
		{"bash", TRM_ASK_COMPLETE, "echo $xa", "\"$xalpha\",\"$xanadu\"", NULL},
		{"bash", TRM_ASK_COMPLETE, "robo", "\"kinds\":[\"function\"]", NULL},
		{"bash", TRM_ASK_COMPLETE, "cat dat", "\"kinds\":[\"file\"]", NULL},
		{"bash", TRM_ASK_INSPECT, "xanadu", "\"type\":\"array\"", NULL},
		{"bash", TRM_ASK_VARIABLES, NULL, "\"name\":\"xanadu\",\"type\":\"array\",\"size\":3",
				"__trm"},
};

static char *answer;

static void on_answer(void *user, const char *json, const struct trm_error *why)
{
	(void)user;
	answer = strdup(json ? json : why->msg);
}

static bool has_answer(struct bed *b)
{
	(void)b;
	return answer;
}

/* Until the next question. */
static const char *ask(const char *lang, enum trm_question question, const char *code, size_t cursor)
{
	struct trm_error why;

	free(answer);
	answer = NULL;
	if (trm_session_ask(bed.session, bed_lang(lang), question, code, cursor, on_answer, NULL, &why) < 0)
		fail_msg("%s", why.msg);
	assert_true(bed_wait_for(&bed, has_answer, BED_DEADLINE_MS));
	return answer;
}

static int lie_down(void **state)
{
	(void)state;
	assert_true(bed_open(&bed, "local", NULL, NULL));
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(bed_run(&bed, SETUPS[i].lang, SETUPS[i].code)->status, TRM_STATUS_OK);
	return 0;
}

static int get_up(void **state)
{
	(void)state;
	free(answer);
	answer = NULL;
	bed_close(&bed);
	return 0;
}

static void all_are_answered(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
		const char *code = CASES[i].code;
		double before = bed_now_ms();
		const char *json = ask(CASES[i].lang, CASES[i].question, code,
				code ? strlen(code) : TRM_VARIABLES_WHOLE);
		double took = bed_now_ms() - before;
		if (!strstr(json, CASES[i].has) || (CASES[i].has_not && strstr(json, CASES[i].has_not)))
			fail_msg("%s: %s: %.400s", CASES[i].lang, code ? code : "variables", json);
		print_message("%5.1f ms  %s: %s\n", took, CASES[i].lang, code ? code : "variables");
	}
	/* Nothing was run for it. */
	bed_run(&bed, "javascript", "console.log(ran)");
	assert_string_equal(bed_stdout(&bed), "0\n");
}

static void names_alone_run_nothing(void **state)
{
	(void)state;
	bed_run(&bed, "python",
			"class Loud:\n\tdef __repr__(self): print('RAN'); return ''\n"
			"\tdef __len__(self): print('RAN'); return 0\nloud = Loud()");
	assert_non_null(strstr(ask("python", TRM_ASK_VARIABLES, NULL, TRM_VARIABLES_NAMES), "\"loud\""));
	bed_run(&bed, "python", "print('next')");
	assert_string_equal(bed_stdout(&bed), "next\n");
	assert_null(bed.late.s);
}

/* A value that takes its time to tell what it is does not hold up the next run for long. */
static void a_run_does_not_wait(void **state)
{
	struct trm_error why;

	(void)state;
	bed_run(&bed, "python",
			"import time\nclass Slow:\n\tdef __repr__(self): time.sleep(60); return ''\nslow = Slow()");
	free(answer);
	answer = NULL;
	assert_int_equal(trm_session_ask(bed.session, bed_lang("python"), TRM_ASK_VARIABLES, NULL, 0,
					 on_answer, NULL, &why),
			0);
	double before = bed_now_ms();
	const struct trm_result *r = bed_run(&bed, "python", "print(xalpha)");
	assert_int_equal(r->status, TRM_STATUS_OK);
	assert_true(bed_now_ms() - before < 30000);
	assert_non_null(answer);
}

static void reset_forgets(void **state)
{
	static const char *const gets[] = {"xalpha", "xalpha", "[[ ! $xalpha ]]"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(ask(SETUPS[i].lang, TRM_ASK_RESET, NULL, 0), "{}");
		const struct trm_result *r = bed_run(&bed, SETUPS[i].lang, gets[i]);
		assert_int_equal(r->status, i < 2 ? TRM_STATUS_ERROR : TRM_STATUS_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(all_are_answered, lie_down, get_up),
			cmocka_unit_test_setup_teardown(names_alone_run_nothing, lie_down, get_up),
			cmocka_unit_test_setup_teardown(a_run_does_not_wait, lie_down, get_up),
			cmocka_unit_test_setup_teardown(reset_forgets, lie_down, get_up),
	};

	if (!bed_works("local", NULL))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
