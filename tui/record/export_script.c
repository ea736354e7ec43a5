/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include <terrarium/lang.h>

#include "record/export.h"
#include "record/writer.h"

/* Put a comment sign in front of every line. */
static void put_commented(struct writer *w, const char *comment, const char *text, size_t n)
{
	for (size_t at = 0; at < n;) {
		const char *newline = memchr(text + at, '\n', n - at);
		size_t len = newline ? (size_t)(newline - text) - at : n - at;
		writer_print(w, "%s%s", comment, len ? " " : "");
		writer_put(w, text + at, len);
		writer_text(w, "\n");
		at += len + 1;
	}
}

void export_script(const struct transcript *s, struct writer *w)
{
	const struct trm_lang *lang = export_language(s, false);
	char missing[200], outcome[160];

	if (*export_missing(s, missing))
		writer_print(w, "%s %s\n", lang->comment, missing);
	for (size_t i = 0; i < s->n_runs; i++) {
		const struct transcript_run *run = s->runs[i];
		bool is_foreign = run->lang != lang;
		writer_print(w, "%s%s %%%% [%" PRIu64 "] %s%s%s\n", i ? "\n" : "", lang->comment,
				run->number ? run->number : run->id, is_foreign ? run->lang->name : "",
				is_foreign ? ", " : "", transcript_outcome(run, outcome));
		if (is_foreign) {
			put_commented(w, lang->comment, run->code, run->code_len);
			continue;
		}
		writer_put(w, run->code, run->code_len);
		writer_text(w, run->code_len && run->code[run->code_len - 1] == '\n' ? "" : "\n");
	}
}
