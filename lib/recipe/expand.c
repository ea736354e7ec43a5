/* SPDX-License-Identifier: MIT */
/* Puts facts into the commands of a step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "recipe/recipe_internal.h"

struct expander {
	const struct trm_recipe *recipe;
	const struct recipe_facts *facts;
	enum recipe_step step;
	size_t at; /* current item of the enclosing "each" */
	struct buf *out;
	struct trm_error *err;
};

static int fail_step_expand(const struct expander *x, int code, const char *why)
{
	return trm_error_set(x->err, code, "backend \"%s\", step \"%s\": %s", x->recipe->name,
			recipe_step_name(x->step), why);
}

static int append_bytes(const struct expander *x, const char *s, size_t n)
{
	int r = buf_append(x->out, s, n);
	if (r == TRM_ETOOBIG)
		return fail_step_expand(x, r, "its commands become too long");
	return r < 0 ? fail_step_expand(x, r, "out of memory") : 0;
}

/* ---- values ---- */

static size_t list_len(const struct expander *x, enum recipe_list list)
{
	const size_t n[LIST_COUNT] = {x->facts->n_env, x->facts->n_mounts, x->facts->n_labels,
			x->facts->n_options, x->facts->n_engine_args};
	return n[list];
}

/* A piece of text without a NUL at its end. NULL: not set. */
struct value {
	const char *s;
	size_t n;
};

static struct value whole(const char *s)
{
	return (struct value){s, s ? strlen(s) : 0};
}

/* A part of "NAME=value": all of it, or the text before or after the first '='. */
static struct value part_of(const char *s, unsigned part)
{
	const char *sign = strchr(s, '=');
	if (part == PART_WHOLE || !sign)
		return part == PART_VALUE ? whole("") : whole(s);
	return part == PART_NAME ? (struct value){s, (size_t)(sign - s)} : whole(sign + 1);
}

static struct value item_value(const struct expander *x, const struct word *word)
{
	const struct recipe_facts *f = x->facts;
	switch ((enum recipe_list)word->index) {
	case LIST_MOUNT:
		return whole(word->part == PART_WHOLE ? f->mounts[x->at].host : f->mounts[x->at].guest);
	case LIST_ENV: return part_of(f->env[x->at], word->part);
	case LIST_LABEL: return part_of(f->labels[x->at], word->part);
	case LIST_ENGINE_ARG: return whole(f->engine_args[x->at]);
	default: return whole(f->options[x->at]);
	}
}

static struct value value_of(const struct expander *x, const struct word *word)
{
	if (word->kind == WORD_FACT)
		return whole(x->facts->value[word->index]);
	return word->kind == WORD_ITEM ? item_value(x, word) : whole(word->text);
}

static bool is_true(const struct expander *x, const struct word *word)
{
	if (word->kind == WORD_FACT)
		return x->facts->value[word->index] && *x->facts->value[word->index];
	if (word->part == PART_VALUE) /* mount.writable */
		return x->facts->mounts[x->at].is_writable;
	return list_len(x, (enum recipe_list)word->index) > 0;
}

/* ---- quoting ---- */

/* 'it'\''s' */
static int put_shell(const struct expander *x, struct value v)
{
	int r = append_bytes(x, "'", 1);
	for (size_t i = 0; i < v.n && r == 0; i++)
		r = v.s[i] == '\'' ? append_bytes(x, "'\\''", 4) : append_bytes(x, v.s + i, 1);
	return r == 0 ? append_bytes(x, "'", 1) : r;
}

static int put_csv(const struct expander *x, struct value v)
{
	int r = 0;
	for (size_t i = 0; i < v.n && r == 0; i++)
		r = v.s[i] == '"' ? append_bytes(x, "\"\"", 2) : append_bytes(x, v.s + i, 1);
	return r;
}

static int put_value(const struct expander *x, struct value v, enum word_quote quote)
{
	if (quote == QUOTE_SHELL)
		return put_shell(x, v);
	return quote == QUOTE_CSV ? put_csv(x, v) : append_bytes(x, v.s, v.n);
}

/* "0.5" → "1", "2.0" → "2": for engines that count in whole numbers. */
static struct value whole_number(const char *s, char out[24])
{
	unsigned long n = s ? strtoul(s, NULL, 10) : 0;
	const char *dot = s ? strchr(s, '.') : NULL;
	bool has_rest = dot && dot[1 + strspn(dot + 1, "0")];
	snprintf(out, 24, "%lu", n + has_rest);
	return s ? whole(out) : whole(NULL);
}

static int put_placeholder(const struct expander *x, const struct placeholder *p)
{
	const struct word *word = word_find(p->name, p->n);
	char number[24];
	struct value v = word->kind == WORD_WHOLE ? whole_number(x->facts->value[word->index], number)
						  : value_of(x, word);
	enum word_quote quote = QUOTE_NONE;
	char why[120];
	word_quote(p, &quote);
	if ((word->kind == WORD_FACT || word->kind == WORD_WHOLE) && !v.n) {
		snprintf(why, sizeof why, "{%s} is not set%s%s", word->name,
				word->option ? "; give it with " : "", word->option ? word->option : "");
		return fail_step_expand(x, TRM_EINVAL, why);
	}
	if (word->kind != WORD_LATE && v.n && memchr(v.s, RECIPE_LATE_ID[0], v.n)) {
		snprintf(why, sizeof why, "the value of {%s} contains a control character", word->name);
		return fail_step_expand(x, TRM_EINVAL, why);
	}
	return put_value(x, v, quote);
}

