/* SPDX-License-Identifier: MIT */
#include "backend/recipe/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/recipe.h>

#include "base/buf.h"
#include "base/command_words.h"
#include "base/err.h"
#include "base/log.h"

/* Fetching and building end after this time without output. */
enum { SILENCE_MS = 15 * 60 * 1000, TICK_MS = 1000, LINE_BYTES = 8192 };

static int run_first_command(struct box *box, enum recipe_step step, struct trm_error *reterr);
static void tell_untold(struct box *box);

static void fail_prepare(struct box *box, const struct trm_error *why)
{
	box->why = *why;
	prepare_stop(box);
}

static void run_step(struct box *box, enum recipe_step step)
{
	struct trm_error why = {0};
	if (run_first_command(box, step, &why) < 0)
		fail_prepare(box, &why);
}

/* One image may have many names: images are the same if their ids are. */
static bool wants_tag(const struct box *box)
{
	const struct trm_container_opts *c = &box->container_spec.opts.container;
	return c->commit_tag && !c->commit_overwrites && !box->has_asked_tag
	       && recipe_has(box->recipe, STEP_IMAGE);
}

static void next_step(struct box *box)
{
	if (box->is_found && !box->is_closing && !box->command && wants_tag(box)) {
		box->has_asked_tag = box->asks_tag = true;
		run_step(box, STEP_IMAGE);
	}
	if (box->command || box->where)
		return;
	if (box->is_closing)
		box_over(box);
	else if (box->is_found)
		box_launch(box);
}

/* ---- the output of steps ---------------------------------------------------------------- */

static bool is_ours(const char *platform)
{
	const char *slash = strchr(platform, '/'), *arch = slash ? slash + 1 : platform;
	size_t n = strcspn(arch, "/");
	const char *own = words_machine();
	return !n || (strlen(own) == n && !memcmp(own, arch, n));
}

static int check_platform(const struct box *box, const char *what, const char *which, const char *platform,
		struct trm_error *reterr)
{
	if (is_ours(platform))
		return 0;
	return trm_error_set(reterr, TRM_ENOTSUP,
			"the %s '%.120s' is for %.40s, and this machine's programs are for linux/%s: %s needs one of the "
			"same architecture",
			what, which, platform, words_machine(), trm_recipe_name(box->recipe));
}

static void copy_field(char *out, size_t cap, const char *text)
{
	snprintf(out, cap, "%s", text);
}

static void take_tag(struct box *box, char *line)
{
	const char *fields[3], *own = *box->image_id ? box->image_id : box->id;
	struct trm_error why = {0};
	recipe_fields(line, fields, 3);
	if (!*fields[2] || strcmp(fields[2], own))
		return;
	trm_error_set(&why, TRM_EINVAL, CONTAINER_SPEC_COMMITS_OVER,
			box->container_spec.opts.container.commit_tag);
	fail_prepare(box, &why);
}

/* Architecture, user, id, working directory, entry point, command: of the image, or of an existing
 * container's image. */
static void take_image(struct box *box, char *line)
{
	const char *fields[6], *container = box->container_spec.opts.container.container;
	struct trm_error why = {0};
	recipe_fields(line, fields, 6);
	if (!container) {
		copy_field(box->image_user, sizeof box->image_user, fields[1]);
		copy_field(box->id, sizeof box->id, fields[2]);
	}
	copy_field(box->image_workdir, sizeof box->image_workdir, fields[3]);
	copy_field(box->image_entrypoint, sizeof box->image_entrypoint, fields[4]);
	copy_field(box->image_cmd, sizeof box->image_cmd, fields[5]);
	if (check_platform(box, container ? "container" : "image",
			    container ? container : box->container_spec.image, fields[0], &why)
			< 0)
		fail_prepare(box, &why);
	else
		box->is_found = true;
}

static void fail_stopped(struct box *box, const char *state)
{
	struct trm_error why = {0};
	const char *which = box->container_spec.opts.container.container;
	if (strcmp(state, "paused") == 0)
		trm_error_set(&why, TRM_EBUSY, "the container '%.120s' is paused: unpause it first", which);
	else
		trm_error_set(&why, TRM_ECLOSED, "the container '%.120s' does not run (it is '%.30s')%s",
				which, state, box->n_wakes ? ": it ends as soon as it is started" : "");
	fail_prepare(box, &why);
}

