/* SPDX-License-Identifier: MIT */
/* The same model, told in lines. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmocka_all.h"
#include "linear/linear.h"
#include "model/effect.h"
#include "model/msg.h"
#include "model/update.h"
#include "text/text.h"

static struct model m;
static struct linear l;
static struct effects effects;
static char *kept; /* what was told last */

static void send(struct msg msg)
{
	msg.now_ns = m.now_ns + 1000000;
	update(&m, &msg, &effects);
}

static void pass_on(void *user, struct msg *msg)
{
	(void)user;
	msg->now_ns = m.now_ns;
	update(&m, msg, &effects);
}

static void type(const char *line)
{
	linear_line(&l, &m, line);
}

/* What is told now. */
static const char *reported(void)
{
	if (linear_report(&l, &m)) {
		type("");
		linear_report(&l, &m);
	}
	linear_prompt(&l, &m);
	free(kept);
	kept = strdup(l.out.n ? l.out.bytes : "");
	writer_clear(&l.out);
	return kept;
}

static void expect(const char *text)
{
	const char *all = reported();

	if (!strstr(all, text))
		fail_msg("\"%s\" is not in \"%s\"", text, all);
}

static const struct effect *last_effect(enum effect_type wanted)
{
	for (size_t i = effects.n; i > 0; i--)
		if (effects.items[i - 1].type == wanted)
			return &effects.items[i - 1];
	return NULL;
}

static int begin(void **state)
{
	struct model_opts opts = {.rows = 24,
			.cols = 80,
			.lang = trm_lang_default(),
			.theme = "dark",
			.confirm = true,
			.grace_ms = 2000};

	(void)state;
	trm_limits_default(&opts.limits);
	assert_int_equal(model_init(&m, &opts), 0);
	linear_init(&l, true, pass_on, NULL);
	m.now_ns = 1000000000;
	send((struct msg){.type = MSG_SANDBOX_READY, .sandbox.name = "box", .sandbox.backend = "fake"});
	return 0;
}

static int finish(void **state)
{
	(void)state;
	free(kept);
	kept = NULL;
	effects_finish(&effects);
	linear_finish(&l);
	model_finish(&m);
	return 0;
}

/* Text that was there before is named before code is added to it, on a line of its own. */
static void the_buffer_of_typed_code_is_named(void **state)
{
	(void)state;
	type("x = 1");
	assert_null(strstr(reported(), "goes to the end of"));
	buffer_new(&m, &effects);
	editor_set_text(model_editor(&m), "y = 2", 5);
	type("z = 3");
	expect("typed code goes to the end of the python 2 buffer");
	type("a = 4");
	assert_null(strstr(reported(), "goes to the end of"));
	char *text = text_slice(model_editor(&m)->text, 0, text_len(model_editor(&m)->text));
	assert_string_equal(text, "y = 2\nz = 3\na = 4\n");
	free(text);
	type(":buffers");
	expect("4: the python 2 buffer, python, not saved, current: typed code goes here");
}

/* Answer the question, and let it run. */
static uint32_t run(const char *code)
{
	type(code);
	type(":run");
	if (dialog_is_open(&m.dialog))
		type("r");
	uint32_t serial = last_effect(EFFECT_RUN)->run.serial;
	send((struct msg){.type = MSG_RUN_ACCEPTED, .run.serial = serial, .run.number = serial});
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = serial});
	return serial;
}

static void print(uint32_t serial, const char *text)
{
	send((struct msg){.type = MSG_RUN_OUTPUT,
			.run.serial = serial,
			.run.output.stream = TRM_STDOUT,
			.run.output.bytes = text,
			.run.output.len = strlen(text)});
}

static void end(uint32_t serial, enum trm_status status)
{
	struct trm_result r = {.status = status,
			.number = serial,
			.lang = m.lang,
			.wall_us = 2000,
			.exit_code = status ? 3 : 0};

	send((struct msg){.type = MSG_RUN_DONE, .run.serial = serial, .run.result = &r});
}

/* ---- tests ---- */

