/* SPDX-License-Identifier: MIT */
#include "server/sandboxes/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/copy.h>
#include <terrarium/error.h>
#include <terrarium/files.h>
#include <terrarium/loop.h>
#include <terrarium/mounts.h>

#include "base/err.h"
#include "base/log.h"

/* A copy without progress for this long is given up, and so is one that takes TICKS_MAX times as long:
 * the sandbox may be malicious. */
enum { TIMEOUT_MS = 10000, TICKS_MAX = 12 };

/* The path in the sandbox, and the directory in the saved tree. */
static const struct {
	const char *source, *dir;
} PLACES[] = {{"/workspace", "workspace"}, {"/home/user", "home"}, {"/tmp", "tmp"}, {NULL, "workdir"}};
enum { N_PLACES = sizeof PLACES / sizeof *PLACES };

struct keep {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	snapshot_done_fn *fn;
	void *user;
	char path[PATH_MAX], temp[PATH_MAX]; /* the tree; an incomplete one */
	uint64_t max_bytes, saved_bytes;     /* of all places together */
	struct trm_copy *copy;
	struct trm_timer *timeout;
	uint64_t last_progress, n_refused;
	bool is_restore, is_canceled;
	const char *words; /* why it was given up */
	unsigned n_ticks;
	const char *workdir;      /* the last place; NULL: none */
	bool has_files[N_PLACES]; /* places to copy */
	unsigned n_lists;         /* answers still to come */
	unsigned next;            /* place */
	struct trm_error why;
};

/* ---- trees on the host ----------------------------------------------------------------- */

