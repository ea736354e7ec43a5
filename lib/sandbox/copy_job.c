/* SPDX-License-Identifier: MIT */
/* One source of a copy: joins its two halves. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/procstat.h"
#include "sandbox/copy.h"

/* ---- out of a sandbox ----------------------------------------------------------------------- */

static void count_entry(struct trm_copy *copy, const struct entry *entry)
{
	struct job *job = &copy->job;
	if (entry->kind == ENTRY_TOTAL) {
		copy->total_bytes = copy->sum.bytes + entry->size;
		copy->total_files = copy->sum.files + entry->files;
	}
	job->sum.files += entry->kind == ENTRY_FILE;
	job->sum.dirs += entry->kind == ENTRY_DIR;
	job->sum.links += entry->kind == ENTRY_LINK;
	job->sum.bytes += entry->kind == ENTRY_HOLE ? entry->size : 0;
	if (entry->kind != ENTRY_FILE && entry->kind != ENTRY_HOLE)
		job->whole = job->sum;
	if (entry->kind == ENTRY_FILE || entry->kind == ENTRY_DIR)
		memcpy(job->name, entry->name, sizeof job->name);
}

/* Accept more once the other half has room. */
static void consume_if_room(struct job *job)
{
	if (job->from && !(job->to && tree_is_full(job->to)) && !job->backlog.len)
		tree_consume(job->from);
}

/* From one sandbox to another. */
static int relay_frame(struct job *job, const struct entry *entry, const void *bytes, size_t n,
		struct trm_error *why)
{
	if (!job->to)
		return 0; /* it has ended, and the job soon will */
	struct trm_sandbox *s = job->to_box->sandbox;
	sandbox_hold(s);
	int r = entry ? entry_put(tree_out(job->to), tree_id(job->to), entry)
		      : frame_put(tree_out(job->to), tree_id(job->to), FRAME_DATA, 0, bytes, n);
	if (tree_is_full(job->to))
		tree_wants_pump(job->to);
	sandbox_release(s);
	return r < 0 ? trm_error_set(why, r, "out of memory") : 0;
}

int job_put_entry(struct trm_copy *copy, const struct entry *entry, struct trm_error *why)
{
	struct job *job = &copy->job;
	count_entry(copy, entry);
	return job->writer   ? sink_entry(job->writer, entry, why)
	       : job->to_box ? relay_frame(job, entry, NULL, 0, why)
			     : stream_out_entry(copy, entry, why);
}

static int on_entry(void *user, const struct entry *entry, struct trm_error *why)
{
	struct trm_copy *copy = user;
	struct job *job = &copy->job;
	if (job->is_over)
		return 0;
	int r = job->writer && copy->opts.wants ? copy_choice_entry(copy, entry, why)
						: job_put_entry(copy, entry, why);
	if (r == 0)
		consume_if_room(job);
	return r;
}

static int on_data(void *user, const void *bytes, size_t n, struct trm_error *why)
{
	struct trm_copy *copy = user;
	struct job *job = &copy->job;
	if (job->is_over)
		return 0;
	if (job->choice.skips_file) {
		consume_if_room(job);
		return 0;
	}
	job->sum.bytes += n;
	int r = job->writer   ? sink_data(job->writer, bytes, n, why)
		: job->to_box ? relay_frame(job, NULL, bytes, n, why)
			      : stream_out_data(copy, bytes, n, why);
	if (r == 0)
		consume_if_room(job);
	return r;
}

/* The agent's message begins with a path of its sandbox, unless it is about the copy as a whole. */
static struct trm_error words_of(const struct box *box, const struct trm_error *why, bool is_agents)
{
	struct trm_error announced = *why;
	bool is_of_all = why->code == TRM_ETOOBIG || why->code == TRM_ENOMEM;
	bool has_path = !is_of_all || *why->msg == '/';
	if (why->code && is_agents)
		trm_error_set(&announced, why->code, "%s:%s%s", box->name, has_path ? "" : " ", why->msg);
	return announced;
}

