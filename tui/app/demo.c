/* SPDX-License-Identifier: MIT */
/* The file of a demo: a script with cells, or a notebook. */
#include <stdlib.h>
#include <string.h>

#include "app/app_internal.h"
#include "notebook/notebook.h"
#include "record/import.h"
#include "record/writer.h"

#define DEMO_MAX_BYTES ((size_t)16 << 20)

/* A notebook is converted to a script first. */
static int read_notebook(const char *json, size_t n, struct writer *w, const struct trm_lang **ret_lang,
		struct trm_error *reterr)
{
	struct imported found;
	int r = notebook_import(json, n, w, &found, reterr);

	if (r == 0)
		*ret_lang = found.lang;
	return r;
}

static int begin_demo(struct app *a, const struct trm_lang *lang, const char *path, const char *text,
		size_t n, struct trm_error *reterr)
{
	if (!text || memchr(text, '\0', n))
		return trm_error_set(reterr, TRM_EINVAL, "%s holds no text", path);
	int r = demo_begin(&a->model, lang, path, text, n, a->opts->typing);
	if (r == TRM_EINVAL)
		return trm_error_set(reterr, r, "%s holds no cell: there is nothing to show", path);
	return r < 0 ? trm_error_set(reterr, r, "%s cannot be shown: out of memory", path) : 0;
}

int app_open_demo(struct app *a, const char *path, struct trm_error *reterr)
{
	const struct trm_lang *lang = a->model.lang;
	struct writer script;
	char *bytes = NULL;
	size_t n;
	int r = file_read(path, DEMO_MAX_BYTES, &bytes, &n, reterr);

	writer_init(&script, WRITER_MAX);
	if (r == 0 && notebook_is_named(path)) {
		r = read_notebook(bytes, n, &script, &lang, reterr);
		if (r == 0)
			r = begin_demo(a, lang, path, script.bytes, script.n, reterr);
	} else if (r == 0) {
		r = begin_demo(a, lang, path, bytes, n, reterr);
	}
	writer_finish(&script);
	free(bytes);
	return r;
}
