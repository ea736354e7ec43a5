/* SPDX-License-Identifier: MIT */
/* Reads the keys of a recipe, and checks that a recipe is complete. */
#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/suggest.h"
#include "recipe/reader.h"

enum { PROGRAM_MAX = 256, HINTS_MAX = 64, ENV_MAX = 64, TIMEOUT_MAX_S = 3600 };

/* ---- the keys ---- */

static int read_about(const struct reader *r, const struct spot *at, const cJSON *item)
{
	int code = reader_text(r, at, item, &r->recipe->about);
	return code == 0 && strpbrk(r->recipe->about, "\n\t") ? reader_fail(r, at, "must be one line") : code;
}

static int read_like(const struct reader *r, const struct spot *at, const cJSON *item)
{
	if (!cJSON_IsString(item) || !*item->valuestring || strlen(item->valuestring) >= TRM_RECIPE_NAME)
		return reader_fail(r, at, "must be the name of another backend");
	return 0; /* recipe.c has followed it already */
}

/* A name, or the first arguments of every command. */
static int read_program(const struct reader *r, const struct spot *at, const cJSON *item)
{
	struct args *program = &r->recipe->program;
	const cJSON *one = cJSON_IsArray(item) ? item->child : item;
	size_t n = cJSON_IsArray(item) ? (size_t)cJSON_GetArraySize(item) : 1;
	struct spot here = {at, 0, NULL};
	int code = 0;
	args_finish(program);
	if (!n || n > PROGRAM_MAX)
		return reader_fail(r, at, "must be a string, or a list of 1 to %d strings", PROGRAM_MAX);
	program->all = calloc(n, sizeof *program->all);
	if (!program->all)
		return reader_no_memory(r);
	for (; one && code == 0; one = cJSON_IsArray(item) ? one->next : NULL, here.nth++)
		code = reader_text(
				r, cJSON_IsArray(item) ? &here : at, one, &program->all[program->n++].text);
	return code;
}

static int read_put_reads(const struct reader *r, const struct spot *at, const cJSON *item)
{
	static const char *const names[] = {
			[RECIPE_PUT_AGENT] = "agent", [RECIPE_PUT_TAR] = "tar", [RECIPE_PUT_POD] = "pod"};
	for (int i = 0; i < 3; i++)
		if (cJSON_IsString(item) && !strcmp(item->valuestring, names[i])) {
			r->recipe->put_reads = (enum recipe_put)i;
			return 0;
		}
	return reader_fail(r, at, "must be \"agent\", \"tar\" or \"pod\"");
}

static int read_image(const struct reader *r, const struct spot *at, const cJSON *item)
{
	return reader_text(r, at, item, &r->recipe->image);
}

static int read_user(const struct reader *r, const struct spot *at, const cJSON *item)
{
	bool keeps = cJSON_IsString(item) && !strcmp(item->valuestring, "same");
	if (!keeps && (!cJSON_IsString(item) || strcmp(item->valuestring, "image") != 0))
		return reader_fail(r, at,
				"must be \"image\" (its own, but not root) or \"same\" (the user that the commands run as)");
	r->recipe->keeps_user = keeps;
	return 0;
}

static int read_workdir(const struct reader *r, const struct spot *at, const cJSON *item)
{
	struct place place = {STEP_CREATE, -1, 0};
	int code = reader_text(r, at, item, &r->recipe->workdir);
	if (code == 0 && r->recipe->workdir[0] != '/')
		code = reader_fail(r, at, "must begin with a slash");
	return code == 0 ? reader_check_template(r, at, &place, r->recipe->workdir) : code;
}

static int read_timeout(const struct reader *r, const struct spot *at, const cJSON *item)
{
	double s = cJSON_IsNumber(item) ? item->valuedouble : 0;
	if (!(s >= 1 && s <= TIMEOUT_MAX_S))
		return reader_fail(r, at, "must be a number of seconds from 1 to %d", TIMEOUT_MAX_S);
	r->recipe->timeout_ms = (uint32_t)(s * 1000);
	return 0;
}

static int read_hint(const struct reader *r, const struct spot *at, const cJSON *pair, struct hint *ret)
{
	struct spot text = {at, 0, NULL}, say = {at, 1, NULL};
	if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2)
		return reader_fail(r, at,
				"must be a pair: [ \"text in the command's output\", \"what to do\" ]");
	int code = reader_text(r, &text, pair->child, &ret->text);
	return code == 0 ? reader_text(r, &say, pair->child->next, &ret->say) : code;
}

/* They precede the hints of the recipe that this one is like. */
static int read_hints(const struct reader *r, const struct spot *at, const cJSON *list)
{
	struct trm_recipe *recipe = r->recipe;
	int n = cJSON_GetArraySize(list), code = 0;
	struct spot here = {at, 0, NULL};
	if (!cJSON_IsArray(list) || (size_t)n + recipe->n_hints > HINTS_MAX)
		return reader_fail(r, at, "must be a list of at most %d pairs", HINTS_MAX);
	struct hint *hints = calloc((size_t)n + recipe->n_hints + 1, sizeof *hints);
	if (!hints)
		return reader_no_memory(r);
	if (recipe->n_hints)
		memcpy(hints + n, recipe->hints, recipe->n_hints * sizeof *hints);
	free(recipe->hints);
	recipe->hints = hints;
	recipe->n_hints += (size_t)n;
	for (const cJSON *pair = list->child; pair && code == 0; pair = pair->next, here.nth++)
		code = read_hint(r, &here, pair, &hints[here.nth]);
	return code;
}

