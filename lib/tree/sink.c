/* SPDX-License-Identifier: MIT */
#include "tree/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "tree/file.h"
#include "tree/target.h"

/* A directory on the way from the root to the current place. */
struct level {
	int fd;
	bool is_new; /* made by us: mode and time are set when we leave it */
	uint32_t mode;
	struct timespec mtime;
	size_t path_len; /* of sink.path at this level */
};

struct sink {
	struct sink_opts opts;
	char *target_path, *base;
	struct entry_check check;
	struct tree_sum sum;
	struct level *levels;
	size_t n_levels, cap;
	unsigned skipped; /* nesting of directories that are being skipped */
	struct target root;
	struct buf path; /* of the current file or directory, below the target; always ended by NUL */
	struct tree_file file;
	struct entry file_entry;
	bool skips_file, unnamed;
};

/* ---- words ------------------------------------------------------------------------------- */

static bool is_at_root(const struct sink *s)
{
	return s->n_levels == 0;
}

/* The current file or directory, below the target: raw bytes, borrowed until the next call. */
static const char *sink_path(const struct sink *s)
{
	return buf_at(&s->path);
}

/* The target and the current path; of a long path only the end. */
static const char *describe_place(const struct sink *s, char *out, size_t cap)
{
	const char *below = sink_path(s);
	size_t n = strlen(below);
	const char *cut = n > 200 ? "…" : "";
	if (n > 200)
		below += n - 200;
	bool is_here = n && strcmp(s->opts.path, ".") == 0;
	size_t len = strlen(s->opts.path);
	const char *slash = n && !is_here && len && s->opts.path[len - 1] != '/' ? "/" : "";
	snprintf(out, cap, "%.150s%s%s%s", is_here ? "" : s->opts.path, slash, cut, below);
	return out;
}

/* Refuse a node. For the root, that ends the copy. */
static int refuse_entry(struct sink *s, struct trm_error *why, int code, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));
static int refuse_entry(struct sink *s, struct trm_error *why, int code, const char *fmt, ...)
{
	char what[400], at[400];
	struct trm_error reported;
	va_list args;
	va_start(args, fmt);
	vsnprintf(what, sizeof what, fmt, args);
	va_end(args);
	s->sum.refused++;
	trm_error_set(&reported, code, "%s: %s", describe_place(s, at, sizeof at), what);
	if (is_at_root(s)) {
		if (why)
			*why = reported;
		return code;
	}
	if (s->opts.refused)
		s->opts.refused(s->opts.user, &reported);
	return 0;
}

/* Would this error affect everything that follows? */
static bool is_fatal(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EROFS || error == EIO || error == ENOMEM
	       || error == ENFILE || error == EMFILE;
}

/* No file of ours may grow: a sandbox without a file system of its own reports a full disk in this way. */
static bool is_disk_full(int error)
{
	struct rlimit limit;
	return error == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == 0;
}

static int fail_sink(struct sink *s, int error, const char *what, struct trm_error *why)
{
	char at[400];
	if (is_disk_full(error))
		error = ENOSPC;
	if (error == EISDIR)
		return refuse_entry(s, why, TRM_EINVAL, "there is a directory of that name");
	if (error == EEXIST)
		return refuse_entry(s, why, TRM_EEXIST,
				"there is something of that name that is neither a file nor a directory");
	if (error == EFBIG)
		return refuse_entry(s, why, TRM_ETOOBIG, "the file is larger than the file size limit here");
	if (!is_fatal(error))
		return refuse_entry(s, why, err_code_of(error), "%s: %s", what, strerror(error));
	bool is_full = (error == ENOSPC || error == EDQUOT) && s->opts.when_full;
	return trm_error_set(why, err_code_of(error), "%s: %s: %s%s%s", describe_place(s, at, sizeof at),
			what, strerror(error), is_full ? ": " : "", is_full ? s->opts.when_full : "");
}

/* ---- the path ------------------------------------------------------------------------------ */

/* Set the path to `len` bytes of it and a name. The NUL at its end is not counted. */
static int set_path(struct sink *s, size_t len, const char *name, struct trm_error *why)
{
	s->path.len = len;
	int r = len && name[0] ? buf_append(&s->path, "/", 1) : 0;
	if (r == 0)
		r = buf_append(&s->path, name, strlen(name));
	if (r == 0 && (r = buf_append(&s->path, "", 1)) == 0)
		s->path.len--;
	return r < 0 ? trm_error_set(why, r, "out of memory") : 0;
}

static size_t path_len(const struct sink *s)
{
	return s->n_levels ? s->levels[s->n_levels - 1].path_len : 0;
}

/* ---- directories ----------------------------------------------------------------------------- */

