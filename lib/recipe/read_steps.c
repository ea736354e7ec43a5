/* SPDX-License-Identifier: MIT */
/* Reads the commands of a recipe from JSON. */
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "recipe/reader.h"

enum {
	ARGS_MAX = 256,    /* arguments of one list */
	COMMANDS_MAX = 16, /* commands of a step */
	DEPTH_MAX = 4,     /* "if" within "each" within … */
};

/* ---- templates ---- */

static int check_word(const struct reader *r, const struct spot *at, const struct place *place,
		const struct word *word)
{
	if (word->kind == WORD_ITEM && (int)word->index != place->list)
		return reader_fail(r, at, "{%s} is known only inside { \"each\": \"%s\", \"args\": [ … ] }",
				word->name, word_list_name(word->index));
	if (!(word->known & word_known(place->step)) && word->known != ~0u)
		return reader_fail(r, at, "{%s} is not known yet (or no longer) in the step \"%s\"",
				word->name, recipe_step_name(place->step));
	return 0;
}

static int check_placeholder(const struct reader *r, const struct spot *at, const struct place *place,
		const struct placeholder *p)
{
	const struct word *word = word_find(p->name, p->n);
	enum word_quote quote;
	if (!word)
		return reader_fail_unknown(r, at, "placeholder", p->name, p->n, word_nearest(p->name, p->n));
	if (!word_quote(p, &quote))
		return reader_fail(r, at,
				"{%s:…}: after the colon use \"sh\" (quoted for a shell on the other side) or "
				"\"csv\"",
				word->name);
	if (word->kind == WORD_PROGRAM)
		return reader_fail(
				r, at, "{program} must be an argument of its own: it may stand for several");
	return check_word(r, at, place, word);
}

int reader_check_template(
		const struct reader *r, const struct spot *at, const struct place *place, const char *text)
{
	struct placeholder p;
	for (size_t i = 0; text[i];) {
		size_t n = text[i] == '{' && text[i + 1] != '{' ? word_scan(text + i, &p) : 0;
		int code = n ? check_placeholder(r, at, place, &p) : 0;
		if (code < 0)
			return code;
		i += n ? n : text[i] == '{' && text[i + 1] == '{' ? 2 : 1;
	}
	return 0;
}

/* ---- arguments ---- */

static int read_args(const struct reader *r, const struct spot *at, const struct place *place,
		const cJSON *list, struct args *ret);

static int read_asked(const struct reader *r, const struct spot *at, const struct place *place,
		const cJSON *item, enum arg_kind kind, struct arg *arg)
{
	if (!cJSON_IsString(item))
		return reader_fail(r, at, "must be a string");
	arg->kind = kind;
	if (kind == ARG_EACH) {
		int list = word_list(item->valuestring);
		if (list < 0)
			return reader_fail_unknown(r, at, "list", item->valuestring,
					strlen(item->valuestring), word_nearest_list(item->valuestring));
		arg->list = (enum recipe_list)list;
		return place->list >= 0 ? reader_fail(r, at, "there cannot be an \"each\" within an \"each\"")
					: 0;
	}
	arg->asked = word_condition(item->valuestring);
	if (!arg->asked)
		return reader_fail_unknown(r, at, "condition", item->valuestring, strlen(item->valuestring),
				word_nearest_condition(item->valuestring));
	/* Conditions may ask anywhere whether a list has items, but only inside of its "each" for an
	 * item's properties. */
	if (arg->asked->kind == WORD_ITEM && arg->asked->part == PART_WHOLE)
		return 0;
	return check_word(r, at, place, arg->asked);
}

/* { "if": "memory_mb", "args": [ … ] } */
static int read_object(const struct reader *r, const struct spot *at, const struct place *place,
		const cJSON *object, struct arg *arg)
{
	static const struct {
		const char *name;
		enum arg_kind kind;
	} keys[] = {{"if", ARG_IF}, {"unless", ARG_UNLESS}, {"each", ARG_EACH}};
	const cJSON *args = NULL;
	struct spot here = {at, 0, NULL}, args_at = {0};
	bool is_asked = false;
	int code = 0;
	for (const cJSON *item = object->child; item && code == 0; item = item->next, here.nth++) {
		size_t k = 0;
		here.name = item->string;
		while (k < 3 && strcmp(keys[k].name, item->string) != 0)
			k++;
		if (!strcmp(item->string, "args") && !args) {
			args = item;
			args_at = here;
		} else if (k == 3 || is_asked) {
			code = reader_fail(r, &here,
					"is not allowed here: an argument is a string, or an object with \"if\", "
					"\"unless\" or \"each\", and \"args\"");
		} else {
			code = read_asked(r, &here, place, item, keys[k].kind, arg);
			is_asked = true;
		}
	}
	if (code < 0)
		return code;
	if (!is_asked || !args)
		return reader_fail(r, at, "\"%s\" is missing", args ? "if, unless or each" : "args");
	struct place inside = *place;
	inside.depth++;
	if (arg->kind == ARG_EACH)
		inside.list = (int)arg->list;
	return read_args(r, &args_at, &inside, args, &arg->args);
}

