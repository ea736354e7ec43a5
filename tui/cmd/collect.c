/* SPDX-License-Identifier: MIT */
#include "cmd/collect.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"

enum { LISTED_MAX = 10000, COLLECTED_MAX = 1000, FILE_MAX = 16 << 20, TOGETHER_MAX = 64 << 20 };

struct seen_file {
	char *name;
	uint64_t size;
	int64_t mtime_s;
	uint32_t mtime_ns;
};

struct seen_list {
	struct seen_file *files;
	size_t n;
};

struct collect {
	char *globs; /* patterns, separated by NULs instead of commas */
	size_t n_globs;
	const struct collect_cb *cb;
	void *user;
	struct trm_sandbox *sandbox;
	struct seen_list before, after;
	struct seen_list *listing; /* list that is being filled */
	size_t next;               /* index into `after` of the next file to fetch */
	uint8_t *bytes;            /* content of the file that is being fetched */
	size_t n_bytes, n_together;
	struct trm_display *displays;
	size_t n_displays;
};

int collect_check(const char *globs)
{
	if (strchr(globs, '/'))
		return cmd_fail("--collect '%s': patterns are names in the working directory, without '/'",
				globs);
	if (!*globs || *globs == ',' || globs[strlen(globs) - 1] == ',' || strstr(globs, ",,"))
		return cmd_fail("--collect '%s': a pattern is empty", globs);
	return CMD_OK;
}

struct collect *collect_create(const char *globs, const struct collect_cb *cb, void *user)
{
	struct collect *c = calloc(1, sizeof *c);
	if (!c || !(c->globs = strdup(globs))) {
		free(c);
		return NULL;
	}
	c->cb = cb;
	c->user = user;
	c->n_globs = 1;
	for (char *at = c->globs; *at; at++)
		if (*at == ',') {
			*at = '\0';
			c->n_globs++;
		}
	return c;
}

static void empty_list(struct seen_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->files[i].name);
	free(list->files);
	*list = (struct seen_list){0};
}

static void drop_displays(struct collect *c)
{
	for (size_t i = 0; i < c->n_displays; i++) {
		free(c->displays[i].mime);
		free(c->displays[i].data);
		free(c->displays[i].title);
	}
	free(c->displays);
	c->displays = NULL;
	c->n_displays = 0;
}

void collect_destroy(struct collect *c)
{
	if (!c)
		return;
	empty_list(&c->before);
	empty_list(&c->after);
	drop_displays(c);
	free(c->bytes);
	free(c->globs);
	free(c);
}

static void note_left_out(const struct collect *c, const char *name, const char *why)
{
	char clean[200], text[400];
	trm_text_clean_line(clean, sizeof clean, name, strlen(name));
	snprintf(text, sizeof text, "%s is not collected: %s", clean, why);
	c->cb->note(c->user, text);
}

/* ---- listing ------------------------------------------------------------------------------------ */

static bool matches(const struct collect *c, const char *name)
{
	const char *glob = c->globs;
	for (size_t i = 0; i < c->n_globs; i++, glob += strlen(glob) + 1)
		if (fnmatch(glob, name, FNM_PERIOD) == 0)
			return true;
	return false;
}

static void on_listed_file(void *user, const struct trm_file *file)
{
	struct collect *c = user;
	struct seen_list *list = c->listing;
	if (file->kind != TRM_FILE_REGULAR || !matches(c, file->name))
		return;
	struct seen_file *grown = realloc(list->files, (list->n + 1) * sizeof *grown);
	if (!grown)
		return;
	list->files = grown;
	char *name = strdup(file->name);
	if (name)
		grown[list->n++] = (struct seen_file){name, file->size, file->mtime_s, file->mtime_ns};
}

static void on_listed_before(void *user, const struct trm_error *why)
{
	struct collect *c = user;
	(void)why;
	c->cb->listed(c->user);
}

void collect_begin(struct collect *c, struct trm_sandbox *sandbox)
{
	static const struct trm_list_cb cb = {.file = on_listed_file, .done = on_listed_before};
	empty_list(&c->before);
	c->listing = &c->before;
	if (trm_file_list(sandbox, ".", LISTED_MAX, &cb, c, NULL) < 0)
		c->cb->listed(c->user);
}

