/* SPDX-License-Identifier: MIT */
/* The notebook format 4.5: https://nbformat.readthedocs.io/en/latest/format_description.html */
/* Names are sorted and indented as Jupyter does it. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>
#include <terrarium/result.h>

#include "notebook/notebook.h"
#include "record/export.h"
#include "record/writer.h"

/* Notebooks store text as a list of lines, each with its newline, which keeps diffs small. */
static void put_lines(struct writer *w, const char *text, size_t n)
{
	writer_text(w, "[");
	for (size_t at = 0; at < n;) {
		const char *newline = memchr(text + at, '\n', n - at);
		size_t len = newline ? (size_t)(newline - text) + 1 - at : n - at;
		writer_text(w, at ? "," : "");
		writer_json(w, text + at, len);
		at += len;
	}
	writer_text(w, "]");
}

/* ---- outputs ---- */

/* Position of the first output of a cell, and number of outputs. */
struct outputs {
	struct writer *w;
	const struct transcript_run *run;
	size_t n;
};

static void begin_output(struct outputs *o)
{
	writer_text(o->w, o->n++ ? ",{" : "{");
}

static void end_output(struct outputs *o, const char *type)
{
	writer_print(o->w, ",\"output_type\":\"%s\"", type);
}

static void put_stream(struct outputs *o, const char *name, const char *text, size_t n)
{
	begin_output(o);
	writer_print(o->w, "\"name\":\"%s\"", name);
	end_output(o, "stream");
	writer_text(o->w, ",\"text\":");
	put_lines(o->w, text, n);
	writer_text(o->w, "}");
}

/* Write one form of a display. JSON types hold a value, all other types hold text. */
static void put_form(struct writer *w, const char *mime, const char *data, size_t n)
{
	size_t len = strlen(mime);
	bool is_json = strcmp(mime, "application/json") == 0
		       || (len > 5 && strcmp(mime + len - 5, "+json") == 0);
	cJSON *value = is_json ? cJSON_ParseWithLengthOpts(data, n, NULL, 0) : NULL;
	char *text = value ? cJSON_PrintUnformatted(value) : NULL;

	writer_json_text(w, is_json && !text ? "text/plain" : mime);
	writer_text(w, ":");
	if (text)
		writer_text(w, text);
	else if (strncmp(mime, "text/", 5) == 0 || strcmp(mime, "image/svg+xml") == 0
			|| strcmp(mime, "application/javascript") == 0 || is_json)
		put_lines(w, data, n);
	else
		writer_json(w, data, n);
	cJSON_free(text);
	cJSON_Delete(value);
}

static bool has_form(const struct transcript_piece *forms, size_t n, const char *mime)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(forms[i].mime, mime) == 0)
			return true;
	return false;
}

/* Write all forms of one display, each type once. */
static void put_display(struct outputs *o, const struct transcript_piece *forms, size_t n)
{
	begin_output(o);
	writer_text(o->w, "\"data\":{");
	for (size_t i = 0; i < n; i++) {
		if (has_form(forms, i, forms[i].mime))
			continue;
		writer_text(o->w, i ? "," : "");
		put_form(o->w, forms[i].mime, forms[i].bytes, forms[i].n);
	}
	writer_text(o->w, "},\"metadata\":{}");
	end_output(o, "display_data");
	writer_text(o->w, "}");
}

static void put_pieces(struct outputs *o)
{
	for (size_t at = 0; at < o->run->n_pieces;) {
		const struct transcript_piece *p = &o->run->pieces[at];
		size_t n;
		if (p->kind == TRANSCRIPT_DISPLAY || p->kind == TRANSCRIPT_INPUT) {
			n = p->kind == TRANSCRIPT_DISPLAY ? transcript_forms(o->run, at) : 1;
			if (p->kind == TRANSCRIPT_DISPLAY)
				put_display(o, p, n);
			at += n;
			continue;
		}
		const char *name = p->kind == TRANSCRIPT_STDERR ? "stderr" : "stdout";
		char *text = transcript_join(o->run, &at, &n);
		if (!text) {
			o->w->error = -1;
			return;
		}
		put_stream(o, name, text, n);
		free(text);
	}
}