/* Of a run that was over before this workbench came, nobody knows how long it took. */
static void an_unknown_time_is_not_shown(void **state)
{
	(void)state;
	uint32_t serial = run("x = 1");
	struct trm_result r = {.number = serial, .lang = m.lang, .is_wall_unknown = true};
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = serial, .run.result = &r});
	expect("ok, time unknown");
}

static void doing(uint64_t now_s, const char *words)
{
	m.now_ns = now_s * 1000000000;
	send((struct msg){.type = MSG_SANDBOX_PROGRESS, .text = words});
}

static void a_long_start_is_reported(void **state)
{
	(void)state;
	reported();
	send((struct msg){.type = MSG_SANDBOX_STARTING, .sandbox.name = "box"});
	reported();
	doing(100, "making the container");
	assert_string_equal(reported(), "");
	doing(102, "pulling the image x - layer 1");
	expect("pulling the image x - layer 1\npython> ");
	doing(103, "pulling the image x (3 s) - layer 2");
	assert_string_equal(reported(), "");
	doing(120, "pulling the image x - layer 3");
	expect("pulling the image x - layer 3\npython> ");
	doing(121, "making the container");
	expect("making the container\npython> ");
	send((struct msg){.type = MSG_SANDBOX_READY, .sandbox.name = "box", .sandbox.backend = "fake"});
	expect("sandbox box is ready\npython> ");
}

static void a_question_is_asked_in_words(void **state)
{
	(void)state;
	expect("sandbox box is ready\npython> ");
	type("print(1)");
	type(":run");
	const char *text = reported();
	assert_non_null(strstr(text, "question: Run this code?"));
	assert_non_null(strstr(text, "print(1)"));
	assert_non_null(strstr(text, "Run once (r)"));
	assert_non_null(strstr(text, "answer> "));
	type("perhaps");
	expect("please answer r, a, l, e or c\nanswer> "); /* and nothing is read out once more */
	type("n");
	assert_false(dialog_is_open(&m.dialog));
	type(":run");
	type("cancel");
	assert_false(dialog_is_open(&m.dialog));
	assert_null(last_effect(EFFECT_RUN));
	type(":run");
	type("y");
	assert_non_null(last_effect(EFFECT_RUN));
}

static void a_run_is_reported_once_and_plainly(void **state)
{
	(void)state;
	uint32_t serial = run("x");
	print(serial, "\033[31mred\033[0m\n10%\r20%");
	const char *text = reported();
	assert_non_null(strstr(text, "red\n"));
	assert_null(strstr(text, "%")); /* may still change */
	assert_null(strchr(text, '\033'));
	end(serial, TRM_STATUS_ERROR);
	text = reported();
	assert_non_null(strstr(text, "20%\nrun 1, python: error, exit code 3, 2.0 ms\n"));
	assert_null(strstr(text, "10%"));
	assert_null(strstr(text, "red"));
	assert_string_equal(reported(), "");
	type(":output");
	expect("red\n20%\n");
}

static void code_after_a_run_is_another_cell(void **state)
{
	(void)state;
	end(run("one()"), TRM_STATUS_OK);
	m.confirm = false;
	type("two()");
	type("three()");
	type(":run");
	assert_non_null(strstr(last_effect(EFFECT_RUN)->run.code, "two()\nthree()"));
	assert_null(strstr(last_effect(EFFECT_RUN)->run.code, "one()"));
	reported();
	type(":change 1 first()");
	type(":delete 3 4");
	type(":insert 1 zero()");
	type(":list");
	expect("1: zero()\n2: first()\n3: # %%\n");
	type(":find i");
	expect("2: first()\n1 line of the buffer\n");
	type(":find-in-buffers i");
	expect("python:2: first()\n1 line of all buffers\n");
	type(":replace /zero/none/");
	expect("replaced 1 time\n");
	type(":list 1");
	expect("1: none()\n");
	type(":undo");
	type(":list 1");
	expect("1: zero()\n");
	type(":delete 9");
	expect("no such lines");
}

