/* SPDX-License-Identifier: MIT */
#include "snapshot/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/sandbox.h>

#include "backend/supervised/found.h"
#include "backend/supervised/guards.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mount.h"
#include "base/opts.h"
#include "sandbox/sandbox.h"

static const struct {
	const char *source, *dir;
} places[] = {{"/workspace", STORE_WORKSPACE}, {"/home/user", STORE_HOME}};
enum { N_PLACES = sizeof places / sizeof *places };

struct trm_snapshot {
	struct trm_sandbox *sandbox;
	const struct trm_snapshot_cb *cb;
	void *user;
	struct store_draft draft;
	struct store_about about;
	uint64_t max_bytes, max_files; /* that are left */
	size_t next;                   /* place */
	struct trm_copy *copy;
	struct image_job *image;
	bool is_canceled;
	struct trm_copy_progress done_before; /* of places that are complete */
};

static void end_snapshot(struct trm_snapshot *s, const struct trm_error *why)
{
	struct trm_error own = *why;
	if (!own.code && s->is_canceled)
		trm_error_set(&own, TRM_ECANCELED, "the snapshot was given up");
	if (!own.code)
		snapstore_end(&s->draft, &s->about, &own);
	snapstore_drop(&s->draft);
	s->cb->done(s->user, &own, own.code ? NULL : &s->about.info);
	free(s);
}

/* ---- files ---------------------------------------------------------------------------------- */

static int copy_next_place(struct trm_snapshot *s, struct trm_error *reterr);

static void on_copy_progress(void *user, const struct trm_copy_progress *progress)
{
	struct trm_snapshot *s = user;
	struct trm_copy_progress sum = *progress;
	sum.bytes += s->done_before.bytes;
	sum.files += s->done_before.files;
	if (s->cb->progress)
		s->cb->progress(s->user, &sum);
}

static void place_target(const struct trm_snapshot *s, size_t place, char out[STORE_PATH + 48])
{
	snprintf(out, STORE_PATH + 48, "%s/" STORE_FILES "/%s", s->draft.path, places[place].dir);
}

/* Whoever reads that knows the sandbox's paths. */
static void on_copy_refused(void *user, const struct trm_error *why)
{
	struct trm_snapshot *s = user;
	struct trm_error words = *why;
	char target[STORE_PATH + 48];
	place_target(s, s->next - 1, target);
	size_t n = strlen(target);
	if (strncmp(why->msg, target, n) == 0)
		trm_error_set(&words, why->code, "%s%s", places[s->next - 1].source, why->msg + n);
	if (s->cb->refused)
		s->cb->refused(s->user, &words);
}

static void tell_too_big(struct trm_error *why)
{
	if (why->code == TRM_ETOOBIG)
		trm_error_set(why, TRM_ETOOBIG, "the files do not fit into a snapshot: %.300s", why->msg);
}

static void on_copied(void *user, const struct trm_error *failed, const struct trm_copy_progress *progress)
{
	struct trm_snapshot *s = user;
	struct trm_error why = *failed;
	uint64_t n_files = progress->files + progress->dirs + progress->links;
	char path[STORE_PATH + 32];
	s->copy = NULL;
	s->done_before.bytes += progress->bytes;
	s->done_before.files += progress->files;
	s->max_bytes -= progress->bytes < s->max_bytes ? progress->bytes : s->max_bytes - 1;
	s->max_files -= n_files < s->max_files ? n_files : s->max_files - 1;
	if (!why.code && s->next < N_PLACES && !s->is_canceled && copy_next_place(s, &why) == 0)
		return;
	tell_too_big(&why);
	snprintf(path, sizeof path, "%s/" STORE_FILES, s->draft.path);
	if (!why.code && !s->is_canceled)
		scan_files(path, &s->about, &why);
	end_snapshot(s, &why);
}

static int copy_next_place(struct trm_snapshot *s, struct trm_error *reterr)
{
	static const struct trm_copy_cb cb = {
			.progress = on_copy_progress, .refused = on_copy_refused, .done = on_copied};
	char source[64], target[STORE_PATH + 48];
	const char *const sources[] = {source, NULL};
	snprintf(source, sizeof source, ":%s/.", places[s->next].source);
	place_target(s, s->next++, target);
	if (mkdir(target, 0700) < 0)
		return trm_error_set_errno(reterr, errno, "cannot make the folder of the snapshot");
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = target,
			.own = s->sandbox,
			.in_fd = -1,
			.out_fd = -1,
			.max_bytes = s->max_bytes,
			.max_files = s->max_files,
			.one_system = true,
			.keeps_links = true};
	return trm_copy_start(s->sandbox->loop, &opts, &cb, s, &s->copy, reterr);
}

