/* SPDX-License-Identifier: MIT */
/* Lists the backends, and whether each works here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>
#include <terrarium/text.h>

#include "backend/backend.h"
#include "backend/recipe/command.h"
#include "base/buf.h"
#include "doctor/doctor.h"
#include "recipe/recipe.h"

enum { TRY_MS = 10000, ROWS_MAX = 96 };

struct round;

struct row {
	struct round *round;
	struct trm_recipe *recipe;
	struct command *command; /* runs */
	char *name, *about, *like, *where;
	enum trm_check_status status;
	char detail[224], advice[224];
};

struct round {
	struct trm_loop *loop;
	struct row rows[ROWS_MAX];
	size_t n, n_running;
	bool lacks_memory;
};

static void append_words(char *out, size_t cap, const char *words)
{
	trm_text_clean_line(out, cap, words, strlen(words));
}

/* ---- ours -------------------------------------------------------------------------------------- */

static void report_local(trm_backend_fn *fn, void *user)
{
	struct trm_error why = {0};
	bool works = backend_local.probe(&why) == 0;
	fn(user, &(struct trm_backend_info){.name = "local",
				 .about = "this machine, with bubblewrap",
				 .like = "",
				 .where = "",
				 .status = works ? TRM_CHECK_OK : TRM_CHECK_FAILED,
				 .detail = works ? "" : why.msg,
				 .advice = works ? "" : "see 'terrarium doctor'"});
	fn(user, &(struct trm_backend_info){.name = "microsandbox",
				 .about = "a server of sandboxes, by HTTP",
				 .like = "",
				 .where = "",
				 .status = TRM_CHECK_NOTE,
				 .detail = "see 'terrarium doctor --backend microsandbox'",
				 .advice = ""});
	fn(user, &(struct trm_backend_info){.name = "fake",
				 .about = "runs nothing; for tests",
				 .like = "",
				 .where = "",
				 .status = TRM_CHECK_OK,
				 .detail = "",
				 .advice = ""});
}

/* ---- recipes ----------------------------------------------------------------------------------- */

static char *copy(struct round *round, const char *text)
{
	char *mem = strdup(text);
	round->lacks_memory = round->lacks_memory || !mem;
	return mem;
}

static void add_backend(void *user, const struct trm_recipe_entry *entry)
{
	struct round *round = user;
	if (round->n == ROWS_MAX)
		return;
	struct row *row = &round->rows[round->n++];
	*row = (struct row){.round = round,
			.recipe = entry->recipe ? recipe_ref(entry->recipe) : NULL,
			.name = copy(round, entry->name),
			.about = copy(round, entry->about),
			.like = copy(round, entry->like),
			.where = copy(round, entry->where),
			.status = entry->recipe ? TRM_CHECK_NOTE : TRM_CHECK_FAILED};
	append_words(row->detail, sizeof row->detail, entry->problem);
}

/* Keep the end of a long text, because it gives the reason. */
static void keep_end(char *out, size_t cap, const char *words)
{
	size_t n = strlen(words);
	const char *blank = n < cap ? NULL : strchr(words + n - cap + 1, ' ');
	append_words(out, cap, blank ? blank + 1 : words);
}

static void advise(struct row *row, const char *words)
{
	const char *hint = recipe_hint(row->recipe, words);
	row->status = TRM_CHECK_FAILED;
	append_words(row->advice, sizeof row->advice, hint ? hint : "");
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const char *last_line(const char *text)
{
	const char *newline = strrchr(text, '\n');
	return newline ? newline + 1 : text;
}

static void on_done(void *user, const struct command_result *result)
{
	struct row *row = user;
	row->command = NULL;
	row->round->n_running--;
	row->status = TRM_CHECK_OK;
	if (result->is_timed_out)
		snprintf(row->detail, sizeof row->detail, "%.40s does not end; it was stopped after %d s",
				last_name(result->program), TRY_MS / 1000);
	else if (*result->words && result->status)
		keep_end(row->detail, sizeof row->detail, result->words);
	else if (result->status)
		snprintf(row->detail, sizeof row->detail, "%.40s ended with exit status %d and no message",
				last_name(result->program),
				WIFEXITED(result->status) ? WEXITSTATUS(result->status) : -1);
	else
		append_words(row->detail, sizeof row->detail, last_line(result->out));
	if (result->is_timed_out || result->status)
		advise(row, result->words);
}

static const struct command_cb probe_cb = {.done = on_done};

static void try_one(struct row *row)
{
	struct recipe_facts facts = {0};
	struct trm_error why = {0};
	int r = command_start_step(row->round->loop, row->recipe, STEP_PROBE, &facts, TRY_MS, &probe_cb, row,
			&row->command, &why);
	if (r == 0) {
		row->round->n_running++;
	} else {
		append_words(row->detail, sizeof row->detail, why.msg);
		advise(row, why.msg);
	}
}

static int try_all(struct round *round, struct trm_error *reterr)
{
	int r = trm_loop_create(&round->loop, reterr);
	if (r < 0)
		return r;
	for (size_t i = 0; i < round->n; i++)
		if (round->rows[i].recipe && recipe_has(round->rows[i].recipe, STEP_PROBE))
			try_one(&round->rows[i]);
	while (round->n_running && r >= 0)
		r = trm_loop_step(round->loop, -1);
	for (size_t i = 0; i < round->n; i++)
		command_abandon(round->rows[i].command);
	trm_loop_destroy(round->loop);
	return r < 0 ? trm_error_set(reterr, r, "cannot wait for the backends: %s", trm_strerror(r)) : 0;
}

static void report_row(const struct row *row, trm_backend_fn *fn, void *user)
{
	fn(user, &(struct trm_backend_info){.name = row->name,
				 .about = row->about,
				 .is_recipe = true,
				 .like = row->like,
				 .where = row->where,
				 .status = row->status,
				 .detail = row->detail,
				 .advice = row->advice});
}

static void row_finish(struct row *row)
{
	trm_recipe_free(row->recipe);
	free(row->name);
	free(row->about);
	free(row->like);
	free(row->where);
}

int trm_backends(
		const char *config_path, bool tries, trm_backend_fn *fn, void *user, struct trm_error *reterr)
{
	struct round *round = calloc(1, sizeof *round);
	if (!round)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	int r = trm_recipe_list(config_path, add_backend, round, reterr);
	if (r == 0 && round->lacks_memory)
		r = trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	if (r == 0 && tries)
		r = try_all(round, reterr);
	if (r == 0)
		report_local(fn, user);
	for (size_t i = 0; i < round->n; i++) {
		if (r == 0)
			report_row(&round->rows[i], fn, user);
		row_finish(&round->rows[i]);
	}
	free(round);
	return r;
}
