/* SPDX-License-Identifier: MIT */
#include "text/file.h"
#include "text/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/text.h"
#include <terrarium/error.h>

static int64_t mtime_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static int check_kind(const char *path, const struct stat *st, struct trm_error *reterr)
{
	if (S_ISDIR(st->st_mode))
		return trm_error_set(reterr, TRM_EINVAL, "%s is a directory; name a file in it", path);
	if (!S_ISREG(st->st_mode))
		return trm_error_set(
				reterr, TRM_EINVAL, "%s is not a regular file, so it cannot be edited", path);
	return 0;
}

static int check_content(const char *path, const char *bytes, size_t n, struct trm_error *reterr)
{
	const char *nul = n ? memchr(bytes, '\0', n) : NULL;
	if (nul)
		return trm_error_set(reterr, TRM_EINVAL,
				"%s is a binary file (a zero byte at offset %zu), not text", path,
				(size_t)(nul - bytes));
	return 0;
}

/* Room for n bytes. Large blocks use huge pages, because page faults take most of the time. */
static char *block_alloc(size_t n)
{
	const size_t huge = (size_t)2 << 20;
	if (n < 4 * huge)
		return malloc(n);
	n = (n + huge - 1) / huge * huge;
	char *block = aligned_alloc(huge, n);
	if (block)
		madvise(block, n, MADV_HUGEPAGE);
	return block;
}

/* Read until the end of the file, or until the room is full. Returns the number of bytes, or a negative
 * errno. */