/* ---- fetching ------------------------------------------------------------------------------------- */

static void fetch_next(struct collect *c);

static bool is_new(const struct collect *c, const struct seen_file *file)
{
	for (size_t i = 0; i < c->before.n; i++) {
		const struct seen_file *old = &c->before.files[i];
		if (!strcmp(old->name, file->name))
			return old->size != file->size || old->mtime_s != file->mtime_s
			       || old->mtime_ns != file->mtime_ns;
	}
	return true;
}

static void on_fetched_bytes(void *user, const void *bytes, size_t n)
{
	struct collect *c = user;
	if (n > FILE_MAX - c->n_bytes)
		return;
	uint8_t *grown = realloc(c->bytes, c->n_bytes + n + 1);
	if (!grown)
		return;
	c->bytes = grown;
	memcpy(grown + c->n_bytes, bytes, n);
	c->n_bytes += n;
}

static void keep_fetched(struct collect *c, const char *name)
{
	struct trm_display *grown = realloc(c->displays, (c->n_displays + 1) * sizeof *grown);
	if (!grown)
		return;
	c->displays = grown;
	if (trm_display_of_file(name, c->bytes, c->n_bytes, &grown[c->n_displays]) == 0)
		c->n_displays++;
	c->n_together += c->n_bytes;
}

static void on_fetched(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct collect *c = user;
	const char *name = c->after.files[c->next - 1].name;
	(void)mode;
	if (why->code < 0)
		note_left_out(c, name, why->msg);
	else if (size != c->n_bytes)
		note_left_out(c, name, "out of memory");
	else
		keep_fetched(c, name);
	fetch_next(c);
}

/* Why a file is not fetched. NULL: it is fetched. */
static const char *why_not(const struct collect *c, const struct seen_file *file)
{
	return file->size > FILE_MAX                       ? "it has more than 16 MiB"
	       : file->size > TOGETHER_MAX - c->n_together ? "together these files have more than 64 MiB"
	       : c->n_displays == COLLECTED_MAX            ? "there are more than 1000 of these files"
							   : NULL;
}

static void fetch_next(struct collect *c)
{
	static const struct trm_transfer_cb cb = {.data = on_fetched_bytes, .done = on_fetched};
	while (c->next < c->after.n) {
		const struct seen_file *file = &c->after.files[c->next++];
		const char *reason = is_new(c, file) ? why_not(c, file) : NULL;
		if (reason)
			note_left_out(c, file->name, reason);
		if (reason || !is_new(c, file))
			continue;
		c->n_bytes = 0;
		char path[512];
		/* "./" makes any file name a path in the working directory. */
		if ((size_t)snprintf(path, sizeof path, "./%s", file->name) < sizeof path
				&& trm_file_get(c->sandbox, path, FILE_MAX, &cb, c, NULL) == 0)
			return;
		note_left_out(c, file->name, "it cannot be read");
	}
	struct trm_display *displays = c->displays;
	size_t n = c->n_displays;
	c->displays = NULL;
	c->n_displays = 0;
	c->cb->collected(c->user, displays, n);
}

static int compare_seen_names(const void *a, const void *b)
{
	return strcmp(((const struct seen_file *)a)->name, ((const struct seen_file *)b)->name);
}

static void on_listed_after(void *user, const struct trm_error *why)
{
	struct collect *c = user;
	if (why->code < 0)
		note_left_out(c, "the working directory", why->msg);
	if (c->after.n)
		qsort(c->after.files, c->after.n, sizeof *c->after.files, compare_seen_names);
	fetch_next(c);
}

void collect_end(struct collect *c, struct trm_sandbox *sandbox)
{
	static const struct trm_list_cb cb = {.file = on_listed_file, .done = on_listed_after};
	empty_list(&c->after);
	c->listing = &c->after;
	c->sandbox = sandbox;
	c->next = c->n_together = 0;
	if (trm_file_list(sandbox, ".", LISTED_MAX, &cb, c, NULL) < 0)
		c->cb->collected(c->user, NULL, 0);
}
