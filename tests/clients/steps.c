/* SPDX-License-Identifier: MIT */
/* steps CONFIG NAME [FACT=VALUE | +LIST=ITEM]…: the commands of a recipe with these facts in them, one a
 * line: "STEP\tARGUMENT\tARGUMENT…". An item of the list mount is HOST:GUEST or HOST:GUEST:rw. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/buf.h"
#include "recipe/recipe.h"

enum { ITEMS_MAX = 16 };

static const struct {
	const char *name;
	enum recipe_fact fact;
} facts_by_name[] = {
		{"name", FACT_NAME},
		{"image", FACT_IMAGE},
		{"container", FACT_CONTAINER},
		{"memory_mb", FACT_MEMORY_MB},
		{"memory_bytes", FACT_MEMORY_BYTES},
		{"cpus", FACT_CPUS},
		{"procs", FACT_PROCS},
		{"disk_mb", FACT_DISK_MB},
		{"net", FACT_NET},
		{"read_only", FACT_READ_ONLY},
		{"uid", FACT_UID},
		{"workdir", FACT_WORKDIR},
		{"agent", FACT_AGENT},
		{"share", FACT_SHARE},
		{"key", FACT_KEY},
		{"tag", FACT_TAG},
};

struct lists {
	const char *env[ITEMS_MAX], *labels[ITEMS_MAX], *options[ITEMS_MAX];
	struct recipe_mount mounts[ITEMS_MAX];
};

static void add_mount(struct recipe_facts *facts, struct lists *lists, char *item)
{
	char *guest = strchr(item, ':'), *mode = guest ? strchr(guest + 1, ':') : NULL;
	if (!guest)
		return;
	*guest++ = 0;
	if (mode)
		*mode = 0;
	lists->mounts[facts->n_mounts++] = (struct recipe_mount){item, guest, mode != NULL};
}

static void add_item(struct recipe_facts *facts, struct lists *lists, const char *list, char *item)
{
	if (!strcmp(list, "env") && facts->n_env < ITEMS_MAX)
		lists->env[facts->n_env++] = item;
	else if (!strcmp(list, "label") && facts->n_labels < ITEMS_MAX)
		lists->labels[facts->n_labels++] = item;
	else if (!strcmp(list, "option") && facts->n_options < ITEMS_MAX)
		lists->options[facts->n_options++] = item;
	else if (!strcmp(list, "mount") && facts->n_mounts < ITEMS_MAX)
		add_mount(facts, lists, item);
}

static void take(struct recipe_facts *facts, struct lists *lists, char *word)
{
	char *value = strchr(word, '=');
	if (!value)
		return;
	*value++ = 0;
	if (*word == '+')
		add_item(facts, lists, word + 1, value);
	for (size_t i = 0; i < sizeof facts_by_name / sizeof *facts_by_name; i++)
		if (!strcmp(facts_by_name[i].name, word))
			facts->value[facts_by_name[i].fact] = value;
}

static void print_step(
		const struct trm_recipe *recipe, enum recipe_step step, const struct recipe_facts *facts)
{
	struct trm_error why = {0};
	struct buf out;
	bool is_first = true;
	buf_init(&out, RECIPE_EXPANDED_MAX);
	if (recipe_expand(recipe, step, facts, &out, &why) < 0)
		fprintf(stderr, "%s\n", why.msg);
	const char *s = buf_at(&out), *end = s + out.len;
	for (; s < end; s += strlen(s) + 1) {
		if (*s)
			printf("%s\t%s", is_first ? recipe_step_name(step) : "", s);
		else
			putchar('\n');
		is_first = !*s;
	}
	if (out.len)
		putchar('\n');
	buf_finish(&out);
}

int main(int argc, char **argv)
{
	struct recipe_facts facts = {0};
	struct lists lists;
	struct trm_recipe *recipe;
	struct trm_error why = {0};
	if (argc < 3 || trm_recipe_load(argv[2], argv[1], &recipe, &why) < 0) {
		fprintf(stderr, "%s\n", why.msg);
		return 1;
	}
	facts.env = lists.env;
	facts.labels = lists.labels;
	facts.options = lists.options;
	facts.mounts = lists.mounts;
	for (int i = 3; i < argc; i++)
		take(&facts, &lists, argv[i]);
	for (int step = 0; step < STEP_COUNT; step++)
		if (recipe_has(recipe, (enum recipe_step)step))
			print_step(recipe, (enum recipe_step)step, &facts);
	trm_recipe_free(recipe);
	return 0;
}