static int add_env(const struct reader *r, const struct spot *at, const char *name, const char *value)
{
	struct trm_recipe *recipe = r->recipe;
	char **env = realloc(recipe->env, (recipe->n_env + 1) * sizeof *env);
	if (!env)
		return reader_no_memory(r);
	recipe->env = env;
	size_t n = strlen(name) + strlen(value) + 2;
	char *both = malloc(n);
	if (!both)
		return reader_no_memory(r);
	snprintf(both, n, "%s=%s", name, value);
	env[recipe->n_env++] = both; /* a later variable of the same name wins */
	return recipe->n_env > ENV_MAX ? reader_fail(r, at, "has more than %d variables", ENV_MAX) : 0;
}

static int read_env(const struct reader *r, const struct spot *at, const cJSON *object)
{
	struct spot here = {at, 0, NULL};
	int code = cJSON_IsObject(object) ? 0
					  : reader_fail(r, at, "must be an object: { \"NAME\": \"value\" }");
	for (const cJSON *item = object->child; item && code == 0; item = item->next, here.nth++) {
		here.name = item->string;
		if (!cJSON_IsString(item))
			return reader_fail(r, &here, "must be a string");
		if (!*item->string || strchr(item->string, '='))
			return reader_fail(r, &here, "is not the name of a variable");
		code = reader_check_text(r, &here, item->string);
		if (code == 0)
			code = reader_check_text(r, &here, item->valuestring);
		if (code == 0)
			code = add_env(r, &here, item->string, item->valuestring);
	}
	return code;
}

static const struct key {
	const char *name;
	int (*read)(const struct reader *r, const struct spot *at, const cJSON *item);
} keys[] = {
		{"about", read_about},
		{"like", read_like},
		{"program", read_program},
		{"steps", reader_steps},
		{"put_reads", read_put_reads},
		{"user", read_user},
		{"workdir", read_workdir},
		{"image", read_image},
		{"timeout", read_timeout},
		{"hints", read_hints},
		{"env", read_env},
};
enum { N_KEYS = sizeof keys / sizeof *keys };

static int read_key(const struct reader *r, const struct spot *at, const cJSON *item)
{
	struct suggest near;
	suggest_init(&near, item->string);
	for (const cJSON *before = item->prev; before->next; before = before->prev)
		if (!strcmp(before->string, item->string))
			return reader_fail(r, at, "is there twice");
	for (size_t i = 0; i < N_KEYS; i++) {
		if (!strcmp(keys[i].name, item->string))
			return keys[i].read(r, at, item);
		suggest_try(&near, keys[i].name);
	}
	return reader_fail_unknown(r, at, "key", item->string, strlen(item->string), near.best);
}

int recipe_read(const struct recipe_text *text, size_t nth, struct trm_recipe *recipe,
		struct trm_error *reterr)
{
	struct reader r = {text, recipe, reterr};
	const cJSON *root = text->root->child;
	for (size_t i = 0; i < nth; i++)
		root = root->next;
	struct spot here = {NULL, nth, root->string}, child = {&here, 0, NULL};
	int code = cJSON_IsObject(root) ? 0
					: reader_fail(&r, &here, "must be an object: { \"steps\": { … } }");
	for (const cJSON *item = root->child; item && code == 0; item = item->next, child.nth++) {
		child.name = item->string;
		code = read_key(&r, &child, item);
	}
	return code;
}

/* ---- completeness ---- */

static const struct {
	enum recipe_step step, needs;
	const char *why;
} together[] = {
		{STEP_PULL, STEP_IMAGE, "which checks whether an image must be pulled"},
		{STEP_BUILD, STEP_IMAGE, "which describes the built image"},
		{STEP_START, STEP_CREATE, "which creates the sandbox to start"},
		{STEP_WAKE, STEP_ADOPT, "which says whether the container must be started"},
};

int recipe_check(const struct recipe_text *text, size_t nth, const struct trm_recipe *recipe,
		struct trm_error *reterr)
{
	/* If the agent gets its socket through a shared directory, no connect step is needed. */
	if (!recipe_has(recipe, STEP_CONNECT) && !recipe_uses(recipe, STEP_CREATE, "share"))
		return recipe_fail(text, nth, "steps", reterr,
				"the step \"connect\" is missing: it connects to the agent");
	if (!recipe_has(recipe, STEP_DESTROY))
		return recipe_fail(text, nth, "steps", reterr,
				"the step \"destroy\" is missing: without it sandboxes could not be removed");
	for (size_t i = 0; i < sizeof together / sizeof *together; i++)
		if (recipe_has(recipe, together[i].step) && !recipe_has(recipe, together[i].needs))
			return recipe_fail(text, nth, "steps", reterr, "the step \"%s\" goes with \"%s\", %s",
					recipe_step_name(together[i].step),
					recipe_step_name(together[i].needs), together[i].why);
	if (recipe_has(recipe, STEP_CONNECT) && !recipe_uses(recipe, STEP_CONNECT, "key"))
		return recipe_fail(text, nth, "steps", reterr,
				"the step \"connect\" does not mention {key}, by which the agent is found");
	if (!recipe_has(recipe, STEP_PUT) && !recipe_uses(recipe, STEP_CREATE, "agent")
			&& !recipe_uses(recipe, STEP_CONNECT, "agent"))
		return recipe_fail(text, nth, "steps", reterr,
				"nothing takes the agent there: a step \"put\", or {agent} in \"create\" or "
				"\"connect\"");
	return 0;
}
