/* SPDX-License-Identifier: MIT */
#include "backend/host/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <terrarium/text.h>

#include "base/err.h"
#include "base/mount.h"

/* linux/magic.h */
enum { MAGIC_PROC = 0x9fa0, MAGIC_SYS = 0x62656572, MAGIC_DEVPTS = 0x1cd1 };

struct host {
	int fd;
	struct stat st;
	char path[TRM_HOST_PATH]; /* its absolute path, without links */
	char shown[120];          /* as the user named it, for messages */
};

/* ---- paths -------------------------------------------------------------------------------- */

static int expand_home(const char *host, char out[TRM_HOST_PATH], struct trm_error *reterr)
{
	const char *home = getenv("HOME");
	bool is_home = host[0] == '~' && (!host[1] || host[1] == '/');
	if (is_home && (!home || home[0] != '/'))
		return trm_error_set(reterr, TRM_EINVAL, "cannot mount %.80s: HOME is not set", host);
	int n = snprintf(out, TRM_HOST_PATH, "%s%s", is_home ? home : "", host + is_home);
	return n > 0 && n < TRM_HOST_PATH
			       ? 0
			       : trm_error_set(reterr, TRM_EINVAL,
					       "cannot mount %.80s…: the path is longer than %d bytes", host,
					       TRM_HOST_PATH - 1);
}

static int fail_open(const struct host *h, int error, struct trm_error *reterr)
{
	if (error == ENOENT || error == ENOTDIR)
		return trm_error_set(reterr, TRM_ENOENT,
				"cannot mount %s: there is no such file or directory", h->shown);
	if (error == EACCES)
		return trm_error_set(reterr, TRM_EPERM,
				"cannot mount %s: you may not enter a directory of its path", h->shown);
	return trm_error_set_errno(reterr, error, "cannot mount %s", h->shown);
}

/* The kernel appends a word to the name of a file that has been removed. */
static int find_path(struct host *h, struct trm_error *reterr)
{
	char link[40], clean[TRM_HOST_PATH];
	snprintf(link, sizeof link, "/proc/self/fd/%d", h->fd);
	ssize_t n = readlink(link, h->path, sizeof h->path);
	if (n <= 0 || n >= (ssize_t)sizeof h->path)
		return trm_error_set(reterr, TRM_EINVAL, "cannot mount %s: its path is longer than %zu bytes",
				h->shown, sizeof h->path - 1);
	h->path[n] = '\0';
	if (h->path[0] != '/' || h->st.st_nlink == 0)
		return trm_error_set(
				reterr, TRM_ENOENT, "cannot mount %s: it has just been removed", h->shown);
	trm_text_clean_line(clean, sizeof clean, h->path, (size_t)n);
	if (strcmp(clean, h->path))
		return trm_error_set(reterr, TRM_EINVAL,
				"cannot mount %s: its path contains control characters, or is not UTF-8",
				h->shown);
	return 0;
}

/* ---- permissions ----------------------------------------------------------------------------- */

static bool is_one_of(const struct host *h, const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && st.st_dev == h->st.st_dev && st.st_ino == h->st.st_ino;
}

/* Does the path contain the runtime directory, or lie in it, by whatever name? The sockets there give
 * control over all sandboxes, even on a read-only mount, and the session bus may lie beside them. */
static bool holds_run_dir(const struct host *h, const char *run_path)
{
	char above[TRM_HOST_PATH], *real = realpath(run_path, NULL), *slash;
	bool is = real && mount_is_below(h->path, real);
	snprintf(above, sizeof above, "%s", real ? real : "");
	free(real);
	while (!is && (slash = strrchr(above, '/'))) {
		is = is_one_of(h, above);
		*slash = '\0';
	}
	return is;
}

