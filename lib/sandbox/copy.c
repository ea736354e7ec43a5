/* SPDX-License-Identifier: MIT */
/* A copy from beginning to end: its endpoints, its sandboxes, one job after another. */
#include "sandbox/copy.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/registry.h>

#include "base/err.h"
#include "base/opts.h"

enum { TICK_MS = 100 };

/* ---- sandboxes -------------------------------------------------------------------------- */

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct box *box = user;
	(void)sandbox;
	(void)why;
	box->sandbox = NULL;
	if (box->copy->is_ending)
		trm_timer_start(box->copy->soon, 0, 0);
}

static void on_box_ready(void *user, struct trm_sandbox *sandbox)
{
	struct box *box = user;
	(void)sandbox;
	box->has_opened = true;
}

static const struct trm_sandbox_cb BOX_CB = {.ready = on_box_ready, .closed = on_closed};

static void on_own_closed(void *user, const struct trm_error *why)
{
	struct box *box = user;
	(void)why;
	box->sandbox = NULL;
}

static void join_own(struct trm_copy *copy, struct box *box)
{
	box->is_own = box->has_opened = true;
	box->sandbox = copy->opts.own;
	box->observer = (struct sandbox_observer){.closed = on_own_closed, .user = box};
	sandbox_observe(box->sandbox, &box->observer);
}

static int attach_box(struct trm_copy *copy, struct box *box, struct trm_error *why)
{
	if (!copy->opts.far)
		return trm_sandbox_attach(copy->loop, box->name, NULL, &BOX_CB, box, &box->sandbox, why);
	struct trm_sandbox_opts opts = *copy->opts.far;
	opts.name = box->name;
	opts.server.join = TRM_REMOTE_JOIN;
	opts.metrics_interval_ms = 0;
	return trm_sandbox_open(copy->loop, &opts, &BOX_CB, box, &box->sandbox, why);
}

static int open_box(struct trm_copy *copy, const struct endpoint *endpoint, struct box **ret,
		struct trm_error *why)
{
	struct box *box = calloc(1, sizeof *box);
	int r = 0;
	if (!box)
		return trm_error_set(why, TRM_ENOMEM, "out of memory");
	memcpy(box->name, endpoint->name, sizeof box->name);
	box->copy = copy;
	if (endpoint->name[0])
		r = attach_box(copy, box, why);
	else if (copy->opts.own)
		join_own(copy, box);
	else
		r = trm_error_set(why, TRM_EINVAL, ":%s: there is no name of a sandbox before the ':'",
				endpoint->path);
	if (r < 0) {
		free(box);
		return r;
	}
	box->next = copy->boxes;
	copy->boxes = box;
	*ret = box;
	return 0;
}

/* The sandbox of an endpoint: one that already takes part, our own, or one that is now attached. */
static int find_box(struct trm_copy *copy, const struct endpoint *endpoint, struct box **ret,
		struct trm_error *why)
{
	*ret = NULL;
	if (endpoint->kind != ENDPOINT_SANDBOX)
		return 0;
	struct box *box = copy->boxes;
	while (box && strcmp(box->name, endpoint->name) != 0)
		box = box->next;
	if (!box)
		return open_box(copy, endpoint, ret, why);
	*ret = box;
	return box->sandbox ? 0
			    : trm_error_set(why, TRM_ECLOSED, "%s%s%s has ended",
					    *box->name ? "sandbox '" : "the sandbox", box->name,
					    *box->name ? "'" : "");
}

static bool boxes_are_closed(struct trm_copy *copy)
{
	bool are_closed = true;
	for (struct box *box = copy->boxes; box; box = box->next)
		if (box->sandbox && !box->is_own) {
			trm_sandbox_close(box->sandbox);
			are_closed = false;
		}
	return are_closed;
}

/* ---- the end ------------------------------------------------------------------------------ */

const struct trm_copy_progress *trm_copy_progress(struct trm_copy *copy)
{
	const struct tree_sum *done = &copy->sum, *now = &copy->job.sum;
	copy->progress = (struct trm_copy_progress){.bytes = done->bytes + now->bytes,
			.files = done->files + now->files,
			.dirs = done->dirs + now->dirs,
			.links = done->links + now->links,
			.refused = done->refused + now->refused,
			.total_bytes = copy->total_bytes,
			.total_files = copy->total_files,
			.path = copy->job.name};
	return &copy->progress;
}

static void free_all(struct trm_copy *copy)
{
	job_finish(copy);
	while (copy->boxes) {
		struct box *box = copy->boxes;
		copy->boxes = box->next;
		if (box->is_own && box->sandbox)
			sandbox_unobserve(box->sandbox, &box->observer);
		free(box);
	}
	trm_timer_remove(copy->soon);
	trm_timer_remove(copy->tick);
	free(copy->sources);
	free(copy->texts);
	free(copy);
}

