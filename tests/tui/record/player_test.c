/* SPDX-License-Identifier: MIT */
/* However one gets to a place of a recording, the screen there is the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cells/canvas.h"
#include "cmocka_all.h"
#include "model/model.h"
#include "record/player.h"
#include "view/view.h"

static struct recording recording;
static struct player player;
static struct model model;

static void add(struct writer *w, double t, const char *rest)
{
	writer_text(w, "{\"t\":");
	writer_decimal(w, t, 3);
	writer_print(w, ",%s}\n", rest);
}

static char *make(size_t *ret_n)
{
	struct writer w;
	char text[200];

	writer_init(&w, WRITER_MAX);
	writer_text(&w, "{\"terrarium\":\"recording\",\"version\":1,\"rows\":30,\"cols\":110}\n");
	add(&w, 0, "\"e\":\"sandbox\",\"state\":\"starting\",\"name\":\"box\",\"backend\":\"local\"");
	add(&w, 0.1, "\"e\":\"sandbox\",\"state\":\"ready\",\"name\":\"box\",\"backend\":\"local\"");
	add(&w, 1, "\"e\":\"run\",\"run\":1,\"language\":\"python\",\"text\":\"# %% one\\nfirst()\"");
	add(&w, 1, "\"e\":\"accepted\",\"run\":1,\"number\":1");
	add(&w, 1, "\"e\":\"started\",\"run\":1");
	add(&w, 1.2, "\"e\":\"run\",\"run\":2,\"language\":\"bash\",\"text\":\"second\"");
	for (int i = 0; i < 8; i++) {
		snprintf(text, sizeof text,
				"\"e\":\"output\",\"run\":1,\"stream\":\"stdout\",\"text\":\"line %d \\u001b[3%dmred\\n\"",
				i, i % 8);
		add(&w, 1.5 + i * 0.3, text);
	}
	add(&w, 5, "\"e\":\"prompt\",\"run\":1,\"text\":\"name? \"");
	add(&w, 6, "\"e\":\"input\",\"run\":1,\"text\":\"Ada\\n\"");
	add(&w, 6.5, "\"e\":\"sample\",\"cpu_percent\":50,\"mem_bytes\":1000000,\"mem_limit_bytes\":4000000");
	add(&w, 7, "\"e\":\"done\",\"run\":1,\"status\":\"ok\",\"exit_code\":0,\"value\":\"7\",\"wall_us\":6000000");
	add(&w, 8, "\"e\":\"accepted\",\"run\":2,\"number\":2");
	add(&w, 8, "\"e\":\"started\",\"run\":2");
	add(&w, 8.5, "\"e\":\"output\",\"run\":2,\"stream\":\"stderr\",\"b64\":\"/w==\"");
	add(&w, 9, "\"e\":\"done\",\"run\":2,\"status\":\"error\",\"exit_code\":4,\"wall_us\":1000000");
	add(&w, 9.5, "\"e\":\"end\"");
	*ret_n = w.n;
	return w.bytes;
}

static char *screen_at(double t)
{
	struct canvas c;

	assert_int_equal(player_seek(&player, &model, (uint64_t)(t * 1e6), NULL), 0);
	assert_int_equal(canvas_init(&c, 30, 110), 0);
	view(&model, &c);
	char *text = canvas_dump(&c);
	canvas_finish(&c);
	return text;
}

static int begin(void **state)
{
	struct trm_error why = {0};
	struct model_opts opts = {.rows = 30,
			.cols = 110,
			.has_utf8 = true,
			.lang = trm_lang_default(),
			.theme = "dark"};
	size_t n;

	(void)state;
	char *text = make(&n);
	trm_limits_default(&opts.limits);
	if (recording_parse(&recording, text, n, "x", &why) < 0)
		fail_msg("%s", why.msg);
	assert_int_equal(model_init(&model, &opts), 0);
	assert_int_equal(player_init(&player, &recording), 0);
	replay_begin(&model, player.runs_us, recording.n_runs, recording_length_us(&recording), false);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	player_finish(&player);
	model_finish(&model);
	recording_finish(&recording);
	return 0;
}

static void expect(double t, const char *text)
{
	char *screen = screen_at(t);

	if (!strstr(screen, text))
		fail_msg("no \"%s\" in:\n%s", text, screen);
	free(screen);
}

static void it_shows_what_happened(void **state)
{
	(void)state;
	expect(0.5, "idle");
	expect(1.1, "first()");
	expect(1.1, "# %% one");
	expect(3.05, "line 5 red");
	expect(5.5, "waiting for input");
	expect(6.2, "name? Ada");
	expect(7.5, "[1] python  6.0 s");
	expect(8.6, "[2] bash");
	expect(9.5, "exit 4");
	expect(9.5, "run 2 of 2");
}

static void every_way_leads_to_the_same_screen(void **state)
{
	static const double places[] = {9.5, 1.2, 6.2, 0, 7, 5.5, 3, 8.5, 2.05};
	char *screens[sizeof places / sizeof *places];
	size_t n = sizeof places / sizeof *places;

	(void)state;
	for (size_t i = 0; i < n; i++)
		screens[i] = screen_at(places[i]);
	for (size_t i = n; i > 0; i--) {
		char *again = screen_at(places[i - 1]);
		assert_string_equal(again, screens[i - 1]);
		free(again);
	}
	for (double t = 0; t < 9.5; t += 0.013) /* and in small steps */
		free(screen_at(t));
	char *end = screen_at(9.5);
	assert_string_equal(end, screens[0]);
	free(end);
	for (size_t i = 0; i < n; i++)
		free(screens[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(it_shows_what_happened),
			TEST(every_way_leads_to_the_same_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