static void put_count(struct writer *w, const struct transcript_run *run)
{
	if (run->number)
		writer_print(w, "%" PRIu64, run->number);
	else
		writer_text(w, "null");
}

/* A display that stands for the value has it as one of its forms. */
static bool is_value_shown(const struct transcript_run *run)
{
	for (size_t i = 0; i < run->n_pieces; i++)
		if (run->pieces[i].kind == TRANSCRIPT_DISPLAY && !strcmp(run->pieces[i].mime, "text/plain")
				&& !strcmp(run->pieces[i].bytes, run->result->value))
			return true;
	return false;
}

static void put_value(struct outputs *o)
{
	const struct trm_result *r = o->run->result;

	if (!r || !r->value || is_value_shown(o->run))
		return;
	begin_output(o);
	writer_text(o->w, "\"data\":{");
	put_form(o->w, "text/plain", r->value, strlen(r->value));
	writer_text(o->w, "},\"execution_count\":");
	put_count(o->w, o->run);
	writer_text(o->w, ",\"metadata\":{}");
	end_output(o, "execute_result");
	writer_text(o->w, "}");
}

static void put_traceback(struct writer *w, const struct trm_result *r)
{
	writer_text(w, ",\"traceback\":[");
	for (char **line = r->traceback; line && *line; line++) {
		writer_text(w, line == r->traceback ? "" : ",");
		writer_json_text(w, *line);
	}
	writer_text(w, "]}");
}

/* Write an exception, or any other reason why the run did not end well. */
static void put_error(struct outputs *o)
{
	const struct trm_result *r = o->run->result;
	char outcome[160];

	if ((r && r->status == TRM_STATUS_OK) || (!r && !o->run->refusal))
		return;
	begin_output(o);
	writer_text(o->w, "\"ename\":");
	writer_json_text(o->w, r && r->error_name ? r->error_name
			       : r                ? trm_status_name(r->status)
						  : "refused");
	writer_text(o->w, ",\"evalue\":");
	if (r && r->error_name)
		writer_json_text(o->w, r->error_message ? r->error_message : "");
	else if (r)
		writer_json_text(o->w, r->reason ? r->reason : transcript_outcome(o->run, outcome));
	else
		writer_json_text(o->w, o->run->refusal);
	end_output(o, "error");
	if (r)
		put_traceback(o->w, r);
	else
		writer_text(o->w, ",\"traceback\":[]}");
}

static void put_dropped(struct outputs *o)
{
	char text[120];

	if (!o->run->dropped_bytes)
		return;
	int n = snprintf(text, sizeof text, "[%" PRIu64 " bytes of output are not kept]\n",
			o->run->dropped_bytes);
	put_stream(o, "stderr", text, (size_t)n);
}

/* ---- cells ---- */

static void put_cost(struct writer *w, const struct trm_result *r)
{
	if (!r)
		return;
	writer_print(w, ",\"status\":\"%s\"", trm_status_name(r->status));
	if (!r->is_wall_unknown)
		writer_print(w, ",\"wall_us\":%" PRIu64, r->wall_us);
	if (r->has_cpu)
		writer_print(w, ",\"cpu_us\":%" PRIu64, r->cpu_us);
	if (r->has_mem_peak)
		writer_print(w, ",\"mem_peak_bytes\":%" PRIu64, r->mem_peak_bytes);
}

static void put_inputs(struct writer *w, const struct transcript_run *run)
{
	bool any = false;

	for (size_t i = 0; i < run->n_pieces; i++) {
		if (run->pieces[i].kind != TRANSCRIPT_INPUT)
			continue;
		writer_text(w, any ? "," : ",\"inputs\":[");
		writer_json(w, run->pieces[i].bytes, run->pieces[i].n);
		any = true;
	}
	writer_text(w, any ? "]" : "");
}