static void end_copy(struct trm_copy *copy)
{
	copy->is_ending = true;
	if (!boxes_are_closed(copy))
		return;
	if (copy->cb->done)
		copy->cb->done(copy->user, &copy->why, trm_copy_progress(copy));
	free_all(copy);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

void copy_report_skipped(struct trm_copy *copy, const struct box *box, const struct trm_error *why)
{
	struct trm_error announced = *why;
	if (box)
		trm_error_set(&announced, why->code, "%s:%s", box->name, why->msg);
	if (copy->cb->refused)
		copy->cb->refused(copy->user, &announced);
}

static void sum_add(struct tree_sum *sum, const struct tree_sum *more)
{
	sum->bytes += more->bytes;
	sum->files += more->files;
	sum->dirs += more->dirs;
	sum->links += more->links;
	sum->refused += more->refused;
}

/* Does the message begin with the target itself? */
static bool is_about_target(const struct trm_copy *copy, const struct trm_error *why)
{
	const struct box *box = copy->job.to_box;
	size_t name = box ? strlen(box->name) + 1 : 0, path = strlen(copy->target.path);
	return strlen(why->msg) > name + path && strncmp(why->msg + name, copy->target.path, path) == 0
	       && why->msg[name + path] == ':';
}

/* Does this error make trying the other sources pointless? */
static bool ends_all(const struct trm_copy *copy, const struct trm_error *why)
{
	bool is_gone = (copy->job.from_box && !copy->job.from_box->sandbox)
		       || (copy->job.to_box && !copy->job.to_box->sandbox);
	return copy->n_sources == 1 || is_gone || copy->job.has_no_target || is_about_target(copy, why)
	       || why->code == TRM_ECANCELED || why->code == TRM_ETOOBIG || why->code == TRM_EIO
	       || why->code == TRM_ENOMEM || why->code == TRM_ECLOSED || why->code == TRM_EPROTO;
}

static void take_job_apart(struct trm_copy *copy)
{
	struct trm_error why = copy->job.why;
	sum_add(&copy->sum, copy->job.writer ? sink_sum(copy->job.writer) : &copy->job.whole);
	if (why.code && ends_all(copy, &why)) {
		copy->why = why;
		copy->next = copy->n_sources;
	} else if (why.code) {
		copy->sum.refused++;
		copy_report_skipped(copy, NULL, &why);
	}
	job_finish(copy);
}

void job_over(struct trm_copy *copy, const struct trm_error *why)
{
	if (copy->job.is_over)
		return;
	copy->job.is_over = true;
	if (why)
		copy->job.why = *why;
	trm_timer_start(copy->soon, 0, 0);
}

static int start_job(struct trm_copy *copy, struct trm_error *why)
{
	struct job *job = &copy->job;
	*job = (struct job){.source = &copy->sources[copy->next++]};
	copy->has_job = true;
	/* A window of the smallest frames, empty directories, as tar headers of 512 bytes each. */
	buf_init(&job->backlog, 20 * TREE_WINDOW);
	tree_path_init(&job->choice.path);
	int r = find_box(copy, job->source, &job->from_box, why);
	if (r < 0)
		return r;
	r = find_box(copy, &copy->target, &job->to_box, why);
	job->has_no_target = r < 0;
	return r < 0 ? r : job_start(copy, why);
}

static void on_soon(void *user)
{
	struct trm_copy *copy = user;
	struct trm_error why = {.code = TRM_OK};
	if (copy->has_job && copy->job.is_over)
		take_job_apart(copy);
	if (copy->has_job)
		return;
	if (copy->next == copy->n_sources)
		end_copy(copy);
	else if (start_job(copy, &why) < 0)
		job_over(copy, &why);
}

static void on_tick(void *user)
{
	struct trm_copy *copy = user;
	if (copy->has_job && !copy->job.is_over)
		copy->cb->progress(copy->user, trm_copy_progress(copy));
}

void trm_copy_cancel(struct trm_copy *copy)
{
	struct trm_error why;
	trm_error_set(&why, TRM_ECANCELED, "the copy was stopped");
	if (copy->is_ending)
		return;
	if (!copy->has_job) {
		copy->why = why;
		copy->next = copy->n_sources;
	}
	job_over(copy, &why);
}

/* ---- the beginning ------------------------------------------------------------------------------ */

static int check_pair(const struct trm_copy *copy, const struct endpoint *source, struct trm_error *reterr)
{
	const struct endpoint *target = &copy->target;
	bool is_in = source->kind == ENDPOINT_SANDBOX, is_to = target->kind == ENDPOINT_SANDBOX;
	if (!is_in && !is_to)
		return trm_error_set(reterr, TRM_EINVAL,
				"neither %s nor %s is in a sandbox: write NAME:PATH for the one that is",
				source->kind == ENDPOINT_STREAM ? "standard input" : source->path,
				target->kind == ENDPOINT_STREAM ? "standard output" : target->path);
	if (is_in && is_to && strcmp(source->name, target->name) == 0)
		return trm_error_set(reterr, TRM_EINVAL,
				"both are in the same sandbox: copy with cp inside it (terrarium exec)");
	if (copy->n_sources > 1 && (source->kind == ENDPOINT_STREAM || target->kind == ENDPOINT_STREAM))
		return trm_error_set(reterr, TRM_EINVAL, "'-' cannot be combined with other sources");
	if ((source->kind == ENDPOINT_STREAM && copy->opts.in_fd < 0)
			|| (target->kind == ENDPOINT_STREAM && copy->opts.out_fd < 0))
		return trm_error_set(reterr, TRM_EINVAL, "'-' is not possible here: name a file");
	return 0;
}

/* Where ".." leads depends on the links in front of it, which code in the sandbox makes. */
static int refuse_up(const char *typed, const struct endpoint *target, struct trm_error *reterr)
{
	if (target->kind != ENDPOINT_SANDBOX)
		return 0;
	for (const char *at = target->path; *at; at += strspn(at, "/")) {
		size_t n = strcspn(at, "/");
		if (n == 2 && at[0] == '.' && at[1] == '.')
			return trm_error_set(reterr, TRM_EINVAL,
					"%.200s: a target in a sandbox may not contain '..', which leads where links in the "
					"sandbox lead: write the path without it",
					typed);
		at += n;
	}
	return 0;
}

static int take_places(struct trm_copy *copy, const struct trm_copy_opts *opts, struct trm_error *reterr)
{
	size_t bytes = strlen(opts->target) + 1, n = 0;
	for (; opts->sources[n]; n++)
		bytes += strlen(opts->sources[n]) + 1;
	if (!n)
		return trm_error_set(reterr, TRM_EINVAL, "there is nothing to copy");
	char *at = copy->texts = malloc(bytes);
	copy->sources = calloc(n, sizeof *copy->sources);
	if (!at || !copy->sources)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	copy->n_sources = n;
	int r = endpoint_parse(strcpy(at, opts->target), &copy->target, reterr);
	if (r == 0)
		r = refuse_up(opts->target, &copy->target, reterr);
	for (size_t i = 0; r == 0 && i < n; i++) {
		at += strlen(at) + 1;
		r = endpoint_parse(strcpy(at, opts->sources[i]), &copy->sources[i], reterr);
		if (r == 0)
			r = check_pair(copy, &copy->sources[i], reterr);
	}
	return r;
}

/* Our own sandbox may close before the copy's first loop iteration, so watch it from now on. */
static int join_early(struct trm_copy *copy, struct trm_error *reterr)
{
	const struct endpoint *endpoint = &copy->target;
	struct box *box;
	for (size_t i = 0; i < copy->n_sources && (endpoint->kind != ENDPOINT_SANDBOX || endpoint->name[0]);
			i++)
		endpoint = &copy->sources[i];
	if (!copy->opts.own || endpoint->kind != ENDPOINT_SANDBOX || endpoint->name[0])
		return 0;
	return find_box(copy, endpoint, &box, reterr);
}

int trm_copy_start(struct trm_loop *loop, const struct trm_copy_opts *opts, const struct trm_copy_cb *cb,
		void *user, struct trm_copy **ret_copy, struct trm_error *reterr)
{
	struct trm_copy_opts own = TRM_COPY_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	if (r < 0)
		return r;
	struct trm_copy *copy = calloc(1, sizeof *copy);
	if (!copy)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	copy->loop = loop;
	copy->cb = cb;
	copy->user = user;
	copy->opts = own;
	if (!copy->opts.max_bytes)
		copy->opts.max_bytes = TRM_COPY_MAX_BYTES;
	if (!copy->opts.max_files)
		copy->opts.max_files = TRM_COPY_MAX_FILES;
	r = take_places(copy, &own, reterr);
	if (r == 0)
		r = join_early(copy, reterr);
	if (r == 0)
		r = trm_loop_add_timer(loop, on_soon, copy, &copy->soon, reterr);
	if (r == 0)
		r = trm_loop_add_timer(loop, on_tick, copy, &copy->tick, reterr);
	if (r < 0) {
		free_all(copy);
		return r;
	}
	trm_timer_start(copy->soon, 0, 0);
	if (cb->progress)
		trm_timer_start(copy->tick, TICK_MS, TICK_MS);
	*ret_copy = copy;
	return 0;
}
