/* SPDX-License-Identifier: MIT */
#include <cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/lang.h>

#include "base/err.h"
#include "server/sandboxes/fleet_internal.h"
#include "server/sandboxes/launch.h"
#include "server/sandboxes/store.h"

enum { SCRIPT_NAME_MAX = 64, SCRIPT_MODE = 0755 };

static bool is_name(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-+";
	size_t n = strlen(name);
	return n && n <= SCRIPT_NAME_MAX && strspn(name, letters) == n && name[0] != '.' && name[0] != '-';
}

/* Remove the scripts of the previous start. There are no directories among them. */
static void clear(int dir_fd)
{
	struct dirent *item;
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	while (dir && (item = readdir(dir)))
		unlinkat(dir_fd, item->d_name, 0);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

static int write_one(
		int dir_fd, const char *name, const char *text, const char *shell, struct trm_error *reterr)
{
	bool has_line = strncmp(text, "#!", 2) == 0;
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, SCRIPT_MODE);
	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "the script '%s' cannot be written", name);
	bool is_ok = (has_line || dprintf(fd, "#!%s\n", shell) > 0) && dprintf(fd, "%s\n", text) > 0
		     && fchmod(fd, SCRIPT_MODE) == 0;
	int saved = errno;
	if (close(fd) == 0 && is_ok)
		return 0;
	return trm_error_set_errno(reterr, saved, "the script '%s' cannot be written", name);
}

static int write_all(int dir_fd, const cJSON *scripts, const char *shell, struct trm_error *reterr)
{
	const cJSON *script;
	int r = 0;
	clear(dir_fd);
	cJSON_ArrayForEach(script, scripts)
	{
		if (r == 0 && !is_name(script->string))
			r = trm_error_set(reterr, TRM_EINVAL,
					"'%.40s' is not a valid script name: use 1 to %d letters, digits, dots, '_', '-' and '+'",
					script->string, SCRIPT_NAME_MAX);
		if (r == 0)
			r = write_one(dir_fd, script->string, script->valuestring, shell, reterr);
	}
	return r;
}

int script_write(struct served *served, const char *shell, char *out, size_t cap, struct trm_error *reterr)
{
	struct store *store = served->fleet->store;
	const char *space = served->space->name;
	const cJSON *scripts = cJSON_GetObjectItemCaseSensitive(served->config, "scripts");
	*out = '\0';
	if (!cJSON_IsObject(scripts) || !scripts->child)
		return 0;
	int r = store_make_space(store, space, reterr);
	if (r < 0 || (r = store_make_part(store, space, STORE_SCRIPTS, reterr)) < 0)
		return r;
	if (!store_path(store, space, STORE_SCRIPTS, served->name, "", out, cap))
		return trm_error_set(reterr, TRM_EINVAL, "the path of the namespace directory is too long");
	if (mkdir(out, SCRIPT_MODE) < 0 && errno != EEXIST)
		return trm_error_set_errno(reterr, errno, "%s cannot be made", out);
	int fd = open(out, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "%s cannot be opened", out);
	fchmod(fd, SCRIPT_MODE); /* whatever the umask is, because the sandbox's user must read it */
	r = write_all(fd, scripts, shell, reterr);
	close(fd);
	return r;
}

/* ---- names of interpreters ------------------------------------------------------------------- */

static bool is_in_path(const char *name)
{
	static const char *const DIRS[] = {"/usr/local/bin", "/usr/bin", "/bin"};
	char path[64];
	for (size_t i = 0; i < sizeof DIRS / sizeof *DIRS; i++) {
		snprintf(path, sizeof path, "%s/%s", DIRS[i], name);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

int script_link_all(const struct store *store, char *out, size_t cap, struct trm_error *reterr)
{
	static const char *const NAMES[] = {"python", "node"};
	bool has_any = false;
	if (!store_space_path(store, ".bin", out, cap))
		return trm_error_set(reterr, TRM_EINVAL, "the path of the namespace directory is too long");
	for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
		char path[PATH_MAX + 16];
		const struct trm_lang *lang;
		int r = trm_lang_find(NAMES[i], &lang, reterr);
		if (r < 0)
			return r;
		if (is_in_path(NAMES[i]))
			continue;
		if (mkdir(out, SCRIPT_MODE) < 0 && errno != EEXIST)
			return trm_error_set_errno(reterr, errno, "%s cannot be made", out);
		chmod(out, SCRIPT_MODE); /* whatever the umask is, because the sandboxes' users must read it
					  */
		snprintf(path, sizeof path, "%s/%s", out, NAMES[i]);
		if ((unlink(path) < 0 && errno != ENOENT) || symlink(lang->interpreter, path) < 0)
			return trm_error_set_errno(reterr, errno, "%s cannot be made", path);
		has_any = true;
	}
	if (!has_any)
		*out = '\0';
	return 0;
}
