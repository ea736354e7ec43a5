/* SPDX-License-Identifier: MIT */
#include "stream/lost_files.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <terrarium/terrarium.h>

enum { LISTED_MAX = 10000, SHOWN_BYTES = 40 };

/* What tools put there by the way. */
static const char *const IDLE[] = {"__pycache__", "node_modules", "package.json", "package-lock.json"};

static bool is_idle(const char *name)
{
	for (size_t i = 0; i < sizeof IDLE / sizeof *IDLE; i++)
		if (!strcmp(name, IDLE[i]))
			return true;
	return *name == '.';
}

/* Does the path lie in a part of this machine that the sandbox was given? */
static bool is_mounted(const struct trm_sandbox *sandbox, const char *path)
{
	const struct trm_mount *mounts;
	for (size_t i = 0, n = trm_sandbox_mounts(sandbox, &mounts); i < n; i++) {
		size_t len = strlen(mounts[i].guest);
		if (!strncmp(path, mounts[i].guest, len) && (!path[len] || path[len] == '/'))
			return true;
	}
	return false;
}

/* The file came with the folder, and was not changed. A copy keeps the time. */
static bool was_given(const struct lost_files *lost, const struct trm_file *file)
{
	char path[PATH_MAX];
	struct stat st;
	if (!lost->dir || snprintf(path, sizeof path, "%s/%s", lost->dir, file->name) >= PATH_MAX
			|| lstat(path, &st) < 0)
		return false;
	return file->kind != TRM_FILE_REGULAR
	       || (S_ISREG(st.st_mode) && (uint64_t)st.st_size == file->size
			       && st.st_mtim.tv_sec == file->mtime_s
			       && st.st_mtim.tv_nsec == (long)file->mtime_ns);
}

static void add_name(struct lost_files *lost, const struct trm_file *file)
{
	char name[SHOWN_BYTES];
	size_t n = strlen(lost->names);
	trm_text_clean_line(name, sizeof name, file->name, strlen(file->name));
	int added = snprintf(lost->names + n, sizeof lost->names - n, "%s%s%s", n ? ", " : "", name,
			file->kind == TRM_FILE_DIR ? "/" : "");
	if ((size_t)added >= sizeof lost->names - n - sizeof ", …")
		lost->names[n] = '\0';
}

static void add_source(struct lost_files *lost, const char *path)
{
	char **grown = realloc(lost->sources, (lost->n_sources + 2) * sizeof *grown);
	if (!grown)
		return;
	lost->sources = grown;
	if (asprintf(&grown[lost->n_sources], ":%s", path) < 0)
		grown[lost->n_sources] = NULL;
	else
		grown[++lost->n_sources] = NULL;
}

static void on_file(void *user, const struct trm_file *file)
{
	struct lost_files *lost = user;
	char path[PATH_MAX];
	bool is_new = !was_given(lost, file);
	if ((size_t)snprintf(path, sizeof path, "%s/%s", trm_sandbox_workdir(lost->sandbox), file->name)
			>= sizeof path)
		return;
	if (is_idle(file->name) || is_mounted(lost->sandbox, path) || (!is_new && file->kind != TRM_FILE_DIR))
		return;
	add_source(lost, path);
	if (is_new && lost->count++ < 3)
		add_name(lost, file);
}

static void on_listed(void *user, const struct trm_error *why)
{
	struct lost_files *lost = user;
	(void)why;
	lost->looked(lost->user);
}

void lost_files_finish(struct lost_files *lost)
{
	for (size_t i = 0; i < lost->n_sources; i++)
		free(lost->sources[i]);
	free(lost->sources);
	lost->sources = NULL;
	lost->n_sources = 0;
}

void lost_files_look(struct lost_files *lost, struct trm_sandbox *sandbox)
{
	static const struct trm_list_cb cb = {.file = on_file, .done = on_listed};
	lost_files_finish(lost);
	lost->sandbox = sandbox;
	lost->count = 0;
	lost->names[0] = '\0';
	if (trm_file_list(sandbox, trm_sandbox_workdir(sandbox), LISTED_MAX, &cb, lost, NULL) < 0)
		lost->looked(lost->user);
}

void lost_files_describe(const struct lost_files *lost, char *out, size_t cap)
{
	snprintf(out, cap, "%zu file%s that %s written in the sandbox (%s%s) %s gone with it", lost->count,
			lost->count == 1 ? "" : "s", lost->count == 1 ? "was" : "were", lost->names,
			lost->count > 3 ? ", …" : "", lost->count == 1 ? "is" : "are");
}
