/* SPDX-License-Identifier: MIT */
/* A recipe out of JSON: everything is looked at before anything is believed, and told with its place. */
#include "recipe/inside.h"

#include <cJSON.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "base/err.h"
#include "base/slip.h"

enum {
	TEXT_MAX = 4096,   /* bytes of a text */
	ARGS_MAX = 256,    /* arguments of a list of them */
	COMMANDS_MAX = 16, /* commands of a step */
	DEPTH_MAX = 4,     /* "if" within "each" within … */
	HINTS_MAX = 64,
	ENV_MAX = 64,
	TIMEOUT_MAX_S = 3600
};

/* Where one is: child `nth` of what `up` is about. */
struct spot {
	const struct spot *up;
	size_t nth;
	const char *name; /* NULL: an element of an array */
};

struct reader {
	const struct recipe_text *text;
	struct trm_recipe *recipe;
	struct trm_error *err;
};

/* ---- mistakes ---- */

static size_t spot_offset(const struct recipe_text *text, const struct spot *at)
{
	size_t above = text->offset;
	if (at->up) {
		above = spot_offset(text, at->up);
		if (at->up->name && (at->up->up || !text->is_one))
			above = place_value(text->json, text->n, above);
	} else if (text->is_one) {
		return above;
	}
	return place_child(text->json, text->n, above, at->nth);
}

/* "steps.create[2]"; of the recipe itself nothing. */
static void put_path(const struct spot *at, char *out, size_t cap)
{
	if (!at->up)
		return;
	put_path(at->up, out, cap);
	size_t n = strlen(out);
	char name[40];
	if (at->name) {
		trm_text_clean_line(name, sizeof name, at->name, strlen(at->name));
		snprintf(out + n, cap - n, "%s%s", n ? "." : "", name);
	} else {
		snprintf(out + n, cap - n, "[%zu]", at->nth);
	}
}

static int fail_v(const struct recipe_text *text, const struct spot *at, struct trm_error *reterr,
		const char *fmt, va_list args)
{
	const struct spot *root = at;
	char path[120] = "", name[TRM_RECIPE_NAME], why[160], where[PATH_MAX + 48] = "built in";
	size_t line, column;
	while (root->up)
		root = root->up;
	put_path(at, path, sizeof path);
	trm_text_clean_line(name, sizeof name, root->name, strlen(root->name));
	vsnprintf(why, sizeof why, fmt, args);
	place_tell(text->json, spot_offset(text, at), &line, &column);
	if (*text->file)
		snprintf(where, sizeof where, "%s:%zu:%zu", text->file, line, column);
	return trm_error_set(reterr, TRM_EINVAL, "%s: backend \"%s\"%s%s: %s", where, name, *path ? ", " : "",
			path, why);
}

static int __attribute__((format(printf, 3, 4)))
fail(const struct reader *r, const struct spot *at, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int code = fail_v(r->text, at, r->err, fmt, args);
	va_end(args);
	return code;
}

static int no_memory(const struct reader *r)
{
	return trm_error_set(r->err, TRM_ENOMEM, "cannot read the backends: out of memory");
}

/* "is not known": with the nearest that is, if there is one. */
static int fail_unknown(const struct reader *r, const struct spot *at, const char *what, const char *word,
		size_t n, const char *nearest)
{
	char clean[48];
	trm_text_clean_line(clean, sizeof clean, word, n);
	if (nearest)
		return fail(r, at, "there is no %s \"%s\"; did you mean \"%s\"?", what, clean, nearest);
	return fail(r, at, "there is no %s \"%s\"; see terrarium-backends(5)", what, clean);
}

int recipe_fail(const struct recipe_text *text, size_t nth, const char *key, struct trm_error *reterr,
		const char *fmt, ...)
{
	const cJSON *item = text->root->child;
	for (size_t i = 0; i < nth; i++)
		item = item->next;
	struct spot root = {NULL, nth, item->string}, at = {&root, 0, key};
	const cJSON *child = key ? item->child : NULL;
	for (; child && strcmp(child->string, key) != 0; child = child->next)
		at.nth++;
	va_list args;
	va_start(args, fmt);
	int code = fail_v(text, child ? &at : &root, reterr, fmt, args);
	va_end(args);
	return code;
}

/* ---- texts ---- */

