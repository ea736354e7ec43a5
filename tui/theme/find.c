/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "theme/theme.h"
#include <terrarium/error.h>

#define MAX_DIRS 6
#define MAX_PARENTS 8
#define MAX_THEMES 500

struct dirs {
	char path[MAX_DIRS][900];
	int n;
};

__attribute__((format(printf, 2, 3))) static void add_dir(struct dirs *d, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(d->path[d->n], sizeof(d->path[0]), fmt, args);
	va_end(args);
	if (n > 0 && (size_t)n < sizeof(d->path[0]))
		d->n++;
}

bool theme_own_dir(char *out, size_t cap)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = 0;
	if (config && *config == '/')
		n = snprintf(out, cap, "%s/terrarium/themes", config);
	else if (home && *home)
		n = snprintf(out, cap, "%s/.config/terrarium/themes", home);
	return n > 0 && (size_t)n < cap;
}

/* The folders of themes, the preferred ones first. */
static void find_dirs(struct dirs *d)
{
	const char *data = getenv("TERRARIUM_DATA");
	char exe[800];
	/* cppcheck-suppress uninitvar; it is written there */
	d->n = theme_own_dir(d->path[0], sizeof(d->path[0]));
	if (data && *data)
		add_dir(d, "%s/themes", data);
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n > 0) {
		exe[n] = '\0';
		char *slash = strrchr(exe, '/');
		*slash = '\0';
		add_dir(d, "%s/themes", exe); /* a link in the build folder */
		add_dir(d, "%s/../share/terrarium/themes", exe);
		add_dir(d, "%s/../../share/terrarium/themes", exe); /* for a program in libexec/terrarium */
	}
	add_dir(d, "%s/themes", TERRARIUM_DATA_DIR);
}

struct parents {
	int depth;
	const struct theme_faults *faults; /* NULL: do not skip any */
};

static int load_named(const char *name, struct theme *ret, struct trm_error *reterr, void *user);

/* Read at most THEME_MAX_BYTES plus one byte from a file. */
static char *read_file(int fd, size_t *ret_len)
{
	char *bytes = malloc(THEME_MAX_BYTES + 1);
	size_t len = 0;
	while (bytes && len <= THEME_MAX_BYTES) {
		ssize_t n = read(fd, bytes + len, THEME_MAX_BYTES + 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			free(bytes);
			return NULL;
		}
		if (n == 0)
			break;
		len += (size_t)n;
	}
	*ret_len = len;
	return bytes;
}

static int fail_open(const char *path, int error, struct trm_error *reterr)
{
	char to[200];
	ssize_t n = error == ENOENT ? readlink(path, to, sizeof to) : -1;
	if (n < 0)
		return trm_error_set_errno(reterr, error, "cannot open the theme %s", path);
	return trm_error_set(reterr, TRM_ENOENT,
			"the theme %s is a link that leads nowhere: there is no %.*s", path, (int)n, to);
}

static int load_file(const char *path, struct theme *ret, struct parents *parents, struct trm_error *reterr)
{
	struct stat st;
	size_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fail_open(path, errno, reterr);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return trm_error_set(reterr, TRM_EINVAL, "the theme %s is not a regular file", path);
	}
	char *json = read_file(fd, &n);
	int saved = errno;
	close(fd);
	if (!json)
		return trm_error_set_errno(reterr, saved, "cannot read the theme %s", path);
	int r = theme_parse_most(json, n, path, load_named, parents, parents->faults, ret, reterr);
	free(json);
	if (r < 0)
		return r;
	snprintf(ret->path, sizeof(ret->path), "%s", path);
	return 0;
}

static int fail_unknown(const char *name, struct trm_error *reterr)
{
	struct theme_list list;
	char known[300] = "";
	size_t len = 0;
	if (theme_list_init(&list) == 0) {
		for (size_t i = 0; i < list.n && len + 70 < sizeof(known); i++)
			len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
					list.names[i]);
		theme_list_finish(&list);
	}
	return trm_error_set(reterr, TRM_ENOENT, "there is no theme \"%s\"; there are %s", name, known);
}

static int load_named(const char *name, struct theme *ret, struct trm_error *reterr, void *user)
{
	struct parents *parents = user;
	struct dirs dirs;
	if (++parents->depth > MAX_PARENTS)
		return trm_error_set(reterr, TRM_EINVAL, "themes inherit from each other in a circle");
	find_dirs(&dirs);
	char path[1024], link[1024] = ""; /* a link that leads nowhere does not hide other files */
	struct stat st;
	for (int i = 0; i < dirs.n && !strchr(name, '/'); i++) {
		int n = snprintf(path, sizeof(path), "%s/%s.json", dirs.path[i], name);
		if (n > 0 && (size_t)n < sizeof(path) && access(path, F_OK) == 0)
			return load_file(path, ret, parents, reterr);
		if (n > 0 && (size_t)n < sizeof(path) && !*link && lstat(path, &st) == 0)
			memcpy(link, path, sizeof(link));
	}
	if (theme_builtin(name, ret, NULL) == 0)
		return 0;
	return *link ? load_file(link, ret, parents, reterr) : fail_unknown(name, reterr);
}

int theme_load_most(const char *name, const struct theme_faults *faults, struct theme *ret,
		struct trm_error *reterr)
{
	struct parents parents = {.faults = faults};
	size_t n = strlen(name);
	if (strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".json") == 0))
		return load_file(name, ret, &parents, reterr);
	return load_named(name, ret, reterr, &parents);
}

int theme_load(const char *name, struct theme *ret, struct trm_error *reterr)
{
	return theme_load_most(name, NULL, ret, reterr);
}

/* ---- list ---- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int list_add(struct theme_list *list, const char *name, size_t len)
{
	if (len == 0 || len >= sizeof(list->names[0]) || list->n >= MAX_THEMES)
		return 0;
	void *bigger = realloc(list->names, (list->n + 1) * sizeof(list->names[0]));
	if (!bigger)
		return TRM_ENOMEM;
	list->names = bigger;
	snprintf(list->names[list->n++], sizeof(list->names[0]), "%.*s", (int)len, name);
	return 0;
}

static int list_add_dir(struct theme_list *list, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int r = 0;
	while (dir && r == 0 && (entry = readdir(dir))) {
		size_t n = strlen(entry->d_name);
		if (n > 5 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 5, ".json") == 0)
			r = list_add(list, entry->d_name, n - 5);
	}
	if (dir)
		closedir(dir);
	return r;
}

int theme_list_init(struct theme_list *list)
{
	struct dirs dirs;
	size_t kept = 0;
	*list = (struct theme_list){0};
	int r = list_add(list, "dark", 4);
	if (r == 0)
		r = list_add(list, "mono", 4);
	find_dirs(&dirs);
	for (int i = 0; i < dirs.n && r == 0; i++)
		r = list_add_dir(list, dirs.path[i]);
	if (r < 0) {
		theme_list_finish(list);
		return r;
	}
	qsort(list->names, list->n, sizeof(list->names[0]), compare_names);
	for (size_t i = 0; i < list->n; i++)
		if (kept == 0 || strcmp(list->names[kept - 1], list->names[i]) != 0)
			memmove(list->names[kept++], list->names[i], sizeof(list->names[0]));
	list->n = kept;
	return 0;
}

void theme_list_finish(struct theme_list *list)
{
	free(list->names);
	*list = (struct theme_list){0};
}
