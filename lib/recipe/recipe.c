/* SPDX-License-Identifier: MIT */
/* Finds recipes by name, and follows "like" from one to the next. */
#include <terrarium/recipe.h>

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/config.h>
#include <terrarium/text.h>

#include "base/err.h"
#include "base/json.h"
#include "base/place.h"
#include "base/suggest.h"
#include "embed/embed.h"
#include "recipe/recipe_internal.h"

enum { RECIPES_MAX = 64, LIKE_MAX = 8, TIMEOUT_MS = 60000 };

/* ---- life ---- */

void args_finish(struct args *args)
{
	for (size_t i = 0; i < args->n; i++) {
		free(args->all[i].text);
		args_finish(&args->all[i].args);
	}
	free(args->all);
	*args = (struct args){0};
}

void step_finish(struct step *step)
{
	for (size_t i = 0; i < step->n; i++)
		args_finish(&step->commands[i]);
	free(step->commands);
	*step = (struct step){0};
}

void trm_recipe_free(struct trm_recipe *recipe)
{
	if (!recipe || --recipe->n_refs)
		return;
	for (size_t i = 0; i < STEP_COUNT; i++)
		step_finish(&recipe->steps[i]);
	for (size_t i = 0; i < recipe->n_hints; i++) {
		free(recipe->hints[i].text);
		free(recipe->hints[i].say);
	}
	for (size_t i = 0; i < recipe->n_env; i++)
		free(recipe->env[i]);
	args_finish(&recipe->program);
	free(recipe->hints);
	free(recipe->env);
	free(recipe->about);
	free(recipe->workdir);
	free(recipe->image);
	free(recipe);
}

struct trm_recipe *recipe_ref(const struct trm_recipe *recipe)
{
	struct trm_recipe *shared = (struct trm_recipe *)recipe; /* everything except the count is constant */
	shared->n_refs++;
	return shared;
}

/* ---- texts with recipes ---- */

/* The recipes of a config file, and the built-in ones. */
struct book {
	struct trm_config_text config;
	struct recipe_text own, builtin;
};

static int no_memory(struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_ENOMEM, "cannot read the backends: out of memory");
}

static int parse_text(struct recipe_text *text, struct trm_error *reterr)
{
	text->root = cJSON_ParseWithLengthOpts(text->json + text->offset, text->n - text->offset, NULL, 0);
	return text->root ? 0 : no_memory(reterr); /* the text has been parsed before, so it is valid */
}

static int open_builtin(struct book *book, struct trm_error *reterr)
{
	struct embed e = embed_recipes();
	book->builtin = (struct recipe_text){.file = "", .json = e.bytes, .n = e.n};
	return parse_text(&book->builtin, reterr);
}

static void book_finish(struct book *book)
{
	cJSON_Delete((cJSON *)book->own.root);
	cJSON_Delete((cJSON *)book->builtin.root);
	free(book->config.text);
}

static int book_init(struct book *book, const char *config_path, struct trm_error *reterr)
{
	*book = (struct book){0};
	int r = trm_config_text(config_path, "backends", &book->config, reterr);
	if (r == 0)
		r = open_builtin(book, reterr);
	if (r == 0 && book->config.text) {
		book->own = (struct recipe_text){.file = book->config.file,
				.json = book->config.text,
				.n = book->config.n,
				.offset = book->config.offset};
		r = parse_text(&book->own, reterr);
	}
	if (r < 0)
		book_finish(book);
	return r;
}

/* The number of the child with this name, by strcmp() or strcasecmp(); -1: there is none. */
static int nth_by(
		const struct recipe_text *text, const char *name, int (*compare)(const char *, const char *))
{
	int nth = 0;
	for (const cJSON *item = text->root ? text->root->child : NULL; item; item = item->next, nth++)
		if (!compare(item->string, name))
			return nth;
	return -1;
}

static int nth_of(const struct recipe_text *text, const char *name)
{
	return nth_by(text, name, strcmp);
}