/* The line holds state, user, id, image id and network. A recipe that prints no network is assumed to have
 * one: the command that needs it then tells the truth. */
static void take_container(struct box *box, char *line)
{
	const char *fields[6];
	recipe_fields(line, fields, 6);
	box->container_spec.opts.limits.net = strcmp(fields[4], "none") != 0;
	copy_field(box->image_user, sizeof box->image_user, fields[1]);
	copy_field(box->id, sizeof box->id,
			*fields[2] ? fields[2] : box->container_spec.opts.container.container);
	copy_field(box->image_id, sizeof box->image_id, fields[3]);
	if (!*box->container_spec.pod_container && *fields[5] != '-')
		copy_field(box->container_spec.pod_container, sizeof box->container_spec.pod_container,
				fields[5]);
	bool is_running = strcmp(fields[0], "running") == 0 || !*fields[0];
	if (is_running && *box->image_id && recipe_has(box->recipe, STEP_IMAGE))
		run_step(box, STEP_IMAGE);
	else if (is_running)
		box->is_found = true;
	else if (strcmp(fields[0], "paused") && !box->n_wakes++ && recipe_has(box->recipe, STEP_WAKE))
		run_step(box, STEP_WAKE);
	else
		fail_stopped(box, fields[0]);
}

/* The context and the namespace, which stay when the person chooses others meanwhile. */
static void take_pin(struct box *box, char *line)
{
	struct container_spec *w = &box->container_spec;
	const char *fields[2];
	recipe_fields(line, fields, 2);
	if (!*w->kube_context && *fields[0] != '-')
		copy_field(w->kube_context, sizeof w->kube_context, fields[0]);
	if (!*w->kube_namespace && *fields[1] != '-')
		copy_field(w->kube_namespace, sizeof w->kube_namespace, fields[1]);
}

/* ---- the order of steps -------------------------------------------------------------------- */

/* The answer is in the last line. */
static void take_last_line(struct box *box, const char *out, void (*take)(struct box *box, char *line))
{
	const char *newline = strrchr(out, '\n');
	char last[LINE_BYTES];
	copy_field(last, sizeof last, newline ? newline + 1 : out);
	take(box, last);
}

static void take_manifest(struct box *box, const char *out)
{
	struct trm_error why = {0};
	if (pod_file_take_manifest(box, out, &why) < 0)
		fail_prepare(box, &why);
	else
		box->is_found = true;
}

/* An existing container has no manifest of ours. */
static void run_after_pin(struct box *box)
{
	const struct trm_container_opts *c = &box->container_spec.opts.container;
	if (c->container)
		run_step(box, STEP_ADOPT);
	else if (c->kube.manifest && !c->kube.left)
		run_step(box, STEP_MANIFEST);
	else
		box->is_found = true;
}

static void went_well(struct box *box, enum recipe_step step, const char *out)
{
	switch (step) {
	case STEP_PIN:
		take_last_line(box, out, take_pin);
		run_after_pin(box);
		return;
	case STEP_MANIFEST: take_manifest(box, out); return;
	case STEP_IMAGE: take_last_line(box, out, take_image); return;
	case STEP_ADOPT: take_last_line(box, out, take_container); return;
	case STEP_WAKE: run_step(box, STEP_ADOPT); return;
	/* The engine works, so the image is missing. */
	case STEP_PROBE: run_step(box, STEP_PULL); return;
	default: break;
	}
	box->is_made = true; /* it was pulled, or built */
	if (recipe_has(box->recipe, STEP_IMAGE))
		run_step(box, STEP_IMAGE);
	else
		box->is_found = true;
}

static void went_wrong(struct box *box, enum recipe_step step, const struct command_result *result)
{
	struct trm_error why = {0};
	/* The image of a snapshot is here or nowhere: nobody else's is fetched in its place. */
	bool may_be_missing = step == STEP_IMAGE && !box->is_made && !*box->image_id && !result->is_timed_out
			      && !box->container_spec.opts.from;
	if (may_be_missing && recipe_has(box->recipe, STEP_PULL)) {
		run_step(box, recipe_has(box->recipe, STEP_PROBE) ? STEP_PROBE : STEP_PULL);
		return;
	}
	step_failure_text(box, step, result, &why);
	fail_prepare(box, &why);
}

