/* SPDX-License-Identifier: MIT */
/* What a recipe itself finds out about its engine: the lines that its step "doctor" prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>
#include <terrarium/text.h>

#include "backend/recipe/command.h"
#include "base/buf.h"
#include "doctor/doctor.h"
#include "recipe/recipe.h"

enum { LONGEST_MS = 30 * 1000, TEXT_BYTES = 400 };

struct asking {
	char *out; /* what it has printed */
	bool is_done;
};

static void on_asked(void *user, const struct command_result *result)
{
	struct asking *a = user;
	a->is_done = true;
	if (!result->status && !result->is_timed_out)
		a->out = strdup(result->out);
}

static const struct command_cb ASK_CB = {.done = on_asked};

static void say_line(struct doctor *d, char *line)
{
	enum { WHAT, STATUS, WORDS, ADVICE, FIELDS };
	const char *fields[FIELDS];
	char clean[FIELDS][TEXT_BYTES];
	recipe_fields(line, fields, FIELDS);
	for (int i = 0; i < FIELDS; i++)
		trm_text_clean_line(clean[i], TEXT_BYTES, fields[i], strnlen(fields[i], TEXT_BYTES - 1));
	if (*clean[WHAT])
		doctor_say(d, strcmp(clean[STATUS], "ok") ? TRM_CHECK_WEAK : TRM_CHECK_OK, clean[WHAT],
				*clean[ADVICE] ? clean[ADVICE] : NULL, "%s", clean[WORDS]);
}

/* Returns the output, to be freed; NULL: it failed, and what it would have found is found by the trial. */
static char *ask_recipe(const struct trm_recipe *recipe, const struct trm_kube_opts *kube)
{
	struct recipe_facts facts = {0};
	struct asking asking = {0};
	struct command *command = NULL;
	struct trm_loop *loop = NULL;
	facts.value[FACT_KUBE_CONTEXT] = kube->context;
	facts.value[FACT_KUBE_NAMESPACE] = kube->space;
	int r = trm_loop_create(&loop, NULL);
	if (r == 0)
		r = command_start_step(loop, recipe, STEP_DOCTOR, &facts, LONGEST_MS, &ASK_CB, &asking,
				&command, NULL);
	while (r >= 0 && !asking.is_done)
		r = trm_loop_step(loop, -1);
	if (!asking.is_done)
		command_abandon(command);
	trm_loop_destroy(loop);
	return asking.out;
}

void doctor_ask_recipe(struct doctor *d, const struct trm_sandbox_opts *opts)
{
	struct trm_recipe *recipe = NULL;
	char *rest, *out = NULL;
	if (trm_recipe_load(opts->backend, opts->container.config, &recipe, NULL) == 0
			&& recipe_has(recipe, STEP_DOCTOR))
		out = ask_recipe(recipe, &opts->container.kube);
	for (char *line = out ? strtok_r(out, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		say_line(d, line);
	free(out);
	trm_recipe_free(recipe);
}
