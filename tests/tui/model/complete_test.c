/* SPDX-License-Identifier: MIT */
/* Completion and inspection without a kernel: keys and answers in, text and effects out. */
#include "model/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/inspect.h"
#include "syntax/syntax.h"
#include "text/text.h"
#include "tui/model/desk.h"

/* The question that was asked last; NULL: none since the last call. */
static const struct effect *asked(void)
{
	for (size_t i = fx.n; i-- > 0;)
		if (fx.items[i].type == EFFECT_ASK)
			return &fx.items[i];
	return NULL;
}

static void answer(const char *json)
{
	const struct effect *e = asked();

	assert_non_null(e);
	uint32_t serial = e->ask.serial;
	effects_clear(&fx);
	send((struct msg){.type = MSG_ANSWER,
			.answer.serial = serial,
			.answer.json = json,
			.answer.why = json ? NULL : "no"});
}

static const char *text(void)
{
	static char out[400];

	out[text_copy(model_editor(&m)->text, 0, out, sizeof out - 1)] = '\0';
	return out;
}

static const char *marked_variable(void)
{
	static struct variable_line line;

	return variable_line_current(&m, &line) ? line.row->name : "";
}

/* The candidates shown, apart by blanks. */
static const char *offered(void)
{
	static char out[600];
	const struct candidate *one;

	out[0] = '\0';
	for (size_t k = 0; complete_is_shown(&m) && (one = complete_at(&m, k)) != NULL; k++)
		snprintf(out + strlen(out), sizeof out - strlen(out), "%s%s", k ? " " : "", one->text);
	return out;
}

static int setup(void **state)
{
	(void)state;
	if (desk_setup_sized(24, 80) < 0)
		return -1;
	m.confirm = false;
	m.auto_complete = true;
	effects_clear(&fx);
	return 0;
}

#define TWO "{\"matches\":[\"alpha\",\"alpine\"],\"kinds\":[\"function\",\"variable\"],\"start\":0,\"end\":2}"

static void a_key_asks_and_offers(void **state)
{
	(void)state;
	type("al");
	press(' ', MOD_CTRL);
	assert_string_equal(asked()->ask.code, "al");
	assert_int_equal(asked()->ask.cursor, 2);
	assert_int_equal(asked()->ask.question, TRM_ASK_COMPLETE);
	assert_string_equal(offered(), "");
	answer(TWO);
	assert_string_equal(offered(), "alpha alpine");
	assert_screen("alpha", true);
	assert_screen("func", true);
	press(K_DOWN, 0);
	press(K_ENTER, 0);
	assert_string_equal(text(), "alpine");
	assert_string_equal(offered(), "");
	press('z', MOD_CTRL);
	assert_string_equal(text(), "al"); /* one step of undo */
}

/* Another program writes the file, and the word is not there any more. */
static void a_reload_takes_the_word_away(void **state)
{
	static const char *const shorter[] = {"", "a", "\n\n", "\xE4\xB8\xAD x = al"};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof shorter / sizeof *shorter; i++) {
		const char *now = shorter[i / 2];
		assert_int_equal(editor_set_text(model_editor(&m), "x = 1;", 6), 0);
		type("al");
		press(' ', MOD_CTRL);
		answer(TWO);
		assert_string_equal(offered(), "alpha alpine");
		assert_int_equal(editor_set_text(model_editor(&m), now, strlen(now)), 0);
		if (i % 2)
			send((struct msg){.type = MSG_RELOADED,
					.file.buffer = buffers_current(&m.buffers)->id,
					.file.path = "x.py"});
		mouse(MOUSE_PRESS, complete_area(&m).row, complete_area(&m).col + 1);
		command_run(&m, command_find("popup-accept"), &fx);
		if (i / 2 != 3)
			assert_string_equal(text(), now);
		press(K_ESCAPE, 0);
	}
}

