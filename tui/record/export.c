/* SPDX-License-Identifier: MIT */
#include "record/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <terrarium/lang.h>

const struct export_format export_formats[] = {
		{"ipynb", ".ipynb", "Jupyter notebook", export_ipynb},
		{"md", ".md", "Markdown", export_markdown},
		{"html", ".html", "web page", export_html},
		{"script", ".py", "script with cells", export_script},
		{"cast", ".cast", "asciicast of the workbench", NULL},
		{0},
};

static const struct {
	const char *word, *name;
} aliases[] = {
		{"notebook", "ipynb"},
		{"jupyter", "ipynb"},
		{"markdown", "md"},
		{"htm", "html"},
		{"asciicast", "cast"},
		{"py", "script"},
		{"js", "script"},
		{"sh", "script"},
};

const struct export_format *export_find(const char *name)
{
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strcasecmp(name, aliases[i].word) == 0)
			name = aliases[i].name;
	for (const struct export_format *f = export_formats; f->name; f++)
		if (strcasecmp(name, f->name) == 0)
			return f;
	return NULL;
}

const struct export_format *export_guess(const char *filename)
{
	const char *dot = strrchr(filename, '.');
	const struct trm_lang *lang;

	if (dot && trm_lang_guess(filename, &lang, NULL) == 0)
		return export_find("script");
	return dot ? export_find(dot + 1) : NULL;
}

const struct trm_lang *export_language(const struct transcript *s, bool prefers_python)
{
	const struct trm_lang *python = trm_lang_default();

	for (size_t i = 0; i < s->n_runs && prefers_python; i++)
		if (s->runs[i]->lang == python)
			return python;
	return s->n_runs ? s->runs[0]->lang : python;
}

/* Best first. Types that are not listed come last. */
static const char *const forms[] = {"image/png", "image/jpeg", "image/svg+xml", "image/gif", "image/webp",
		"text/html", "text/markdown", "text/plain"};

static size_t rank(const char *mime)
{
	size_t i = 0;

	while (i < sizeof forms / sizeof *forms && strcmp(forms[i], mime) != 0)
		i++;
	return i;
}

const struct transcript_piece *export_best(const struct transcript_run *run, size_t *at)
{
	const struct transcript_piece *best = &run->pieces[*at];
	size_t n = transcript_forms(run, *at);

	for (size_t i = 1; i < n; i++)
		if (rank(run->pieces[*at + i].mime) < rank(best->mime))
			best = &run->pieces[*at + i];
	*at += n;
	return best;
}

char *export_missing(const struct transcript *s, char out[200])
{
	out[0] = '\0';
	if (s->dropped_bytes)
		snprintf(out, 200, "%" PRIu64 " bytes of output are missing: more was printed than is kept",
				s->dropped_bytes);
	else if (s->is_incomplete)
		snprintf(out, 200, "something is missing: memory was short");
	return out;
}
