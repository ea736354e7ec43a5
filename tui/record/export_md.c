/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/result.h>

#include "record/export.h"
#include "record/lines.h"
#include "record/writer.h"

/* A fence longer than any fence in the text. */
static void put_fence(struct writer *w, const char *text, size_t n, const char *info)
{
	size_t longest = 2, run = 0;

	for (size_t i = 0; i < n; i++) {
		run = text[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		writer_text(w, "`");
	writer_print(w, "%s\n", info);
}

static void put_block(struct writer *w, const char *text, size_t n, const char *info)
{
	put_fence(w, text, n, info);
	writer_put(w, text, n);
	writer_text(w, n && text[n - 1] == '\n' ? "" : "\n");
	put_fence(w, text, n, "");
	writer_text(w, "\n");
}

/* ---- output ---- */

static void put_line(void *user, const struct cell *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		writer_text(user, cells[i].text);
	writer_text(user, "\n");
}

/* Output without colors, after carriage returns have taken effect. */
static void put_output(struct writer *w, const char *bytes, size_t n, const char *info)
{
	struct writer plain;

	writer_init(&plain, WRITER_MAX);
	lines_read(bytes, n, put_line, &plain);
	if (plain.n)
		put_block(w, plain.bytes, plain.n, info);
	w->error = w->error ? w->error : plain.error;
	writer_finish(&plain);
}

/* Decoding first ensures that the link holds nothing but base64. */
static void put_image(struct writer *w, const struct transcript_run *run, const struct transcript_piece *p)
{
	size_t n;
	char *bytes = base64_read(p->bytes, p->n, &n);

	if (!bytes) {
		writer_print(w, "*(an image of type %s that cannot be read)*\n\n", p->mime);
		return;
	}
	writer_print(w, "![figure of run %u](data:%s;base64,", run->id, p->mime);
	writer_base64(w, bytes, n);
	writer_text(w, ")\n\n");
	free(bytes);
}

static void put_display(struct writer *w, const struct transcript_run *run, const struct transcript_piece *p)
{
	static const char *const images[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};

	for (size_t i = 0; i < sizeof images / sizeof *images; i++)
		if (strcmp(p->mime, images[i]) == 0) {
			put_image(w, run, p);
			return;
		}
	if (strcmp(p->mime, "image/svg+xml") == 0) {
		writer_print(w, "![figure of run %u](data:image/svg+xml;base64,", run->id);
		writer_base64(w, p->bytes, p->n);
		writer_text(w, ")\n\n");
	} else if (strcmp(p->mime, "text/html") == 0) {
		put_block(w, p->bytes, p->n, "html");
	} else if (strcmp(p->mime, "text/markdown") == 0) {
		put_block(w, p->bytes, p->n, "markdown");
	} else {
		put_output(w, p->bytes, p->n, "text");
	}
}

static void put_pieces(struct writer *w, const struct transcript_run *run)
{
	for (size_t at = 0; at < run->n_pieces;) {
		const struct transcript_piece *p = &run->pieces[at];
		static const char *const titles[] = {[TRANSCRIPT_STDOUT] = "",
				[TRANSCRIPT_STDERR] = "Errors:\n\n",
				[TRANSCRIPT_INPUT] = "Typed:\n\n",
				[TRANSCRIPT_LATE] = "Printed after the run had ended:\n\n"};
		size_t n;
		if (p->kind == TRANSCRIPT_DISPLAY) {
			put_display(w, run, export_best(run, &at));
			continue;
		}
		writer_text(w, titles[p->kind]);
		char *text = transcript_join(run, &at, &n);
		if (text)
			put_output(w, text, n, "text");
		else
			w->error = -1;
		free(text);
	}
}

static void put_result(struct writer *w, const struct transcript_run *run)
{
	const struct trm_result *r = run->result;
	struct writer text;

	if (!r)
		return;
	if (r->value) {
		writer_text(w, "Value:\n\n");
		put_output(w, r->value, strlen(r->value), "text");
	}
	writer_init(&text, WRITER_MAX);
	for (char **line = r->traceback; line && *line; line++)
		writer_print(&text, "%s\n", *line);
	if (r->error_name && !text.n)
		writer_print(&text, "%s: %s\n", r->error_name, r->error_message ? r->error_message : "");
	if (text.n)
		put_output(w, text.bytes, text.n, "text");
	writer_finish(&text);
	if (r->reason)
		writer_print(w, "*%s*\n\n", r->reason);
}

static void put_run(struct writer *w, const struct transcript_run *run)
{
	char outcome[160];

	writer_print(w, "## [%" PRIu64 "] %s: %s\n\n", run->number ? run->number : run->id, run->lang->name,
			transcript_outcome(run, outcome));
	put_block(w, run->code, run->code_len, run->lang->name);
	put_pieces(w, run);
	if (run->dropped_bytes)
		writer_print(w, "*%" PRIu64 " bytes of output are not kept.*\n\n", run->dropped_bytes);
	put_result(w, run);
	if (run->refusal)
		writer_print(w, "*%s*\n\n", run->refusal);
}

void export_markdown(const struct transcript *s, struct writer *w)
{
	char missing[200];

	writer_print(w, "# A session in terrarium%s%s\n\n", s->started[0] ? ", " : "", s->started);
	if (*export_missing(s, missing))
		writer_print(w, "*%s.*\n\n", missing);
	if (!s->n_runs)
		writer_text(w, "Nothing was run.\n");
	for (size_t i = 0; i < s->n_runs; i++)
		put_run(w, s->runs[i]);
}
