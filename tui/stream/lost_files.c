/* SPDX-License-Identifier: MIT */
#include "stream/lost_files.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

enum { LISTED_MAX = 200000, LISTED_BYTES = 64 << 20, SHOWN_BYTES = 40, SHOWN = 3 };

struct seen_item {
	char *path;
	enum trm_file_kind kind;
	uint64_t size;
	int64_t mtime_s;
	uint32_t mtime_ns;
};

/* ---- before ------------------------------------------------------------------------------------ */

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct seen_item *)a)->path, ((const struct seen_item *)b)->path);
}

static void forget_before(struct lost_files *lost)
{
	for (size_t i = 0; i < lost->n_before; i++)
		free(lost->before[i].path);
	free(lost->before);
	lost->before = NULL;
	lost->n_before = lost->cap_before = lost->bytes_before = 0;
}

/* What does not fit is counted, and told at the end. */
static void on_file_before(void *user, const struct trm_file *file)
{
	struct lost_files *lost = user;
	size_t bytes = strlen(file->name) + 1;
	lost->bytes_before += bytes;
	if (lost->bytes_before > LISTED_BYTES)
		return;
	if (lost->n_before == lost->cap_before) {
		size_t cap = lost->cap_before ? 2 * lost->cap_before : 64;
		struct seen_item *grown = realloc(lost->before, cap * sizeof *grown);
		if (!grown) {
			lost->bytes_before = LISTED_BYTES + 1;
			return;
		}
		lost->before = grown;
		lost->cap_before = cap;
	}
	char *path = strdup(file->name);
	if (path)
		lost->before[lost->n_before++] = (struct seen_item){
				path, file->kind, file->size, file->mtime_s, file->mtime_ns};
	else
		lost->bytes_before = LISTED_BYTES + 1;
}

static void on_listed_before(void *user, const struct trm_error *why)
{
	struct lost_files *lost = user;
	struct trm_error said = *why;
	if (said.code == TRM_ENOENT) /* no folder yet */
		said.code = TRM_OK;
	if (said.code == TRM_OK && lost->bytes_before > LISTED_BYTES)
		trm_error_set(&said, TRM_ETOOBIG, "there is no memory for the names of the files there");
	lost->is_known = said.code == TRM_OK;
	if (lost->n_before)
		qsort(lost->before, lost->n_before, sizeof *lost->before, compare_paths);
	if (lost->begun)
		lost->begun(lost->user, &said);
}

static const char *folder_of(const struct lost_files *lost)
{
	return lost->folder ? lost->folder : ".";
}

/* Does the path lie in a part of this machine that the sandbox was given? */
static bool is_mounted(const struct lost_files *lost, const char *name)
{
	char path[PATH_MAX];
	const char *folder = folder_of(lost), *top = trm_sandbox_workdir(lost->sandbox);
	const struct trm_mount *mounts;
	if (snprintf(path, sizeof path, "%s%s%s", *folder == '/' ? folder : top, *name ? "/" : "", name)
			>= PATH_MAX)
		return false;
	for (size_t i = 0, n = trm_sandbox_mounts(lost->sandbox, &mounts); i < n; i++) {
		size_t len = strlen(mounts[i].guest);
		if (!strncmp(path, mounts[i].guest, len) && (!path[len] || path[len] == '/'))
			return true;
	}
	return false;
}

int lost_files_begin(struct lost_files *lost, struct trm_sandbox *sandbox, struct trm_error *reterr)
{
	static const struct trm_list_cb cb = {.file = on_file_before, .done = on_listed_before};
	forget_before(lost);
	lost->sandbox = sandbox;
	if (is_mounted(lost, ""))
		return trm_error_set(
				reterr, TRM_EINVAL, "it lies in a folder of this machine, which was mounted");
	return trm_file_list_tree(sandbox, folder_of(lost), LISTED_MAX, &cb, lost, reterr);
}

void lost_files_finish(struct lost_files *lost)
{
	forget_before(lost);
	free(lost->new_folder);
	lost->new_folder = NULL;
	free(lost->found.of);
	free(lost->named.of);
	lost->found = lost->named = (struct file_sums){0};
}

/* ---- after ------------------------------------------------------------------------------------- */

bool lost_files_is_mounted(const struct lost_files *lost)
{
	return is_mounted(lost, "");
}

/* Of what is neither file, folder nor link only the kind is known everywhere. */
static bool has_file_content(enum trm_file_kind kind)
{
	return kind == TRM_FILE_REGULAR || kind == TRM_FILE_LINK;
}

static bool is_same(const struct seen_item *old, const struct trm_file *file)
{
	return old->kind == file->kind
	       && (!has_file_content(file->kind)
			       || (old->size == file->size && old->mtime_s == file->mtime_s
					       && old->mtime_ns == file->mtime_ns));
}

