/* SPDX-License-Identifier: MIT */
#include "tree/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

enum {
	CHUNK_MAX = FRAME_MAX_PAYLOAD,
	CHUNK_UNKNOWN = 64 * 1024,                                   /* of a file of unknown length */
	OPEN_QUIETLY = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, /* never blocks */
};

struct source {
	uint32_t flags, depth;
	int root_fd; /* -1: not opened */
	struct stat root;
	char root_target[ENTRY_TARGET_MAX + 1]; /* of a link, with TREE_NO_FOLLOW */
	DIR **dirs;                             /* open directories, beginning with the root */
	unsigned n_dirs, dirs_cap;
	bool is_counting, has_root, is_over;
	uint64_t n_files, n_bytes; /* counted */
	struct tree_sum sum;       /* sent */
	struct tree_sum whole;     /* sent, up to the last complete file */
	/* the current file */
	int fd;
	uint64_t at, end, data_end; /* end: its length when opened; data_end: there is no hole before it */
	bool has_holes;
	struct entry entry;
};

/* ---- opening -------------------------------------------------------------------------- */

static const char *kind_words(mode_t mode)
{
	return S_ISFIFO(mode)   ? "this is a FIFO, and only files and directories are copied"
	       : S_ISSOCK(mode) ? "this is a socket, and only files and directories are copied"
				: "this is a device, and only files and directories are copied";
}

static int open_root(struct source *s, const char *path, struct trm_error *reterr)
{
	bool is_list = s->flags & TREE_LIST;
	if ((s->flags & TREE_NO_FOLLOW ? lstat(path, &s->root) : stat(path, &s->root)) < 0)
		return trm_error_set_errno(reterr, errno, "%s", path);
	if (S_ISLNK(s->root.st_mode) && readlink(path, s->root_target, sizeof s->root_target - 1) <= 0)
		return trm_error_set_errno(reterr, errno, "%s", path);
	if (is_list && (!S_ISDIR(s->root.st_mode) || !s->depth))
		return 0;
	if (!S_ISDIR(s->root.st_mode) && !S_ISREG(s->root.st_mode))
		return trm_error_set(reterr, TRM_EINVAL, "%s: %s", path, kind_words(s->root.st_mode));
	s->root_fd = open(path, OPEN_QUIETLY);
	if (s->root_fd < 0 || fstat(s->root_fd, &s->root) < 0)
		return trm_error_set_errno(reterr, errno, "%s: cannot be read", path);
	return 0;
}

int source_create(const char *path, uint32_t flags, uint32_t depth, struct source **ret,
		struct trm_error *reterr)
{
	struct source *s = calloc(1, sizeof *s);
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	s->flags = flags;
	s->depth = flags & TREE_LIST && depth < ENTRY_DEPTH_MAX ? depth : ENTRY_DEPTH_MAX;
	s->root_fd = s->fd = -1;
	int r = open_root(s, path, reterr);
	if (r < 0) {
		source_destroy(s);
		return r;
	}
	s->is_counting = flags & TREE_WANTS_TOTAL;
	*ret = s;
	return 0;
}

int source_root_fd(const struct source *s)
{
	return s->root_fd;
}

static void close_dirs(struct source *s)
{
	while (s->n_dirs)
		closedir(s->dirs[--s->n_dirs]);
}

void source_destroy(struct source *s)
{
	if (!s)
		return;
	close_dirs(s);
	free(s->dirs);
	if (s->fd >= 0)
		close(s->fd);
	if (s->root_fd >= 0)
		close(s->root_fd);
	free(s);
}

