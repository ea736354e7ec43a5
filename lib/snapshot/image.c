/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/recipe.h>
#include <terrarium/sandbox.h>

#include "backend/recipe/command.h"
#include "base/buf.h"
#include "base/err.h"
#include "recipe/recipe.h"
#include "snapshot/snapshot.h"

enum { COMMIT_MS = 30 * 60 * 1000, REMOVE_MS = 60 * 1000 };

struct image_job {
	struct trm_loop *loop;
	struct trm_recipe *recipe;
	struct command *command;
	enum recipe_step step;
	char id[160], image[320], tag[192];
	char user[128], workdir[TRM_INSIDE_PATH], entrypoint[2048], cmd[2048]; /* of the image */
	bool is_canceled;
	image_done_fn *done;
	void *user_data;
};

static void end_job(struct image_job *job, const struct trm_error *why)
{
	struct trm_error canceled = {0};
	if (job->is_canceled)
		trm_error_set(&canceled, TRM_ECANCELED, "stopped");
	image_done_fn *done = job->done;
	void *user = job->user_data;
	trm_recipe_free(job->recipe);
	free(job);
	done(user, canceled.code ? &canceled : why);
}

/* The container is known already, so its id is put where only a supervisor would know it. */
static int put_args(struct buf *out, const char *words, size_t n, const char *id)
{
	int r = 0;
	for (size_t at = 0; at < n && r == 0; at += strlen(words + at) + 1) {
		const char *word = strcmp(words + at, RECIPE_LATE_ID) == 0 ? id : words + at;
		r = buf_append(out, word, strlen(word) + 1);
	}
	return r;
}

static const struct command_cb STEP_CB;

static int run_step(struct image_job *job, enum recipe_step step, struct trm_error *reterr)
{
	const struct recipe_facts facts = {.value = {[FACT_IMAGE] = job->image,
							   [FACT_TAG] = job->tag,
							   [FACT_IMAGE_USER] = job->user,
							   [FACT_IMAGE_WORKDIR] = job->workdir,
							   [FACT_IMAGE_ENTRYPOINT] = job->entrypoint,
							   [FACT_IMAGE_CMD] = job->cmd}};
	const struct command_opts opts = {.timeout_ms = step == STEP_COMMIT ? COMMIT_MS : REMOVE_MS};
	struct buf words, args;
	buf_init(&words, RECIPE_EXPANDED_MAX);
	buf_init(&args, RECIPE_EXPANDED_MAX);
	job->step = step;
	int r = recipe_expand(job->recipe, step, &facts, &words, reterr);
	if (r == 0 && (r = put_args(&args, buf_at(&words), words.len, job->id)) < 0)
		trm_error_set(reterr, r, "the recipe's commands are too long");
	if (r == 0)
		r = command_start_args(
				job->loop, job->recipe, &args, opts, &STEP_CB, job, &job->command, reterr);
	buf_finish(&words);
	buf_finish(&args);
	return r;
}

static void take_image_facts(struct image_job *job, const char *out)
{
	const char *fields[6], *newline = strrchr(out, '\n');
	char line[8192];
	snprintf(line, sizeof line, "%s", newline ? newline + 1 : out);
	recipe_fields(line, fields, 6);
	snprintf(job->user, sizeof job->user, "%s", fields[1]);
	snprintf(job->workdir, sizeof job->workdir, "%s", fields[3]);
	snprintf(job->entrypoint, sizeof job->entrypoint, "%s", fields[4]);
	snprintf(job->cmd, sizeof job->cmd, "%s", fields[5]);
}

static void describe_failure(
		const struct image_job *job, const struct command_result *result, struct trm_error *why)
{
	const char *what = job->step == STEP_IMAGE    ? "cannot look at the image"
			   : job->step == STEP_COMMIT ? "cannot save the container as"
						      : "cannot remove the image";
	const char *said = result->is_timed_out ? "it took too long"
			   : *result->words     ? result->words
						: "the command failed without a message";
	const char *hint = recipe_hint(job->recipe, said);
	trm_error_set(why, TRM_EIO, "%s: %s %.150s: %.200s%s%s", trm_recipe_name(job->recipe), what,
			job->step == STEP_COMMIT ? job->tag : job->image, said, hint ? "; " : "",
			hint ? hint : "");
}

/* Is there no such image? Each engine says so in its own words. */
static bool is_gone(const struct image_job *job, const struct command_result *result)
{
	return job->step == STEP_IMAGE_REMOVE
	       && (strcasestr(result->words, "no such image") || strstr(result->words, "image not known"));
}

static void on_step_done(void *user, const struct command_result *result)
{
	struct image_job *job = user;
	struct trm_error why = {0};
	job->command = NULL;
	bool has_failed = result->status || result->is_timed_out;
	if (!job->is_canceled && job->step == STEP_IMAGE && !has_failed) {
		take_image_facts(job, result->out);
		if (run_step(job, STEP_COMMIT, &why) == 0)
			return;
	} else if (has_failed && !is_gone(job, result)) {
		describe_failure(job, result, &why);
	}
	end_job(job, &why);
}

static const struct command_cb STEP_CB = {.done = on_step_done};

static int create_job(struct trm_loop *loop, const char *backend, const char *config, image_done_fn *done,
		void *user, struct image_job **ret, struct trm_error *reterr)
{
	struct image_job *job = calloc(1, sizeof *job);
	if (!job)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*job = (struct image_job){.loop = loop, .done = done, .user_data = user};
	int r = trm_recipe_load(backend, config, &job->recipe, reterr);
	if (r < 0) {
		free(job);
		return r;
	}
	*ret = job;
	return 0;
}

static int begin_job(struct image_job *job, enum recipe_step step, struct image_job **ret,
		struct trm_error *reterr)
{
	int r = run_step(job, step, reterr);
	if (r < 0) {
		trm_recipe_free(job->recipe);
		free(job);
		return r;
	}
	*ret = job;
	return 0;
}

int image_save(struct trm_loop *loop, const char *backend, const char *config, const char *id,
		const char *image, const char *tag, image_done_fn *done, void *user, struct image_job **ret,
		struct trm_error *reterr)
{
	struct image_job *job = NULL;
	int r = create_job(loop, backend, config, done, user, &job, reterr);
	if (r < 0)
		return r;
	if (!recipe_has(job->recipe, STEP_COMMIT) || !recipe_uses(job->recipe, STEP_CREATE, "image")) {
		trm_recipe_free(job->recipe);
		free(job);
		return trm_error_set(reterr, TRM_ENOTSUP,
				"sandboxes of the backend '%s' have no snapshots: its recipe has no step 'commit'",
				backend);
	}
	snprintf(job->id, sizeof job->id, "%s", id);
	snprintf(job->image, sizeof job->image, "%s", image);
	snprintf(job->tag, sizeof job->tag, "%s", tag);
	return begin_job(job, recipe_has(job->recipe, STEP_IMAGE) ? STEP_IMAGE : STEP_COMMIT, ret, reterr);
}

int image_remove(struct trm_loop *loop, const char *backend, const char *config, const char *image,
		image_done_fn *done, void *user, struct image_job **ret, struct trm_error *reterr)
{
	struct image_job *job = NULL;
	int r = create_job(loop, backend, config, done, user, &job, reterr);
	if (r < 0)
		return r;
	snprintf(job->image, sizeof job->image, "%s", image);
	return begin_job(job, STEP_IMAGE_REMOVE, ret, reterr);
}

void image_cancel(struct image_job *job)
{
	job->is_canceled = true;
	if (job->command)
		command_stop(job->command);
}