static void on_line(void *user, const char *line)
{
	struct box *box = user;
	char words[sizeof box->doing + sizeof box->line + 4];
	bool is_reported = box->step == STEP_PULL || box->step == STEP_BUILD;
	snprintf(box->line, sizeof box->line, "%s", line);
	if (!is_reported)
		return;
	snprintf(words, sizeof words, "%s - %s", box->doing, box->line);
	box_report_progress(box, words);
}

static void on_done(void *user, const struct command_result *result)
{
	struct box *box = user;
	box->command = NULL;
	tell_untold(box);
	trm_timer_stop(box->tick);
	if (result->status && !result->is_stopped)
		log_write(LOG_INFO, "%s: step '%s' ended with %d: %s", trm_recipe_name(box->recipe),
				recipe_step_name(box->step), result->status, result->words);
	if (box->asks_tag && !box->is_closing) {
		box->asks_tag = false;
		if (!result->status)
			take_last_line(box, result->out, take_tag);
	} else if (!box->is_closing) {
		if (result->status || result->is_timed_out)
			went_wrong(box, box->step, result);
		else
			went_well(box, box->step, result->out);
	}
	next_step(box);
}

static const struct command_cb STEP_CB = {.line = on_line, .done = on_done};

static void on_where(void *user, const struct command_result *result)
{
	struct box *box = user;
	box->where = NULL;
	/* If the place is unknown, the way that works decides: an agent that does not connect leads to
	 * the other way. */
	box->is_remote = result->status == 0 && *result->out && strncmp(result->out, "unix://", 7) != 0;
	next_step(box);
}

static const struct command_cb WHERE_CB = {.done = on_where};

/* Show that long steps are alive, even if they print nothing. */
static void on_tick(void *user)
{
	struct box *box = user;
	char words[sizeof box->doing + sizeof box->line + 40], time[32] = "";
	uint64_t s = (trm_loop_now_ns(box->supervised.loop) - box->since_ns) / 1000000000;
	tell_untold(box);
	if (!box->command) {
		next_step(box);
		return;
	}
	if (s)
		snprintf(time, sizeof time, " (%llu s)", (unsigned long long)s);
	snprintf(words, sizeof words, "%s%s%s%s", box->doing, time, *box->line ? " - " : "", box->line);
	box_report_progress(box, words);
}

/* ---- running -------------------------------------------------------------------------------- */

static void tell_untold(struct box *box)
{
	for (char *at = box->untold, *end; at && *at; at = end + 1) {
		if ((end = strchr(at, '\n')))
			*end = '\0';
		box_report_progress(box, at);
		if (!end)
			break;
	}
	free(box->untold);
	box->untold = NULL;
}

/* Commands are reported only after the opening has returned. */
static void tell_command(struct box *box, const char *line)
{
	if (!box->is_opening) {
		tell_untold(box);
		box_report_progress(box, line);
		return;
	}
	char *more = NULL;
	if (asprintf(&more, "%s%s%s", box->untold ? box->untold : "", box->untold ? "\n" : "", line) < 0)
		return;
	free(box->untold);
	box->untold = more;
}

static void tell_commands(struct box *box, enum recipe_step step, const struct buf *args)
{
	struct command_words words;
	const char *at = buf_at(args), *end = at + args->len;
	while (box->container_spec.opts.is_verbose && at < end) {
		command_words_begin(&words, recipe_step_name(step));
		for (; at < end && *at; at += strlen(at) + 1)
			command_words_add(&words, at);
		at++; /* an empty argument separates two commands */
		tell_command(box, command_words_end(&words));
	}
}