static void on_get_done(void *user, const struct trm_error *why, const struct tree_sum *sum)
{
	struct trm_copy *copy = user;
	struct job *job = &copy->job;
	struct trm_error announced = words_of(job->from_box, why, sum);
	job->from = NULL;
	job->is_complete = true;
	if (announced.code)
		job_over(copy, &announced);
	else if (job->writer || (!job->to_box && !job->backlog.len))
		job_over(copy, NULL);
}

static const struct tree_cb GET_CB = {.entry = on_entry, .data = on_data, .done = on_get_done};

static int start_get(struct trm_copy *copy, struct trm_error *why)
{
	struct job *job = &copy->job;
	const struct tree_msg msg = {.path = (char *)job->source->path,
			.flags = (copy->opts.wants_total ? TREE_WANTS_TOTAL : 0)
				 | (copy->target.kind == ENDPOINT_STREAM ? TREE_DENSE : 0)
				 | (copy->opts.one_system ? TREE_ONE_SYSTEM : 0),
			.max_bytes = copy->opts.max_bytes,
			.max_files = copy->opts.max_files};
	return tree_open(job->from_box->sandbox, FRAME_TREE_GET, &msg, &GET_CB, copy, &job->from, why);
}

/* ---- into a sandbox ---------------------------------------------------------------------------- */

static int feed(struct trm_copy *copy, struct trm_error *why)
{
	struct job *job = &copy->job;
	uint64_t credit = UINT64_MAX;
	int r = SOURCE_MORE;
	while (r == SOURCE_MORE && !tree_is_full(job->to))
		r = source_step(job->reader, tree_out(job->to), tree_id(job->to), &credit);
	job->sum = *source_sum(job->reader);
	job->whole = *source_whole(job->reader);
	memcpy(job->name, source_name(job->reader), sizeof job->name);
	if (source_total(job->reader, &copy->total_files, &copy->total_bytes)) {
		copy->total_files += copy->sum.files;
		copy->total_bytes += copy->sum.bytes;
	}
	if (r < 0)
		return trm_error_set(why, r, "out of memory");
	job->is_complete = r == SOURCE_OVER;
	if (!job->is_complete)
		tree_wants_pump(job->to);
	return 0;
}

static int on_pump(void *user, struct trm_error *why)
{
	struct trm_copy *copy = user;
	struct job *job = &copy->job;
	if (job->is_over)
		return 0;
	if (job->from_box) {
		consume_if_room(job);
		return 0;
	}
	return job->reader ? feed(copy, why) : stream_in_pump(copy, why);
}

static void on_put_refused(void *user, const struct trm_error *why)
{
	struct trm_copy *copy = user;
	copy_report_skipped(copy, copy->job.to_box, why);
}