static int check_kind(const struct host *h, struct trm_error *reterr)
{
	struct statfs fs;
	if (!S_ISDIR(h->st.st_mode) && !S_ISREG(h->st.st_mode))
		return trm_error_set(reterr, TRM_EINVAL,
				"cannot mount %s: it is a %s, and only files and directories can be mounted",
				h->shown,
				S_ISSOCK(h->st.st_mode)   ? "socket"
				: S_ISFIFO(h->st.st_mode) ? "named pipe"
							  : "device");
	if (fstatfs(h->fd, &fs) == 0
			&& (fs.f_type == MAGIC_PROC || fs.f_type == MAGIC_SYS || fs.f_type == MAGIC_DEVPTS))
		return trm_error_set(reterr, TRM_EINVAL,
				"cannot mount %s: it is not a place for files, but a view into the host's kernel",
				h->shown);
	return 0;
}

static int check_host(const struct host *h, const char *run_path, struct trm_error *reterr)
{
	int r = check_kind(h, reterr);
	if (r < 0)
		return r;
	if (is_one_of(h, "/"))
		return trm_error_set(reterr, TRM_EINVAL,
				"cannot mount %s: that is the whole machine; mount only the parts that you need",
				h->shown);
	if (mount_is_below(h->path, "/dev") && !mount_is_below(h->path, "/dev/shm"))
		return trm_error_set(reterr, TRM_EINVAL, "cannot mount %s: it contains the host's devices",
				h->shown);
	char session[40]; /* the directory that systemd makes, whatever XDG_RUNTIME_DIR says */
	snprintf(session, sizeof session, "/run/user/%u", (unsigned)geteuid());
	const char *const closed[] = {run_path, session};
	for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
		if (holds_run_dir(h, closed[i]))
			return trm_error_set(reterr, TRM_EINVAL,
					"cannot mount %s: it contains sockets that control sandboxes and your "
					"session (%.100s); mount another directory",
					h->shown, closed[i]);
	return 0;
}

/* ---- all mounts --------------------------------------------------------------------------------- */

static int open_host(
		struct host *h, const struct trm_mount *m, const char *run_path, struct trm_error *reterr)
{
	char path[TRM_HOST_PATH];
	int r;
	trm_text_clean_line(h->shown, sizeof h->shown, m->host, strlen(m->host));
	if ((r = expand_home(m->host, path, reterr)) < 0)
		return r;
	h->fd = open(path, O_PATH | O_CLOEXEC);
	if (h->fd < 0)
		return fail_open(h, errno, reterr);
	if (fstat(h->fd, &h->st) < 0)
		r = trm_error_set_errno(reterr, errno, "cannot look at %s", h->shown);
	if (r == 0)
		r = find_path(h, reterr);
	if (r == 0)
		r = check_host(h, run_path, reterr);
	if (r < 0)
		close(h->fd);
	return r;
}

int mounts_open(struct mounts *mounts, const struct trm_sandbox_opts *opts, const char *run_path,
		struct trm_error *reterr)
{
	size_t used = 0;
	*mounts = (struct mounts){0};
	for (size_t i = 0; i < opts->n_mounts; i++) {
		struct host h;
		int r = open_host(&h, &opts->mounts[i], run_path, reterr);
		if (r == 0) {
			const struct trm_mount found = {
					h.path, opts->mounts[i].guest, opts->mounts[i].is_writable};
			mounts->fds[mounts->n++] = h.fd;
			mounts->writable |= (uint32_t)found.is_writable << i;
			used += strlen(trm_mount_format(
					&found, mounts->text + used, TRM_MOUNTS_BYTES - used));
		}
		if (r == 0 && used + 1 >= TRM_MOUNTS_BYTES)
			r = trm_error_set(reterr, TRM_ETOOBIG, "the mounts' paths are too long together");
		if (r < 0) {
			mounts_close(mounts);
			return r;
		}
		mounts->text[used++] = '\n';
	}
	mounts->text[used] = '\0';
	return 0;
}

void mounts_close(struct mounts *mounts)
{
	for (size_t i = 0; i < mounts->n; i++)
		close(mounts->fds[i]);
	mounts->n = 0;
}
