/* SPDX-License-Identifier: MIT */
/* Folders in, and archives out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <terrarium/copy.h>

#include "base/err.h"
#include "sync/sync.h"

struct waiting {
	struct trm_error why, first_refused;
	uint64_t n_refused;
	bool is_done;
};

static void on_refused(void *user, const struct trm_error *why)
{
	struct waiting *w = user;
	if (!w->n_refused++)
		w->first_refused = *why;
}

static void on_done(void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct waiting *w = user;
	(void)progress;
	w->why = *why;
	w->is_done = true;
}

static int perform(struct trm_sync *s, struct trm_copy_opts *opts, struct trm_error *reterr)
{
	static const struct trm_copy_cb cb = {.refused = on_refused, .done = on_done};
	struct waiting w = {0};
	struct trm_copy *copy;
	struct trm_error why;
	opts->own = s->sandbox;
	int r = trm_copy_start(s->loop, opts, &cb, &w, &copy, reterr);
	if (r < 0)
		return r;
	r = sync_wait(s, &w.is_done, s->opts.timeout_ms ? (int64_t)s->opts.timeout_ms : -1, &why);
	if (r < 0 && !w.is_done)
		trm_copy_cancel(copy);
	sync_wait_out(s, &w.is_done, -1);
	if (r == 0 && (r = w.why.code) < 0)
		why = w.why;
	if (r == 0 && w.n_refused) {
		r = w.first_refused.code;
		why = w.first_refused;
	}
	return r < 0 ? trm_error_set(reterr, r, "%s", why.msg) : 0;
}

int trm_sync_put_tree(struct trm_sync *s, const char *here, const char *path, struct trm_error *reterr)
{
	char *target = NULL, *source = NULL;
	int r = sync_need_started(s, reterr);
	if (r < 0)
		return r;
	if (asprintf(&target, ":%s", path) < 0)
		target = NULL;
	/* "a:b" would be a sandbox's. */
	if (asprintf(&source, "%s%s", *here == '/' || *here == '.' ? "" : "./", here) < 0)
		source = NULL;
	const char *const sources[] = {source, NULL};
	struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = target,
			.in_fd = -1,
			.out_fd = -1};
	r = target && source ? perform(s, &opts, reterr) : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	free(target);
	free(source);
	return r < 0 ? err_wrap(reterr, r, "Failed to copy files") : 0;
}

/* ---- archives ------------------------------------------------------------------------------ */

enum { BLOCK = 512 };

/* The archive is of our own making (sandbox/copy_tar.c), so that there is no other form. */
static uint64_t octal(const char *text, size_t n)
{
	uint64_t value = 0;
	if ((unsigned char)*text == 0x80) { /* binary: too large for octal digits */
		for (size_t i = 1; i <= n; i++)
			value = value << 8 | (unsigned char)text[i];
		return value;
	}
	for (size_t i = 0; i < n && text[i] >= '0' && text[i] <= '7'; i++)
		value = value * 8 + (uint64_t)(text[i] - '0');
	return value;
}

static int add_entry(
		struct trm_archive *a, const char *name, size_t n, char type, uint64_t size, uint32_t mode)
{
	struct trm_archive_entry *grown = realloc(a->entries, (a->n_entries + 1) * sizeof *grown);
	if (!grown)
		return TRM_ENOMEM;
	a->entries = grown;
	grown[a->n_entries] = (struct trm_archive_entry){.name = strndup(name, n),
			.kind = type == '5'   ? TRM_ARCHIVE_DIR
				: type == '2' ? TRM_ARCHIVE_LINK
					      : TRM_ARCHIVE_FILE,
			.size = size,
			.mode = mode};
	return grown[a->n_entries++].name ? 0 : TRM_ENOMEM;
}

static int list_entries(struct trm_archive *a)
{
	const char *longer = NULL;
	size_t longer_len = 0;
	int r = 0;
	for (size_t at = 0; r == 0 && at + BLOCK <= a->n && a->bytes[at];) {
		const char *h = a->bytes + at;
		uint64_t size = octal(h + 124, 11);
		char type = h[156];
		at += BLOCK;
		if (size > a->n - at)
			return TRM_EPROTO;
		if (type == 'L') {
			longer = a->bytes + at;
			longer_len = size ? (size_t)size - 1 : 0;
		} else if (type != 'K') {
			r = add_entry(a, longer ? longer : h, longer ? longer_len : strnlen(h, 100), type,
					size, (uint32_t)octal(h + 100, 7));
			longer = NULL;
		}
		at += (size_t)((size + BLOCK - 1) / BLOCK * BLOCK);
	}
	return r;
}

static int read_archive(int fd, uint64_t max_bytes, struct trm_archive *ret, struct trm_error *reterr)
{
	off_t n = lseek(fd, 0, SEEK_END);
	if (n < 0)
		return trm_error_set_errno(reterr, errno, "cannot read the archive");
	if ((uint64_t)n > max_bytes)
		return trm_error_set(reterr, TRM_ETOOBIG, "the archive is larger than %llu bytes",
				(unsigned long long)max_bytes);
	ret->bytes = malloc((size_t)n + 1);
	if (!ret->bytes)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	while (ret->n < (size_t)n) {
		ssize_t got = pread(fd, ret->bytes + ret->n, (size_t)n - ret->n, (off_t)ret->n);
		if (got <= 0 && errno != EINTR)
			return trm_error_set_errno(reterr, errno, "cannot read the archive");
		ret->n += got > 0 ? (size_t)got : 0;
	}
	int r = list_entries(ret);
	return r < 0 ? trm_error_set(reterr, r, "the archive cannot be listed: %s", trm_strerror(r)) : 0;
}

int trm_sync_archive(struct trm_sync *s, const char *path, uint64_t max_bytes, struct trm_archive *ret,
		struct trm_error *reterr)
{
	char *source = NULL;
	*ret = (struct trm_archive){0};
	int r = sync_need_started(s, reterr);
	if (r < 0)
		return r;
	int fd = memfd_create("archive", MFD_CLOEXEC);
	if (fd < 0 || asprintf(&source, ":%s", path) < 0) {
		if (fd >= 0)
			close(fd);
		return trm_error_set(reterr, TRM_ENOMEM, "Failed to read files: out of memory");
	}
	const char *const sources[] = {source, NULL};
	struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = "-",
			.in_fd = -1,
			.out_fd = fd,
			.max_bytes = max_bytes,
			.is_archive = true};
	r = perform(s, &opts, reterr);
	if (r == 0)
		r = read_archive(fd, max_bytes, ret, reterr);
	close(fd);
	free(source);
	return r < 0 ? err_wrap(reterr, r, "Failed to read files") : 0;
}

void trm_archive_finish(struct trm_archive *a)
{
	for (size_t i = 0; i < a->n_entries; i++)
		free(a->entries[i].name);
	free(a->entries);
	free(a->bytes);
	*a = (struct trm_archive){0};
}
