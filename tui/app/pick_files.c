/* SPDX-License-Identifier: MIT */
/* Files for the file picker: recent files, which a file of the state folder lists, and the files in and
 * below the current folder. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "model/file_picker.h"
#include "state/dir.h"

#define RECENT_NAME "files"
enum { RECENT_MAX = 50, RECENT_BYTES = 256 * 1024, DEPTH_MAX = 8 };
#define WALK_NS 100000000u /* the person waits for the list */

struct path_list {
	char **paths;
	size_t n;
};

static void add_path(struct path_list *l, const char *path)
{
	char *copy = l->n < FILE_PICKER_MAX ? strdup(path) : NULL;

	if (copy)
		l->paths[l->n++] = copy;
}

static bool has_path(const struct path_list *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->paths[i], path) == 0)
			return true;
	return false;
}

static void list_finish(struct path_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->paths[i]);
	free(l->paths);
}

/* ---- recent files ---- */

/* Read the list: absolute paths, one per line, the last opened file first. */
static char *read_recent(void)
{
	char path[STATE_PATH];
	size_t n;

	return state_path(RECENT_NAME, path) ? state_read(path, RECENT_BYTES, &n) : NULL;
}

void app_note_file(const char *file)
{
	char absolute[PATH_MAX], path[STATE_PATH], *bytes = NULL, *old = read_recent(), *save = NULL;
	size_t n = 0, count = 1;
	FILE *f = realpath(file, absolute) && !strchr(absolute, '\n') ? open_memstream(&bytes, &n) : NULL;

	if (!f) {
		free(old);
		return;
	}
	fprintf(f, "%s\n", absolute);
	for (char *line = old ? strtok_r(old, "\n", &save) : NULL; line && count < RECENT_MAX;
			line = strtok_r(NULL, "\n", &save))
		if (strcmp(line, absolute) != 0) {
			fprintf(f, "%s\n", line);
			count++;
		}
	if (fclose(f) == 0 && state_path("", path) && state_make_dir(path) == 0
			&& state_path(RECENT_NAME, path))
		state_write(path, bytes, n); /* an error means that the file is not in the list */
	free(bytes);
	free(old);
}

/* The path relative to the current folder, as a person would type it. */
static const char *relative(const char *path)
{
	char here[PATH_MAX];
	size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;

	return n > 1 && strncmp(path, here, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

static void add_recent(struct path_list *l)
{
	char *text = read_recent(), *save = NULL;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save))
		if (access(line, R_OK) == 0)
			add_path(l, relative(line));
	free(text);
}

/* ---- files of the folder ---- */

static bool is_skipped(const char *name)
{
	static const char *const names[] = {"node_modules", "__pycache__", "target", "venv"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return name[0] == '.' || strchr(name, '\n');
}

static int compare_file_names(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name); /* 9 before 10 */
}

/* List files first, then folders. Links to folders are not followed. */
static void walk_folder(
		struct path_list *l, size_t n_recent, const char *folder, int depth, uint64_t until_ns)
{
	struct dirent **entries;
	int n = scandir(*folder ? folder : ".", &entries, NULL, compare_file_names);

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < n; i++) {
			char path[PATH_MAX];
			struct stat st;
			const struct path_list recent = {.paths = l->paths, .n = n_recent};
			if (is_skipped(entries[i]->d_name) || app_clock_ns() > until_ns
					|| snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "",
							   entries[i]->d_name)
							   >= (int)sizeof path
					|| lstat(path, &st) < 0)
				continue;
			if (pass == 0 && S_ISREG(st.st_mode) && !has_path(&recent, path))
				add_path(l, path);
			else if (pass == 1 && S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
				walk_folder(l, n_recent, path, depth + 1, until_ns);
		}
	}
	for (int i = 0; i < n; i++)
		free(entries[i]);
	if (n >= 0)
		free(entries);
}

void app_pick_files(struct app *a)
{
	struct path_list l = {.paths = calloc(FILE_PICKER_MAX, sizeof *l.paths)};
	char *bytes = NULL;
	size_t n = 0;
	FILE *f = l.paths ? open_memstream(&bytes, &n) : NULL;

	if (!f) {
		list_finish(&l);
		return;
	}
	add_recent(&l);
	size_t n_recent = l.n;
	walk_folder(&l, n_recent, "", 0, app_clock_ns() + WALK_NS);
	for (size_t i = 0; i < l.n; i++)
		fwrite(l.paths[i], 1, strlen(l.paths[i]) + 1, f);
	if (fclose(f) == 0)
		app_send(a, &(struct msg){.type = MSG_PICK_FILES,
					    .picks.paths = bytes,
					    .picks.len = n,
					    .picks.n_recent = n_recent});
	free(bytes);
	list_finish(&l);
}
