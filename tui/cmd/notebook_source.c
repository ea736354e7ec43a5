/* SPDX-License-Identifier: MIT */
#include "cmd/notebook_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "cmd/source.h"
#include "notebook/notebook.h"

bool source_is_notebook(const struct source *s)
{
	return s->kind == SOURCE_FILE && notebook_is_named(s->name);
}

/* Make a source of the code of a cell. False: out of memory. */
static bool take_cell(const struct source *file, const struct notebook *nb, size_t i,
		const struct trm_lang *forced, struct source *ret)
{
	const struct notebook_cell *c = &nb->cells[i];

	*ret = (struct source){.kind = SOURCE_CELL,
			.lang = c->foreign ? c->foreign
				: forced   ? forced
					   : nb->lang,
			.file = file->name,
			.text = strdup(c->source),
			.n = c->n};
	if (asprintf(&ret->own_name, "%s, cell %zu", file->name, i + 1) < 0)
		ret->own_name = NULL;
	ret->name = ret->own_name;
	return ret->text && ret->own_name;
}

int source_split_notebook(const struct source *s, const struct trm_lang *forced, struct source **ret,
		size_t *ret_n, struct trm_error *reterr)
{
	struct notebook *nb;
	struct trm_error why = {0};
	int r = notebook_parse(s->text, s->n, &nb, &why);

	if (r < 0)
		return trm_error_set(reterr, r, "cannot run %s: %s", s->name, why.msg);
	struct source *cells = calloc(nb->n_cells + 1, sizeof *cells);
	size_t n = 0;
	bool is_right = cells != NULL;
	for (size_t i = 0; is_right && i < nb->n_cells; i++)
		if (nb->cells[i].kind == NOTEBOOK_CODE && nb->cells[i].n)
			is_right = take_cell(s, nb, i, forced, &cells[n++]);
	notebook_destroy(nb);
	if (is_right && n > 0) {
		*ret = cells;
		*ret_n = n;
		return 0;
	}
	for (size_t i = 0; cells && i < n; i++)
		source_finish(&cells[i]);
	free(cells);
	return is_right ? trm_error_set(
			       reterr, TRM_EINVAL, "cannot run %s: it has no cell with code", s->name)
			: trm_error_set(reterr, TRM_ENOMEM, "cannot run %s: out of memory", s->name);
}