/* The editor may be drawn alone, when its colors are known, say. */
static void the_editor_does_not_draw_over_it(void **state)
{
	(void)state;
	type("al");
	press(' ', MOD_CTRL);
	answer(TWO);
	struct canvas canvas;
	assert_int_equal(canvas_init(&canvas, m.rows, m.cols), 0);
	view(&m, &canvas);
	view_editor(&m, &canvas);
	char *seen = canvas_dump(&canvas);
	canvas_finish(&canvas);
	assert_non_null(strstr(seen, "alpine"));
	free(seen);
}

static void typing_goes_on_and_filters(void **state)
{
	(void)state;
	type("al");
	press(' ', MOD_CTRL);
	type("p");
	answer(TWO);
	assert_string_equal(offered(), "alpha alpine");
	type("h");
	assert_string_equal(offered(), "alpha");
	press(K_BACKSPACE, 0);
	assert_string_equal(offered(), "alpha alpine");
	press(K_TAB, 0);
	assert_string_equal(text(), "alpha");
}

static void stale_answers_are_dropped(void **state)
{
	(void)state;
	type("al");
	press(' ', MOD_CTRL);
	uint32_t old = asked()->ask.serial;
	effects_clear(&fx);
	type(" be");
	press(' ', MOD_CTRL);
	send((struct msg){.type = MSG_ANSWER, .answer.serial = old, .answer.json = TWO});
	assert_string_equal(offered(), "");
	answer("{\"matches\":[\"beta\",\"bell\"],\"start\":3,\"end\":5}");
	assert_string_equal(offered(), "beta bell");
	assert_string_equal(complete_at(&m, 0)->text, "beta");
	press(K_ESCAPE, 0);
	assert_string_equal(offered(), "");
	assert_string_equal(text(), "al be");
}

static void a_dot_asks_by_itself(void **state)
{
	(void)state;
	type("x.");
	assert_non_null(asked());
	answer("{\"matches\":[\"real\",\"imag\"],\"kinds\":[\"property\",\"property\"],\"start\":2,\"end\":2}");
	assert_string_equal(offered(), "real imag");
	type("\n"); /* nothing was chosen: Enter is a new line */
	assert_string_equal(text(), "x.\n");
	type("x.");
	answer("{\"matches\":[\"real\"],\"start\":6,\"end\":6}");
	press(K_TAB, 0);
	assert_string_equal(text(), "x.\nx.real");
	effects_clear(&fx);
	type(" ..");
	assert_null(asked());
	m.auto_complete = false;
	type(" x.");
	assert_null(asked());
}

static void tab_completes_or_indents(void **state)
{
	(void)state;
	press(K_TAB, 0);
	assert_string_equal(text(), "    ");
	type("al");
	press(K_TAB, 0);
	answer("{\"matches\":[\"alphabet\",\"alphanum\"],\"start\":4,\"end\":6}");
	assert_string_equal(text(), "    alpha");
	assert_string_equal(offered(), "alphabet alphanum");
	press(K_ESCAPE, 0);
	type("n");
	press(K_TAB, 0);
	answer("{\"matches\":[\"alphanum\"],\"start\":4,\"end\":10}");
	assert_string_equal(text(), "    alphanum");
}

static void the_mouse_works(void **state)
{
	(void)state;
	type("al");
	press(' ', MOD_CTRL);
	answer(TWO);
	struct rect area = complete_area(&m);
	assert_int_equal(area.rows, 2);
	mouse(MOUSE_WHEEL_DOWN, area.row, area.col + 1);
	assert_int_equal(m.completion.current, 1);
	mouse(MOUSE_PRESS, area.row, area.col + 1);
	assert_string_equal(text(), "alpha");
	press(' ', MOD_CTRL);
	answer("{\"matches\":[\"alphabet\",\"alphanum\"],\"start\":0,\"end\":5}");
	assert_true(complete_is_shown(&m));
	mouse(MOUSE_PRESS, 20, 70);
	assert_false(complete_is_shown(&m));
	assert_string_equal(text(), "alpha");
}