static int read_arg(const struct reader *r, const struct spot *at, const struct place *place,
		const cJSON *item, struct arg *arg)
{
	if (cJSON_IsObject(item))
		return read_object(r, at, place, item, arg);
	if (cJSON_IsString(item) && !strcmp(item->valuestring, "{program}")) {
		arg->kind = ARG_PROGRAM;
		return 0;
	}
	if (!cJSON_IsString(item))
		return reader_fail(
				r, at, "must be a string, or an object with \"if\", \"unless\" or \"each\"");
	int code = reader_text(r, at, item, &arg->text);
	return code == 0 ? reader_check_template(r, at, place, arg->text) : code;
}

static int read_args(const struct reader *r, const struct spot *at, const struct place *place,
		const cJSON *list, struct args *ret)
{
	int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0, code = 0;
	if (!n || n > ARGS_MAX)
		return reader_fail(r, at, "must be a list of 1 to %d arguments", ARGS_MAX);
	if (place->depth > DEPTH_MAX)
		return reader_fail(r, at, "is nested too deeply");
	ret->all = calloc((size_t)n, sizeof *ret->all);
	if (!ret->all)
		return reader_no_memory(r);
	struct spot here = {at, 0, NULL};
	for (const cJSON *item = list->child; item && code == 0; item = item->next, here.nth++)
		code = read_arg(r, &here, place, item, &ret->all[ret->n++]);
	return code;
}

/* ---- steps ---- */

/* One command, or a list of commands. */
static int read_commands(const struct reader *r, const struct spot *at, enum recipe_step step,
		const cJSON *item, struct step *ret)
{
	struct place place = {step, -1, 0};
	struct spot here = {at, 0, NULL};
	bool is_list = cJSON_IsArray(item) && cJSON_IsArray(item->child);
	int n = is_list ? cJSON_GetArraySize(item) : 1, code = 0;
	if (n > COMMANDS_MAX)
		return reader_fail(r, at, "has more than %d commands", COMMANDS_MAX);
	ret->commands = calloc((size_t)n, sizeof *ret->commands);
	if (!ret->commands)
		return reader_no_memory(r);
	if (!is_list)
		return read_args(r, at, &place, item, &ret->commands[ret->n++]);
	for (const cJSON *command = item->child; command && code == 0; command = command->next, here.nth++)
		code = read_args(r, &here, &place, command, &ret->commands[ret->n++]);
	return code;
}

static int find_step(const char *name, const char **ret_nearest)
{
	struct suggest near;
	suggest_init(&near, name);
	for (int i = 0; i < STEP_COUNT; i++) {
		if (!strcmp(recipe_step_name((enum recipe_step)i), name))
			return i;
		suggest_try(&near, recipe_step_name((enum recipe_step)i));
	}
	*ret_nearest = near.best;
	return -1;
}

int reader_steps(const struct reader *r, const struct spot *at, const cJSON *object)
{
	struct spot here = {at, 0, NULL};
	const char *nearest;
	unsigned seen = 0;
	if (!cJSON_IsObject(object))
		return reader_fail(r, at, "must be an object: { \"create\": [ … ], … }");
	for (const cJSON *item = object->child; item; item = item->next, here.nth++) {
		int step = find_step(item->string, &nearest);
		here.name = item->string;
		if (step < 0)
			return reader_fail_unknown(
					r, &here, "step", item->string, strlen(item->string), nearest);
		if (seen & 1u << step)
			return reader_fail(r, &here, "is there twice");
		seen |= 1u << step;
		step_finish(&r->recipe->steps[step]); /* the recipe that this one is like may have this step;
							 null removes it */
		int code = cJSON_IsNull(item) ? 0
					      : read_commands(r, &here, (enum recipe_step)step, item,
							      &r->recipe->steps[step]);
		if (code < 0)
			return code;
	}
	return 0;
}
