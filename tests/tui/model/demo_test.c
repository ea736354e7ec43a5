/* SPDX-License-Identifier: MIT */
/* A file shown cell by cell. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "desk.h"
#include "text/text.h"

static const char file[] = "#!/usr/bin/env python3\n"
			   "# for readers\n"
			   "\n"
			   "# %% [markdown] About\n"
			   "# words\n"
			   "\n"
			   "#%% One\n"
			   "\n"
			   "first()\n"
			   "more()\n"
			   "\n"
			   "# %%\n"
			   "second()\n";

static void key(uint32_t k)
{
	struct event ev = {.type = EVENT_KEY, .key = k, .time_ns = m.now_ns};

	update(&m, &(struct msg){.type = MSG_EVENT, .now_ns = m.now_ns + 1000000, .event = &ev}, &fx);
}

static void tick(uint64_t ms)
{
	update(&m, &(struct msg){.type = MSG_TICK, .now_ns = m.now_ns + ms * 1000000}, &fx);
}

static void expect_text(const char *text)
{
	char *now = text_slice(model_editor(&m)->text, 0, text_len(model_editor(&m)->text));

	assert_string_equal(now, text);
	free(now);
}

static void end_run(void)
{
	uint32_t serial = m.run.serial;
	struct trm_result r = {.number = serial, .lang = m.lang};

	update(&m, &(struct msg){.type = MSG_RUN_STARTED, .now_ns = m.now_ns, .run.serial = serial}, &fx);
	update(&m,
			&(struct msg){.type = MSG_RUN_DONE,
					.now_ns = m.now_ns,
					.run.serial = serial,
					.run.result = &r},
			&fx);
}

static void begin_demo(bool confirm, uint32_t typing)
{
	struct model_opts opts = {.rows = 30,
			.cols = 100,
			.has_utf8 = true,
			.lang = trm_lang_default(),
			.theme = "dark",
			.confirm = confirm};

	trm_limits_default(&opts.limits);
	assert_int_equal(model_init(&m, &opts), 0);
	m.now_ns = 1000000000;
	update(&m,
			&(struct msg){.type = MSG_SANDBOX_READY,
					.now_ns = m.now_ns,
					.sandbox.name = "box",
					.sandbox.backend = "fake"},
			&fx);
	assert_int_equal(demo_begin(&m, opts.lang, "/x/show.py", file, sizeof file - 1, typing), 0);
}

static int finish(void **state)
{
	(void)state;
	effects_finish(&fx);
	model_finish(&m);
	return 0;
}

static void one_key_goes_through(void **state)
{
	(void)state;
	begin_demo(false, 0);
	assert_int_equal(m.demo.n, 3);
	assert_string_equal(m.demo.cells[0].title, "About");
	assert_string_equal(m.demo.cells[2].title, "second()");
	expect_text("# words");
	key(' '); /* text is not run */
	assert_null(last_effect(EFFECT_RUN));
	expect_text("first()\nmore()");
	assert_string_equal(demo_next_text(&m), "run this cell");
	key(K_PAGE_DOWN);
	assert_string_equal(last_effect(EFFECT_RUN)->run.code, "first()\nmore()");
	key(' '); /* while it runs: nothing */
	expect_text("first()\nmore()");
	end_run();
	key(' ');
	expect_text("second()");
	key(' ');
	end_run();
	key(' ');
	expect_text("second()");
	assert_string_equal(demo_next_text(&m), "(the end)");
	key(K_PAGE_UP);
	expect_text("first()\nmore()");
	key('x'); /* nothing is typed into it */
	expect_text("first()\nmore()");
	assert_false(buffer_is_unsaved(buffers_current(&m.buffers)));
	key(K_ESCAPE);
	assert_false(m.demo.is_on);
	assert_string_equal(last_effect(EFFECT_OPEN)->open.path, "/x/show.py");
}

static void it_is_asked_once(void **state)
{
	(void)state;
	begin_demo(true, 0);
	assert_string_equal(m.dialog.title, "Run the cells of this file?");
	key('s');
	assert_false(dialog_is_open(&m.dialog));
	key(' ');
	key(' ');
	assert_non_null(last_effect(EFFECT_RUN));
	assert_false(dialog_is_open(&m.dialog));
	assert_true(m.confirm); /* for everything else */
}

static void cells_are_typed(void **state)
{
	(void)state;
	begin_demo(false, 100);
	expect_text("");
	tick(30);
	expect_text("# w");
	tick(20);
	expect_text("# wor");
	assert_true(demo_wait_ms(&m) > 0);
	key(' ');
	expect_text("# words");
	assert_int_equal(demo_wait_ms(&m), -1);
}

#define TEST(name) cmocka_unit_test_teardown(name, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(one_key_goes_through),
			TEST(it_is_asked_once),
			TEST(cells_are_typed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