static void a_busy_kernel_is_not_waited_for(void **state)
{
	(void)state;
	type("alphabet = 1\n");
	press(K_F5, 0);
	send((struct msg){.type = MSG_RUN_STARTED});
	effects_clear(&fx);
	type("alp");
	press(' ', MOD_CTRL);
	assert_null(asked());
	assert_string_equal(offered(), "alphabet");
	assert_screen("interpreter busy", true);
	press(K_ENTER, 0);
	assert_string_equal(text(), "alphabet = 1\nalphabet");
}

static void words_of_the_buffer_come_after_the_kernels(void **state)
{
	(void)state;
	type("alphabet = 1\nalp");
	press(' ', MOD_CTRL);
	answer("{\"matches\":[\"alpine\"],\"start\":13,\"end\":16}");
	assert_string_equal(offered(), "alpine alphabet");
}

/* Before anything has run: what the grammar knows, and what words of the buffer are. */
static void keywords_and_kinds_need_no_kernel(void **state)
{
	struct grammars *grammars = grammars_create();

	(void)state;
	const struct syntax_language *l = grammars_get(grammars, "python", NULL);
	m.grammars = grammars;
	syntax_set_language(model_editor(&m)->syntax, l);
	type("def whistle(wheel): pass\nwh");
	while (syntax_work(model_editor(&m)->syntax, model_editor(&m)->text, 0, 100, 0))
		;
	m.sandbox.state = SANDBOX_STARTING;
	press(' ', MOD_CTRL);
	if (l)
		assert_string_equal(offered(), "wheel whistle while");
	if (l)
		assert_string_equal(complete_at(&m, 0)->kind, "parameter");
	if (l)
		assert_string_equal(complete_at(&m, 1)->kind, "function");
	m.grammars = NULL;
	syntax_set_language(model_editor(&m)->syntax, NULL);
	grammars_destroy(grammars);
}

static void hostile_answers_do_nothing(void **state)
{
	static const char *const answers[] = {
			"{\"matches\":[\"a\\u001b[31mx\",\"a\\nb\",\"\"],\"start\":0,\"end\":2}",
			"{\"matches\":[1,{},null],\"kinds\":7,\"start\":-5,\"end\":900000}",
			"{\"matches\":\"all\"}",
			"{}",
			"not json",
			NULL,
	};

	(void)state;
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		type("\na");
		press(' ', MOD_CTRL);
		answer(answers[i]);
		assert_string_equal(offered(), "");
	}
}

static void the_name_under_the_cursor_is_inspected(void **state)
{
	(void)state;
	type("print(x)");
	press(K_LEFT, 0);
	effects_clear(&fx);
	press(K_F9, 0);
	assert_int_equal(asked()->ask.question, TRM_ASK_INSPECT);
	assert_int_equal(asked()->ask.cursor, 7);
	answer("{\"found\":true,\"name\":\"x\",\"type\":\"int\",\"value\":\"42\",\"doc\":\"a\\nb\"}");
	assert_string_equal(m.dialog.title, "x (Esc closes)");
	assert_screen("int", true);
	assert_screen("42", true);
	press(K_ESCAPE, 0);
	assert_false(dialog_is_open(&m.dialog));
	press(K_F9, 0);
	answer("{\"found\":false}");
	assert_false(dialog_is_open(&m.dialog));
}

static void a_question_mark_asks_instead_of_running(void **state)
{
	(void)state;
	type("os.path?");
	effects_clear(&fx);
	press(K_F5, 0);
	assert_int_equal(asked()->ask.question, TRM_ASK_INSPECT);
	assert_string_equal(asked()->ask.code, "os.path");
	assert_false(model_is_running(&m));
	effects_clear(&fx);
	type(" + 1");
	press(K_F5, 0);
	assert_null(asked());
}

static void the_signature_of_a_call_is_shown(void **state)
{
	(void)state;
	type("f(");
	answer("{\"found\":true,\"name\":\"f\",\"signature\":\"f(a, b=2)\"}");
	assert_screen("f(a, b=2)", true);
	type("1, 2");
	assert_screen("f(a, b=2)", true);
	type(", ')', (3)");
	assert_screen("f(a, b=2)", true);
	m.needs_draw = false;
	type(")");
	assert_screen("f(a, b=2)", false);
	assert_true(m.needs_draw);
}