static void put_source(struct writer *w, const struct transcript_run *run, const char *magic)
{
	char *source = NULL;

	if (!magic) {
		put_lines(w, run->code, run->code_len);
		return;
	}
	int n = asprintf(&source, "%s\n%s", magic, run->code);
	if (n < 0)
		w->error = -1;
	else
		put_lines(w, source, (size_t)n);
	free(n < 0 ? NULL : source);
}

void export_outputs(const struct transcript_run *run, struct writer *w)
{
	struct outputs o = {w, run, 0};

	writer_text(w, "[");
	put_pieces(&o);
	put_dropped(&o);
	put_value(&o);
	put_error(&o);
	writer_text(w, "]");
}

static void put_cell(struct writer *w, const struct transcript_run *run, const struct trm_lang *lang)
{
	bool is_python = lang->style == TRM_STYLE_INDENT;

	writer_text(w, "{\"cell_type\":\"code\",\"execution_count\":");
	put_count(w, run);
	writer_print(w, ",\"id\":\"run-%u\",\"metadata\":{\"terrarium\":{\"language\":", run->id);
	writer_json_text(w, run->lang->name);
	put_cost(w, run->result);
	put_inputs(w, run);
	writer_text(w, "}},\"outputs\":");
	export_outputs(run, w);
	writer_text(w, ",\"source\":");
	put_source(w, run, is_python && run->lang != lang ? notebook_kernel_of(run->lang).magic : NULL);
	writer_text(w, "}");
}

/* A note in front of the cells when output is missing. */
static void put_notes(const struct transcript *s, struct writer *w)
{
	char missing[200];

	if (!*export_missing(s, missing))
		return;
	writer_text(w, "{\"cell_type\":\"markdown\",\"id\":\"note\",\"metadata\":{},\"source\":[");
	writer_json_text(w, missing);
	writer_text(w, s->n_runs ? "]}," : "]}");
}

static void put_notebook(const struct transcript *s, struct writer *w)
{
	const struct trm_lang *lang = export_language(s, true);
	struct notebook_kernel k = notebook_kernel_of(lang);

	writer_text(w, "{\"cells\":[");
	put_notes(s, w);
	for (size_t i = 0; i < s->n_runs; i++) {
		put_cell(w, s->runs[i], lang);
		writer_text(w, i + 1 < s->n_runs ? "," : "");
	}
	writer_text(w, "],\"metadata\":{\"kernelspec\":{\"display_name\":");
	writer_json_text(w, k.display);
	writer_text(w, ",\"language\":");
	writer_json_text(w, k.language);
	writer_text(w, ",\"name\":");
	writer_json_text(w, k.name);
	writer_text(w, "},\"language_info\":{\"file_extension\":");
	writer_json_text(w, k.suffix);
	writer_print(w, ",\"mimetype\":\"%s\",\"name\":", k.mime);
	writer_json_text(w, k.language);
	writer_text(w, "},\"terrarium\":{\"sandbox\":");
	writer_json_text(w, s->sandbox);
	writer_text(w, ",\"started\":");
	writer_json_text(w, s->started);
	writer_text(w, "}},\"nbformat\":4,\"nbformat_minor\":5}");
}

void export_ipynb(const struct transcript *s, struct writer *w)
{
	struct writer plain;
	struct json_span whole;
	char *pretty = NULL;
	size_t n = 0;

	writer_init(&plain, w->max);
	put_notebook(s, &plain);
	FILE *out = plain.error ? NULL : open_memstream(&pretty, &n);
	if (out && span_check(plain.bytes, plain.n, &whole, NULL) == 0)
		span_put_indented(out, whole, " ", 0);
	if (out && fclose(out) == 0 && n)
		writer_put(w, pretty, n);
	else
		w->error = plain.error ? plain.error : TRM_ENOMEM;
	writer_text(w, "\n");
	free(pretty);
	writer_finish(&plain);
}
