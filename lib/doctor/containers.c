/* SPDX-License-Identifier: MIT */
/* Lists what runs in the engines that recipes command, no matter who started it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/doctor.h>
#include <terrarium/error.h>
#include <terrarium/loop.h>
#include <terrarium/text.h>

#include "backend/recipe/command.h"
#include "base/buf.h"
#include "recipe/recipe.h"

enum { LONGEST_MS = 3000, ENGINES_MAX = 96, ID_BYTES = 128, WORD_BYTES = 256 };

struct engine {
	struct trm_containers *round;
	struct trm_recipe *recipe;
	struct command *command; /* runs */
	char *out;               /* what it has printed */
	char problem[224];
};

struct trm_containers {
	struct trm_loop *loop;
	const struct trm_containers_cb *cb;
	void *user;
	struct trm_timer *timer; /* makes the end of the round a callback of its own when no engine runs */
	struct engine engines[ENGINES_MAX];
	size_t n, n_running;
};

static void add_engine(void *user, const struct trm_recipe_entry *entry)
{
	struct trm_containers *round = user;
	if (round->n == ENGINES_MAX || !entry->recipe || !recipe_has(entry->recipe, STEP_LIST_ALL))
		return;
	round->engines[round->n++] = (struct engine){.round = round, .recipe = recipe_ref(entry->recipe)};
}

/* ---- report --------------------------------------------------------------------------- */

static void report_line(const struct engine *e, char *line, trm_container_fn *fn, void *user)
{
	enum { ID, NAME, IMAGE, STATE, FIELDS };
	const char *fields[FIELDS];
	char clean[FIELDS][WORD_BYTES];
	recipe_fields(line, fields, FIELDS);
	/* Our own containers are listed by trm_registry_list(). */
	if (!*fields[ID] || *fields[ID] == '-' || strlen(fields[ID]) >= ID_BYTES
			|| !strncmp(fields[NAME], RECIPE_NAME_PREFIX, strlen(RECIPE_NAME_PREFIX)))
		return;
	for (int i = 0; i < FIELDS; i++)
		trm_text_clean_line(clean[i], sizeof clean[i], fields[i], strlen(fields[i]));
	fn(user, &(struct trm_container_info){.backend = trm_recipe_name(e->recipe),
				 .id = clean[ID],
				 .name = clean[NAME],
				 .image = clean[IMAGE],
				 .state = clean[STATE],
				 .problem = ""});
}

static void report_containers(const struct engine *e, trm_container_fn *fn, void *user)
{
	char *rest;
	if (*e->problem)
		fn(user, &(struct trm_container_info){.backend = trm_recipe_name(e->recipe),
					 .id = "",
					 .name = "",
					 .image = "",
					 .state = "",
					 .problem = e->problem});
	for (char *line = e->out ? strtok_r(e->out, "\n", &rest) : NULL; line;
			line = strtok_r(NULL, "\n", &rest))
		report_line(e, line, fn, user);
}

/* ---- query --------------------------------------------------------------------------- */

/* Report in the order of the recipes, not of the answers. */
static void finish(struct trm_containers *round)
{
	for (size_t i = 0; i < round->n; i++)
		report_containers(&round->engines[i], round->cb->found, round->user);
	round->cb->done(round->user);
	trm_containers_cancel(round);
}

static void on_timer(void *user)
{
	finish(user);
}

static void on_done(void *user, const struct command_result *result)
{
	struct engine *e = user;
	e->command = NULL;
	e->round->n_running--;
	if (result->is_timed_out)
		snprintf(e->problem, sizeof e->problem, "it does not answer within %d s", LONGEST_MS / 1000);
	else if (result->status)
		trm_text_clean_line(e->problem, sizeof e->problem, result->words, strlen(result->words));
	else
		e->out = strdup(result->out);
	if (!e->out && !*e->problem)
		snprintf(e->problem, sizeof e->problem, "%s",
				result->status ? "its command failed without a message"
					       : "out of memory for its output");
	if (!e->round->n_running)
		finish(e->round);
}

static const struct command_cb list_cb = {.done = on_done};

/* An engine that is not installed runs nothing, which is no failure. */
static void query_engine(struct engine *e)
{
	struct recipe_facts facts = {0};
	struct trm_error why = {0};
	int r = command_start_step(e->round->loop, e->recipe, STEP_LIST_ALL, &facts, LONGEST_MS, &list_cb, e,
			&e->command, &why);
	if (r == 0)
		e->round->n_running++;
	else if (r != TRM_EMISSING)
		trm_text_clean_line(e->problem, sizeof e->problem, why.msg, strlen(why.msg));
}

/* ---- rounds -------------------------------------------------------------------------- */

void trm_containers_cancel(struct trm_containers *round)
{
	if (!round)
		return;
	for (size_t i = 0; i < round->n; i++) {
		command_abandon(round->engines[i].command);
		trm_recipe_free(round->engines[i].recipe);
		free(round->engines[i].out);
	}
	trm_timer_remove(round->timer);
	free(round);
}

int trm_containers_start(struct trm_loop *loop, const char *config_path, const struct trm_containers_cb *cb,
		void *user, struct trm_containers **ret, struct trm_error *reterr)
{
	struct trm_containers *round = calloc(1, sizeof *round);
	if (!round)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	round->loop = loop;
	round->cb = cb;
	round->user = user;
	int r = trm_recipe_list(config_path, add_engine, round, reterr);
	if (r == 0)
		r = trm_loop_add_timer(loop, on_timer, round, &round->timer, reterr);
	if (r < 0) {
		trm_containers_cancel(round);
		return r;
	}
	for (size_t i = 0; i < round->n; i++)
		query_engine(&round->engines[i]);
	if (!round->n_running)
		trm_timer_start(round->timer, 0, 0);
	*ret = round;
	return 0;
}

/* ---- without a loop ------------------------------------------------------------------ */

struct wait {
	trm_container_fn *fn;
	void *user;
	bool is_done;
};

static void on_waited(void *user, const struct trm_container_info *info)
{
	const struct wait *w = user;
	w->fn(w->user, info);
}

static void on_end(void *user)
{
	struct wait *w = user;
	w->is_done = true;
}

static const struct trm_containers_cb wait_cb = {.found = on_waited, .done = on_end};

int trm_containers(const char *config_path, trm_container_fn *fn, void *user, struct trm_error *reterr)
{
	struct wait wait = {.fn = fn, .user = user};
	struct trm_containers *round = NULL;
	struct trm_loop *loop;
	int step = 0, r = trm_loop_create(&loop, reterr);
	if (r < 0)
		return r;
	r = trm_containers_start(loop, config_path, &wait_cb, &wait, &round, reterr);
	while (r == 0 && step >= 0 && !wait.is_done)
		step = trm_loop_step(loop, -1);
	if (step < 0) {
		r = trm_error_set(reterr, step, "cannot wait for the engines: %s", trm_strerror(step));
		trm_containers_cancel(round);
	}
	trm_loop_destroy(loop);
	return r;
}