/* What there is to lose is found out while the question stands there. */
static void a_question_is_reported_once(void **state)
{
	(void)state;
	end(run("x"), TRM_STATUS_OK);
	reported();
	type(":quit");
	const char *text = reported();
	assert_non_null(strstr(text, "question: Quit?"));
	assert_non_null(strstr(text, "asking"));
	assert_non_null(strstr(text, "looking ..."));
	send((struct msg){.type = MSG_FILES, .files.lines = ""});
	text = reported();
	assert_null(strstr(text, "Files")); /* nothing to lose, nothing to say */
	assert_null(strstr(text, "Quit?"));
	assert_null(strstr(text, "asking"));
	send((struct msg){.type = MSG_FILES, .files.lines = ""});
	assert_string_equal(reported(), "");
	type("what");
	expect("please answer ");
}

static void input_is_asked_for(void **state)
{
	(void)state;
	uint32_t serial = run("x");
	print(serial, "name? ");
	send((struct msg){.type = MSG_RUN_INPUT, .run.serial = serial, .run.input.prompt = "name? "});
	expect("the code asks: name? \ninput> ");
	type("Ada");
	assert_string_equal(last_effect(EFFECT_STDIN)->input.bytes, "Ada\n");
	print(serial, "hi Ada\n");
	const char *text = reported();
	assert_string_equal(text, "hi Ada\n");
	end(serial, TRM_STATUS_OK);
	reported();
}

static void an_interrupt_tells_its_steps(void **state)
{
	(void)state;
	run("x");
	reported();
	linear_interrupt(&l, &m);
	assert_non_null(last_effect(EFFECT_INTERRUPT));
	expect("in 2.0 s");
	end(m.run.serial, TRM_STATUS_INTERRUPTED);
	expect("interrupted");
	linear_interrupt(&l, &m);
	expect("nothing is running; :quit quits");
}

static void numbers_are_words(void **state)
{
	struct trm_metrics metrics = {
			.sample = {.known = TRM_METRIC_MEM | TRM_METRIC_MEM_LIMIT | TRM_METRIC_CPU_PERCENT,
					.cpu_percent = 12.5,
					.mem_limit_bytes = 512u << 20}};

	(void)state;
	for (uint64_t i = 1; i <= 4; i++) {
		metrics.sample.time_ns = i * 1000000000;
		metrics.sample.mem_bytes = i * (53u << 20);
		send((struct msg){.type = MSG_METRICS, .metrics = &metrics});
	}
	reported();
	type(":metrics");
	const char *text = reported();
	assert_non_null(strstr(text, "memory 212 of 512 MiB, rising\n"));
	assert_non_null(strstr(text, "CPU 12 percent of 1 core, steady\n"));
	assert_non_null(strstr(text, "disk unknown\n"));
}

static void names_change_no_terminal(void **state)
{
	(void)state;
	linear_say(&l, "%s", "a\x1b]0;b\a \xc2\x9d \xe2\x80\xae caf\xc3\xa9");
	expect("a\xef\xbf\xbd]0;b\xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd caf\xc3\xa9\n");
}

static void every_command_has_a_name(void **state)
{
	(void)state;
	reported();
	type(":select-all");
	type(":nonsense");
	assert_non_null(strstr(reported(), "there is no command \":nonsense\""));
	type(":help export");
	assert_non_null(strstr(reported(), ":export-html: "));
	type("::literal");
	char *text = text_slice(model_editor(&m)->text, 0, text_len(model_editor(&m)->text));
	assert_string_equal(text, ":literal\n");
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(a_long_start_is_reported),
			TEST(an_unknown_time_is_not_shown),
			TEST(a_question_is_asked_in_words),
			TEST(a_run_is_reported_once_and_plainly),
			TEST(code_after_a_run_is_another_cell),
			TEST(the_buffer_of_typed_code_is_named),
			TEST(a_question_is_reported_once),
			TEST(input_is_asked_for),
			TEST(an_interrupt_tells_its_steps),
			TEST(numbers_are_words),
			TEST(names_change_no_terminal),
			TEST(every_command_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
