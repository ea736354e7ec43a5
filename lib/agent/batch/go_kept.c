/* SPDX-License-Identifier: MIT */
/* The declarations and imports of a Go session: lists of them, and what stays of a piece that has run. */
#include "agent/batch/go_kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/batch/source_maker.h"

/* ---- life ---- */

static void go_entries_free(struct go_entry **entries, size_t *n)
{
	for (size_t i = 0; i < *n; i++) {
		buf_finish(&(*entries)[i].text);
		free((*entries)[i].names);
		free((*entries)[i].packages);
	}
	free(*entries);
	*entries = NULL;
	*n = 0;
}

static void go_imports_free(struct go_import **imports, size_t *n)
{
	for (size_t i = 0; i < *n; i++)
		free((*imports)[i].path);
	free(*imports);
	*imports = NULL;
	*n = 0;
}

void go_source_open(struct go_source *s, const char *folder, const char *ending)
{
	*s = (struct go_source){0};
	source_open(&s->files, folder, ending, false);
}

void go_source_reset(struct go_source *s)
{
	go_entries_free(&s->entries, &s->n_entries);
	go_imports_free(&s->imports, &s->n_imports);
	s->state = 0;
}

void go_source_close(struct go_source *s)
{
	go_source_reset(s);
	source_close(&s->files);
}

void go_piece_finish(struct go_piece *piece)
{
	go_entries_free(&piece->entries, &piece->n_entries);
	go_imports_free(&piece->imports, &piece->n_imports);
	buf_finish(&piece->text);
	*piece = (struct go_piece){0};
}

/* ---- entries ---- */

struct go_entry *go_entry_add(struct go_entry **entries, size_t *n, enum go_kind kind)
{
	struct go_entry *list = realloc(*entries, (*n + 1) * sizeof *list);
	if (!list)
		return NULL;
	*entries = list;
	struct go_entry *e = &list[(*n)++];
	*e = (struct go_entry){.kind = kind};
	buf_init(&e->text, SOURCE_MAX);
	return e;
}

void go_entry_name(struct go_entry *e, const char *name)
{
	char(*names)[GO_NAME_SIZE] = realloc(e->names, (e->n_names + 1) * sizeof *names);
	if (!names)
		return;
	e->names = names;
	snprintf(names[e->n_names++], GO_NAME_SIZE, "%s", name);
}

bool go_entries_have(const struct go_entry *entries, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < entries[i].n_names; k++)
			if (!strcmp(entries[i].names[k], name))
				return true;
	return false;
}

bool go_entry_is_replaced(const struct go_entry *e, const struct go_piece *piece)
{
	for (size_t i = 0; i < e->n_names; i++)
		if (strcmp(e->names[i], "_")
				&& go_entries_have(piece->entries, piece->n_entries, e->names[i]))
			return true;
	return false;
}

/* ---- imports ---- */

bool go_imports_have(const struct go_import *list, size_t n, const struct go_import *one)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, one->name)
				&& (!one->is_blank
						|| (list[i].path && one->path
								&& !strcmp(list[i].path, one->path))))
			return true;
	return false;
}

/* ---- declarations that stay after a run ---- */

static void keep_imports(struct go_source *s, struct go_piece *piece)
{
	struct go_import *list = realloc(s->imports, (s->n_imports + piece->n_imports + 1) * sizeof *list);
	if (!list)
		return;
	s->imports = list;
	for (size_t i = 0; i < piece->n_imports; i++) {
		for (size_t k = 0; k < s->n_imports; k++)
			if (go_imports_have(&s->imports[k], 1, &piece->imports[i])) {
				free(s->imports[k].path);
				s->imports[k] = s->imports[--s->n_imports];
				break;
			}
		s->imports[s->n_imports++] = piece->imports[i];
	}
	piece->n_imports = 0;
}

static void drop_entry(struct go_source *s, size_t i)
{
	struct go_entry *gone = &s->entries[i];
	size_t one = 1;
	struct go_entry *copy = malloc(sizeof *copy);
	if (!copy)
		return;
	*copy = *gone;
	memmove(gone, gone + 1, (--s->n_entries - i) * sizeof *gone);
	go_entries_free(&copy, &one);
}

static void keep_variable(struct go_source *s, const char *name, const char *type, const char *packages)
{
	struct go_entry *e = go_entry_add(&s->entries, &s->n_entries, GO_VAR);
	if (!e)
		return;
	go_entry_name(e, name);
	source_put(&e->text, "var %s ", name);
	buf_append(&e->text, type, strlen(type));
	source_put(&e->text, "\n");
	e->packages = *packages ? strdup(packages) : NULL;
}

bool go_source_keep(struct go_source *s, struct go_piece *piece, const struct buf *variables)
{
	struct go_entry *list = realloc(s->entries, (s->n_entries + piece->n_entries + 1) * sizeof *list);
	if (!list)
		return false;
	s->entries = list;
	for (size_t i = s->n_entries; i-- > 0;)
		if (go_entry_is_replaced(&s->entries[i], piece)
				|| (s->entries[i].kind == GO_VAR && !s->entries[i].is_literal))
			drop_entry(s, i);
	for (size_t i = 0; i < piece->n_entries; i++) {
		struct go_entry *e = &piece->entries[i];
		if (e->kind == GO_VAR && !e->is_literal)
			continue;
		s->entries[s->n_entries++] = *e;
		*e = (struct go_entry){0};
	}
	const char *at = buf_at(variables);
	while (at && *at) {
		const char *type = at + strlen(at) + 1, *packages = type + strlen(type) + 1;
		if (strncmp(at, "trmv_", 5) != 0)
			keep_variable(s, at, type, packages);
		at = packages + strlen(packages) + 1;
	}
	keep_imports(s, piece);
	s->state = piece->number;
	return true;
}

void go_source_names(const struct go_source *s, void (*tell)(void *user, const char *name, const char *kind),
		void *user)
{
	for (size_t i = 0; i < s->n_entries; i++)
		for (size_t k = 0; k < s->entries[i].n_names; k++)
			if (!strchr(s->entries[i].names[k], '.'))
				tell(user, s->entries[i].names[k],
						s->entries[i].kind == GO_FUNC   ? "function"
						: s->entries[i].kind == GO_TYPE ? "class"
										: "variable");
	for (size_t i = 0; i < s->n_imports; i++)
		tell(user, s->imports[i].name, "module");
}
