/* SPDX-License-Identifier: MIT */
/* A page that loads nothing and runs nothing: the page's own policy forbids both. The output of the code
 * is untrusted. SVG is shown as an image, because scripts in images do not run. HTML is shown in a frame
 * without any rights. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/result.h>
#include <terrarium/text.h>

#include "record/export.h"
#include "record/lines.h"
#include "record/writer.h"
#include "theme/theme.h"

static const char head[] =
		"<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
		"style-src 'unsafe-inline'; frame-src 'self'\">\n"
		"<style>\n"
		"body{font:16px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff;max-width:70rem;"
		"margin:2rem auto;padding:0 1rem}\n"
		"h2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
		"h2 .bad{color:#a4161a}\n"
		"pre{font:14px/1.4 ui-monospace,monospace;padding:.6rem .8rem;margin:.4rem 0;overflow-x:auto;"
		"border-radius:4px;tab-size:8}\n"
		"pre.code{background:#eef0f3;color:#1b1f24}\n"
		"pre.out{background:#16181d;color:#e6e8eb}\n"
		"pre.stderr{border-left:4px solid #e5a50a}\n"
		"pre.error{border-left:4px solid #e01b24}\n"
		"figure{margin:.6rem 0}img{max-width:100%;background:#fff}"
		"iframe{width:100%;min-height:16rem;border:1px solid #767c85;background:#fff}\n"
		"p.note,figcaption{color:#505762;font-size:.9rem;margin:.3rem 0}\n"
		".d{opacity:.75}.b{font-weight:bold}.i{font-style:italic}.u{text-decoration:underline}"
		".s{text-decoration:line-through}\n"
		"</style>\n";

/* ---- escaping ---- */

/* Escape text for use between tags and in quotes. Deceptive or broken characters become U+FFFD. */
static void put_escaped(struct writer *w, const char *s, size_t n)
{
	for (size_t i = 0; i < n && !w->error;) {
		uint32_t cp;
		bool is_valid;
		char out[4];
		size_t len = trm_utf8_decode(s + i, n - i, &cp, &is_valid);
		i += len;
		switch (cp) {
		case '&': writer_text(w, "&amp;"); break;
		case '<': writer_text(w, "&lt;"); break;
		case '>': writer_text(w, "&gt;"); break;
		case '"': writer_text(w, "&quot;"); break;
		case '\'': writer_text(w, "&#39;"); break;
		default:
			if ((cp < 0x20 && cp != '\n' && cp != '\t') || cp == 0x7f
					|| trm_text_is_deceptive(cp))
				cp = 0xfffd;
			writer_put(w, out, trm_utf8_encode(cp, out));
		}
	}
}

static void put_text(struct writer *w, const char *text)
{
	put_escaped(w, text, strlen(text));
}

/* ---- colors ---- */

/* The sixteen colors. Each is readable on the background of pre.out (contrast 4.5:1); xterm's own colors
 * are not. */
static const uint32_t basic[16] = {0x8b93a0, 0xff6e67, 0x5fd068, 0xd7ba4a, 0x6fa8ff, 0xd78bea, 0x4fc9d0,
		0xd5d8da, 0x9aa3b0, 0xff8f88, 0x86e08d, 0xf0d675, 0x93c0ff, 0xe6abf3, 0x7fe0e5, 0xffffff};

static uint32_t rgb_of(uint32_t color)
{
	uint32_t index = color & 0xffffff;

	return (color & 0xff000000u) == COLOR_INDEX(0) && index < 16 ? basic[index] : color_rgb(color);
}

static void put_color(struct writer *w, const char *property, uint32_t color)
{
	if (color != COLOR_NONE)
		writer_print(w, "%s:#%06x;", property, rgb_of(color));
}

static bool is_plain(const struct style *s)
{
	return !s->attrs && s->fg == COLOR_NONE && s->bg == COLOR_NONE;
}

static bool is_same(const struct style *a, const struct style *b)
{
	return a->attrs == b->attrs && a->fg == b->fg && a->bg == b->bg;
}

static void open_span(struct writer *w, const struct style *s)
{
	static const char classes[] = "bdiu s"; /* by bit; reverse is done with colors */
	bool is_reverse = s->attrs & ATTR_REVERSE;
	uint32_t fg = is_reverse ? (s->bg == COLOR_NONE ? COLOR_RGB(0x16181d) : s->bg) : s->fg;
	uint32_t bg = is_reverse ? (s->fg == COLOR_NONE ? COLOR_RGB(0xe6e8eb) : s->fg) : s->bg;
	const char *between = "";

	writer_text(w, "<span class=\"");
	for (int i = 0; i < 6; i++)
		if (s->attrs & (1 << i) && classes[i] != ' ') {
			writer_print(w, "%s%c", between, classes[i]);
			between = " ";
		}
	writer_text(w, "\" style=\"");
	put_color(w, "color", fg);
	put_color(w, "background", bg);
	writer_text(w, "\">");
}

static void put_line(void *user, const struct cell *cells, size_t n)
{
	struct writer *w = user;

	for (size_t i = 0; i < n;) {
		struct style style = cells[i].style;
		if (!is_plain(&style))
			open_span(w, &style);
		for (; i < n && is_same(&cells[i].style, &style); i++)
			put_text(w, cells[i].text);
		if (!is_plain(&style))
			writer_text(w, "</span>");
	}
	writer_text(w, "\n");
}

