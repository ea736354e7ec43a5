/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "server/sandboxes/fleet_internal.h"
#include "server/sandboxes/launch.h"
#include "server/sandboxes/store.h"

/* ---- the text -------------------------------------------------------------------------- */

struct words {
	char host[TRM_HOST_PATH], guest[TRM_INSIDE_PATH];
	bool is_writable;
};

static bool ends_in(const char *text, size_t n, const char *word)
{
	size_t w = strlen(word);
	return n > w && memcmp(text + n - w, word, w) == 0;
}

static int split_volume(struct words *ret, const char *text, struct trm_error *reterr)
{
	size_t n = strlen(text);
	ret->is_writable = !ends_in(text, n, ":ro");
	if (!ret->is_writable || ends_in(text, n, ":rw"))
		n -= strlen(":ro");
	size_t host = n;
	const char *colon = memchr(text, ':', n);
	if (colon)
		host = (size_t)(colon - text);
	const char *guest = colon ? colon + 1 : text;
	size_t guest_len = n - (size_t)(guest - text);
	bool needs_slash = guest_len && guest[0] != '/';
	if (!host || !guest_len || host >= sizeof ret->host || guest_len + needs_slash >= sizeof ret->guest)
		return trm_error_set(reterr, TRM_EINVAL,
				"the volume '%.80s' is invalid: write HOST:GUEST, HOST:GUEST:ro or PATH",
				text);
	snprintf(ret->host, sizeof ret->host, "%.*s", (int)host, text);
	snprintf(ret->guest, sizeof ret->guest, "%s%.*s", needs_slash ? "/" : "", (int)guest_len, guest);
	return 0;
}

bool volume_guest(const char *text, char ret[TRM_INSIDE_PATH])
{
	struct words words;
	if (split_volume(&words, text, NULL) < 0)
		return false;
	memcpy(ret, words.guest, sizeof words.guest);
	return true;
}

/* ---- relative: below the namespace's directory --------------------------------------------- */

/* One step down, but never through a link: a sandbox that sees the directory above may have made it. */
static int step_down(int dir_fd, const char *name)
{
	enum { FLAGS = O_PATH | O_NOFOLLOW | O_CLOEXEC };
	int fd = openat(dir_fd, name, FLAGS);
	if (fd < 0 && errno == ENOENT && mkdirat(dir_fd, name, 0755) == 0)
		fd = openat(dir_fd, name, FLAGS);
	return fd;
}

static int open_below(int dir_fd, const char *path, struct trm_error *reterr)
{
	char name[NAME_MAX + 1];
	int fd = dir_fd;
	for (const char *at = path; *at && fd >= 0;) {
		size_t n = strcspn(at, "/");
		const char *next = at + n + strspn(at + n, "/");
		if (n == 0 || n > NAME_MAX || (at[0] == '.' && n != 1)) {
			close(fd);
			return trm_error_set(reterr, TRM_EINVAL,
					"the volume '%.80s' is invalid: no part of a relative path may begin with a dot",
					path);
		}
		snprintf(name, sizeof name, "%.*s", (int)n, at);
		if (strcmp(name, ".") != 0) {
			int down = step_down(fd, name);
			int saved = errno;
			close(fd);
			errno = saved;
			fd = down;
		}
		at = next;
	}
	struct stat st;
	if (fd >= 0 && fstat(fd, &st) == 0 && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)))
		return fd;
	int saved = fd < 0 ? errno : ENOTDIR;
	if (fd >= 0)
		close(fd);
	return trm_error_set_errno(reterr, saved,
			"the volume '%.80s' cannot be opened in the namespace's directory (links are not followed)",
			path);
}

static int open_relative(struct fleet *fleet, const char *space, const char *path, struct trm_error *reterr)
{
	char dir[PATH_MAX];
	int r = store_make_space(fleet->store, space, reterr);
	if (r < 0)
		return r;
	/* The directory itself holds the server's own files. */
	if (!path[strspn(path, "./")])
		return trm_error_set(reterr, TRM_EINVAL,
				"the volume '%.80s' is invalid: name a directory in the namespace's own",
				path);
	int fd = store_space_path(fleet->store, space, dir, sizeof dir)
				 ? open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
				 : -1;
	return fd < 0 ? trm_error_set_errno(
			       reterr, errno, "the directory of namespace '%s' cannot be opened", space)
		      : open_below(fd, path, reterr);
}

/* ---- absolute: below a directory of the server's choice ---------------------------------- */

static int open_in(const char *dir, const char *path)
{
	struct open_how how = {
			.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
	int dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -1;
	while (*path == '/')
		path++;
	int fd = (int)syscall(SYS_openat2, dir_fd, *path ? path : ".", &how, sizeof how);
	int saved = errno;
	close(dir_fd);
	errno = saved;
	return fd;
}

/* The rest of `path` after `dir`, compared as text; NULL: it is not below `dir`. */
static const char *below(const char *path, const char *dir)
{
	size_t n = strlen(dir);
	while (n > 1 && dir[n - 1] == '/')
		n--;
	if (strncmp(path, dir, n) != 0 || (path[n] && path[n] != '/' && n > 1))
		return NULL;
	return path + n;
}

static int open_absolute(struct fleet *fleet, const char *path, struct trm_error *reterr)
{
	for (const char *const *dir = fleet->opts.volume_dirs; dir && *dir; dir++) {
		const char *rest = below(path, *dir);
		if (!rest)
			continue;
		int fd = open_in(*dir, rest);
		if (fd >= 0)
			return fd;
		return trm_error_set_errno(reterr, errno, "the volume %.120s cannot be opened%s", path,
				errno == EXDEV ? " (a link leads out of the directory that the server allows)"
					       : "");
	}
	return trm_error_set(reterr, TRM_EPERM,
			"this server allows no volume at %.120s: start it with --volumes DIR (a directory above), or name a "
			"relative path, which is in the namespace's directory",
			path);
}

/* ---- both ------------------------------------------------------------------------------ */

bool volume_covers(const char *dir, const char *path)
{
	return below(path, dir) != NULL;
}

int volume_open(struct volume *ret, struct fleet *fleet, const char *space, const char *text,
		struct trm_error *reterr)
{
	struct words words;
	int r = split_volume(&words, text, reterr);
	if (r < 0)
		return r;
	int fd = words.host[0] == '/' ? open_absolute(fleet, words.host, reterr)
				      : open_relative(fleet, space, words.host, reterr);
	if (fd < 0)
		return fd;
	ret->fd = fd;
	ret->is_writable = words.is_writable;
	snprintf(ret->path, sizeof ret->path, "/proc/self/fd/%d", fd);
	memcpy(ret->guest, words.guest, sizeof ret->guest);
	return 0;
}

void volume_close(struct volume *volume)
{
	if (volume->fd >= 0)
		close(volume->fd);
	volume->fd = -1;
}