static int check_text(const struct reader *r, const struct spot *at, const char *s)
{
	size_t n = strlen(s), taken;
	bool is_valid;
	if (n > TEXT_MAX)
		return fail(r, at, "is a text of %zu bytes; at most %d are possible", n, TEXT_MAX);
	for (size_t i = 0; i < n; i += taken) {
		taken = trm_utf8_decode(s + i, n - i, &(uint32_t){0}, &is_valid);
		if (!is_valid)
			return fail(r, at, "is not UTF-8 text");
		if (((unsigned char)s[i] < ' ' && s[i] != '\n' && s[i] != '\t') || s[i] == 0x7f)
			return fail(r, at, "has a control character (byte 0x%02x) in it",
					(unsigned char)s[i]);
	}
	return 0;
}

static int read_text(const struct reader *r, const struct spot *at, const cJSON *item, char **ret)
{
	if (!cJSON_IsString(item) || !*item->valuestring)
		return fail(r, at, "must be a text that is not empty");
	int code = check_text(r, at, item->valuestring);
	if (code < 0)
		return code;
	char *copy = strdup(item->valuestring);
	if (!copy)
		return no_memory(r);
	free(*ret);
	*ret = copy;
	return 0;
}

/* ---- templates ---- */

/* What the arguments of a list may mention: those of a step, within an "each" or not. */
struct place {
	enum recipe_step step;
	int list; /* -1: in no "each" */
	int depth;
};

static int check_word(const struct reader *r, const struct spot *at, const struct place *place,
		const struct word *word)
{
	if (word->kind == WORD_ITEM && (int)word->index != place->list)
		return fail(r, at, "{%s} is known only inside { \"each\": \"%s\", \"args\": [ … ] }",
				word->name, word_list_name(word->index));
	if (!(word->known & word_known(place->step)) && word->known != ~0u)
		return fail(r, at, "{%s} is not known yet (or no longer) in the step \"%s\"", word->name,
				recipe_step_name(place->step));
	return 0;
}

static int check_placeholder(const struct reader *r, const struct spot *at, const struct place *place,
		const struct placeholder *p)
{
	const struct word *word = word_find(p->name, p->n);
	enum word_quote quote;
	if (!word)
		return fail_unknown(r, at, "placeholder", p->name, p->n, word_nearest(p->name, p->n));
	if (!word_quote(p, &quote))
		return fail(r, at,
				"{%s:…}: behind the colon is \"sh\" (quoted for a shell on the other side) or "
				"\"csv\"",
				word->name);
	if (word->kind == WORD_PROGRAM)
		return fail(r, at, "{program} must be an argument of its own: it may stand for several");
	return check_word(r, at, place, word);
}

static int check_template(
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
		return fail(r, at, "must be a text");
	arg->kind = kind;
	if (kind == ARG_EACH) {
		int list = word_list(item->valuestring);
		if (list < 0)
			return fail_unknown(r, at, "list", item->valuestring, strlen(item->valuestring),
					word_nearest_list(item->valuestring));
		arg->list = (enum recipe_list)list;
		return place->list >= 0 ? fail(r, at, "there cannot be an \"each\" within an \"each\"") : 0;
	}
	arg->asked = word_condition(item->valuestring);
	if (!arg->asked)
		return fail_unknown(r, at, "condition", item->valuestring, strlen(item->valuestring),
				word_nearest_condition(item->valuestring));
	/* Whether a list has anything may be asked anywhere; an item's own properties only inside it. */
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
			code = fail(r, &here,
					"has no place here: an argument is a text, or an object with \"if\", "
					"\"unless\" or \"each\", and \"args\"");
		} else {
			code = read_asked(r, &here, place, item, keys[k].kind, arg);
			is_asked = true;
		}
	}
	if (code < 0)
		return code;
	if (!is_asked || !args)
		return fail(r, at, "\"%s\" is missing", args ? "if, unless or each" : "args");
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
		return fail(r, at, "must be a text, or an object with \"if\", \"unless\" or \"each\"");
	int code = read_text(r, at, item, &arg->text);
	return code == 0 ? check_template(r, at, place, arg->text) : code;
}

static int read_args(const struct reader *r, const struct spot *at, const struct place *place,
		const cJSON *list, struct args *ret)
{
	int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0, code = 0;
	if (!n || n > ARGS_MAX)
		return fail(r, at, "must be a list of 1 to %d arguments", ARGS_MAX);
	if (place->depth > DEPTH_MAX)
		return fail(r, at, "is nested too deeply");
	ret->all = calloc((size_t)n, sizeof *ret->all);
	if (!ret->all)
		return no_memory(r);
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
		return fail(r, at, "has more than %d commands", COMMANDS_MAX);
	ret->commands = calloc((size_t)n, sizeof *ret->commands);
	if (!ret->commands)
		return no_memory(r);
	if (!is_list)
		return read_args(r, at, &place, item, &ret->commands[ret->n++]);
	for (const cJSON *command = item->child; command && code == 0; command = command->next, here.nth++)
		code = read_args(r, &here, &place, command, &ret->commands[ret->n++]);
	return code;
}

