/* SPDX-License-Identifier: MIT */
#include "model/effect.h"

#include <stdlib.h>
#include <string.h>

struct effect_text {
	struct effect_text *next;
	char bytes[];
};

void effects_clear(struct effects *e)
{
	while (e->texts) {
		struct effect_text *next = e->texts->next;
		free(e->texts);
		e->texts = next;
	}
	e->n = 0;
	e->is_short = false;
}

void effects_finish(struct effects *e)
{
	effects_clear(e);
	free(e->items);
	memset(e, 0, sizeof *e);
}

char *effects_copy(struct effects *e, const char *text, size_t len)
{
	struct effect_text *copy = text ? malloc(sizeof *copy + len + 1) : NULL;

	if (!copy) {
		e->is_short |= text != NULL;
		return NULL;
	}
	memcpy(copy->bytes, text, len);
	copy->bytes[len] = '\0';
	copy->next = e->texts;
	e->texts = copy;
	return copy->bytes;
}

char *effects_string(struct effects *e, const char *text)
{
	return effects_copy(e, text, text ? strlen(text) : 0);
}

bool effect_add(struct effects *e, struct effect effect)
{
	bool was_short = e->is_short;

	e->is_short = false;
	if (was_short)
		return false;
	if (e->n == e->cap) {
		size_t cap = e->cap ? e->cap * 2 : 8;
		struct effect *items = realloc(e->items, cap * sizeof *items);
		if (!items)
			return false;
		e->items = items;
		e->cap = cap;
	}
	e->items[e->n++] = effect;
	return true;
}

bool effect_plain(struct effects *e, enum effect_type type)
{
	return effect_add(e, (struct effect){.type = type});
}

bool effect_serial(struct effects *e, enum effect_type type, uint32_t serial)
{
	return effect_add(e, (struct effect){.type = type, .serial = serial});
}

bool effect_figure(struct effects *e, enum effect_type type, uint32_t figure)
{
	return effect_add(e, (struct effect){.type = type, .figure = figure});
}

bool effect_lang(struct effects *e, enum effect_type type, const struct trm_lang *lang)
{
	return effect_add(e, (struct effect){.type = type, .lang = lang});
}

bool effect_text(struct effects *e, enum effect_type type, const char *bytes, size_t len)
{
	return effect_add(e, (struct effect){.type = type, .text = {effects_copy(e, bytes, len), len}});
}

bool effect_name(struct effects *e, enum effect_type type, const char *name)
{
	return effect_add(e, (struct effect){.type = type, .name = effects_string(e, name)});
}

bool effect_path(struct effects *e, enum effect_type type, const char *path)
{
	return effect_add(e, (struct effect){.type = type, .path = effects_string(e, path)});
}

bool effect_open(struct effects *e, const char *path, const struct trm_lang *lang)
{
	return effect_add(e, (struct effect){.type = EFFECT_OPEN, .open = {effects_string(e, path), lang}});
}

bool effect_buffer(struct effects *e, enum effect_type type, uint32_t buffer)
{
	return effect_add(e, (struct effect){.type = type, .buffer = buffer});
}

bool effect_save(struct effects *e, enum effect_type type, uint32_t buffer, const char *path)
{
	return effect_add(e, (struct effect){.type = type, .save = {buffer, effects_string(e, path), false}});
}

bool effect_setting(struct effects *e, const char *name, const char *value)
{
	return effect_add(e, (struct effect){.type = EFFECT_SETTING,
					     .setting = {effects_string(e, name), effects_string(e, value)}});
}