static int push_level(struct sink *s, int fd, bool is_new, const struct entry *e, struct trm_error *why)
{
	if (s->n_levels == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct level *levels = realloc(s->levels, cap * sizeof *levels);
		if (!levels) {
			close(fd);
			return trm_error_set(why, TRM_ENOMEM, "out of memory");
		}
		s->levels = levels;
		s->cap = cap;
	}
	s->levels[s->n_levels++] = (struct level){.fd = fd,
			.is_new = is_new,
			.mode = e->mode & ENTRY_MODE_MASK & ~s->opts.withheld,
			.mtime = {.tv_sec = (time_t)e->mtime_s, .tv_nsec = e->mtime_ns},
			.path_len = s->path.len};
	s->sum.dirs++;
	return 0;
}

/* Mode and time are set last, because files made in the directory change its time, and its mode may
 * forbid making them. */
static void pop_level(struct sink *s)
{
	struct level *level = &s->levels[--s->n_levels];
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, level->mtime};
	if (level->is_new) {
		fchmod(level->fd, level->mode);
		futimens(level->fd, times);
	}
	close(level->fd);
}

static int leave_dir(struct sink *s, struct trm_error *why)
{
	if (s->skipped) {
		s->skipped--;
		return 0;
	}
	pop_level(s);
	return set_path(s, path_len(s), "", why);
}

/* Open a directory, or make it; never through a link. 0 or an errno. */
static int open_or_make(int dir_fd, const char *name, int *ret_fd, bool *ret_is_new)
{
	*ret_is_new = mkdirat(dir_fd, name, 0700) == 0;
	if (!*ret_is_new && errno != EEXIST)
		return errno;
	*ret_fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *ret_fd < 0 ? errno : 0;
}

