/* SPDX-License-Identifier: MIT */
/* The pods that earlier servers have left for this one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/loop.h>
#include <terrarium/recipe.h>
#include <terrarium/sandbox.h>

#include "backend/recipe/box.h"
#include "base/err.h"
#include "sweep/owner.h"
#include "wire/engine_words.h"

enum { LONGEST_MS = 30 * 1000 };

/* The list of pods, while the output of the step "left" is read. */
struct left_list {
	const struct trm_recipe *recipe;
	char own_label[OWNER_LABEL];
	struct trm_kube_left *rows;
	size_t n;
	bool is_done;
	int code; /* of the failure; 0: none */
	struct trm_error *err;
};

static bool copy_word(char *out, size_t cap, const char *word, const char *letters)
{
	const size_t n = strlen(word);
	if (!n || n >= cap || (letters && word[strspn(word, letters)]))
		return false;
	memcpy(out, word, n + 1);
	return true;
}

/* Names become arguments of commands, and the cluster is not trusted. */
static bool read_row(const struct left_list *list, char *line, struct trm_kube_left *ret)
{
	enum { POD, SUPERVISOR, ADOPTABLE, KEY, VERSION, FIELDS };
	const char *fields[FIELDS];
	recipe_fields(line, fields, FIELDS);
	for (int i = SUPERVISOR; i <= KEY; i++)
		if (!owner_unquote((char *)fields[i])) /* a part of the line */
			return false;
	ret->version = strcmp(fields[VERSION], "0") != 0;
	/* A row that was cut off must not have a pod removed for its wrong key. */
	return strlen(fields[KEY]) == TRM_KUBE_KEY - 1
	       && copy_word(ret->pod, sizeof ret->pod, fields[POD], "abcdefghijklmnopqrstuvwxyz0123456789-")
	       && !strncmp(ret->pod, RECIPE_NAME_PREFIX, strlen(RECIPE_NAME_PREFIX))
	       && copy_word(ret->key, sizeof ret->key, fields[KEY], "0123456789abcdef")
	       && copy_word(ret->adoptable, sizeof ret->adoptable, fields[ADOPTABLE], NULL)
	       && owner_is_gone(fields[SUPERVISOR], OWNER_ADOPTABLE, list->own_label, true);
}

static void take_rows(struct left_list *list, const char *text)
{
	char *copy = strdup(text), *rest;
	size_t n = 1;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		n++;
	list->rows = calloc(n, sizeof *list->rows);
	if (!copy || !list->rows)
		list->code = trm_error_set(list->err, TRM_ENOMEM, "out of memory");
	for (char *line = copy && list->rows ? strtok_r(copy, "\n", &rest) : NULL; line;
			line = strtok_r(NULL, "\n", &rest))
		list->n += read_row(list, line, &list->rows[list->n]);
	free(copy);
}

static void on_left_listed(void *user, const struct command_result *result)
{
	struct left_list *list = user;
	list->is_done = true;
	if (result->is_timed_out)
		list->code = trm_error_set(list->err, TRM_ETIMEDOUT,
				"the cluster does not answer within %d s", LONGEST_MS / 1000);
	else if (result->status)
		list->code = trm_error_set(list->err, engine_words_code(result->words, TRM_EIO), "%s",
				*result->words ? result->words : "its command failed without a message");
	else
		take_rows(list, result->out);
	if (list->code < 0 && list->err)
		advice_append(list->recipe, list->err);
}

static int run_left(struct left_list *list, const struct trm_kube_opts *kube, struct trm_error *reterr)
{
	static const struct command_cb cb = {.done = on_left_listed};
	const struct recipe_facts facts = {
			.value = {[FACT_KUBE_CONTEXT] = kube->context, [FACT_KUBE_NAMESPACE] = kube->space}};
	struct command *command = NULL;
	struct trm_loop *loop;
	int r = trm_loop_create(&loop, reterr);
	if (r < 0)
		return r;
	r = command_start_step(
			loop, list->recipe, STEP_LEFT, &facts, LONGEST_MS, &cb, list, &command, reterr);
	while (r >= 0 && !list->is_done)
		r = trm_loop_step(loop, -1);
	if (r < 0 && command)
		command_abandon(command);
	trm_loop_destroy(loop);
	return r < 0 ? r : list->code;
}

int trm_kube_left(const struct trm_sandbox_opts *opts, struct trm_kube_left **ret_left, size_t *ret_n,
		struct trm_error *reterr)
{
	const char *backend = opts->backend ? opts->backend : "local";
	struct trm_recipe *recipe = NULL;
	struct left_list list = {.err = reterr};
	int r = opts->container.recipe ? 0
				       : trm_recipe_load(backend, opts->container.config, &recipe, reterr);
	list.recipe = opts->container.recipe ? opts->container.recipe : recipe;
	if (r == TRM_ENOENT || (r == 0 && !recipe_has(list.recipe, STEP_LEFT)))
		r = trm_error_set(reterr, TRM_ENOTSUP,
				"sandboxes of the backend '%.60s' end with their server: none of them can be adopted",
				backend);
	owner_label(list.own_label, sizeof list.own_label);
	if (r == 0)
		r = run_left(&list, &opts->container.kube, reterr);
	trm_recipe_free(recipe);
	if (r < 0) {
		free(list.rows);
		return r;
	}
	*ret_left = list.rows;
	*ret_n = list.n;
	return 0;
}