static const cJSON *nth_item(const struct recipe_text *text, int nth)
{
	const cJSON *item = text->root->child;
	while (nth--)
		item = item->next;
	return item;
}

/* ---- names ---- */

static bool is_name_byte(char c, bool is_first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
	       || (!is_first && c && strchr("._-", c));
}

static const char *name_mistake(const char *name)
{
	static const char *const taken[] = {"local", "microsandbox", "fake"};
	size_t n = strlen(name);
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (!strcmp(taken[i], name))
			return "this name is taken by a native backend; choose another";
	for (size_t i = 0; i < n; i++)
		if (!is_name_byte(name[i], i == 0))
			return "a name is letters, digits, '.', '_' and '-', the first a letter or digit";
	return !n || n >= TRM_RECIPE_NAME ? "a name has 1 to 31 letters" : NULL;
}

/* ---- reading a recipe and those that it is like ---- */

struct chain {
	const struct book *book;
	struct trm_recipe *recipe;
	struct trm_error *err;
	int depth;
};

static int read_own(struct chain *c, const struct recipe_text *text, int nth);

/* Read the recipe that "like" names: the user's own, or the built-in one if the recipe names itself. */
static int read_like(struct chain *c, const struct recipe_text *text, int nth, const char *like)
{
	const struct book *book = c->book;
	const char *name = nth_item(text, nth)->string;
	int own = strcmp(like, name) ? nth_of(&book->own, like) : -1, builtin = nth_of(&book->builtin, like);
	struct suggest near;

	if (++c->depth > LIKE_MAX)
		return recipe_fail(text, (size_t)nth, "like", c->err,
				"forms a circle, or a chain of more than %d backends", LIKE_MAX);
	if (own >= 0)
		return read_own(c, &book->own, own);
	if (builtin >= 0 && text != &book->builtin)
		return read_own(c, &book->builtin, builtin);
	if (builtin >= 0 && builtin != nth)
		return read_own(c, &book->builtin, builtin);
	suggest_init(&near, like);
	for (const cJSON *item = book->own.root ? book->own.root->child : NULL; item; item = item->next)
		if (strcmp(item->string, name) != 0)
			suggest_try(&near, item->string);
	for (const cJSON *item = book->builtin.root->child; item; item = item->next)
		suggest_try(&near, item->string);
	char clean[TRM_RECIPE_NAME];
	trm_text_clean_line(clean, sizeof clean, like, strlen(like));
	return recipe_fail(text, (size_t)nth, "like", c->err,
			"there is no backend \"%s\" to start from%s%s%s", clean,
			near.best ? "; did you mean \"" : "", near.best ? near.best : "",
			near.best ? "\"?" : "");
}

static int read_own(struct chain *c, const struct recipe_text *text, int nth)
{
	const cJSON *like = cJSON_GetObjectItemCaseSensitive(nth_item(text, nth), "like");
	int r = 0;
	if (cJSON_IsString(like) && *like->valuestring)
		r = read_like(c, text, nth, like->valuestring);
	return r == 0 ? recipe_read(text, (size_t)nth, c->recipe, c->err) : r;
}

static int check_name(const struct recipe_text *text, int nth, struct trm_error *reterr)
{
	const char *mistake = name_mistake(nth_item(text, nth)->string);
	if (mistake)
		return recipe_fail(text, (size_t)nth, NULL, reterr, "%s", mistake);
	for (const cJSON *item = nth_item(text, nth)->next; item; item = item->next)
		if (!strcmp(item->string, nth_item(text, nth)->string))
			return recipe_fail(text, (size_t)nth, NULL, reterr, "this name is used twice");
	return 0;
}