static void put_output(struct writer *w, const char *bytes, size_t n, const char *kind, const char *label)
{
	writer_print(w, "<pre class=\"out %s\" tabindex=\"0\" role=\"group\" aria-label=\"%s\">", kind,
			label);
	lines_read(bytes, n, put_line, w);
	writer_text(w, "</pre>\n");
}

/* ---- displays ---- */

static bool is_image(const char *mime)
{
	static const char *const types[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(mime, types[i]) == 0)
			return true;
	return false;
}

static void put_figure(struct writer *w, const struct transcript_run *run, const char *mime,
		const char *bytes, size_t n)
{
	writer_print(w, "<figure><img alt=\"Figure made by run %u\" src=\"data:%s;base64,", run->id, mime);
	writer_base64(w, bytes, n);
	writer_text(w, "\"></figure>\n");
}

static void put_display(struct writer *w, const struct transcript_run *run, const struct transcript_piece *p)
{
	size_t n;

	if (is_image(p->mime)) {
		char *bytes = base64_read(p->bytes, p->n, &n); /* ensures that the link is base64 */
		if (bytes)
			put_figure(w, run, p->mime, bytes, n);
		else
			writer_text(w, "<p class=\"note\">An image that cannot be read.</p>\n");
		free(bytes);
	} else if (strcmp(p->mime, "image/svg+xml") == 0) {
		put_figure(w, run, p->mime, p->bytes, p->n);
	} else if (strcmp(p->mime, "text/html") == 0) {
		writer_print(w, "<iframe sandbox title=\"HTML made by run %u\" srcdoc=\"", run->id);
		put_escaped(w, p->bytes, p->n);
		writer_text(w, "\"></iframe>\n");
	} else {
		put_output(w, p->bytes, p->n, "display", "Display");
	}
}

/* ---- runs ---- */

static void put_pieces(struct writer *w, const struct transcript_run *run)
{
	static const struct {
		const char *kind, *label;
	} looks[] = {
			[TRANSCRIPT_STDOUT] = {"stdout", "Output"},
			[TRANSCRIPT_STDERR] = {"stderr", "Error output"},
			[TRANSCRIPT_INPUT] = {"input", "Typed input"},
			[TRANSCRIPT_LATE] = {"late", "Output after the end of the run"},
	};

	for (size_t at = 0; at < run->n_pieces;) {
		const struct transcript_piece *p = &run->pieces[at];
		size_t n;
		if (p->kind == TRANSCRIPT_DISPLAY) {
			put_display(w, run, export_best(run, &at));
			continue;
		}
		enum transcript_kind kind = p->kind;
		char *text = transcript_join(run, &at, &n);
		if (text)
			put_output(w, text, n, looks[kind].kind, looks[kind].label);
		else
			w->error = -1;
		free(text);
	}
}

static void put_note(struct writer *w, const char *text)
{
	writer_text(w, "<p class=\"note\">");
	put_text(w, text);
	writer_text(w, "</p>\n");
}

static void put_result(struct writer *w, const struct trm_result *r)
{
	struct writer text;

	if (r->value)
		put_output(w, r->value, strlen(r->value), "value", "Value");
	writer_init(&text, WRITER_MAX);
	for (char **line = r->traceback; line && *line; line++)
		writer_print(&text, "%s\n", *line);
	if (r->error_name && !text.n)
		writer_print(&text, "%s: %s\n", r->error_name, r->error_message ? r->error_message : "");
	if (text.n)
		put_output(w, text.bytes, text.n, "error", "Error");
	writer_finish(&text);
	if (r->reason)
		put_note(w, r->reason);
}

static void put_run(struct writer *w, const struct transcript_run *run)
{
	bool is_good = run->result && run->result->status == TRM_STATUS_OK;
	char text[160];

	writer_print(w,
			"<section aria-labelledby=\"run-%u\">\n<h2 id=\"run-%u\">[%" PRIu64
			"] %s: <span class=\"%s\">",
			run->id, run->id, run->number ? run->number : run->id, run->lang->name,
			is_good ? "good" : "bad");
	put_text(w, transcript_outcome(run, text));
	writer_print(w, "</span></h2>\n<pre class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"Code in %s\"><code>",
			run->lang->name);
	put_escaped(w, run->code, run->code_len);
	writer_text(w, "</code></pre>\n");
	put_pieces(w, run);
	if (run->dropped_bytes) {
		snprintf(text, sizeof text, "%" PRIu64 " bytes of output are not kept.", run->dropped_bytes);
		put_note(w, text);
	}
	if (run->result)
		put_result(w, run->result);
	if (run->refusal)
		put_note(w, run->refusal);
	writer_text(w, "</section>\n");
}

void export_html(const struct transcript *s, struct writer *w)
{
	char missing[200];

	writer_text(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
	writer_text(w, head);
	writer_text(w, "<title>A session in terrarium</title>\n</head>\n<body>\n<main>\n<h1>A session in terrarium</h1>\n");
	if (s->started[0])
		put_note(w, s->started);
	if (*export_missing(s, missing))
		put_note(w, missing);
	if (!s->n_runs)
		put_note(w, "Nothing was run.");
	for (size_t i = 0; i < s->n_runs; i++)
		put_run(w, s->runs[i]);
	writer_text(w, "</main>\n</body>\n</html>\n");
}