static void the_buffer_knows_what_has_not_run(void **state)
{
	(void)state;
	type("def area(width, unit=\"a, b\"):\n pass\n"); /* Enter keeps the indentation */
	press(K_END, MOD_CTRL);
	press(K_BACKSPACE, 0);
	type("\narea(");
	assert_screen("area(width, unit=\"a, b\")", true);
	assert_int_equal(signature_argument(&m), 0);
	type("1, [2, 3], ");
	assert_int_equal(signature_argument(&m), 2);
	type(")");
	assert_screen("area(width, unit=\"a, b\") ", false);
	type("\nnowhere(");
	assert_string_equal(signature_text(&m), "");
}

static void call(void)
{
	press(K_END, MOD_CTRL);
	type("\nf(");
	answer("{\"found\":true,\"name\":\"f\",\"signature\":\"f(a, b=2)\"}");
	assert_screen("f(a, b=2)", true);
	m.needs_draw = false;
}

static void the_signature_goes_with_the_call(void **state)
{
	(void)state;
	call();
	press(K_ENTER, 0);
	assert_true(m.needs_draw);
	assert_screen("f(a, b=2)", false);
	call();
	press(K_LEFT, 0);
	assert_true(m.needs_draw);
	assert_screen("f(a, b=2)", false);
	press(K_RIGHT, 0); /* it does not come back by itself */
	assert_screen("f(a, b=2)", false);
	call();
	press(K_UP, 0);
	assert_true(m.needs_draw);
	call();
	press(K_ESCAPE, 0);
	assert_true(m.needs_draw);
	assert_screen("f(a, b=2)", false);
	/* The answer comes when the call is over. */
	type("\nf(");
	type(")");
	answer("{\"found\":true,\"name\":\"f\",\"signature\":\"f(a, b=2)\"}");
	assert_screen("f(a, b=2)", false);
}

static void variables_are_sorted_and_filtered(void **state)
{
	struct trm_result result = {.lang = trm_lang_default(), .number = 1};

	(void)state;
	type("x");
	press(K_F5, 0);
	send((struct msg){.type = MSG_RUN_STARTED});
	send((struct msg){.type = MSG_RUN_DONE, .run.result = &result});
	effects_clear(&fx);
	press('v', MOD_ALT);
	send((struct msg){.type = MSG_TICK});
	assert_null(asked()); /* not at once */
	now_ns += 300000000;
	send((struct msg){.type = MSG_TICK});
	assert_int_equal(asked()->ask.question, TRM_ASK_VARIABLES);
	assert_int_equal(asked()->ask.cursor, TRM_VARIABLES_WHOLE);
	answer("{\"variables\":[{\"name\":\"b\",\"type\":\"list\",\"size\":\"2×3\",\"value\":\"[1]\"},"
	       "{\"name\":\"a\",\"type\":\"int\",\"size\":\"\",\"value\":\"1\"},"
	       "{\"name\":\"c\",\"type\":\"str\",\"size\":3,\"value\":\"'x'\"},7]}");
	assert_string_equal(marked_variable(), "a");
	type("ss"); /* by size */
	assert_string_equal(marked_variable(), "b");
	press(K_DOWN, 0);
	assert_string_equal(marked_variable(), "c");
	type("/st");
	assert_string_equal(marked_variable(), "b");
	type("\n");
	effects_clear(&fx);
	press(K_ENTER, 0);
	assert_string_equal(asked()->ask.code, "b");
	press(K_ESCAPE, 0);
	press(K_ESCAPE, 0);
	assert_false(m.variables_page.is_shown);
}