static int read_recipe(const struct book *book, const struct recipe_text *text, int nth,
		struct trm_recipe **ret, struct trm_error *reterr)
{
	const cJSON *like = cJSON_GetObjectItemCaseSensitive(nth_item(text, nth), "like");
	int r = check_name(text, nth, reterr);
	if (r < 0)
		return r;
	struct trm_recipe *recipe = calloc(1, sizeof *recipe);
	if (!recipe)
		return no_memory(reterr);
	recipe->n_refs = 1;
	recipe->timeout_ms = TIMEOUT_MS;
	snprintf(recipe->name, sizeof recipe->name, "%s", nth_item(text, nth)->string);
	struct chain chain = {book, recipe, reterr, 0};
	r = read_own(&chain, text, nth);
	if (r == 0)
		r = recipe_check(text, (size_t)nth, recipe, reterr);
	if (r < 0) {
		trm_recipe_free(recipe);
		return r;
	}
	if (cJSON_IsString(like))
		snprintf(recipe->like, sizeof recipe->like, "%s", like->valuestring);
	*ret = recipe;
	return 0;
}

/* ---- finding ---- */

static void add_name(char *list, size_t cap, const char *name)
{
	char clean[TRM_RECIPE_NAME];
	size_t n = strlen(list);
	trm_text_clean_line(clean, sizeof clean, name, strlen(name));
	snprintf(list + n, cap - n, ", %s", clean);
}

static int not_found(const struct book *book, const char *name, struct trm_error *reterr)
{
	char list[160] = "local, microsandbox, fake", clean[TRM_RECIPE_NAME];
	for (const cJSON *item = book->builtin.root->child; item; item = item->next)
		add_name(list, sizeof list, item->string);
	for (const cJSON *item = book->own.root ? book->own.root->child : NULL; item; item = item->next)
		if (nth_of(&book->builtin, item->string) < 0)
			add_name(list, sizeof list, item->string);
	trm_text_clean_line(clean, sizeof clean, name, strlen(name));
	return trm_error_set(reterr, TRM_ENOENT, "there is no backend '%s': known are %s", clean, list);
}

int trm_recipe_load(
		const char *name, const char *config_path, struct trm_recipe **ret, struct trm_error *reterr)
{
	struct book book;
	int r = book_init(&book, config_path, reterr);
	if (r < 0)
		return r;
	int own = nth_of(&book.own, name), builtin = nth_of(&book.builtin, name);
	if (own < 0 && builtin < 0)
		own = nth_by(&book.own, name, strcasecmp);
	if (own < 0 && builtin < 0)
		builtin = nth_by(&book.builtin, name, strcasecmp);
	if (own >= 0)
		r = read_recipe(&book, &book.own, own, ret, reterr);
	else if (builtin >= 0)
		r = read_recipe(&book, &book.builtin, builtin, ret, reterr);
	else
		r = not_found(&book, name, reterr);
	book_finish(&book);
	return r;
}

/* A single object becomes a book with one recipe. */
int trm_recipe_parse(const char *name, const char *json, size_t n, const char *filename,
		struct trm_recipe **ret, struct trm_error *reterr)
{
	struct book book = {0};
	if (json_nul_offset(json, n) < n)
		return trm_error_set(reterr, TRM_EINVAL,
				"%s: backend \"%.31s\": \\u0000 is not allowed in a string here", filename,
				name);
	char *text = malloc(n + 1);
	if (!text)
		return no_memory(reterr);
	memcpy(text, json, n);
	text[n] = 0;
	errno = 0; /* cJSON returns the same for invalid JSON and for lack of memory */
	cJSON *object = cJSON_ParseWithLengthOpts(text, n + 1, NULL, 1), *root = cJSON_CreateObject();
	int r = 0;
	if (!object && errno != ENOMEM)
		r = trm_error_set(reterr, TRM_EINVAL, "%s: backend \"%.31s\": this is not JSON", filename,
				name);
	else if (!object || !root || !cJSON_AddItemToObject(root, name, object))
		r = no_memory(reterr);
	if (r == 0)
		r = open_builtin(&book, reterr);
	if (r == 0) {
		book.own = (struct recipe_text){
				.file = filename, .json = text, .n = n, .root = root, .is_one = true};
		r = read_recipe(&book, &book.own, 0, ret, reterr);
	} else if (object && !(root && root->child)) {
		cJSON_Delete(object);
	}
	book.own.root = NULL;
	cJSON_Delete(root);
	book_finish(&book);
	free(text);
	return r;
}

