/* SPDX-License-Identifier: MIT */
/* The page of a table without a kernel: keys and answers in, questions and screens out. */
#include "model/table_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "cmocka_all.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "view/view.h"

static struct model m;
static struct effects fx;
static struct canvas canvas;
static uint64_t now_ns;

static void send(struct msg msg)
{
	msg.now_ns = now_ns += 1000000;
	update(&m, &msg, &fx);
}

static void press(uint32_t key)
{
	struct event ev = {.type = EVENT_KEY, .key = key};

	send((struct msg){.type = MSG_EVENT, .event = &ev});
}

static void type(const char *text)
{
	for (; *text; text++)
		press(*text == '\n' ? K_ENTER : (uint32_t)*text);
}

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

static bool shows(const char *text)
{
	assert_int_equal(canvas_resize(&canvas, m.rows, m.cols), 0);
	view(&m, &canvas);
	char *dump = canvas_dump(&canvas);
	bool is_shown = strstr(dump, text);

	free(dump);
	return is_shown;
}

static int start(void **state)
{
	struct model_opts opts = {.rows = 24,
			.cols = 80,
			.has_utf8 = true,
			.theme = "dark",
			.scrollback_bytes = 1 << 20};

	(void)state;
	assert_int_equal(trm_lang_find("python", &opts.lang, NULL), 0);
	assert_int_equal(model_init(&m, &opts), 0);
	canvas_init(&canvas, 24, 80);
	m.sandbox.state = SANDBOX_READY;
	table_page_open(&m, m.lang, "r", NULL, &fx);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	model_finish(&m);
	effects_finish(&fx);
	canvas_finish(&canvas);
	return 0;
}

static void a_page_is_asked_for_and_shown(void **state)
{
	(void)state;
	assert_string_equal(wanted()->ask.table.path, "r");
	assert_true(shows("waiting for the first rows"));
	answer(PAGE(""), NULL);
	assert_null(wanted());
	assert_true(shows("r: list, 3 rows, 2 columns, row 1"));
	assert_true(shows("0    7 Anna"));
	assert_true(shows("2    8 -"));
	press(K_DOWN);
	assert_true(shows("row 2"));
	press(K_ENTER);
	assert_true(shows("Cell (Esc closes)"));
	press(K_ESCAPE);
	assert_true(m.table_page.is_shown);
	press(K_ESCAPE);
	assert_false(m.table_page.is_shown);
}

static void sorting_asks_again(void **state)
{
	(void)state;
	answer(PAGE(""), NULL);
	press('s');
	assert_int_equal(wanted()->ask.table.sort, 0);
	assert_true(shows("sorting ..."));
	answer(NULL, "the interpreter took too long");
	assert_true(shows("not sorted: the interpreter took too long"));
	assert_int_equal(wanted()->ask.table.sort, -1);
	answer(PAGE(""), NULL);
	assert_true(shows("Anna"));
}

static void searching_goes_on_until_found(void **state)
{
	(void)state;
	answer(PAGE(""), NULL);
	type("/Bo\n");
	assert_string_equal(wanted()->ask.table.find, "Bo");
	answer(PAGE("\"looked\":1,"), NULL);
	assert_true(shows("looking for \"Bo\": row 1 of 3"));
	assert_int_equal(wanted()->ask.table.find_from, 1);
	answer(PAGE("\"hit\":1,"), NULL);
	assert_true(shows("row 2"));
	press('n');
	assert_int_equal(wanted()->ask.table.find_from, 2);
	answer(PAGE("\"looked\":3,"), NULL);
	assert_true(shows("is in no row"));
	assert_null(wanted());
	press('n');
	press(K_ESCAPE);
	assert_true(m.table_page.is_shown);
	assert_false(m.table_page.is_searching);
}

static void a_busy_or_dead_kernel_is_said(void **state)
{
	(void)state;
	answer(PAGE(""), NULL);
	m.run.state = RUN_RUNNING;
	m.run.lang = m.lang;
	press('s');
	assert_null(wanted());
	assert_true(shows("the interpreter is busy"));
	m.run.state = RUN_NONE;
	table_page_run_ended(&m, m.lang);
	press(K_DOWN);
	assert_non_null(wanted());
	answer("{\"found\":false,\"why\":\"there is no variable of this name: r\"}", NULL);
	assert_true(shows("there is no variable of this name: r"));
	assert_null(wanted());
	m.table_page.error[0] = '\0';
	m.sandbox.state = SANDBOX_DEAD;
	assert_true(shows("the sandbox has ended"));
	press(K_ESCAPE);
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
	press(K_DOWN);
	assert_true(shows("data.csv: CSV, 2 rows, 2 columns, row 2"));
	press('s');
	press('s');
	assert_true(shows("2     22 y"));
	send((struct msg){.type = MSG_TABLE_FILE,
			.table_file.bytes = "a\0b",
			.table_file.len = 3,
			.table_file.name = "data.csv"});
	assert_false(m.table_page.is_shown);
	assert_true(shows("it has NUL bytes"));
}

static void narrow_screens_hold_it(void **state)
{
	(void)state;
	answer(PAGE(""), NULL);
	struct event ev = {.type = EVENT_RESIZE, .row = 10, .col = 40};
	send((struct msg){.type = MSG_EVENT, .event = &ev});
	canvas_resize(&canvas, 10, 40);
	assert_true(shows("r: list, 3 rows"));
	assert_true(shows("0    7 Anna"));
	ev = (struct event){.type = EVENT_RESIZE, .row = 3, .col = 10};
	send((struct msg){.type = MSG_EVENT, .event = &ev});
	canvas_resize(&canvas, 3, 10);
	shows("");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
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
