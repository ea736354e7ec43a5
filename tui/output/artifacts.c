/* SPDX-License-Identifier: MIT */
#include "output/artifacts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/mime.h"

void artifacts_finish(struct artifacts *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->all[i].bytes);
	free(a->all);
	memset(a, 0, sizeof *a);
}

static void drop_first(struct artifacts *a)
{
	a->bytes -= a->all[0].n;
	free(a->all[0].bytes);
	memmove(a->all, a->all + 1, --a->n * sizeof *a->all);
}

void artifacts_drop_last(struct artifacts *a)
{
	a->bytes -= a->all[--a->n].n;
	free(a->all[a->n].bytes);
}

static bool make_place(struct artifacts *a)
{
	if (a->n < a->cap)
		return true;
	size_t cap = a->cap ? a->cap * 2 : 16;
	struct artifact *all = realloc(a->all, cap * sizeof *all);
	if (!all)
		return false;
	a->all = all;
	a->cap = cap;
	return true;
}

bool artifacts_add(struct artifacts *a, const struct artifact *artifact)
{
	unsigned number = 1;

	while (a->n && (a->n >= ARTIFACTS_MAX || a->bytes + artifact->n > ARTIFACTS_BYTES))
		drop_first(a);
	if (artifact->n > ARTIFACTS_BYTES || !make_place(a)) {
		free(artifact->bytes);
		return false;
	}
	for (size_t i = 0; i < a->n; i++)
		number += a->all[i].run == artifact->run;
	a->all[a->n] = *artifact;
	a->all[a->n].number = number;
	a->all[a->n].id = ARTIFACT_ID + ++a->last_id;
	a->bytes += artifact->n;
	a->n++;
	return true;
}

/* ---- both kinds as rows ---- */

static const char *source_words(bool is_collected)
{
	return is_collected ? "collected" : "shown";
}

/* The last part of a collected file's path, without what has no place in a name. */
static void name_of_title(const char *title, char *out, size_t cap)
{
	const char *slash = strrchr(title, '/');

	snprintf(out, cap, "%s", slash ? slash + 1 : title);
}

static struct artifact_row row_of_figure(const struct figure *fig)
{
	struct artifact_row row = {.id = fig->id,
			.run = fig->run,
			.mime = fig->info.type ? image_mime(fig->info.type) : fig->mime,
			.source = source_words(fig->is_collected),
			.bytes = fig->bytes,
			.n = fig->n,
			.width = fig->info.width,
			.height = fig->info.height};
	char name[64];

	if (fig->is_collected && fig->title[0]) {
		name_of_title(fig->title, row.name, sizeof row.name);
		return row;
	}
	figure_file_name(fig, fig->run, name);
	snprintf(row.name, sizeof row.name, "%s", name);
	return row;
}

static struct artifact_row row_of_other(const struct artifact *one)
{
	struct artifact_row row = {.id = one->id,
			.run = one->run,
			.mime = one->mime,
			.source = source_words(one->is_collected),
			.bytes = one->bytes,
			.n = one->n};

	if (one->is_collected && one->title[0])
		name_of_title(one->title, row.name, sizeof row.name);
	if (!row.name[0] || row.name[0] == '.')
		snprintf(row.name, sizeof row.name, "out-%u-%u.%s", one->run, one->number,
				mime_suffix(one->mime));
	return row;
}

size_t artifacts_count(const struct artifacts *a, const struct figures *f)
{
	return a->n + f->n;
}

struct artifact_row artifacts_row(const struct artifacts *a, const struct figures *f, size_t i)
{
	size_t one = 0, fig = 0;

	for (;; i--) {
		bool is_other = one < a->n && (fig == f->n || a->all[one].after < f->all[fig].id);
		if (i == 0)
			return is_other ? row_of_other(&a->all[one]) : row_of_figure(&f->all[fig]);
		one += is_other;
		fig += !is_other;
	}
}

bool artifacts_find(const struct artifacts *a, const struct figures *f, uint32_t id, struct artifact_row *ret)
{
	const struct figure *fig = id < ARTIFACT_ID ? figures_find(f, id) : NULL;

	if (fig)
		*ret = row_of_figure(fig);
	for (size_t i = 0; id >= ARTIFACT_ID && i < a->n; i++)
		if (a->all[i].id == id) {
			*ret = row_of_other(&a->all[i]);
			return true;
		}
	return fig;
}