/* ---- all recipes ---- */

static int report_entry(const struct book *book, const struct recipe_text *text, int nth, trm_recipe_fn *fn,
		void *user, struct trm_error *reterr)
{
	const cJSON *item = nth_item(text, nth);
	const cJSON *about = cJSON_GetObjectItemCaseSensitive(item, "about");
	const cJSON *like = cJSON_GetObjectItemCaseSensitive(item, "like");
	struct trm_recipe *recipe = NULL;
	struct trm_error why = {0};
	char where[sizeof book->config.file + 32] = "";
	size_t line, column;
	int r = read_recipe(book, text, nth, &recipe, &why);
	if (r == TRM_ENOMEM)
		return trm_error_set(reterr, r, "%s", why.msg); /* the recipe is not to blame */
	if (*text->file) {
		place_line_column(text->json, place_child(text->json, text->n, text->offset, (size_t)nth),
				&line, &column);
		snprintf(where, sizeof where, "%s:%zu", text->file, line);
	}
	fn(user, &(struct trm_recipe_entry){.name = item->string,
				 .about = recipe && recipe->about ? recipe->about
					  : cJSON_IsString(about) ? about->valuestring
								  : "",
				 .like = cJSON_IsString(like) ? like->valuestring : "",
				 .where = where,
				 .problem = r < 0 ? why.msg : "",
				 .recipe = recipe});
	trm_recipe_free(recipe);
	return 0;
}

int trm_recipe_list(const char *config_path, trm_recipe_fn *fn, void *user, struct trm_error *reterr)
{
	struct book book;
	int r = book_init(&book, config_path, reterr);
	if (r < 0)
		return r;
	int n_builtin = cJSON_GetArraySize(book.builtin.root), n_own = cJSON_GetArraySize(book.own.root);
	for (int i = 0; r == 0 && i < n_builtin; i++)
		if (nth_of(&book.own, nth_item(&book.builtin, i)->string) < 0)
			r = report_entry(&book, &book.builtin, i, fn, user, reterr);
	for (int i = 0; r == 0 && i < n_own && i < RECIPES_MAX; i++)
		r = report_entry(&book, &book.own, i, fn, user, reterr);
	book_finish(&book);
	return r;
}

/* ---- properties ---- */

const char *trm_recipe_name(const struct trm_recipe *recipe)
{
	return recipe->name;
}

const char *trm_recipe_about(const struct trm_recipe *recipe)
{
	return recipe->about ? recipe->about : "";
}

bool recipe_has(const struct trm_recipe *recipe, enum recipe_step step)
{
	return recipe->steps[step].n > 0;
}

const char *trm_recipe_image(const struct trm_recipe *recipe)
{
	return recipe->image;
}

enum recipe_put recipe_put_reads(const struct trm_recipe *recipe)
{
	return recipe->put_reads;
}

bool recipe_is_of_cluster(const struct trm_recipe *recipe)
{
	return recipe->put_reads == RECIPE_PUT_POD || recipe_uses(recipe, STEP_CREATE, "warm_pool");
}

bool recipe_keeps_user(const struct trm_recipe *recipe)
{
	return recipe->keeps_user;
}

uint32_t recipe_timeout_ms(const struct trm_recipe *recipe)
{
	return recipe->timeout_ms;
}

const char *recipe_hint(const struct trm_recipe *recipe, const char *words)
{
	for (size_t i = 0; i < recipe->n_hints; i++)
		if (strstr(words, recipe->hints[i].text))
			return recipe->hints[i].say;
	return NULL;
}

void recipe_fields(char *line, const char **ret_fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *tab = line ? strchr(line, '\t') : NULL;
		ret_fields[i] = line ? line : "";
		if (tab)
			*tab++ = 0;
		line = tab;
	}
}
