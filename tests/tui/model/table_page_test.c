/* SPDX-License-Identifier: MIT */
/* The page of a table without a kernel: keys and answers in, questions and screens out. */
#include "model/table_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "tui/model/desk.h"

/* The page that was asked for last; NULL: none since the last call. */
static const struct effect *wanted(void)
{
	for (size_t i = fx.n; i-- > 0;)
		if (fx.items[i].type == EFFECT_ASK && fx.items[i].ask.question == TRM_ASK_TABLE)
			return &fx.items[i];
	return NULL;
}

static void answer(const char *json, const char *why)
{
	const struct effect *e = wanted();

	assert_non_null(e);
	uint32_t serial = e->ask.serial;
	effects_clear(&fx);
	send((struct msg){
			.type = MSG_ANSWER, .answer.serial = serial, .answer.json = json, .answer.why = why});
}

#define PAGE(more) \
	"{\"found\":true,\"type\":\"list\",\"rows\":3,\"columns\":2,\"row\":0,\"column\":0," more \
	"\"heads\":[{\"name\":\"id\",\"type\":\"int\",\"is_number\":true},{\"name\":\"name\",\"type\":\"str\"}]," \
	"\"labels\":[\"0\",\"1\",\"2\"],\"cells\":[[\"7\",\"Anna\"],[\"70\",\"Bo\"],[\"8\",null]]}"

static int start(void **state)
{
	(void)state;
	if (desk_setup_sized(24, 80) < 0)
		return -1;
	effects_clear(&fx);
	table_page_open(&m, m.lang, "r", NULL, &fx);
	return 0;
}

static void a_page_is_asked_for_and_shown(void **state)
{
	(void)state;
	assert_string_equal(wanted()->ask.table.path, "r");
	assert_screen("waiting for the first rows", true);
	answer(PAGE(""), NULL);
	assert_null(wanted());
	assert_screen("r: list, 3 rows, 2 columns, row 1", true);
	assert_screen("0    7 Anna", true);
	assert_screen("2    8 -", true);
	press(K_DOWN, 0);
	assert_screen("row 2", true);
	press(K_ENTER, 0);
	assert_screen("Cell (Esc closes)", true);
	press(K_ESCAPE, 0);
	assert_true(m.table_page.is_shown);
	press(K_ESCAPE, 0);
	assert_false(m.table_page.is_shown);
}

static void sorting_asks_again(void **state)
{
	(void)state;
	answer(PAGE(""), NULL);
	press('s', 0);
	assert_int_equal(wanted()->ask.table.sort, 0);
	assert_screen("sorting ...", true);
	answer(NULL, "the interpreter took too long");
	assert_screen("not sorted: the interpreter took too long", true);
	assert_int_equal(wanted()->ask.table.sort, -1);
	answer(PAGE(""), NULL);
	assert_screen("Anna", true);
}

static void searching_goes_on_until_found(void **state)
{
	(void)state;
	answer(PAGE(""), NULL);
	type("/Bo\n");
	assert_string_equal(wanted()->ask.table.find, "Bo");
	answer(PAGE("\"looked\":1,"), NULL);
	assert_screen("looking for \"Bo\": row 1 of 3", true);
	assert_int_equal(wanted()->ask.table.find_from, 1);
	answer(PAGE("\"hit\":1,"), NULL);
	assert_screen("row 2", true);
	press('n', 0);
	assert_int_equal(wanted()->ask.table.find_from, 2);
	answer(PAGE("\"looked\":3,"), NULL);
	assert_screen("is in no row", true);
	assert_null(wanted());
	press('n', 0);
	press(K_ESCAPE, 0);
	assert_true(m.table_page.is_shown);
	assert_false(m.table_page.is_searching);
}

static void a_busy_or_dead_kernel_is_said(void **state)
{
	(void)state;
	answer(PAGE(""), NULL);
	m.run.state = RUN_RUNNING;
	m.run.lang = m.lang;
	press('s', 0);
	assert_null(wanted());
	assert_screen("the interpreter is busy", true);
	m.run.state = RUN_NONE;
	table_page_run_ended(&m, m.lang);
	press(K_DOWN, 0);
	assert_non_null(wanted());
	answer("{\"found\":false,\"why\":\"there is no variable of this name: r\"}", NULL);
	assert_screen("there is no variable of this name: r", true);
	assert_null(wanted());
	m.table_page.error[0] = '\0';
	m.sandbox.state = SANDBOX_DEAD;
	assert_screen("the sandbox has ended", true);
	press(K_ESCAPE, 0);
	assert_false(m.table_page.is_shown);
}

static void csv_needs_no_kernel(void **state)
{
	(void)state;
	m.sandbox.state = SANDBOX_DEAD;
	send((struct msg){.type = MSG_TABLE_FILE,
			.table_file.bytes = "a,b\n1,x\n22,y\n",
			.table_file.len = 13,
			.table_file.name = "data.csv"});
	press(K_DOWN, 0);
	assert_screen("data.csv: CSV, 2 rows, 2 columns, row 2", true);
	press('s', 0);
	press('s', 0);
	assert_screen("2     22 y", true);
	send((struct msg){.type = MSG_TABLE_FILE,
			.table_file.bytes = "a\0b",
			.table_file.len = 3,
			.table_file.name = "data.csv"});
	assert_false(m.table_page.is_shown);
	assert_screen("it has NUL bytes", true);
}

static void narrow_screens_hold_it(void **state)
{
	(void)state;
	answer(PAGE(""), NULL);
	resize(10, 40);
	assert_screen("r: list, 3 rows", true);
	assert_screen("0    7 Anna", true);
	resize(3, 10);
	assert_screen("r: list", false);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(a_page_is_asked_for_and_shown),
			TEST(sorting_asks_again),
			TEST(searching_goes_on_until_found),
			TEST(a_busy_or_dead_kernel_is_said),
			TEST(csv_needs_no_kernel),
			TEST(narrow_screens_hold_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
