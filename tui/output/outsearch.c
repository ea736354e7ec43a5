/* SPDX-License-Identifier: MIT */
#include "output/outsearch.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "output/outpane.h"
#include "text/find.h"

void outsearch_finish(struct outsearch *s)
{
	find_destroy(s->find);
	free(s->pattern);
	free(s->lines);
	memset(s, 0, sizeof *s);
}

int outsearch_begin(struct outsearch *s, const char *pattern, bool is_regex, struct trm_error *reterr)
{
	struct outsearch begun = {.is_regex = is_regex};

	if (pattern[0]) {
		int r = find_create(pattern, strlen(pattern), (struct find_opts){.is_regex = is_regex},
				&begun.find, reterr);
		if (r < 0)
			return r;
		begun.pattern = strdup(pattern);
	}
	outsearch_finish(s);
	*s = begun;
	return 0;
}

/* ---- searching ---- */

void outsearch_shift(struct outsearch *s, uint64_t before, uint64_t by)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->lines[i] < before || s->lines[i] >= before + by)
			s->lines[kept++] = s->lines[i] < before ? s->lines[i] + by : s->lines[i];
	s->n = kept;
	if (s->scanned < before + by)
		s->scanned = s->scanned < before ? s->scanned + by : before + by;
}

static void add_line(struct outsearch *s, uint64_t line)
{
	if (s->n == OUTSEARCH_LINES) {
		s->n_more++;
		return;
	}
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 256;
		uint64_t *lines = realloc(s->lines, cap * sizeof *lines);
		if (!lines) {
			s->n_more++;
			return;
		}
		s->lines = lines;
		s->cap = cap;
	}
	s->lines[s->n++] = line;
}

/* Search a line as it appears, because it is in several records or has control sequences. */
static void scan_look(struct outpane *p, uint64_t number)
{
	struct output_line l = {0};
	struct out_match match;

	if (outpane_read(p, number, &l) && outsearch_in_line(&p->search, &l, &match, 1))
		add_line(&p->search, number);
	output_line_finish(&l);
}

/* Search whole lines without control sequences. */
static void scan_plain(struct outsearch *s, const char *bytes, size_t n, uint64_t line)
{
	struct find_match match;
	size_t at = 0;

	if (!find_take(s->find, bytes, n))
		return;
	while (at < n && find_in_taken(s->find, at, &match) && match.pos < n) {
		const char *nl;
		for (; (nl = memchr(bytes + at, '\n', match.pos - at)); at = (size_t)(nl - bytes) + 1)
			line++;
		add_line(s, line);
		nl = memchr(bytes + match.pos, '\n', n - match.pos);
		if (!nl)
			return;
		at = (size_t)(nl - bytes) + 1;
		line++;
	}
}

static bool has_controls(const char *bytes, size_t n)
{
	return memchr(bytes, 0x1b, n) || memchr(bytes, '\r', n) || memchr(bytes, '\b', n);
}

static void scan_lines(struct outpane *p, const char *bytes, size_t n, uint64_t line)
{
	const char *end = bytes + n;

	if (!has_controls(bytes, n)) {
		scan_plain(&p->search, bytes, n, line);
		return;
	}
	for (const char *nl; bytes < end; bytes = nl + 1, line++) {
		nl = memchr(bytes, '\n', (size_t)(end - bytes));
		nl = nl ? nl : end;
		if (has_controls(bytes, (size_t)(nl - bytes)))
			scan_look(p, line);
		else
			scan_plain(&p->search, bytes, (size_t)(nl - bytes), line);
	}
}

static bool is_searched(enum out_kind kind)
{
	return kind != OUT_HEADER && kind != OUT_FIGURE;
}

/* Search a span. *is_open: the first line of the span began in an earlier span; afterwards: its last line
 * continues. */
static void scan_span(struct outpane *p, const struct out_span *span, bool *is_open)
{
	const char *bytes = span->bytes, *end = bytes + span->n, *last = memrchr(bytes, '\n', span->n);
	uint64_t line = span->line;

	if (*is_open && (last || span->ends_line)) {
		const char *nl = memchr(bytes, '\n', span->n);
		scan_look(p, line++);
		bytes = nl ? nl + 1 : end;
		*is_open = false;
	}
	if (*is_open)
		return;
	const char *whole = span->ends_line ? end : last && last >= bytes ? last + 1 : bytes;
	if (whole > bytes && is_searched(span->kind))
		scan_lines(p, bytes, (size_t)(whole - bytes), line);
	*is_open = whole < end;
}

bool outsearch_is_done(const struct outpane *p)
{
	return !p->search.find || p->search.scanned >= p->store.end_line;
}

bool outsearch_step(struct outpane *p, size_t bytes)
{
	struct outsearch *s = &p->search;
	struct out_reader r;
	struct out_span span;
	bool is_open = false;
	size_t seen = 0;

	if (outsearch_is_done(p))
		return false;
	if (s->scanned < scrollback_first(&p->store))
		s->scanned = scrollback_first(&p->store);
	uint64_t begun = s->scanned;
	out_reader_seek(&r, &p->store, s->scanned);
	while ((seen < bytes || s->scanned == begun) && out_reader_span(&r, &span)) {
		scan_span(p, &span, &is_open);
		seen += span.n;
		s->scanned = r.line;
	}
	return !outsearch_is_done(p);
}

/* ---- matches ---- */

/* The number of stored lines before this one. */
static size_t lines_before(const struct outsearch *s, uint64_t line)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (s->lines[mid] < line)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool outsearch_next(const struct outpane *p, uint64_t line, int by, uint64_t *ret_line)
{
	const struct outsearch *s = &p->search;
	size_t dropped = lines_before(s, scrollback_first(&p->store)), at;

	if (dropped == s->n)
		return false;
	if (by > 0) {
		at = lines_before(s, line + 1);
		at = at == s->n || at < dropped ? dropped : at;
	} else {
		at = lines_before(s, line);
		at = at <= dropped ? s->n - 1 : at - 1;
	}
	*ret_line = s->lines[at];
	return true;
}

uint64_t outsearch_count(const struct outsearch *s, uint64_t line, uint64_t *ret_index)
{
	size_t before = lines_before(s, line);

	*ret_index = before < s->n && s->lines[before] == line ? before + 1 : 0;
	return s->n + s->n_more;
}

/* ---- matches in a line as it appears ---- */

size_t outsearch_in_line(
		const struct outsearch *s, const struct output_line *l, struct out_match *matches, size_t max)
{
	size_t len = 0, n = 0, cell = l->n_prefix, at = 0;
	struct find_match match;

	if (!s->find || !is_searched(l->kind) || l->n <= l->n_prefix)
		return 0;
	char *text = malloc((l->n - l->n_prefix) * sizeof l->cells->text);
	if (!text)
		return 0;
	for (size_t i = l->n_prefix; i < l->n; i++)
		len += (size_t)(stpcpy(text + len, l->cells[i].text) - (text + len));
	bool is_taken = find_take(s->find, text, len);
	free(text);
	for (size_t from = 0; is_taken && n < max && find_in_taken(s->find, from, &match);) {
		from = match.pos + (match.len ? match.len : 1);
		if (!match.len)
			continue;
		for (; cell < l->n && at + strlen(l->cells[cell].text) <= match.pos; cell++)
			at += strlen(l->cells[cell].text);
		size_t end = cell, end_at = at;
		for (; end < l->n && (end_at < match.pos + match.len || l->cells[end].width == 0); end++)
			end_at += strlen(l->cells[end].text);
		matches[n++] = (struct out_match){cell, end};
	}
	return n;
}
