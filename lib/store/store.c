/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/sandbox.h>

#include "base/err.h"
#include "base/sysfile.h"
#include "store/about.h"
#include "sweep/sweep.h"

#define ABOUT_FILE "about"
#define NEW_PREFIX ".new-"
#define OLD_PREFIX ".old-"

/* ---- the folder -------------------------------------------------------------------------- */

static int find_root(char root[STORE_PATH], struct trm_error *reterr)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	int n = -1;
	if (data && *data == '/')
		n = snprintf(root, STORE_PATH, "%s/terrarium/snapshots", data);
	else if (home && *home == '/')
		n = snprintf(root, STORE_PATH, "%s/.local/share/terrarium/snapshots", home);
	if (n < 0 || n > STORE_PATH - TRM_SNAPSHOT_TAG - 32)
		return trm_error_set(reterr, TRM_ENOENT,
				"there is no folder for snapshots: neither XDG_DATA_HOME nor HOME names one");
	return 0;
}

/* Its descriptor, or a code; TRM_ENOENT: there are no snapshots. Only its owner may write there. */
static int open_root(char root[STORE_PATH], bool makes, struct trm_error *reterr)
{
	struct stat st;
	int r = find_root(root, reterr);
	if (r < 0)
		return r;
	for (char *slash = root; makes && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(root, 0700); /* what fails here shows in the end */
		*slash = '/';
	}
	if (makes)
		mkdir(root, 0700);
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "cannot use the folder of snapshots %.200s", root);
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 0022))
		return fd;
	close(fd);
	return trm_error_set(reterr, TRM_EPERM,
			"the folder of snapshots %.200s is not used: other users may write there", root);
}