static int find_step(const char *name, const char **ret_nearest)
{
	struct slip near;
	slip_init(&near, name);
	for (int i = 0; i < STEP_COUNT; i++) {
		if (!strcmp(recipe_step_name((enum recipe_step)i), name))
			return i;
		slip_try(&near, recipe_step_name((enum recipe_step)i));
	}
	*ret_nearest = near.best;
	return -1;
}

static int read_steps(const struct reader *r, const struct spot *at, const cJSON *object)
{
	struct spot here = {at, 0, NULL};
	const char *nearest;
	unsigned seen = 0;
	if (!cJSON_IsObject(object))
		return fail(r, at, "must be an object: { \"create\": [ … ], … }");
	for (const cJSON *item = object->child; item; item = item->next, here.nth++) {
		int step = find_step(item->string, &nearest);
		here.name = item->string;
		if (step < 0)
			return fail_unknown(r, &here, "step", item->string, strlen(item->string), nearest);
		if (seen & 1u << step)
			return fail(r, &here, "is there twice");
		seen |= 1u << step;
		step_finish(&r->recipe->steps[step]); /* what it is like has one, too; null: none at all */
		int code = cJSON_IsNull(item) ? 0
					      : read_commands(r, &here, (enum recipe_step)step, item,
							      &r->recipe->steps[step]);
		if (code < 0)
			return code;
	}
	return 0;
}

/* ---- the other keys ---- */

static int read_about(const struct reader *r, const struct spot *at, const cJSON *item)
{
	int code = read_text(r, at, item, &r->recipe->about);
	return code == 0 && strpbrk(r->recipe->about, "\n\t") ? fail(r, at, "must be one line") : code;
}

static int read_like(const struct reader *r, const struct spot *at, const cJSON *item)
{
	if (!cJSON_IsString(item) || !*item->valuestring || strlen(item->valuestring) >= TRM_RECIPE_NAME)
		return fail(r, at, "must be the name of another backend");
	return 0; /* who has it read this one has followed it */
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
	if (!n || n > ARGS_MAX)
		return fail(r, at, "must be a text, or a list of 1 to %d texts", ARGS_MAX);
	program->all = calloc(n, sizeof *program->all);
	if (!program->all)
		return no_memory(r);
	for (; one && code == 0; one = cJSON_IsArray(item) ? one->next : NULL, here.nth++)
		code = read_text(r, cJSON_IsArray(item) ? &here : at, one, &program->all[program->n++].text);
	return code;
}

static int read_put_reads(const struct reader *r, const struct spot *at, const cJSON *item)
{
	bool is_tar = cJSON_IsString(item) && !strcmp(item->valuestring, "tar");
	if (!is_tar && (!cJSON_IsString(item) || strcmp(item->valuestring, "agent") != 0))
		return fail(r, at, "must be \"agent\" or \"tar\"");
	r->recipe->puts_tar = is_tar;
	return 0;
}

static int read_user(const struct reader *r, const struct spot *at, const cJSON *item)
{
	bool keeps = cJSON_IsString(item) && !strcmp(item->valuestring, "same");
	if (!keeps && (!cJSON_IsString(item) || strcmp(item->valuestring, "image") != 0))
		return fail(r, at,
				"must be \"image\" (its own, but not root) or \"same\" (as whom the commands run)");
	r->recipe->keeps_user = keeps;
	return 0;
}

static int read_workdir(const struct reader *r, const struct spot *at, const cJSON *item)
{
	struct place place = {STEP_CREATE, -1, 0};
	int code = read_text(r, at, item, &r->recipe->workdir);
	if (code == 0 && r->recipe->workdir[0] != '/')
		code = fail(r, at, "must begin with a slash");
	return code == 0 ? check_template(r, at, &place, r->recipe->workdir) : code;
}

static int read_timeout(const struct reader *r, const struct spot *at, const cJSON *item)
{
	double s = cJSON_IsNumber(item) ? item->valuedouble : 0;
	if (!(s >= 1 && s <= TIMEOUT_MAX_S))
		return fail(r, at, "must be a number of seconds from 1 to %d", TIMEOUT_MAX_S);
	r->recipe->timeout_ms = (uint32_t)(s * 1000);
	return 0;
}

