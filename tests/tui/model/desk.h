/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DESK_H
#define TESTS_DESK_H

/* A model to be worked by keys, without a terminal and without a sandbox. Each test program has its own. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cells/canvas.h"
#include "cmocka_all.h"
#include "command/command.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "view/view.h"

static struct model m;
static struct effects fx;
static uint64_t now_ns;

/* A message about a run that names none is about the current one. */
static inline void send(struct msg msg)
{
	if (msg.type >= MSG_RUN_ACCEPTED && msg.type <= MSG_SPILL && !msg.run.serial)
		msg.run.serial = m.run.serial;
	msg.now_ns = now_ns += 1000000;
	update(&m, &msg, &fx);
}

static inline void event(struct event ev)
{
	ev.time_ns = now_ns;
	send((struct msg){.type = MSG_EVENT, .event = &ev});
}

static inline void press(uint32_t key, uint8_t mods)
{
	event((struct event){.type = EVENT_KEY, .key = key, .mods = mods});
}

static inline void type(const char *text)
{
	for (; *text; text++)
		press(*text == '\n' ? K_ENTER : (uint32_t)*text, 0);
}

static inline void mouse(enum mouse_action action, int row, int col)
{
	event((struct event){.type = EVENT_MOUSE,
			.action = action,
			.button = 1,
			.clicks = 1,
			.row = row,
			.col = col});
}

static inline const struct effect *last_effect(enum effect_type wanted)
{
	for (size_t i = fx.n; i-- > 0;)
		if (fx.items[i].type == wanted)
			return &fx.items[i];
	return NULL;
}

static inline void resize(int rows, int cols)
{
	event((struct event){.type = EVENT_RESIZE, .row = rows, .col = cols});
}

/* The screen as text; to be freed. */
static inline char *screen(void)
{
	struct canvas c;

	assert_int_equal(canvas_init(&c, m.rows, m.cols), 0);
	view(&m, &c);
	char *text = canvas_dump(&c);
	canvas_finish(&c);
	assert_non_null(text);
	return text;
}

static inline void assert_screen(const char *part, bool is_there)
{
	char *text = screen();

	if ((strstr(text, part) != NULL) != is_there)
		fail_msg("\"%s\" is%s on the screen:\n%s", part, is_there ? " not" : "", text);
	free(text);
}

static inline int desk_setup_sized(int rows, int cols)
{
	struct model_opts opts = {
			.rows = rows,
			.cols = cols,
			.has_utf8 = true,
			.lang = trm_lang_default(),
			.theme = "dark",
			.confirm = true,
			.timeout_ms = 30000,
			.grace_ms = 2000,
	};

	trm_limits_default(&opts.limits);
	now_ns = 1000000000;
	if (model_init(&m, &opts) < 0)
		return -1;
	send((struct msg){.type = MSG_SANDBOX_STARTING,
			.sandbox.name = "calm-fern",
			.sandbox.backend = "fake"});
	send((struct msg){.type = MSG_SANDBOX_READY, .sandbox.name = "calm-fern", .sandbox.backend = "fake"});
	return 0;
}

static inline int desk_setup(void **state)
{
	(void)state;
	return desk_setup_sized(36, 120);
}

static inline int desk_teardown(void **state)
{
	(void)state;
	effects_finish(&fx);
	model_finish(&m);
	return 0;
}

#endif