int trm_snapshot_check(const char *tag, struct trm_error *reterr)
{
	struct trm_error why = {0};
	if (trm_sandbox_name_check(tag, &why) == 0)
		return 0;
	char clean[48];
	size_t n = 0;
	for (; tag[n] && n + 1 < sizeof clean; n++)
		clean[n] = tag[n];
	clean[n] = '\0';
	return trm_error_set(reterr, TRM_EINVAL,
			"'%s%s' cannot be the tag of a snapshot: a tag has 1 to 64 letters, digits, dots, underscores and "
			"hyphens, and begins with a letter or a digit",
			clean, tag[n] ? "…" : "");
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool read_about(int fd, const char *tag, struct store_about *ret)
{
	char text[ABOUT_BYTES];
	return sysfile_read_at(fd, ABOUT_FILE, text, sizeof text) > 0 && about_get(text, tag, ret);
}

static bool is_tag(const char *name)
{
	return *name != '.' && trm_snapshot_check(name, NULL) == 0;
}

/* "; there are: a, b" */
static void list_tags(int root_fd, char *out, size_t cap)
{
	int fd = openat(root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	size_t n = 0;
	*out = '\0';
	while (dir && (entry = readdir(dir)) && n + TRM_SNAPSHOT_TAG + 16 < cap)
		if (is_tag(entry->d_name))
			n += (size_t)snprintf(
					out + n, cap - n, "%s%s", n ? ", " : "; there are: ", entry->d_name);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* A descriptor of its folder, without a lock; or a code. */
static int open_tag(int root_fd, const char *tag, struct trm_error *reterr)
{
	char others[300];
	int fd = openat(root_fd, tag, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	list_tags(root_fd, others, sizeof others);
	return trm_error_set(reterr, TRM_ENOENT, "there is no snapshot '%s'%s", tag, others);
}

static int find_tag(const char *tag, char root[STORE_PATH], int *ret_root_fd, struct trm_error *reterr)
{
	int r = trm_snapshot_check(tag, reterr);
	if (r < 0)
		return r;
	r = *ret_root_fd = open_root(root, false, reterr);
	if (r == TRM_ENOENT)
		return trm_error_set(reterr, TRM_ENOENT, "there is no snapshot '%s', and no other one", tag);
	if (r < 0)
		return r;
	r = open_tag(*ret_root_fd, tag, reterr);
	if (r < 0)
		close(*ret_root_fd);
	return r;
}

static bool is_still_there(int root_fd, const char *tag, int fd)
{
	struct stat here, there;
	return fstat(fd, &here) == 0 && fstatat(root_fd, tag, &there, AT_SYMLINK_NOFOLLOW) == 0
	       && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

int snapstore_open(const char *tag, struct store_about *ret, int *ret_fd, struct trm_error *reterr)
{
	char root[STORE_PATH];
	int root_fd, r = 0, fd = find_tag(tag, root, &root_fd, reterr);
	if (fd < 0)
		return fd;
	/* A list locks it for a moment. */
	while ((r = flock(fd, LOCK_SH)) < 0 && errno == EINTR) {}
	if (r < 0 || !is_still_there(root_fd, tag, fd))
		r = trm_error_set(reterr, TRM_EBUSY, "the snapshot '%s' is being replaced or removed", tag);
	else if (!read_about(fd, tag, ret))
		r = trm_error_set(reterr, TRM_EPROTO,
				"the snapshot '%s' is damaged: remove it, and make it anew (%.200s/%s)", tag,
				root, tag);
	close(root_fd);
	if (r < 0)
		close(fd);
	else
		*ret_fd = fd;
	return r;
}

/* ---- locks ---------------------------------------------------------------------------------- */

/* Nobody else has it. The lock ends with the descriptor. */
static bool lock_alone(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

bool snapstore_is_used(const char *tag)
{
	char root[STORE_PATH];
	int root_fd, fd = find_tag(tag, root, &root_fd, NULL);
	if (fd < 0)
		return false;
	bool is_used = !lock_alone(fd);
	close(fd);
	close(root_fd);
	return is_used;
}

static int refuse_used(const char *tag, struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_EBUSY, "the snapshot '%s' is in use", tag);
}

/* ---- removing --------------------------------------------------------------------------------- */

/* Take the folder out of sight, then its contents away. */
static int remove_path(const char *root, const char *path, struct trm_error *reterr)
{
	char old[STORE_PATH + 16];
	snprintf(old, sizeof old, "%s/" OLD_PREFIX "XXXXXX", root);
	if (!mkdtemp(old) || rename(path, old) < 0)
		return trm_error_set_errno(reterr, errno, "cannot remove %.200s", path);
	sweep_tree(old);
	return 0;
}

/* What a killed program has left. */
static void sweep_root(int root_fd, const char *root)
{
	int list_fd = openat(root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = list_fd < 0 ? NULL : fdopendir(list_fd);
	struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		char path[STORE_PATH + 300];
		if (strncmp(name, NEW_PREFIX, strlen(NEW_PREFIX)) != 0
				&& strncmp(name, OLD_PREFIX, strlen(OLD_PREFIX)) != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", root, name);
		int fd = openat(root_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && lock_alone(fd))
			sweep_tree(path);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
	else if (list_fd >= 0)
		close(list_fd);
}

int snapstore_remove(const char *tag, struct trm_error *reterr)
{
	char root[STORE_PATH], path[STORE_PATH + TRM_SNAPSHOT_TAG + 8];
	int root_fd, r, fd = find_tag(tag, root, &root_fd, reterr);
	if (fd < 0)
		return fd;
	snprintf(path, sizeof path, "%s/%s", root, tag);
	r = lock_alone(fd) ? remove_path(root, path, reterr) : refuse_used(tag, reterr);
	close(fd);
	close(root_fd);
	return r;
}

/* ---- making ------------------------------------------------------------------------------------ */

/* Is there one of this tag, which may not be replaced? */
static int check_old(int root_fd, const char *tag, bool overwrites, struct trm_error *reterr)
{
	int fd = openat(root_fd, tag, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), r = 0;
	if (fd < 0)
		return 0;
	if (!overwrites)
		r = trm_error_set(reterr, TRM_EEXIST,
				"there is a snapshot '%s': choose another tag, or replace it (force)", tag);
	else if (!lock_alone(fd))
		r = refuse_used(tag, reterr);
	close(fd);
	return r;
}

int snapstore_begin(struct store_draft *draft, const char *tag, bool overwrites, struct trm_error *reterr)
{
	char root[STORE_PATH];
	*draft = (struct store_draft){.fd = -1, .overwrites = overwrites};
	int r = trm_snapshot_check(tag, reterr);
	int root_fd = r < 0 ? r : open_root(root, true, reterr);
	if (root_fd < 0)
		return root_fd;
	snprintf(draft->tag, sizeof draft->tag, "%s", tag);
	r = check_old(root_fd, tag, overwrites, reterr);
	if (r == 0) {
		sweep_root(root_fd, root);
		snprintf(draft->path, sizeof draft->path, "%s/" NEW_PREFIX "XXXXXX", root);
		draft->fd = mkdtemp(draft->path) ? open(
					    draft->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
						 : -1;
		if (draft->fd < 0 || flock(draft->fd, LOCK_EX) < 0
				|| mkdirat(draft->fd, STORE_FILES, 0700) < 0)
			r = trm_error_set_errno(reterr, errno, "cannot make a snapshot in %.200s", root);
	}
	close(root_fd);
	if (r < 0)
		snapstore_drop(draft);
	return r;
}

static int write_about(
		const struct store_draft *draft, const struct store_about *about, struct trm_error *reterr)
{
	struct buf text;
	buf_init(&text, ABOUT_BYTES - 1);
	int r = about_put(&text, about);
	if (r < 0) {
		buf_finish(&text);
		return trm_error_set(reterr, r, "the description of the snapshot is too long");
	}
	int fd = openat(draft->fd, ABOUT_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool is_written = fd >= 0 && write(fd, buf_at(&text), text.len) == (ssize_t)text.len;
	/* All files are on the disk before anybody finds them. */
	if (!is_written || syncfs(fd) < 0)
		r = trm_error_set_errno(reterr, errno, "cannot write the snapshot");
	if (fd >= 0)
		close(fd);
	buf_finish(&text);
	return r;
}

static int put_in_place(const struct store_draft *draft, struct trm_error *reterr)
{
	char root[STORE_PATH], path[STORE_PATH + TRM_SNAPSHOT_TAG + 8];
	int root_fd = open_root(root, false, reterr);
	if (root_fd < 0)
		return root_fd;
	snprintf(path, sizeof path, "%s/%s", root, draft->tag);
	int r = check_old(root_fd, draft->tag, draft->overwrites, reterr);
	if (r == 0 && renameat2(AT_FDCWD, draft->path, AT_FDCWD, path, RENAME_NOREPLACE) < 0) {
		if (errno != EEXIST)
			r = trm_error_set_errno(reterr, errno, "cannot make the snapshot %.200s", path);
		else if (renameat2(AT_FDCWD, draft->path, AT_FDCWD, path, RENAME_EXCHANGE) < 0)
			r = trm_error_set_errno(reterr, errno, "cannot replace the snapshot %.200s", path);
		else
			sweep_tree(draft->path); /* the old one, which lies there now */
	}
	close(root_fd);
	return r;
}

int snapstore_end(struct store_draft *draft, const struct store_about *about, struct trm_error *reterr)
{
	int r = write_about(draft, about, reterr);
	if (r == 0)
		r = put_in_place(draft, reterr);
	if (r == 0) {
		close(draft->fd);
		draft->fd = -1;
	}
	snapstore_drop(draft);
	return r;
}

void snapstore_drop(struct store_draft *draft)
{
	if (draft->fd < 0)
		return;
	sweep_tree(draft->path);
	close(draft->fd);
	draft->fd = -1;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static void visit_tag(int root_fd, const char *tag, store_fn *fn, void *user)
{
	struct store_about about;
	int fd = openat(root_fd, tag, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	bool is_read = read_about(fd, tag, &about);
	about.info.is_used = is_read && !lock_alone(fd);
	close(fd);
	if (is_read)
		fn(user, &about);
}

int snapstore_walk(store_fn *fn, void *user, struct trm_error *reterr)
{
	char root[STORE_PATH];
	struct dirent *entry;
	int fd = open_root(root, false, reterr);
	if (fd < 0)
		return fd == TRM_ENOENT ? 0 : fd;
	sweep_root(fd, root);
	DIR *dir = fdopendir(fd);
	while (dir && (entry = readdir(dir)))
		if (is_tag(entry->d_name))
			visit_tag(dirfd(dir), entry->d_name, fn, user);
	if (dir)
		closedir(dir);
	else
		close(fd);
	return 0;
}

struct set_search {
	const char *set;
	bool is_found;
};

static void look_for_set(void *user, const struct store_about *about)
{
	struct set_search *search = user;
	for (size_t i = 0; i < about->n_sets; i++)
		search->is_found |= strcmp(about->sets[i], search->set) == 0;
}

bool snapstore_needs_set(const char *set)
{
	struct set_search search = {.set = set};
	snapstore_walk(look_for_set, &search, NULL);
	return search.is_found;
}