bool snapshot_has(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void remove_below(int dir_fd, const char *name)
{
	struct dirent *item;
	if (unlinkat(dir_fd, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
		return;
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		fchmod(fd, 0700);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	while (dir && (item = readdir(dir)))
		if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0)
			remove_below(fd, item->d_name);
	if (dir)
		closedir(dir);
	unlinkat(dir_fd, name, AT_REMOVEDIR);
}

static void on_removed(void *user, pid_t pid, int wait_status)
{
	(void)user, (void)pid, (void)wait_status;
}

/* A tree may be big, and the loop must not wait for a disk. */
void snapshot_remove(struct trm_loop *loop, const char *path)
{
	struct trm_child *child = NULL;
	char dying[PATH_MAX];
	if (!snapshot_has(path) || snprintf(dying, sizeof dying, "%s.old", path) >= (int)sizeof dying)
		return;
	if (rename(path, dying) < 0)
		snprintf(dying, sizeof dying, "%s", path); /* an older one still exists */
	pid_t pid = fork();
	if (pid == 0) {
		close_range(3, ~0u,
				0); /* sandboxes and clients notice the server's end by these descriptors */
		remove_below(AT_FDCWD, dying);
		_exit(0);
	}
	if (pid > 0 && trm_loop_add_child(loop, pid, on_removed, NULL, &child, NULL) == 0)
		trm_child_detach(child);
}

/* Replace the old tree by the new one. */
static int swap(struct keep *k, struct trm_error *reterr)
{
	/* Exchange them in one step, if the file system can: then a kill leaves one of them. */
	if (snapshot_has(k->path) && renameat2(AT_FDCWD, k->temp, AT_FDCWD, k->path, RENAME_EXCHANGE) == 0) {
		snapshot_remove(k->loop, k->temp);
		return 0;
	}
	snapshot_remove(k->loop, k->path);
	if (rename(k->temp, k->path) < 0)
		return trm_error_set_errno(reterr, errno, "%s cannot be replaced", k->path);
	return 0;
}

/* ---- the end --------------------------------------------------------------------------- */

/* Tell the owner now. Lists that are still running must be waited for. */
static void end_keep(struct keep *k)
{
	if (!k->is_restore && (k->why.code || k->is_canceled))
		snapshot_remove(k->loop, k->temp);
	if (k->is_canceled)
		trm_error_set(&k->why, TRM_ECANCELED, "%s", k->words);
	trm_timer_remove(k->timeout);
	k->timeout = NULL;
	snapshot_done_fn *fn = k->fn;
	k->fn = NULL;
	if (fn)
		fn(k->user, &k->why, k->n_refused);
	if (!k->n_lists)
		free(k);
}

static void give_up(struct keep *k, const char *words)
{
	if (k->is_canceled)
		return;
	k->is_canceled = true;
	k->words = words;
	if (k->copy)
		trm_copy_cancel(k->copy);
	else if (k->n_lists)
		end_keep(k);
}

void snapshot_cancel(struct keep *keep)
{
	if (keep)
		give_up(keep, "the sandbox has ended");
}

static void on_timeout(void *user)
{
	struct keep *k = user;
	const struct trm_copy_progress *p = k->copy ? trm_copy_progress(k->copy) : NULL;
	uint64_t now = p ? p->bytes + p->files + p->dirs + p->links + 1 : 0;
	bool is_stuck = now == k->last_progress;
	k->last_progress = now;
	if (is_stuck)
		give_up(k, "the sandbox does not answer");
	else if (++k->n_ticks == TICKS_MAX)
		give_up(k, "it took too long");
}

/* ---- copying --------------------------------------------------------------------------- */

static void copy_next(struct keep *k);

static void on_refused(void *user, const struct trm_error *why)
{
	struct keep *k = user;
	/* Do not count devices, sockets and links that lead out, which are never saved, nor files that
	 * have just been removed. */
	k->n_refused += !k->is_restore && why->code != TRM_EINVAL && why->code != TRM_ENOENT;
	log_write(LOG_INFO, "%s: %s", k->is_restore ? "not put back" : "not saved", why->msg);
}

static void on_copied(void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct keep *k = user;
	k->copy = NULL;
	k->n_refused += k->is_restore ? progress->refused : 0;
	k->saved_bytes += progress->bytes;
	k->why = *why;
	/* The copy's message names its own option, and the rest of the limit. */
	if (!k->is_restore && why->code == TRM_ETOOBIG && strstr(why->msg, "MiB"))
		trm_error_set(&k->why, TRM_ETOOBIG,
				"there are more than the %" PRIu64 " MiB that may be saved (--keep-files)",
				k->max_bytes >> 20);
	if (why->code)
		end_keep(k);
	else
		copy_next(k);
}

static const struct trm_copy_cb COPY_CB = {.refused = on_refused, .done = on_copied};

static const char *source_of(const struct keep *k, size_t place)
{
	return PLACES[place].source ? PLACES[place].source : k->workdir;
}

/* Copy the contents of one place, without the place itself. */
static int copy_place(struct keep *k, size_t place, struct trm_error *reterr)
{
	char inside[TRM_INSIDE_PATH + 8], saved[PATH_MAX + 16];
	const char *const sources[] = {k->is_restore ? saved : inside, NULL};
	uint64_t left = k->max_bytes > k->saved_bytes ? k->max_bytes - k->saved_bytes : 0;
	const char *target = k->is_restore ? inside : saved;
	snprintf(inside, sizeof inside, ":%s%s", source_of(k, place), k->is_restore ? "" : "/.");
	snprintf(saved, sizeof saved, "%s/%s%s", k->is_restore ? k->path : k->temp, PLACES[place].dir,
			k->is_restore ? "/." : "");
	if (!k->is_restore && mkdir(saved, 0700) < 0)
		return trm_error_set_errno(reterr, errno, "%s cannot be made", saved);
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = target,
			.own = k->sandbox,
			.in_fd = -1,
			.out_fd = -1,
			.max_bytes = k->is_restore || left ? left : 1, /* 0 would mean the default limit */
			.one_system = true,
			.max_files = SNAPSHOT_MAX_FILES};
	return trm_copy_start(k->loop, &opts, &COPY_CB, k, &k->copy, reterr);
}

/* Copy the next place, or end. */
static void copy_next(struct keep *k)
{
	while (k->next < N_PLACES && !k->has_files[k->next])
		k->next++;
	if (k->next < N_PLACES && !k->is_canceled && copy_place(k, k->next++, &k->why) == 0)
		return;
	if (!k->is_restore && !k->is_canceled && !k->why.code)
		swap(k, &k->why);
	end_keep(k);
}

static struct keep *create_keep(struct trm_loop *loop, struct trm_sandbox *sandbox, const char *path,
		snapshot_done_fn *fn, void *user, struct trm_error *reterr)
{
	struct keep *k = calloc(1, sizeof *k);
	if (!k || strlen(path) + sizeof ".new" > sizeof k->path
			|| trm_loop_add_timer(loop, on_timeout, k, &k->timeout, reterr) < 0) {
		free(k);
		trm_error_set(reterr, TRM_ENOMEM, "out of memory, or a path that is too long");
		return NULL;
	}
	k->loop = loop;
	k->sandbox = sandbox;
	k->fn = fn;
	k->user = user;
	snprintf(k->path, sizeof k->path, "%s", path);
	snprintf(k->temp, sizeof k->temp, "%.*s.new", (int)(sizeof k->temp - sizeof ".new"), path);
	trm_timer_start(k->timeout, TIMEOUT_MS, TIMEOUT_MS);
	return k;
}

/* ---- saving ---------------------------------------------------------------------------- */

static void save_all(struct keep *k)
{
	bool has_any = false;
	for (size_t i = 0; i < N_PLACES; i++)
		has_any |= k->has_files[i];
	if (!has_any) {
		snapshot_remove(k->loop, k->path);
		end_keep(k);
		return;
	}
	snapshot_remove(k->loop, k->temp); /* of a server that was killed */
	if (mkdir(k->temp, 0700) == 0) {
		copy_next(k);
		return;
	}
	trm_error_set_errno(&k->why, errno, "%s cannot be made", k->temp);
	end_keep(k);
}

static void on_listed(struct keep *k, size_t place, const struct trm_error *why)
{
	/* More than one file is too many for the list, but enough to know. */
	if (why->code == TRM_ETOOBIG)
		k->has_files[place] = true;
	else if (why->code && !k->why.code && why->code != TRM_ENOENT)
		k->why = *why;
	if (--k->n_lists)
		return;
	if (!k->fn)
		free(k);
	else if (k->why.code || k->is_canceled)
		end_keep(k);
	else
		save_all(k);
}

/* One callback for each place, because lists only differ in their user. */
#define LIST_CB(i) \
	static void on_file_##i(void *user, const struct trm_file *file) \
	{ \
		struct keep *k = user; \
		k->has_files[i] |= *file->name != '\0'; \
	} \
	static void on_done_##i(void *user, const struct trm_error *why) \
	{ \
		on_listed(user, i, why); \
	}
LIST_CB(0)
LIST_CB(1)
LIST_CB(2)
LIST_CB(3)
static const struct trm_list_cb LIST_CBS[] = {{on_file_0, on_done_0}, {on_file_1, on_done_1},
		{on_file_2, on_done_2}, {on_file_3, on_done_3}};
_Static_assert(sizeof LIST_CBS / sizeof *LIST_CBS == N_PLACES, "one for each place");

int snapshot_save(struct trm_loop *loop, struct trm_sandbox *sandbox, const char *workdir, const char *path,
		uint64_t max_bytes, snapshot_done_fn *fn, void *user, struct keep **ret,
		struct trm_error *reterr)
{
	struct keep *k = create_keep(loop, sandbox, path, fn, user, reterr);
	if (!k)
		return TRM_ENOMEM;
	k->max_bytes = max_bytes;
	k->workdir = workdir;
	for (size_t i = 0; i < N_PLACES; i++) {
		const char *source = source_of(k, i);
		int r = source ? trm_file_list(sandbox, source, 1, &LIST_CBS[i], k, &k->why) : -1;
		k->n_lists += r == 0;
	}
	if (!k->n_lists) {
		struct trm_error why = k->why;
		trm_timer_remove(k->timeout);
		free(k);
		return trm_error_set(reterr, why.code, "%s", why.msg);
	}
	*ret = k;
	return 0;
}

/* ---- restoring ------------------------------------------------------------------------- */

int snapshot_restore(struct trm_loop *loop, struct trm_sandbox *sandbox, const char *workdir,
		const char *path, snapshot_done_fn *fn, void *user, struct keep **ret,
		struct trm_error *reterr)
{
	struct keep *k = create_keep(loop, sandbox, path, fn, user, reterr);
	if (!k)
		return TRM_ENOMEM;
	k->is_restore = true;
	k->workdir = workdir;
	for (size_t i = 0; i < N_PLACES; i++) {
		char dir[PATH_MAX + 16];
		snprintf(dir, sizeof dir, "%s/%s", path, PLACES[i].dir);
		k->has_files[i] = source_of(k, i) && snapshot_has(dir);
	}
	*ret = k;
	copy_next(k);
	return 0;
}
