/* SPDX-License-Identifier: MIT */
#include "model/effect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void effects_clear(struct effects *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->items[i].text);
	e->n = 0;
}

void effects_finish(struct effects *e)
{
	effects_clear(e);
	free(e->items);
	memset(e, 0, sizeof *e);
}

static char *copy_text(const char *text, size_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

bool effect_add(struct effects *e, enum effect_type type, const struct trm_lang *lang, const char *text,
		size_t len, uint64_t number)
{
	char *copy = NULL;

	if (e->n == e->cap) {
		size_t cap = e->cap ? e->cap * 2 : 8;
		struct effect *items = realloc(e->items, cap * sizeof *items);
		if (!items)
			return false;
		e->items = items;
		e->cap = cap;
	}
	if (text && !(copy = copy_text(text, len)))
		return false;
	e->items[e->n++] = (struct effect){
			.type = type, .lang = lang, .text = copy, .len = text ? len : 0, .number = number};
	return true;
}

bool effect_plain(struct effects *e, enum effect_type type)
{
	return effect_add(e, type, NULL, NULL, 0, 0);
}

bool effect_number(struct effects *e, enum effect_type type, uint64_t number)
{
	return effect_add(e, type, NULL, NULL, 0, number);
}

bool effect_text(struct effects *e, enum effect_type type, const struct trm_lang *lang, const char *text)
{
	return effect_add(e, type, lang, text, text ? strlen(text) : 0, 0);
}

bool effect_buffer(struct effects *e, enum effect_type type, uint32_t buffer, const char *text)
{
	if (!effect_text(e, type, NULL, text))
		return false;
	e->items[e->n - 1].buffer = buffer;
	return true;
}

bool effect_setting(struct effects *e, const char *name, const char *value)
{
	char text[300];
	int n = snprintf(text, sizeof text, "%s%c%s", name, '\0', value);

	return n < (int)sizeof text && effect_add(e, EFFECT_SETTING, NULL, text, (size_t)n, 0);
}