static ssize_t read_some(int fd, char *bytes, size_t n)
{
	size_t done = 0;
	while (done < n) {
		ssize_t got = read(fd, bytes + done, n - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static int read_failed(const char *path, char *bytes, int err, struct trm_error *reterr)
{
	free(bytes);
	if (err == ENOMEM)
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory to open %s", path);
	if (err == EFBIG)
		return trm_error_set(reterr, TRM_ETOOBIG, "%s is too big to edit here: more than %zu MiB",
				path, FILE_MAX_BYTES >> 20);
	return trm_error_set_errno(reterr, err, "cannot read %s", path);
}

/* Read to the end, even if the size changes meanwhile. */
static int read_all(int fd, const char *path, char **ret, size_t *ret_len, struct trm_error *reterr)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return trm_error_set_errno(reterr, errno, "cannot open %s", path);
	int r = check_kind(path, &st, reterr);
	if (r < 0)
		return r;
	if ((uintmax_t)st.st_size > FILE_MAX_BYTES)
		return read_failed(path, NULL, EFBIG, reterr);
	size_t cap = st.st_size > 0 ? (size_t)st.st_size + 1 : 4096, len = 0;
	char *bytes = block_alloc(cap);
	while (bytes) {
		ssize_t n = read_some(fd, bytes + len, cap - len);
		if (n < 0)
			return read_failed(path, bytes, (int)-n, reterr);
		len += (size_t)n;
		if (len > FILE_MAX_BYTES)
			return read_failed(path, bytes, EFBIG, reterr);
		if (len < cap)
			break;
		char *bigger = realloc(bytes, cap *= 2);
		if (!bigger)
			free(bytes);
		bytes = bigger;
	}
	if (!bytes)
		return read_failed(path, NULL, ENOMEM, reterr);
	*ret = bytes;
	*ret_len = len;
	return 0;
}

/* Remove the CRs if every line end has one. Returns the new length. */
static size_t strip_cr(char *bytes, size_t n, bool *ret_has_crlf)
{
	size_t out = 0;
	const char *end = bytes + n;
	*ret_has_crlf = false;
	for (const char *p = bytes; (p = memchr(p, '\n', (size_t)(end - p))); p++) {
		if (p == bytes || p[-1] != '\r') {
			*ret_has_crlf = false;
			return n;
		}
		*ret_has_crlf = true;
	}
	if (!*ret_has_crlf)
		return n;
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != '\r' || i + 1 == n || bytes[i + 1] != '\n')
			bytes[out++] = bytes[i];
	return out;
}

/* Make a text from the bytes, and take them. */
static int text_from(const char *path, char *bytes, size_t n, struct text **ret,
		struct file_format *ret_format, struct trm_error *reterr)
{
	int r = check_content(path, bytes, n, reterr);
	if (r < 0)
		return r;
	bool has_crlf;
	size_t len = strip_cr(bytes, n, &has_crlf);
	struct text *t = text_create();
	if (!t || text_adopt(t, bytes, len) < 0) {
		text_destroy(t);
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory to open %s", path);
	}
	*ret = t;
	ret_format->has_crlf = has_crlf;
	return 0;
}

int file_load(const char *path, struct text **ret, struct file_format *ret_format,
		struct file_stamp *ret_stamp, struct trm_error *reterr)
{
	char *bytes = NULL;
	size_t n = 0;
	/* NONBLOCK: opening a named pipe must not wait for its other end. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "cannot open %s", path);
	int r = read_all(fd, path, &bytes, &n, reterr);
	if (r < 0) {
		close(fd);
		return r;
	}
	r = text_from(path, bytes, n, ret, ret_format, reterr);
	struct stat st;
	if (r == 0 && fstat(fd, &st) == 0)
		*ret_stamp = (struct file_stamp){
				.exists = true, .mtime_ns = mtime_of(&st), .bytes = (uint64_t)st.st_size};
	if (r < 0)
		free(bytes);
	close(fd);
	return r;
}

/* Write a run of bytes with CR before each newline. */
static int write_crlf(int fd, const char *bytes, size_t n)
{
	char out[8192];
	size_t len = 0;
	for (size_t i = 0; i < n; i++) {
		if (len + 2 > sizeof(out)) {
			int r = write_fully(fd, out, len);
			if (r < 0)
				return r;
			len = 0;
		}
		if (bytes[i] == '\n')
			out[len++] = '\r';
		out[len++] = bytes[i];
	}
	return write_fully(fd, out, len);
}

/* 0 or a negative errno. */
static int write_text(int fd, const struct text *t, struct file_format format)
{
	size_t run, next;
	for (size_t pos = 0; pos < text_len(t); pos += run) {
		const char *bytes = text_peek(t, pos, &run);
		/* Bytes that were not changed since loading still lie together. */
		while (text_peek(t, pos + run, &next) == bytes + run && next > 0)
			run += next;
		int r = format.has_crlf ? write_crlf(fd, bytes, run) : write_fully(fd, bytes, run);
		if (r < 0)
			return r;
	}
	return 0;
}

static mode_t mode_for_new(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

struct file_saving {
	int fd;
	char *path;   /* as requested */
	char *target; /* the file that the new file replaces; NULL: it was written in place */
	char temp[4096];
};

static void saving_destroy(struct file_saving *s)
{
	if (s->fd >= 0)
		close(s->fd);
	free(s->path);
	free(s->target);
	free(s);
}

/* If a resource is lacking for a file beside the old one, it is also lacking for writing into the old
 * one. */
static bool is_scarcity(int err)
{
	return err == ENOSPC || err == EDQUOT || err == EIO || err == ENOMEM || err == EMFILE
	       || err == ENFILE;
}

/* Write beside the target. 0, a negative errno, or 1: not possible here, write in place. */
static int write_beside(struct file_saving *s, const struct stat *old, const struct text *t,
		struct file_format format)
{
	const char *slash = strrchr(s->target, '/');
	int dir_len = slash ? (int)(slash - s->target) + 1 : 0;
	int n = snprintf(s->temp, sizeof(s->temp), "%.*s.terrarium-XXXXXX", dir_len, s->target);
	if (n < 0 || (size_t)n >= sizeof(s->temp))
		return 1;
	s->fd = mkostemp(s->temp, O_CLOEXEC);
	if (s->fd < 0)
		return is_scarcity(errno) ? -errno : 1;
	int r = 0;
	if (old && (old->st_uid != geteuid() || old->st_gid != getegid())
			&& fchown(s->fd, old->st_uid, old->st_gid) < 0)
		r = 1;
	if (r == 0 && fchmod(s->fd, old ? old->st_mode & 07777 : mode_for_new()) < 0)
		r = 1;
	if (r == 0)
		r = write_text(s->fd, t, format);
	if (r != 0) {
		unlink(s->temp);
		close(s->fd);
		s->fd = -1;
	}
	return r;
}

/* The size of the file. */
static off_t size_of(const struct text *t, struct file_format format)
{
	return (off_t)(text_len(t) + (format.has_crlf ? text_lines(t) : 0));
}

/* Reserve space before the first old byte is overwritten, so that a full disk changes nothing. Some file
 * systems cannot reserve space; then none is reserved. */
static int take_room(int fd, off_t size, off_t old_size)
{
	if (size == 0 || fallocate(fd, 0, 0, size) == 0 || !is_scarcity(errno))
		return 0;
	int err = errno;
	struct stat now; /* some file systems keep a partial reservation; if not, do not touch the file, to
			    keep its time */
	if (fstat(fd, &now) == 0 && now.st_size != old_size && ftruncate(fd, old_size) < 0)
		err = errno;
	return -err;
}

static int write_in_place(struct file_saving *s, const struct text *t, struct file_format format)
{
	struct stat old;
	free(s->target);
	s->target = NULL;
	s->fd = open(s->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	if (s->fd < 0 || fstat(s->fd, &old) < 0)
		return -errno;
	int r = take_room(s->fd, size_of(t, format), old.st_size);
	if (r == 0)
		r = write_text(s->fd, t, format);
	if (r == 0 && ftruncate(s->fd, lseek(s->fd, 0, SEEK_CUR)) < 0)
		r = -errno;
	return r;
}

static int write_somewhere(struct file_saving *s, const struct stat *old, const struct text *t,
		struct file_format format)
{
	/* Replace the file that a link points to, not the link. Through a link to nothing, write in
	 * place. */
	struct stat link;
	bool is_plain = old ? old->st_nlink == 1 : lstat(s->path, &link) < 0;
	if (is_plain)
		s->target = old ? realpath(s->path, NULL) : strdup(s->path);
	int r = s->target ? write_beside(s, old, t, format) : 1;
	return r > 0 ? write_in_place(s, t, format) : r;
}

int file_save_begin(const char *path, const struct text *t, struct file_format format,
		struct file_saving **ret, struct trm_error *reterr)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;
	int r = exists ? check_kind(path, &st, reterr) : 0;
	if (r < 0)
		return r;
	if (exists && access(path, W_OK) < 0)
		return trm_error_set_errno(reterr, errno, "cannot save %s: you may not write to it", path);
	struct file_saving *s = calloc(1, sizeof(*s));
	if (!s || !(s->path = strdup(path))) {
		free(s);
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory to save %s", path);
	}
	s->fd = -1;
	r = write_somewhere(s, exists ? &st : NULL, t, format);
	if (r < 0) {
		saving_destroy(s);
		return trm_error_set_errno(reterr, -r, "cannot save %s", path);
	}
	*ret = s;
	return 0;
}

int file_save_end(struct file_saving *s, struct file_stamp *ret_stamp, struct trm_error *reterr)
{
	int r = fsync(s->fd) < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
	if (close(s->fd) < 0 && r == 0)
		r = -errno;
	s->fd = -1;
	if (r == 0 && s->target && rename(s->temp, s->target) < 0)
		r = -errno;
	if (r < 0 && s->target)
		unlink(s->temp);
	if (r == 0)
		*ret_stamp = file_stamp(s->path);
	else
		r = trm_error_set_errno(reterr, -r, "cannot save %s", s->path);
	saving_destroy(s);
	return r;
}

int file_save(const char *path, const struct text *t, struct file_format format, struct file_stamp *ret_stamp,
		struct trm_error *reterr)
{
	struct file_saving *s;
	int r = file_save_begin(path, t, format, &s, reterr);
	return r < 0 ? r : file_save_end(s, ret_stamp, reterr);
}

struct file_stamp file_stamp(const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return (struct file_stamp){0};
	return (struct file_stamp){.exists = true, .mtime_ns = mtime_of(&st), .bytes = (uint64_t)st.st_size};
}