/* Somebody may count on what lies elsewhere. */
static void note_workdir(struct trm_snapshot *s)
{
	const char *workdir = trm_sandbox_workdir(s->sandbox);
	struct trm_error note;
	bool is_in = mount_is_below(workdir, "/tmp");
	for (size_t i = 0; i < N_PLACES; i++)
		is_in |= mount_is_below(workdir, places[i].source);
	if (is_in || !s->cb->refused)
		return;
	trm_error_set(&note, TRM_ENOTSUP,
			"%.200s is not part of the snapshot: that has /workspace and the home directory",
			workdir);
	s->cb->refused(s->user, &note);
}

static int begin_files(struct trm_snapshot *s, struct trm_error *reterr)
{
	s->about.is_bare = trm_sandbox_isolation(s->sandbox) != TRM_ISOLATION_NAMESPACES;
	return copy_next_place(s, reterr);
}

/* ---- images ---------------------------------------------------------------------------------- */

static void on_image(void *user, const struct trm_error *why)
{
	struct trm_snapshot *s = user;
	s->image = NULL;
	end_snapshot(s, why);
}

static int check_container(const struct origin_msg *origin, struct trm_error *reterr)
{
	if (origin->is_adopted)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"the container %.100s is not Terrarium's own: save it with '%s commit'",
				origin->image, origin->backend);
	if (origin->asks & ASK_READ_ONLY)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"the root of the container is read-only, and its files are in memory, which no image holds");
	return 0;
}

/* The name tells users of one engine apart. */
static int begin_image(struct trm_snapshot *s, const char *config, struct trm_error *reterr)
{
	struct found_entry entry;
	struct info_msg info;
	struct trm_snapshot_info *about = &s->about.info;
	int r = found_open(&entry, trm_sandbox_name(s->sandbox), &info, reterr);
	if (r < 0)
		return r;
	const struct origin_msg *origin = &info.ready.origin;
	r = check_container(origin, reterr);
	snprintf(about->user, sizeof about->user, "%s", origin->user);
	snprintf(about->image, sizeof about->image, "localhost/terrarium-snapshot-%u:%s", (unsigned)geteuid(),
			about->tag);
	if (r == 0)
		r = image_save(s->sandbox->loop, about->backend, config, origin->where, origin->image,
				about->image, on_image, s, &s->image, reterr);
	found_close(&entry);
	info_msg_finish(&info);
	return r;
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void describe_snapshot(struct trm_snapshot *s, const struct trm_snapshot_opts *opts)
{
	struct trm_snapshot_info *info = &s->about.info;
	snprintf(info->tag, sizeof info->tag, "%s", opts->tag);
	snprintf(info->backend, sizeof info->backend, "%s", trm_sandbox_backend(s->sandbox));
	snprintf(info->sandbox, sizeof info->sandbox, "%s", trm_sandbox_name(s->sandbox));
	info->created_ms = clock_wall_ms();
}

int trm_sandbox_snapshot(struct trm_sandbox *sandbox, const struct trm_snapshot_opts *opts,
		const struct trm_snapshot_cb *cb, void *user, struct trm_snapshot **ret_snapshot,
		struct trm_error *reterr)
{
	bool is_local = strcmp(trm_sandbox_backend(sandbox), "local") == 0;
	struct trm_snapshot_opts own = TRM_SNAPSHOT_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	if (r < 0)
		return r;
	opts = &own;
	if (!is_local && !sandbox_is_made(sandbox))
		return trm_error_set(reterr, TRM_ENOTSUP, "sandboxes of the backend '%s' have no snapshots",
				trm_sandbox_backend(sandbox));
	struct trm_snapshot *s = calloc(1, sizeof *s);
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*s = (struct trm_snapshot){.sandbox = sandbox,
			.cb = cb,
			.user = user,
			.max_bytes = opts->max_bytes ? opts->max_bytes : TRM_COPY_MAX_BYTES,
			.max_files = opts->max_files ? opts->max_files : TRM_COPY_MAX_FILES};
	r = snapstore_begin(&s->draft, opts->tag, opts->overwrites, reterr);
	if (r == 0) {
		describe_snapshot(s, opts);
		r = is_local ? begin_files(s, reterr) : begin_image(s, opts->config, reterr);
	}
	if (r < 0) {
		snapstore_drop(&s->draft);
		free(s);
		return r;
	}
	if (is_local)
		note_workdir(s);
	*ret_snapshot = s;
	return 0;
}

void trm_snapshot_cancel(struct trm_snapshot *snapshot)
{
	if (!snapshot || snapshot->is_canceled)
		return;
	snapshot->is_canceled = true;
	if (snapshot->copy)
		trm_copy_cancel(snapshot->copy);
	else if (snapshot->image)
		image_cancel(snapshot->image);
}