static int run_command(struct box *box, enum recipe_step step, const struct command_cb *cb,
		struct command **ret, struct trm_error *reterr)
{
	struct recipe_facts facts;
	bool is_long = step == STEP_PULL || step == STEP_BUILD;
	const struct command_opts opts = {.timeout_ms = is_long ? 0 : recipe_timeout_ms(box->recipe),
			.silence_ms = is_long ? SILENCE_MS : 0};
	struct buf args;
	buf_init(&args, RECIPE_EXPANDED_MAX);
	box_facts(box, &facts);
	int r = recipe_expand(box->recipe, step, &facts, &args, reterr);
	if (r == 0) {
		tell_commands(box, step, &args);
		r = command_start_args(box->supervised.loop, box->recipe, &args, opts, cb, box, ret, reterr);
	}
	buf_finish(&args);
	if (r == TRM_EMISSING) {
		err_wrap(reterr, r, "the backend '%s' does not work here", trm_recipe_name(box->recipe));
		if (reterr)
			advice_append(box->recipe, reterr);
	}
	return r;
}

static void describe_step(struct box *box, enum recipe_step step)
{
	const struct container_spec *w = &box->container_spec;
	box->line[0] = '\0';
	switch (step) {
	case STEP_PULL: snprintf(box->doing, sizeof box->doing, "pulling the image %s", w->image); break;
	case STEP_BUILD:
		snprintf(box->doing, sizeof box->doing, "building the image of %.200s", w->dockerfile);
		break;
	case STEP_WAKE:
	case STEP_ADOPT:
		snprintf(box->doing, sizeof box->doing, "%s the container %.200s",
				step == STEP_WAKE ? "starting" : "looking at", w->opts.container.container);
		break;
	case STEP_PIN: snprintf(box->doing, sizeof box->doing, "looking for the cluster"); break;
	case STEP_MANIFEST:
		snprintf(box->doing, sizeof box->doing, "reading %.200s", w->opts.container.kube.manifest);
		break;
	default: snprintf(box->doing, sizeof box->doing, "looking for the image %s", w->image); break;
	}
}

static int run_first_command(struct box *box, enum recipe_step step, struct trm_error *reterr)
{
	bool takes_long = step == STEP_PULL || step == STEP_BUILD || step == STEP_WAKE;
	box->step = step;
	describe_step(box, step);
	box->since_ns = trm_loop_now_ns(box->supervised.loop);
	trm_timer_start(box->tick, takes_long ? 0 : TICK_MS, TICK_MS);
	return run_command(box, step, &STEP_CB, &box->command, reterr);
}

static enum recipe_step first_step(const struct box *box)
{
	const struct trm_container_opts *c = &box->container_spec.opts.container;
	if (recipe_has(box->recipe, STEP_PIN) && !(c->kube.context && c->kube.space))
		return STEP_PIN;
	if (c->container)
		return STEP_ADOPT;
	if (c->kube.manifest && !c->kube.left)
		return STEP_MANIFEST;
	if (c->dockerfile)
		return STEP_BUILD;
	return *box->container_spec.image && recipe_has(box->recipe, STEP_IMAGE) ? STEP_IMAGE : STEP_PROBE;
}

static bool wants_where(const struct box *box)
{
	return recipe_has(box->recipe, STEP_WHERE) && recipe_uses(box->recipe, STEP_CREATE, "share")
	       && !box->container_spec.opts.container.container;
}

int prepare_start(struct box *box, struct trm_error *reterr)
{
	enum recipe_step step = first_step(box);
	bool is_nothing = step == STEP_PROBE; /* there is no image: the supervisor begins at once */
	box->is_opening = true;
	box->is_found = is_nothing;
	int r = trm_loop_add_timer(box->supervised.loop, on_tick, box, &box->tick, reterr);
	if (r == 0 && wants_where(box))
		r = run_command(box, STEP_WHERE, &WHERE_CB, &box->where, reterr);
	if (r == 0 && is_nothing)
		trm_timer_start(box->tick, 0, 0);
	r = r < 0 || is_nothing ? r : run_first_command(box, step, reterr);
	box->is_opening = false;
	return r;
}

void prepare_stop(struct box *box)
{
	box->is_closing = true;
	trm_timer_stop(box->tick);
	if (box->command)
		command_stop(box->command);
	if (box->where)
		command_stop(box->where);
	if (!box->command && !box->where)
		trm_timer_start(box->tick, 0, 0);
}

void prepare_finish(struct box *box)
{
	free(box->untold);
	box->untold = NULL;
	command_abandon(box->command);
	command_abandon(box->where);
	trm_timer_remove(box->tick);
	box->command = box->where = NULL;
	box->tick = NULL;
}
