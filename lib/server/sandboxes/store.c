/* SPDX-License-Identifier: MIT */
#include "server/sandboxes/store.h"

#include <cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "rpc/names.h"

enum { ENTRY_BYTES_MAX = 16 << 20, DIR_MODE = 0700, FILE_MODE = 0600 };

static const char *const PARTS[STORE_PARTS] = {
		[STORE_SANDBOXES] = ".sandboxes", [STORE_FILES] = ".files", [STORE_SCRIPTS] = ".scripts"};

struct store {
	int fd;
	char path[PATH_MAX];
};

/* ---- the directory ------------------------------------------------------------------- */

static bool default_path(char *out, size_t cap)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n = state && state[0] == '/' ? snprintf(out, cap, "%s/terrarium/namespaces", state)
		: home && home[0] == '/' ? snprintf(out, cap, "%s/.local/state/terrarium/namespaces", home)
					 : -1;
	return n > 0 && (size_t)n < cap;
}

/* Like mkdir -p. */
static int make_path(const char *path, struct trm_error *reterr)
{
	char part[PATH_MAX];
	for (const char *at = path; at; at = strchr(at + 1, '/')) {
		const char *end = strchr(at + 1, '/');
		size_t n = end ? (size_t)(end - path) : strlen(path);
		memcpy(part, path, n);
		part[n] = '\0';
		if (mkdir(part, DIR_MODE) < 0 && errno != EEXIST)
			return trm_error_set_errno(reterr, errno, "the directory %s cannot be made", part);
	}
	return 0;
}

/* Sandboxes are started from what is read here, so nobody else may have written it. */
static int check_owner(const struct store *s, struct trm_error *reterr)
{
	struct stat st;
	if (fstat(s->fd, &st) < 0)
		return trm_error_set_errno(reterr, errno, "%s", s->path);
	if (st.st_uid != geteuid() || st.st_mode & 022)
		return trm_error_set(reterr, TRM_EPERM,
				"%s belongs to another user, or others may write into it: choose another directory "
				"(--namespace-dir), or close it with chmod 700",
				s->path);
	return 0;
}

/* Two servers would remove each other's files. A process that opens the directory anew has its own lock,
 * and the lock ends with the process, however it ends. */
static int lock_store(const struct store *s, struct trm_error *reterr)
{
	if (flock(s->fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == EOPNOTSUPP)
		return 0;
	if (errno != EWOULDBLOCK)
		return trm_error_set_errno(reterr, errno, "%s cannot be locked", s->path);
	return trm_error_set(reterr, TRM_EBUSY,
			"another server keeps its namespaces in %s: stop it, or give this one its own directory "
			"(--namespace-dir)",
			s->path);
}

static int open_dir(struct store *s, const char *dir, struct trm_error *reterr)
{
	char given[PATH_MAX];
	int r;
	if (dir ? snprintf(given, sizeof given, "%s", dir) >= (int)sizeof given
		: !default_path(given, sizeof given))
		return trm_error_set(reterr, TRM_EINVAL,
				dir ? "the path of the namespace directory is too long"
				    : "there is no home directory to keep namespaces in: name a directory with "
				      "--namespace-dir");
	if ((r = make_path(given, reterr)) < 0)
		return r;
	if (!realpath(given, s->path))
		return trm_error_set_errno(reterr, errno, "%s", given);
	s->fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0)
		return trm_error_set_errno(reterr, errno, "%s", s->path);
	r = check_owner(s, reterr);
	return r < 0 ? r : lock_store(s, reterr);
}

int store_open(const char *dir, struct store **ret, struct trm_error *reterr)
{
	struct store *s = calloc(1, sizeof *s);
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	s->fd = -1;
	int r = open_dir(s, dir, reterr);
	if (r < 0)
		store_close(s);
	else
		*ret = s;
	return r;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	if (store->fd >= 0)
		close(store->fd);
	free(store);
}

/* ---- paths --------------------------------------------------------------------------- */

bool store_space_path(const struct store *store, const char *space, char *out, size_t cap)
{
	return snprintf(out, cap, "%s/%s", store->path, space) < (int)cap;
}

bool store_path(const struct store *store, const char *space, enum store_part part, const char *name,
		const char *suffix, char *out, size_t cap)
{
	return snprintf(out, cap, "%s/%s/%s/%s%s", store->path, space, PARTS[part], name, suffix) < (int)cap;
}

static int make_dir(struct store *s, const char *path, struct trm_error *reterr)
{
	if (mkdirat(s->fd, path, DIR_MODE) < 0 && errno != EEXIST)
		return trm_error_set_errno(reterr, errno, "%s/%s cannot be made", s->path, path);
	return 0;
}

int store_make_space(struct store *store, const char *space, struct trm_error *reterr)
{
	return make_dir(store, space, reterr);
}

int store_make_part(struct store *store, const char *space, enum store_part part, struct trm_error *reterr)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", space, PARTS[part]);
	return make_dir(store, path, reterr);
}