static int read_hint(const struct reader *r, const struct spot *at, const cJSON *pair, struct hint *ret)
{
	struct spot text = {at, 0, NULL}, say = {at, 1, NULL};
	if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2)
		return fail(r, at, "must be a pair: [ \"text in what the command said\", \"what to do\" ]");
	int code = read_text(r, &text, pair->child, &ret->text);
	return code == 0 ? read_text(r, &say, pair->child->next, &ret->say) : code;
}

/* In front of those of what it is like. */
static int read_hints(const struct reader *r, const struct spot *at, const cJSON *list)
{
	struct trm_recipe *recipe = r->recipe;
	int n = cJSON_GetArraySize(list), code = 0;
	struct spot here = {at, 0, NULL};
	if (!cJSON_IsArray(list) || (size_t)n + recipe->n_hints > HINTS_MAX)
		return fail(r, at, "must be a list of at most %d pairs", HINTS_MAX);
	struct hint *hints = calloc((size_t)n + recipe->n_hints + 1, sizeof *hints);
	if (!hints)
		return no_memory(r);
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
		return no_memory(r);
	recipe->env = env;
	size_t n = strlen(name) + strlen(value) + 2;
	char *both = malloc(n);
	if (!both)
		return no_memory(r);
	snprintf(both, n, "%s=%s", name, value);
	env[recipe->n_env++] = both; /* a later one of the same name wins */
	return recipe->n_env > ENV_MAX ? fail(r, at, "has more than %d variables", ENV_MAX) : 0;
}

static int read_env(const struct reader *r, const struct spot *at, const cJSON *object)
{
	struct spot here = {at, 0, NULL};
	int code = cJSON_IsObject(object) ? 0 : fail(r, at, "must be an object: { \"NAME\": \"value\" }");
	for (const cJSON *item = object->child; item && code == 0; item = item->next, here.nth++) {
		here.name = item->string;
		if (!cJSON_IsString(item))
			return fail(r, &here, "must be a text");
		if (!*item->string || strchr(item->string, '='))
			return fail(r, &here, "is no name of a variable");
		code = check_text(r, &here, item->string);
		if (code == 0)
			code = check_text(r, &here, item->valuestring);
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
		{"steps", read_steps},
		{"put_reads", read_put_reads},
		{"user", read_user},
		{"workdir", read_workdir},
		{"timeout", read_timeout},
		{"hints", read_hints},
		{"env", read_env},
};
enum { N_KEYS = sizeof keys / sizeof *keys };

static int read_key(const struct reader *r, const struct spot *at, const cJSON *item)
{
	struct slip near;
	slip_init(&near, item->string);
	for (const cJSON *before = item->prev; before->next; before = before->prev)
		if (!strcmp(before->string, item->string))
			return fail(r, at, "is there twice");
	for (size_t i = 0; i < N_KEYS; i++) {
		if (!strcmp(keys[i].name, item->string))
			return keys[i].read(r, at, item);
		slip_try(&near, keys[i].name);
	}
	return fail_unknown(r, at, "key", item->string, strlen(item->string), near.best);
}

int recipe_read(const struct recipe_text *text, size_t nth, struct trm_recipe *recipe,
		struct trm_error *reterr)
{
	struct reader r = {text, recipe, reterr};
	const cJSON *root = text->root->child;
	for (size_t i = 0; i < nth; i++)
		root = root->next;
	struct spot here = {NULL, nth, root->string}, child = {&here, 0, NULL};
	int code = cJSON_IsObject(root) ? 0 : fail(&r, &here, "must be an object: { \"steps\": { … } }");
	for (const cJSON *item = root->child; item && code == 0; item = item->next, child.nth++) {
		child.name = item->string;
		code = read_key(&r, &child, item);
	}
	return code;
}

/* ---- what all of it takes ---- */

static const struct {
	enum recipe_step step, needs;
	const char *why;
} together[] = {
		{STEP_PULL, STEP_IMAGE, "which looks whether there is anything to be fetched"},
		{STEP_BUILD, STEP_IMAGE, "which says what has been built"},
		{STEP_START, STEP_CREATE, "which makes what is to be started"},
		{STEP_WAKE, STEP_ADOPT, "which says whether it has to be started"},
};

int recipe_check(const struct recipe_text *text, size_t nth, const struct trm_recipe *recipe,
		struct trm_error *reterr)
{
	/* Where the agent finds its way out by a shared directory, nobody has to go in. */
	if (!recipe_has(recipe, STEP_CONNECT) && !recipe_uses(recipe, STEP_CREATE, "share"))
		return recipe_fail(text, nth, "steps", reterr,
				"the step \"connect\" is missing: it is how one speaks with the agent");
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