static uint64_t lesser_count(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The agent's figures are capped to what was sent. An agent that was never there has taken nothing. */
static void on_put_done(void *user, const struct trm_error *why, const struct tree_sum *sum)
{
	struct trm_copy *copy = user;
	struct job *job = &copy->job;
	static const struct tree_sum none;
	const struct tree_sum *taken = sum                       ? sum
				       : job->to_box->has_opened ? &job->whole
								 : &none,
			      sent = job->sum;
	struct trm_error announced = words_of(job->to_box, why, sum);
	job->to = NULL;
	job->whole = (struct tree_sum){.bytes = lesser_count(taken->bytes, sent.bytes),
			.files = lesser_count(taken->files, sent.files),
			.dirs = lesser_count(taken->dirs, sent.dirs),
			.links = lesser_count(taken->links, sent.links),
			.refused = taken->refused};
	if (!announced.code && !job->is_complete)
		trm_error_set(&announced, TRM_EPROTO,
				"the sandbox ended the copy before everything was sent");
	job_over(copy, announced.code ? &announced : NULL);
}

static const struct tree_cb PUT_CB = {.refused = on_put_refused, .pump = on_pump, .done = on_put_done};

static int start_put(struct trm_copy *copy, struct trm_error *why)
{
	struct job *job = &copy->job;
	char base[ENTRY_NAME_MAX + 1];
	endpoint_base(job->source, base);
	const struct tree_msg msg = {.path = (char *)copy->target.path,
			.base = base,
			.flags = copy->n_sources > 1 ? TREE_MUST_BE_DIR : 0,
			.max_bytes = copy->opts.max_bytes,
			.max_files = copy->opts.max_files};
	return tree_open(job->to_box->sandbox, FRAME_TREE_PUT, &msg, &PUT_CB, copy, &job->to, why);
}

/* ---- the pairs -------------------------------------------------------------------------------------- */

static int from_here(struct trm_copy *copy, struct trm_error *why)
{
	struct job *job = &copy->job;
	struct trm_sandbox *s = job->to_box->sandbox;
	int r = source_create(job->source->path, copy->opts.wants_total ? TREE_WANTS_TOTAL : 0, 0,
			&job->reader, why);
	if (r < 0)
		return r;
	sandbox_hold(s);
	r = start_put(copy, why);
	if (r == 0)
		r = feed(copy, why);
	sandbox_release(s);
	return r;
}

static void on_sink_refused(void *user, const struct trm_error *why)
{
	copy_report_skipped(user, NULL, why);
}

static int to_here(struct trm_copy *copy, struct trm_error *why)
{
	struct job *job = &copy->job;
	char base[ENTRY_NAME_MAX + 1];
	endpoint_base(job->source, base);
	const struct sink_opts opts = {.path = copy->target.path,
			.base = base,
			.must_be_dir = copy->n_sources > 1,
			.max_bytes = copy->opts.max_bytes,
			.max_files = copy->opts.max_files,
			.withheld = procstat_umask(),
			.keeps_links = copy->opts.keeps_links,
			.unless_changed_since_ns = copy->opts.unless_changed_since_ns,
			.refused = on_sink_refused,
			.user = copy};
	int r = sink_create(&opts, &job->writer, why);
	return r < 0 ? r : start_get(copy, why);
}

static int between(struct trm_copy *copy, struct trm_error *why)
{
	int r = start_put(copy, why);
	return r < 0 ? r : start_get(copy, why);
}

static int from_stream(struct trm_copy *copy, struct trm_error *why)
{
	struct trm_sandbox *s = copy->job.to_box->sandbox;
	sandbox_hold(s);
	int r = start_put(copy, why);
	if (r == 0)
		r = stream_in_start(copy, why);
	sandbox_release(s);
	return r;
}

static int to_stream(struct trm_copy *copy, struct trm_error *why)
{
	int r = stream_out_start(copy, why);
	return r < 0 ? r : start_get(copy, why);
}

int job_start(struct trm_copy *copy, struct trm_error *why)
{
	static int (*const pairs[3][3])(struct trm_copy * copy, struct trm_error * why) = {
			[ENDPOINT_HERE] = {[ENDPOINT_SANDBOX] = from_here},
			[ENDPOINT_STREAM] = {[ENDPOINT_SANDBOX] = from_stream},
			[ENDPOINT_SANDBOX] = {to_here, between, to_stream},
	};
	return pairs[copy->job.source->kind][copy->target.kind](copy, why);
}

void job_finish(struct trm_copy *copy)
{
	struct job *job = &copy->job;
	if (job->from_box && job->from_box->sandbox)
		tree_close(job->from);
	if (job->to_box && job->to_box->sandbox)
		tree_close(job->to);
	source_destroy(job->reader);
	sink_destroy(job->writer);
	trm_watch_remove(job->watch);
	buf_finish(&job->backlog);
	copy_choice_finish(&job->choice);
	*job = (struct job){0};
	copy->has_job = false;
}