static int enter_dir(
		struct sink *s, int dir_fd, const struct entry *e, const char *name, struct trm_error *why)
{
	int fd = -1;
	bool is_new = false;
	int error = name[0] ? open_or_make(dir_fd, name, &fd, &is_new) : 0;
	if (!name[0] && (fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		error = errno;
	if (!error)
		return push_level(s, fd, is_new, e, why);
	s->skipped = 1;
	if (error == ENOTDIR || error == ELOOP)
		return refuse_entry(s, why, TRM_EEXIST, "something of that name is not a directory");
	return fail_sink(s, error, "the directory cannot be made", why);
}

/* ---- files and links --------------------------------------------------------------------------- */

static int open_file(
		struct sink *s, int dir_fd, const struct entry *e, const char *name, struct trm_error *why)
{
	int error = tree_place_check(dir_fd, name);
	if (!error)
		error = tree_file_open(&s->file, dir_fd, &s->unnamed);
	s->skips_file = error != 0;
	if (error)
		return fail_sink(s, error, "the file cannot be made", why);
	s->file_entry = *e;
	s->file_entry.mode &= ~s->opts.withheld;
	memcpy(s->file_entry.name, name, strlen(name) + 1);
	return 0;
}

static int write_failed(struct sink *s, int error, struct trm_error *why)
{
	tree_file_drop(&s->file);
	s->skips_file = true;
	return fail_sink(s, error, "the file cannot be written", why);
}

/* Has somebody else written here in the meantime? */
static bool has_changed_here(const struct sink *s, int dir_fd, const char *name)
{
	struct stat there;
	return s->opts.unless_changed_since_ns && fstatat(dir_fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0
	       && (int64_t)there.st_ctim.tv_sec * 1000000000 + there.st_ctim.tv_nsec
				  > s->opts.unless_changed_since_ns;
}

static int refuse_changed(struct sink *s, struct trm_error *why)
{
	return refuse_entry(s, why, TRM_EEXIST, "this has changed here meanwhile, and is not replaced");
}

static int end_file(struct sink *s, struct trm_error *why)
{
	uint64_t size = s->file.size;
	if (s->skips_file)
		return 0;
	if (has_changed_here(s, s->file.dir_fd, s->file_entry.name)) {
		tree_file_drop(&s->file);
		return refuse_changed(s, why);
	}
	int error = tree_file_finish(&s->file, &s->file_entry);
	if (error)
		return fail_sink(s, error, "the file cannot be put in its place", why);
	s->sum.files++;
	s->sum.bytes += size;
	return 0;
}

static int in_file(struct sink *s, const struct entry *e, struct trm_error *why)
{
	int error;
	switch (e->kind) {
	case ENTRY_END: return end_file(s, why);
	case ENTRY_FAIL:
		tree_file_drop(&s->file);
		return s->skips_file ? 0 : refuse_entry(s, why, e->code, "%s", e->text);
	default:
		error = s->skips_file ? 0 : tree_file_skip(&s->file, e->size);
		return error ? write_failed(s, error, why) : 0;
	}
}

static int make_link(struct sink *s, int dir_fd, const struct entry *e, struct trm_error *why)
{
	if (!s->opts.keeps_links && !entry_link_is_inside(e->text, (unsigned)s->n_levels - 1))
		return refuse_entry(s, why, TRM_EINVAL, "this link leads out of the copied tree (to %.150s)",
				e->text);
	if (has_changed_here(s, dir_fd, e->name))
		return refuse_changed(s, why);
	int error = tree_link_make(dir_fd, e);
	if (error)
		return fail_sink(s, error, "the link cannot be made", why);
	s->sum.links++;
	return 0;
}

/* ---- nodes ------------------------------------------------------------------------------------------ */

static int take_root(struct sink *s, const struct entry *e, struct trm_error *why)
{
	if (e->kind == ENTRY_FAIL)
		return refuse_entry(s, why, e->code, "%s", e->text);
	int r = target_find(s->opts.path, s->opts.base, s->opts.must_be_dir, e->kind == ENTRY_DIR,
			s->opts.makes_parents, &s->root, why);
	if (r == 0 && s->root.is_below)
		r = set_path(s, 0, s->root.name, why);
	if (r < 0)
		return r;
	return e->kind == ENTRY_DIR ? enter_dir(s, s->root.fd, e, s->root.name, why)
				    : open_file(s, s->root.fd, e, s->root.name, why);
}

/* All names in a directory that was made here belong to this copy. If a name exists already, it differs
 * from this one only in case or in the form of its accents, and the target's file system takes both for
 * the same. (Or the sender repeats a name.) The first one stays. */
static bool is_taken(const struct sink *s, const struct entry *e)
{
	const struct level *level = &s->levels[s->n_levels - 1];
	struct stat there;
	return level->is_new && e->kind != ENTRY_FAIL
	       && fstatat(level->fd, e->name, &there, AT_SYMLINK_NOFOLLOW) == 0;
}

static int refuse_taken(struct sink *s, const struct entry *e, struct trm_error *why)
{
	s->skipped = e->kind == ENTRY_DIR;
	s->skips_file = e->kind == ENTRY_FILE;
	return refuse_entry(s, why, TRM_EEXIST,
			"another file of this copy has this name here (only case or accents differ): rename one");
}

static int take_node(struct sink *s, const struct entry *e, struct trm_error *why)
{
	if (!e->name[0])
		return take_root(s, e, why);
	if (s->skipped) { /* this lies in a directory that could not be made */
		s->skipped += e->kind == ENTRY_DIR;
		s->skips_file = true;
		return 0;
	}
	int dir_fd = s->levels[s->n_levels - 1].fd;
	int r = set_path(s, path_len(s), e->name, why);
	if (r < 0)
		return r;
	if (is_taken(s, e))
		return refuse_taken(s, e, why);
	switch (e->kind) {
	case ENTRY_DIR: return enter_dir(s, dir_fd, e, e->name, why);
	case ENTRY_FILE: return open_file(s, dir_fd, e, e->name, why);
	case ENTRY_LINK: return make_link(s, dir_fd, e, why);
	default: return refuse_entry(s, why, e->code, "%s", e->text);
	}
}

int sink_entry(struct sink *s, const struct entry *e, struct trm_error *why)
{
	bool was_in_file = s->check.is_in_file;
	int r = entry_check(&s->check, e, why);
	if (r < 0)
		return r;
	if (was_in_file)
		return in_file(s, e, why);
	if (e->kind == ENTRY_UP)
		return leave_dir(s, why);
	return e->kind == ENTRY_TOTAL ? 0 : take_node(s, e, why);
}

int sink_data(struct sink *s, const void *bytes, size_t n, struct trm_error *why)
{
	int r = entry_check_data(&s->check, n, why);
	if (r < 0 || s->skips_file)
		return r;
	int error = tree_file_write(&s->file, bytes, n);
	return error ? write_failed(s, error, why) : 0;
}

/* ---- life ------------------------------------------------------------------------------------------- */

int sink_create(const struct sink_opts *opts, struct sink **ret, struct trm_error *reterr)
{
	enum { PATH_BYTES = (ENTRY_DEPTH_MAX + 1) * (ENTRY_NAME_MAX + 1) + 1 };
	struct sink *s = calloc(1, sizeof *s);
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	s->opts = *opts;
	s->opts.path = s->target_path = strdup(opts->path);
	s->opts.base = s->base = strdup(opts->base);
	s->check.max_bytes = opts->max_bytes;
	s->check.max_files = opts->max_files;
	s->root.fd = s->file.fd = -1;
	s->unnamed = true;
	buf_init(&s->path, PATH_BYTES);
	if (!s->opts.path || !s->opts.base || set_path(s, 0, "", reterr) < 0) {
		sink_destroy(s);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	*ret = s;
	return 0;
}

void sink_destroy(struct sink *s)
{
	if (!s)
		return;
	tree_file_drop(&s->file);
	while (s->n_levels)
		pop_level(s);
	if (s->root.fd >= 0)
		close(s->root.fd);
	buf_finish(&s->path);
	free(s->levels);
	free(s->target_path);
	free(s->base);
	free(s);
}

bool sink_is_over(const struct sink *s)
{
	return s->check.is_over;
}

const struct tree_sum *sink_sum(const struct sink *s)
{
	return &s->sum;
}