bool lost_files_is_new(const struct lost_files *lost, const struct trm_file *file)
{
	const struct seen_item key = {.path = (char *)file->name};
	const struct seen_item *old = lost->n_before ? bsearch(&key, lost->before, lost->n_before,
						      sizeof *lost->before, compare_paths)
						     : NULL;
	return !(old && is_same(old, file)) && !is_mounted(lost, file->name)
	       && !(lost->is_ours && lost->is_ours(lost->user, file));
}

/* What tools put there by the way, and hidden files. */
static bool is_idle(const char *path)
{
	static const char *const NAMES[] = {
			"__pycache__", "node_modules", "package.json", "package-lock.json"};
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
			if (n == strlen(NAMES[i]) && !memcmp(path, NAMES[i], n))
				return true;
		if (*path == '.')
			return true;
	}
	return false;
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

static bool lies_in(const char *path, const char *folder)
{
	size_t n = folder ? strlen(folder) : 0;
	return n && !strncmp(path, folder, n) && path[n] == '/';
}

/* Of what is_same() compares, as FNV-1a. */
static uint64_t sum_file(const struct trm_file *file)
{
	bool has_content = has_file_content(file->kind);
	const uint64_t state[] = {(uint64_t)file->kind, has_content ? file->size : 0,
			has_content ? (uint64_t)file->mtime_s : 0, has_content ? file->mtime_ns : 0};
	uint64_t sum = 0xcbf29ce484222325u;
	for (const char *c = file->name; *c; c++)
		sum = (sum ^ (unsigned char)*c) * 0x100000001b3u;
	for (size_t i = 0; i < sizeof state / sizeof *state; i++)
		sum = (sum ^ state[i]) * 0x100000001b3u;
	return sum;
}

/* Without memory for it the files are named again. */
static void add_sum(struct file_sums *sums, uint64_t sum)
{
	if (sums->n == sums->cap) {
		size_t cap = sums->cap ? 2 * sums->cap : 64;
		uint64_t *grown = realloc(sums->of, cap * sizeof *grown);
		if (!grown)
			return;
		sums->of = grown;
		sums->cap = cap;
	}
	sums->of[sums->n++] = sum;
}

static int compare_sums(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

bool lost_files_has_news(const struct lost_files *lost)
{
	const struct file_sums *named = &lost->named;
	for (size_t i = 0; i < lost->found.n; i++)
		if (!named->n
				|| !bsearch(&lost->found.of[i], named->of, named->n, sizeof *named->of,
						compare_sums))
			return true;
	return false;
}

void lost_files_note_named(struct lost_files *lost)
{
	struct file_sums found = lost->found;
	if (found.n)
		qsort(found.of, found.n, sizeof *found.of, compare_sums);
	lost->found = lost->named;
	lost->named = found;
	lost->found.n = 0;
}

static void on_file_after(void *user, const struct trm_file *file)
{
	struct lost_files *lost = user;
	if (is_idle(file->name) || !lost_files_is_new(lost, file))
		return;
	add_sum(&lost->found, sum_file(file));
	if (lies_in(file->name, lost->new_folder))
		return;
	bool is_folder = file->kind == TRM_FILE_DIR;
	if (is_folder) {
		free(lost->new_folder);
		lost->new_folder = strdup(file->name);
	}
	lost->has_folders |= is_folder;
	lost->has_files |= !is_folder;
	if (lost->count++ < SHOWN)
		add_name(lost, file);
}

static void on_listed_after(void *user, const struct trm_error *why)
{
	struct lost_files *lost = user;
	(void)why; /* what was seen until then is lost, too */
	lost->looked(lost->user);
}

void lost_files_look(struct lost_files *lost)
{
	static const struct trm_list_cb cb = {.file = on_file_after, .done = on_listed_after};
	lost->count = lost->found.n = 0;
	lost->has_files = lost->has_folders = false;
	lost->names[0] = '\0';
	if (trm_file_list_tree(lost->sandbox, folder_of(lost), LISTED_MAX, &cb, lost, NULL) < 0)
		lost->looked(lost->user);
}

void lost_files_describe(const struct lost_files *lost, char *out, size_t cap)
{
	bool is_one = lost->count == 1;
	const char *what = lost->has_files && lost->has_folders ? "files and folders"
			   : lost->has_folders                  ? (is_one ? "folder" : "folders")
								: (is_one ? "file" : "files");
	snprintf(out, cap, "%zu %s that %s written in the sandbox (%s%s) %s gone with it", lost->count, what,
			is_one ? "was" : "were", lost->names, lost->count > SHOWN ? ", …" : "",
			is_one ? "is" : "are");
}