/* ---- entries ------------------------------------------------------------------------- */

static void entry_path(const char *space, const char *name, const char *suffix, char out[256])
{
	snprintf(out, 256, "%s/%s/%s%s", space, PARTS[STORE_SANDBOXES], name, suffix);
}

static int write_whole(int fd, const char *text)
{
	size_t n = strlen(text);
	while (n) {
		ssize_t wrote = write(fd, text, n);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -1;
		text += wrote;
		n -= (size_t)wrote;
	}
	return 0;
}

static int write_entry(struct store *s, const char *space, const char *name, const char *text)
{
	char path[256], temp[256];
	entry_path(space, name, ".json", path);
	entry_path(space, name, ".new", temp);
	int fd = openat(s->fd, temp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	if (fd < 0)
		return -1;
	int r = write_whole(fd, text);
	if (close(fd) < 0 || r < 0 || renameat(s->fd, temp, s->fd, path) < 0) {
		int saved = errno;
		unlinkat(s->fd, temp, 0);
		errno = saved;
		return -1;
	}
	return 0;
}

int store_save(struct store *store, const char *space, const char *name, const cJSON *config,
		struct trm_error *reterr)
{
	int r = store_make_space(store, space, reterr);
	if (r < 0 || (r = store_make_part(store, space, STORE_SANDBOXES, reterr)) < 0)
		return r;
	char *text = cJSON_Print(config);
	if (!text)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	r = write_entry(store, space, name, text);
	cJSON_free(text);
	return r < 0 ? trm_error_set_errno(reterr, errno,
			       "the entry of sandbox '%s' cannot be written below %s", name, store->path)
		     : 0;
}

void store_forget(struct store *store, const char *space, const char *name)
{
	char path[256];
	entry_path(space, name, ".json", path);
	unlinkat(store->fd, path, 0);
}

/* ---- loading ------------------------------------------------------------------------- */

/* TRM_ENOMEM; otherwise 0 and *ret, which is NULL if the file is unreadable. */
static int read_entry(int dir_fd, const char *file, cJSON **ret)
{
	cJSON *json = NULL;
	struct stat st;
	bool is_short = false;
	int fd = openat(dir_fd, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= ENTRY_BYTES_MAX) {
		char *text = malloc((size_t)st.st_size + 1);
		ssize_t n = text ? read(fd, text, (size_t)st.st_size) : -1;
		errno = 0;
		json = n > 0 ? cJSON_ParseWithLength(text, (size_t)n) : NULL;
		is_short = !text || (!json && errno == ENOMEM);
		free(text);
	}
	if (fd >= 0)
		close(fd);
	*ret = cJSON_IsObject(json) ? json : NULL;
	if (!*ret)
		cJSON_Delete(json);
	return is_short ? TRM_ENOMEM : 0;
}

static int load_entry(const struct store_reader *reader, int dir_fd, const char *space, const char *file)
{
	char name[RPC_NAME_MAX + 1];
	const char *dot = strrchr(file, '.');
	cJSON *config;
	if (!dot || strcmp(dot, ".json") || dot - file > RPC_NAME_MAX)
		return 0;
	memcpy(name, file, (size_t)(dot - file));
	name[dot - file] = '\0';
	if (rpc_name_check("Sandbox", name, NULL) < 0)
		return 0;
	int r = read_entry(dir_fd, file, &config);
	if (config)
		return reader->entry(reader->user, space, name, config);
	if (r == 0)
		log_write(LOG_WARNING,
				"the entry of sandbox '%s' in namespace '%s' is unreadable and left out",
				name, space);
	return r;
}

static DIR *open_list(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir && fd >= 0) {
		int saved = errno;
		close(fd);
		errno = saved;
	}
	return dir;
}

/* A namespace without sandboxes has no list. */
static int load_space(struct store *s, const struct store_reader *reader, const char *space)
{
	char path[256];
	struct dirent *item;
	int r = reader->space(reader->user, space);
	if (r < 0)
		return r;
	snprintf(path, sizeof path, "%s/%s", space, PARTS[STORE_SANDBOXES]);
	DIR *dir = open_list(s->fd, path);
	if (!dir)
		return errno == ENOMEM ? TRM_ENOMEM : 0;
	while (r == 0 && (item = readdir(dir)))
		r = load_entry(reader, dirfd(dir), space, item->d_name);
	closedir(dir);
	return r;
}

int store_load(struct store *store, const struct store_reader *reader, struct trm_error *reterr)
{
	struct dirent *item;
	int r = 0;
	DIR *dir = open_list(store->fd, ".");
	if (!dir)
		return trm_error_set_errno(reterr, errno, "%s", store->path);
	while (r == 0 && (item = readdir(dir)))
		if (rpc_name_check("Namespace", item->d_name, NULL) == 0)
			r = load_space(store, reader, item->d_name);
	closedir(dir);
	return r < 0 ? trm_error_set(reterr, r, "out of memory") : 0;
}