/* Takes the descriptor, also on an error (errno). */
static int push_dir(struct source *s, int fd)
{
	if (s->n_dirs == s->dirs_cap) {
		unsigned cap = s->dirs_cap ? 2 * s->dirs_cap : 16;
		DIR **dirs = realloc(s->dirs, cap * sizeof(DIR *));
		if (!dirs) {
			close(fd);
			return -1;
		}
		s->dirs = dirs;
		s->dirs_cap = cap;
	}
	DIR *dir = fdopendir(fd);
	if (!dir) {
		int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	s->dirs[s->n_dirs++] = dir;
	return 0;
}

/* The root's descriptor is kept for a second walk. */
static int push_root(struct source *s)
{
	int fd = openat(s->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -1 : push_dir(s, fd);
}

/* ---- sending ---------------------------------------------------------------------------- */

static int send_entry(struct source *s, struct buf *out, uint32_t stream, uint64_t *credit)
{
	size_t before = out->len;
	int r = entry_put(out, stream, &s->entry);
	if (r < 0)
		return r;
	*credit -= out->len - before - FRAME_HEADER;
	s->sum.files += s->entry.kind == ENTRY_FILE;
	s->sum.dirs += s->entry.kind == ENTRY_DIR;
	s->sum.links += s->entry.kind == ENTRY_LINK;
	s->sum.bytes += s->entry.kind == ENTRY_HOLE ? s->entry.size : 0;
	if (s->fd < 0)
		s->whole = s->sum;
	return SOURCE_MORE;
}

static void describe_node(struct source *s, enum entry_kind kind, const char *name, const struct stat *status)
{
	s->entry.kind = kind;
	memcpy(s->entry.name, name, strlen(name) + 1);
	s->entry.mode = status->st_mode & 07777;
	s->entry.mtime_s = status->st_mtim.tv_sec;
	s->entry.mtime_ns = (uint32_t)status->st_mtim.tv_nsec;
	s->entry.size = S_ISREG(status->st_mode) && status->st_size > 0 ? (uint64_t)status->st_size : 0;
	s->entry.text[0] = '\0';
}

static void describe_failure(struct source *s, const char *name, int error, const char *reason)
{
	s->entry.kind = ENTRY_FAIL;
	if (name)
		memcpy(s->entry.name, name, strlen(name) + 1);
	s->entry.code = error ? err_code_of(error) : TRM_EINVAL;
	const char *words = reason ? reason : strerror(error);
	size_t n = strnlen(words, ENTRY_TEXT_MAX - 1);
	memcpy(s->entry.text, words, n);
	s->entry.text[n] = '\0';
}

/* ---- the file in hand ----------------------------------------------------------------------- */

static void take_file(struct source *s, int fd, const struct stat *status)
{
	s->fd = fd;
	s->at = s->data_end = 0;
	s->end = status->st_size > 0 ? (uint64_t)status->st_size : INT64_MAX;
	s->has_holes = !(s->flags & TREE_DENSE) && (uint64_t)status->st_blocks * 512 < s->entry.size;
}

static void drop_file(struct source *s)
{
	if (s->fd != s->root_fd)
		close(s->fd);
	s->fd = -1;
	s->is_over = !s->n_dirs;
}

static int end_file(struct source *s, struct buf *out, uint32_t stream, uint64_t *credit)
{
	s->entry.kind = ENTRY_END;
	s->entry.size = s->at;
	drop_file(s);
	return send_entry(s, out, stream, credit);
}

/* True: there is a hole here, and `at` is now its end. */
static bool skip_hole(struct source *s)
{
	off_t data = lseek(s->fd, (off_t)s->at, SEEK_DATA);
	uint64_t from = s->at;
	if (data < 0 && errno == ENXIO)
		s->at = s->end;
	else if (data >= 0)
		s->at = (uint64_t)data < s->end ? (uint64_t)data : s->end;
	else
		s->has_holes = false; /* the file system does not report holes */
	off_t hole = s->has_holes && s->at < s->end ? lseek(s->fd, (off_t)s->at, SEEK_HOLE) : -1;
	s->data_end = hole > 0 ? (uint64_t)hole : s->end;
	s->entry.kind = ENTRY_HOLE;
	s->entry.size = s->at - from;
	return s->at > from;
}

static int send_data(struct source *s, struct buf *out, uint32_t stream, uint64_t *credit)
{
	uint64_t max = s->end == INT64_MAX ? CHUNK_UNKNOWN : CHUNK_MAX;
	uint64_t stop = s->has_holes && s->data_end < s->end ? s->data_end : s->end;
	if (max > stop - s->at)
		max = stop - s->at;
	if (max > *credit)
		max = *credit;
	char *to = buf_reserve(out, FRAME_HEADER + (size_t)max);
	if (!to)
		return TRM_ENOMEM;
	ssize_t n = pread(s->fd, to + FRAME_HEADER, (size_t)max, (off_t)s->at);
	if (n < 0) {
		describe_failure(s, "", errno, NULL);
		drop_file(s);
		return send_entry(s, out, stream, credit);
	}
	if (n == 0)
		return end_file(s, out, stream, credit);
	frame_put_header(out, stream, FRAME_DATA, 0, (size_t)n);
	buf_fill(out, (size_t)n);
	s->at += (uint64_t)n;
	s->sum.bytes += (uint64_t)n;
	*credit -= (uint64_t)n;
	return SOURCE_MORE;
}

static int step_file(struct source *s, struct buf *out, uint32_t stream, uint64_t *credit)
{
	if (s->at == s->end)
		return end_file(s, out, stream, credit);
	if (s->has_holes && s->at >= s->data_end && skip_hole(s))
		return send_entry(s, out, stream, credit);
	return send_data(s, out, stream, credit);
}

/* ---- nodes ------------------------------------------------------------------------------------ */

/* Open a node that was just examined, if it still is of that kind. -1: errno. */
static int open_child(int dir_fd, const char *name, int flags, struct stat *status)
{
	mode_t kind = status->st_mode & S_IFMT;
	int fd = openat(dir_fd, name, OPEN_QUIETLY | O_NOFOLLOW | flags);
	if (fd < 0)
		return -1;
	if (fstat(fd, status) == 0 && (status->st_mode & S_IFMT) == kind)
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

static void visit_file(struct source *s, int dir_fd, const char *name, struct stat *status)
{
	s->n_files += s->is_counting;
	s->n_bytes += s->is_counting && status->st_size > 0 ? (uint64_t)status->st_size : 0;
	describe_node(s, ENTRY_FILE, name, status);
	if (s->is_counting || s->flags & TREE_LIST)
		return;
	int fd = open_child(dir_fd, name, 0, status);
	if (fd < 0) {
		describe_failure(s, name, errno, NULL);
		return;
	}
	describe_node(s, ENTRY_FILE, name, status);
	take_file(s, fd, status);
}

static void visit_dir(struct source *s, int dir_fd, const char *name, struct stat *status)
{
	describe_node(s, ENTRY_DIR, name, status);
	if (s->n_dirs >= ENTRY_DEPTH_MAX) {
		describe_failure(s, name, 0, "is nested too deeply");
		return;
	}
	int fd = open_child(dir_fd, name, O_DIRECTORY, status);
	if (fd < 0 || push_dir(s, fd) < 0)
		describe_failure(s, name, errno, NULL);
}

static void visit_link(struct source *s, int dir_fd, const char *name, const struct stat *status)
{
	describe_node(s, ENTRY_LINK, name, status);
	ssize_t n = readlinkat(dir_fd, name, s->entry.text, sizeof s->entry.text - 1);
	s->entry.text[n > 0 ? n : 0] = '\0';
	if (n <= 0)
		describe_failure(s, name, errno, NULL);
}

/* Fills s->entry. */
static void visit(struct source *s, int dir_fd, const char *name)
{
	struct stat status;
	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		describe_failure(s, name, errno, NULL);
	else if (S_ISREG(status.st_mode))
		visit_file(s, dir_fd, name, &status);
	else if (S_ISDIR(status.st_mode))
		visit_dir(s, dir_fd, name, &status);
	else if (S_ISLNK(status.st_mode))
		visit_link(s, dir_fd, name, &status);
	else if (s->flags & TREE_LIST)
		describe_node(s, ENTRY_OTHER, name, &status);
	else
		describe_failure(s, name, 0, kind_words(status.st_mode));
}

static bool is_left_out(const struct source *s, int dir_fd, const char *name)
{
	struct stat status;
	return s->flags & TREE_ONE_SYSTEM && fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0
	       && status.st_dev != s->root.st_dev;
}

/* The next name in the open directory, or NULL at its end. */
static const char *next_name(const struct source *s, DIR *dir)
{
	struct dirent *row;
	while ((row = readdir(dir)))
		if (entry_is_name(row->d_name) && !is_left_out(s, dirfd(dir), row->d_name))
			return row->d_name;
	return NULL;
}

/* The deepest level of a list is reported but not opened. */
static bool tell_closed_dir(struct source *s, int dir_fd, const char *name)
{
	struct stat status;
	if (!(s->flags & TREE_LIST) || s->n_dirs < s->depth
			|| fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0
			|| !S_ISDIR(status.st_mode))
		return false;
	describe_node(s, ENTRY_DIR, name, &status);
	return true;
}

static int step_node(struct source *s, struct buf *out, uint32_t stream, uint64_t *credit)
{
	DIR *dir = s->dirs[s->n_dirs - 1];
	const char *name = next_name(s, dir);
	if (name && tell_closed_dir(s, dirfd(dir), name)) {
		int r = send_entry(s, out, stream, credit);
		s->entry.kind = ENTRY_UP;
		return r < 0 ? r : send_entry(s, out, stream, credit);
	}
	if (name) {
		visit(s, dirfd(dir), name);
	} else {
		closedir(dir);
		s->n_dirs--;
		s->is_over = !s->n_dirs;
		s->entry.kind = ENTRY_UP;
	}
	return send_entry(s, out, stream, credit);
}

/* ---- the root ------------------------------------------------------------------------------------ */

static int step_count(struct source *s, struct buf *out, uint32_t stream, uint64_t *credit)
{
	if (S_ISDIR(s->root.st_mode)) {
		if (!s->n_dirs && push_root(s) < 0)
			s->is_counting = false;
		DIR *dir = s->n_dirs ? s->dirs[s->n_dirs - 1] : NULL;
		const char *name = dir ? next_name(s, dir) : NULL;
		if (name)
			visit(s, dirfd(dir), name);
		else if (dir)
			closedir(s->dirs[--s->n_dirs]);
		if (s->n_dirs)
			return SOURCE_MORE;
	} else {
		s->n_files = 1;
		s->n_bytes = s->root.st_size > 0 ? (uint64_t)s->root.st_size : 0;
	}
	s->is_counting = false;
	s->entry.kind = ENTRY_TOTAL;
	s->entry.files = s->n_files;
	s->entry.size = s->n_bytes;
	return send_entry(s, out, stream, credit);
}

static int step_root(struct source *s, struct buf *out, uint32_t stream, uint64_t *credit)
{
	mode_t mode = s->root.st_mode;
	s->has_root = true;
	describe_node(s,
			S_ISDIR(mode)   ? ENTRY_DIR
			: S_ISREG(mode) ? ENTRY_FILE
			: S_ISLNK(mode) ? ENTRY_LINK
					: ENTRY_OTHER,
			"", &s->root);
	if (S_ISLNK(mode))
		memcpy(s->entry.text, s->root_target, sizeof s->root_target);
	if (S_ISREG(mode) && !(s->flags & TREE_LIST))
		take_file(s, s->root_fd, &s->root);
	else if (S_ISDIR(mode) && s->depth && push_root(s) < 0)
		describe_failure(s, "", errno, NULL);
	bool is_closed_dir = s->entry.kind == ENTRY_DIR && !s->n_dirs;
	s->is_over = s->fd < 0 && !s->n_dirs;
	int r = send_entry(s, out, stream, credit);
	if (r < 0 || !is_closed_dir)
		return r;
	s->entry.kind = ENTRY_UP;
	return send_entry(s, out, stream, credit);
}

int source_step(struct source *source, struct buf *out, uint32_t stream, uint64_t *credit)
{
	if (source->is_over)
		return SOURCE_OVER;
	if (*credit < 2 * ENTRY_PAYLOAD_MAX)
		return SOURCE_WAIT;
	if (source->is_counting)
		return step_count(source, out, stream, credit);
	if (!source->has_root)
		return step_root(source, out, stream, credit);
	return source->fd >= 0 ? step_file(source, out, stream, credit)
			       : step_node(source, out, stream, credit);
}

const struct tree_sum *source_sum(const struct source *source)
{
	return &source->sum;
}

const struct tree_sum *source_whole(const struct source *source)
{
	return &source->whole;
}

bool source_total(const struct source *source, uint64_t *ret_files, uint64_t *ret_bytes)
{
	*ret_files = source->n_files;
	*ret_bytes = source->n_bytes;
	return source->flags & TREE_WANTS_TOTAL && !source->is_counting;
}

const char *source_name(const struct source *source)
{
	return source->entry.name;
}
