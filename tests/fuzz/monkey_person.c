/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/text.h>

#include "cells/event.h"
#include "command/command.h"
#include "fuzz/monkey.h"
#include "text/text.h"

#define TEXT_MAX 4096
#define BUFFER_MAX 100000 /* bytes beyond which a buffer is emptied */

const char *pick_text(struct monkey *k, size_t most, size_t *ret_len)
{
	static const char *const words[] = {"def ", "f(x)", ":", "\n", "\n\n", "    ", "\t", "if ",
			"else:", "x = 1", "'", "\"", "\"\"\"", "`", "${", "}", "{", "(", ")", "[", "]", "# ",
			"//", "/*", "*/", "<<EOF\n", "EOF\n", "fi", "done", "\xE4\xB8\xAD\xE6\x96\x87",
			"e\xCC\x81", "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB",
			"\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA", "\xE2\x80\xAE", "\x01", "\x7F", "\xC2\x85",
			"# %%\n", "a.b.c", "/tmp/x", "~", "0123456789012345678901234567890123456789", "\r",
			"\\", "*", ".*", "($", "%s%n"};
	static char text[TEXT_MAX + 64];
	size_t len = 0;
	most = most < TEXT_MAX ? most : TEXT_MAX;
	while (len < most && pick(k, 24)) {
		const char *word = words[pick(k, sizeof(words) / sizeof(*words))];
		size_t n = strlen(word);
		memcpy(text + len, word, n);
		len += n;
	}
	text[len] = '\0';
	*ret_len = len;
	return text;
}

static void event(struct monkey *k, struct event ev)
{
	ev.time_ns = k->now_ns;
	tell(k, (struct msg){.type = MSG_EVENT, .event = &ev});
}

static void press(struct monkey *k, uint32_t key, uint8_t mods)
{
	snprintf(k->last, sizeof(k->last), "key 0x%x with %u", (unsigned)key, mods);
	event(k, (struct event){.type = EVENT_KEY, .key = key, .mods = mods});
}

static void type_key(struct monkey *k)
{
	static const char typed[] = "abcdefxyz 0123(){}[]'\"`:;.,#/\\$=+-_<>|&!?*%@~^";
	press(k, (uint32_t)typed[pick(k, sizeof(typed) - 1)], 0);
}

static void special_key(struct monkey *k)
{
	press(k, K_ENTER + pick(k, K_F12 - K_ENTER + 1), (uint8_t)(pick(k, 3) ? 0 : pick(k, 8)));
}

static void modified_key(struct monkey *k)
{
	static const uint8_t mods[] = {MOD_CTRL, MOD_CTRL, MOD_ALT, MOD_ALT, MOD_CTRL | MOD_SHIFT};
	press(k, 0x20 + pick(k, 0x5F), mods[pick(k, sizeof(mods))]);
}

static void any_key(struct monkey *k)
{
	press(k, pick(k, KEYS_BASE + 64), (uint8_t)pick(k, 8));
}

/* Changes of the text below everything that holds positions in it. */
static void disturb(struct monkey *k)
{
	static const char *const names[] = {"undo", "undo", "redo", "next-buffer", "previous-buffer",
			"new-buffer", "paste", "select-all"};
	const char *name = names[pick(k, sizeof names / sizeof *names)];

	snprintf(k->last, sizeof k->last, "command %s", name);
	if (pick(k, 4)) {
		command_run(&k->model, command_find(name), &k->effects);
		tell(k, (struct msg){.type = MSG_TICK});
	} else {
		effect_buffer(&k->effects, EFFECT_RELOAD, buffers_current(&k->model.buffers)->id);
		tell(k, (struct msg){.type = MSG_TICK});
	}
}

static void any_command(struct monkey *k)
{
	size_t n = 0;
	while (command_at(n))
		n++;
	const struct command *c = command_at(pick(k, (uint32_t)n));
	snprintf(k->last, sizeof(k->last), "command %s", c->name);
	command_run(&k->model, c, &k->effects);
	tell(k, (struct msg){.type = MSG_TICK});
}

static void paste(struct monkey *k)
{
	size_t n;
	const char *text = pick_text(k, TEXT_MAX, &n);
	snprintf(k->last, sizeof(k->last), "a paste of %zu bytes", n);
	event(k, (struct event){.type = EVENT_PASTE, .text = text, .text_len = n});
}

static void use_mouse(struct monkey *k)
{
	struct event ev = {.type = EVENT_MOUSE,
			.action = (enum mouse_action)pick(k, MOUSE_WHEEL_DOWN + 1),
			.button = (uint8_t)(1 + pick(k, 3)),
			.clicks = (uint8_t)(1 + pick(k, 3)),
			.mods = (uint8_t)(pick(k, 4) ? 0 : pick(k, 8)),
			.row = (int)pick(k, (uint32_t)k->model.rows + 4) - 2,
			.col = (int)pick(k, (uint32_t)k->model.cols + 4) - 2};
	snprintf(k->last, sizeof(k->last), "mouse %d button %u at %d,%d", (int)ev.action, ev.button, ev.row,
			ev.col);
	event(k, ev);
}

static void resize(struct monkey *k)
{
	static const int rows[] = {1, 2, 3, 9, 10, 16, 24, 36, 50, 90},
			 cols[] = {1, 2, 5, 20, 40, 60, 80, 100, 132, 250};
	struct event ev = {.type = EVENT_RESIZE, .row = rows[pick(k, 10)], .col = cols[pick(k, 10)]};
	if (pick(k, 2)) {
		ev.row = 24;
		ev.col = 80;
	}
	snprintf(k->last, sizeof(k->last), "a size of %d by %d", ev.row, ev.col);
	event(k, ev);
}

/* Texts that grow for ever would only make it slow. */
static void empty_buffer(struct monkey *k)
{
	struct editor *e = model_editor(&k->model);
	if (text_len(e->text) > BUFFER_MAX)
		editor_set_text(e, "", 0);
}

void monkey_person(struct monkey *k)
{
	static void (*const deeds[])(struct monkey *) = {type_key, type_key, type_key, type_key, type_key,
			special_key, special_key, special_key, special_key, modified_key, modified_key,
			any_key, any_command, any_command, disturb, disturb, paste, use_mouse, use_mouse,
			use_mouse, resize};
	deeds[pick(k, sizeof(deeds) / sizeof(*deeds))](k);
	empty_buffer(k);
}