/* Where it is a part of a pane, that pane has the keys at once, and gives them back. */
static void variables_take_the_focus(void **state)
{
	struct event wide = {.type = EVENT_RESIZE, .row = 36, .col = 120};
	struct trm_result result = {.lang = trm_lang_default(), .number = 1};

	(void)state;
	send((struct msg){.type = MSG_EVENT, .event = &wide});
	press('v', MOD_ALT);
	assert_int_equal(m.focus, PANE_METRICS);
	press('v', MOD_ALT);
	assert_int_equal(m.focus, PANE_EDITOR);
	assert_false(m.variables_page.is_shown);
	type("x");
	press(K_F5, 0);
	send((struct msg){.type = MSG_RUN_STARTED});
	send((struct msg){.type = MSG_RUN_DONE, .run.result = &result});
	press('v', MOD_ALT);
	now_ns += 300000000;
	send((struct msg){.type = MSG_TICK});
	answer("{\"variables\":[{\"name\":\"a_rather_long_name\",\"type\":\"int\",\"size\":\"\",\"value\":\"1\"},"
	       "{\"name\":\"f\",\"type\":\"function\",\"size\":\"\",\"value\":\"def f\"},"
	       "{\"name\":\"C\",\"type\":\"type\",\"size\":\"\",\"value\":\"class C\"}]}");
	assert_screen("variables of python (1), 2 hidden", true);
	assert_screen("class C", false);
	type("/C\n");
	assert_screen("class C", true);
}

static void run_and_list(const char *json)
{
	struct trm_result result = {.lang = trm_lang_default()};

	model_focus(&m, PANE_EDITOR);
	type("x");
	press(K_F5, 0);
	result.number = m.run.serial;
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = m.run.serial});
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = m.run.serial, .run.result = &result});
	now_ns += 300000000;
	send((struct msg){.type = MSG_TICK});
	answer(json);
}

static void what_a_run_has_changed_is_marked(void **state)
{
	(void)state;
	resize(36, 120); /* the variables are no box over the editor */
	m.variables_page.is_shown = true;
	run_and_list("{\"variables\":[{\"name\":\"aa\",\"type\":\"int\",\"value\":\"1\"},"
		     "{\"name\":\"bb\",\"type\":\"int\",\"value\":\"2\"}]}");
	run_and_list("{\"variables\":[{\"name\":\"aa\",\"type\":\"int\",\"value\":\"1\"},"
		     "{\"name\":\"bb\",\"type\":\"int\",\"value\":\"3\"},"
		     "{\"name\":\"cc\",\"type\":\"int\",\"value\":\"4\"}]}");
	const struct variables *v = &m.variables[trm_lang_default()->index];
	assert_int_equal(v->n, 3);
	assert_int_equal(v->rows[0].change, VARIABLE_SAME);
	assert_int_equal(v->rows[1].change, VARIABLE_CHANGED);
	assert_int_equal(v->rows[2].change, VARIABLE_NEW);
	m.variables_page.only_changed = true;
	uint16_t list[VARIABLES_MAX];
	assert_int_equal(variables_list(&m, list), 2);
	run_and_list("{\"variables\":[{\"name\":\"bb\",\"type\":\"int\",\"value\":\"3\"}]}");
	assert_int_equal(v->rows[0].change, VARIABLE_SAME);
	assert_int_equal(variables_list(&m, list), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, desk_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(a_key_asks_and_offers),
			TEST(a_reload_takes_the_word_away),
			TEST(the_editor_does_not_draw_over_it),
			TEST(typing_goes_on_and_filters),
			TEST(stale_answers_are_dropped),
			TEST(a_dot_asks_by_itself),
			TEST(tab_completes_or_indents),
			TEST(the_mouse_works),
			TEST(a_busy_kernel_is_not_waited_for),
			TEST(words_of_the_buffer_come_after_the_kernels),
			TEST(keywords_and_kinds_need_no_kernel),
			TEST(hostile_answers_do_nothing),
			TEST(the_name_under_the_cursor_is_inspected),
			TEST(a_question_mark_asks_instead_of_running),
			TEST(the_signature_of_a_call_is_shown),
			TEST(the_signature_goes_with_the_call),
			TEST(the_buffer_knows_what_has_not_run),
			TEST(variables_are_sorted_and_filtered),
			TEST(variables_take_the_focus),
			TEST(what_a_run_has_changed_is_marked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