/* ---- arguments ---- */

static int put_text(const struct expander *x, const char *text)
{
	size_t before = x->out->len;
	struct placeholder p;
	int r = 0;
	for (size_t i = 0; text[i] && r == 0;) {
		bool is_double = text[i] == '{' && text[i + 1] == '{';
		size_t n = text[i] == '{' && !is_double ? word_scan(text + i, &p) : 0;
		r = n ? put_placeholder(x, &p) : append_bytes(x, text + i, is_double ? 2 : 1);
		i += n ? n : is_double ? 2 : 1;
	}
	if (r == 0 && x->out->len == before)
		return fail_step_expand(x, TRM_EINVAL, "one of its arguments is empty");
	return r == 0 ? append_bytes(x, "", 1) : r;
}

static int put_args(struct expander *x, const struct args *args);

static int put_each(struct expander *x, const struct arg *arg)
{
	size_t n = list_len(x, arg->list);
	int r = 0;
	for (x->at = 0; x->at < n && r == 0; x->at++)
		r = put_args(x, &arg->args);
	return r;
}

static int put_arg(struct expander *x, const struct arg *arg)
{
	switch (arg->kind) {
	case ARG_PROGRAM: return put_args(x, &x->recipe->program);
	case ARG_IF:
	case ARG_UNLESS: return is_true(x, arg->asked) == (arg->kind == ARG_IF) ? put_args(x, &arg->args) : 0;
	case ARG_EACH: return put_each(x, arg);
	default: return put_text(x, arg->text);
	}
}

static int put_args(struct expander *x, const struct args *args)
{
	int r = 0;
	for (size_t i = 0; i < args->n && r == 0; i++)
		r = put_arg(x, &args->all[i]);
	return r;
}

/* A command is left out if all its arguments are conditional and no condition holds. */
static int put_step(struct expander *x, const struct step *step)
{
	size_t begin = x->out->len;
	int r = 0;
	for (size_t i = 0; i < step->n && r == 0; i++) {
		size_t before = x->out->len;
		if (before > begin)
			r = append_bytes(x, "", 1);
		size_t head = x->out->len;
		if (r == 0)
			r = put_args(x, &step->commands[i]);
		if (r == 0 && x->out->len == head)
			x->out->len = before;
	}
	return r;
}

int recipe_expand(const struct trm_recipe *recipe, enum recipe_step step, const struct recipe_facts *facts,
		struct buf *out, struct trm_error *reterr)
{
	struct expander x = {.recipe = recipe, .facts = facts, .step = step, .out = out, .err = reterr};
	size_t before = out->len;
	int r = put_step(&x, &recipe->steps[step]);
	if (r == 0 && out->len - before > RECIPE_EXPANDED_MAX)
		r = fail_step_expand(&x, TRM_ETOOBIG, "its commands become too long");
	if (r < 0)
		out->len = before;
	return r;
}

int recipe_workdir(const struct trm_recipe *recipe, const struct recipe_facts *facts, struct buf *out,
		struct trm_error *reterr)
{
	struct expander x = {
			.recipe = recipe, .facts = facts, .step = STEP_CREATE, .out = out, .err = reterr};
	return recipe->workdir ? put_text(&x, recipe->workdir) : 0;
}

int recipe_env(const struct trm_recipe *recipe, struct buf *out, struct trm_error *reterr)
{
	int r = 0;
	for (size_t i = 0; i < recipe->n_env && r == 0; i++)
		r = buf_append(out, recipe->env[i], strlen(recipe->env[i]) + 1);
	return r < 0 ? trm_error_set(reterr, r, "backend \"%s\": its variables have no room", recipe->name)
		     : 0;
}

/* ---- queries ---- */

static bool text_uses(const char *text, const char *name)
{
	struct placeholder p;
	for (size_t i = 0; text[i];) {
		bool is_double = text[i] == '{' && text[i + 1] == '{';
		size_t n = text[i] == '{' && !is_double ? word_scan(text + i, &p) : 0;
		if (n && p.n == strlen(name) && !memcmp(p.name, name, p.n))
			return true;
		i += n ? n : is_double ? 2 : 1;
	}
	return false;
}

static bool args_use(const struct args *args, const char *name, const char *untrue)
{
	for (size_t i = 0; i < args->n; i++) {
		const struct arg *arg = &args->all[i];
		if (untrue && arg->kind == ARG_IF && !strcmp(arg->asked->name, untrue))
			continue;
		if (arg->kind == ARG_TEXT && text_uses(arg->text, name))
			return true;
		if (arg->kind == ARG_EACH && !strcmp(word_list_name(arg->list), name))
			return true;
		if (arg->asked && !strcmp(arg->asked->name, name))
			return true;
		if (args_use(&arg->args, name, untrue))
			return true;
	}
	return false;
}

bool recipe_uses_without(
		const struct trm_recipe *recipe, enum recipe_step step, const char *word, const char *untrue)
{
	if (step == STEP_CREATE && recipe->put_reads == RECIPE_PUT_POD && word_is_in_pod(word))
		return true;
	for (size_t i = 0; i < recipe->steps[step].n; i++)
		if (args_use(&recipe->steps[step].commands[i], word, untrue))
			return true;
	return false;
}

bool recipe_uses(const struct trm_recipe *recipe, enum recipe_step step, const char *word)
{
	return recipe_uses_without(recipe, step, word, NULL);
}
