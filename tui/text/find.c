/* SPDX-License-Identifier: MIT */
#include "text/find.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/regex.h>

#include "text/text.h"

struct find {
	struct find_opts opts;
	struct trm_regex *regex; /* NULL: compared byte by byte */
	char *pattern;           /* in lower case if case does not matter */
	size_t len;
	bool ignores_case;
	bool gave_up;
	/* The lines being searched. */
	char *window;
	size_t window_len, window_cap;
};

/* ---- the pattern ---- */

static bool has_capital(const char *s, size_t n, bool is_regex)
{
	for (size_t i = 0; i < n; i++) {
		if (is_regex && s[i] == '\\')
			i++; /* \S is no capital */
		else if (s[i] >= 'A' && s[i] <= 'Z')
			return true;
	}
	return false;
}

static bool is_ascii(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] >= 0x80)
			return false;
	return true;
}

static void to_lower(char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s[i] = (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] + ('a' - 'A') : s[i]);
}

static int prepare_find(struct find *f, const char *pattern, size_t n, struct trm_error *reterr)
{
	bool is_regex = f->opts.is_regex;

	f->ignores_case = !f->opts.is_exact && !has_capital(pattern, n, is_regex);
	/* PCRE2 knows the case of letters outside of ASCII. Without PCRE2, their case counts. */
	if (is_regex || (f->ignores_case && !is_ascii(pattern, n))) {
		int r = trm_regex_create(pattern, n, !is_regex, f->ignores_case, &f->regex, reterr);
		if (r < 0 && is_regex)
			return r;
	}
	f->pattern = malloc(n + 1);
	if (!f->pattern)
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory for the pattern");
	memcpy(f->pattern, pattern, n);
	f->pattern[n] = '\0';
	f->len = n;
	if (f->ignores_case)
		to_lower(f->pattern, n);
	return 0;
}

int find_create(const char *pattern, size_t n, struct find_opts opts, struct find **ret,
		struct trm_error *reterr)
{
	if (n == 0 || n > FIND_MAX)
		return trm_error_set(reterr, TRM_EINVAL,
				n ? "the pattern is too long" : "there is nothing to look for");
	struct find *f = calloc(1, sizeof *f);
	if (!f)
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory for the pattern");
	f->opts = opts;
	int r = prepare_find(f, pattern, n, reterr);
	if (r < 0) {
		find_destroy(f);
		return r;
	}
	*ret = f;
	return 0;
}

void find_destroy(struct find *f)
{
	if (!f)
		return;
	trm_regex_destroy(f->regex);
	free(f->pattern);
	free(f->window);
	free(f);
}

/* ---- in a window ---- */

static bool reserve_subject(struct find *f, size_t n)
{
	if (n > f->window_cap || !f->window) {
		char *bigger = realloc(f->window, n + 1);
		if (!bigger)
			return false;
		f->window = bigger;
		f->window_cap = n;
	}
	return true;
}

/* Copy the lines of [start, end) into the window. False: no memory. */
static bool search_range(struct find *f, const struct text *t, size_t start, size_t end)
{
	if (!reserve_subject(f, end - start))
		return false;
	f->window_len = text_copy(t, start, f->window, end - start);
	if (f->ignores_case && !f->regex)
		to_lower(f->window, f->window_len);
	return true;
}

static bool plain_in_window(const struct find *f, size_t from, struct find_match *ret)
{
	if (!f->window || from > f->window_len)
		return false;
	const char *p = memmem(f->window + from, f->window_len - from, f->pattern, f->len);
	if (!p)
		return false;
	*ret = (struct find_match){(size_t)(p - f->window), f->len};
	return true;
}

static bool regex_in_window(struct find *f, size_t from, struct find_match *ret)
{
	const char *window = f->window;
	struct trm_regex_span spans[TRM_REGEX_GROUPS];

	if (!window)
		return false;
	const char *end = window + f->window_len, *newline = memrchr(window, '\n', from),
		   *line = newline ? newline + 1 : window;
	for (size_t skip = (size_t)(window + from - line); line <= end; line = newline + 1, skip = 0) {
		newline = memchr(line, '\n', (size_t)(end - line));
		newline = newline ? newline : end;
		if (!trm_regex_match(f->regex, line, (size_t)(newline - line), skip, spans)) {
			f->gave_up |= trm_regex_gave_up(f->regex);
			continue;
		}
		ret->pos = (size_t)(line - window) + spans[0].start;
		ret->len = spans[0].end - spans[0].start;
		return true;
	}
	return false;
}

static bool is_word_byte(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_'
	       || (unsigned char)c >= 0x80;
}

static bool is_word(const struct find *f, struct find_match match)
{
	size_t end = match.pos + match.len;

	return !(match.pos > 0 && is_word_byte(f->window[match.pos - 1]))
	       && !(end < f->window_len && is_word_byte(f->window[end]));
}

/* The first match in the window that does not begin before `from`. */
static bool in_window(struct find *f, size_t from, struct find_match *ret)
{
	while (from <= f->window_len
			&& (f->regex ? regex_in_window(f, from, ret) : plain_in_window(f, from, ret))) {
		if (!f->opts.is_word || is_word(f, *ret))
			return true;
		from = ret->pos + 1;
	}
	return false;
}

bool find_take(struct find *f, const char *bytes, size_t n)
{
	if (!reserve_subject(f, n + 1))
		return false;
	memcpy(f->window, bytes, n);
	f->window_len = n;
	if (f->ignores_case && !f->regex)
		to_lower(f->window, n);
	return true;
}

bool find_in_taken(struct find *f, size_t from, struct find_match *ret)
{
	return in_window(f, from, ret);
}

bool find_gave_up(const struct find *f)
{
	return f && f->gave_up;
}

/* ---- in a text ---- */

/* Bytes searched at a time, at first and at most. A longer line is searched as a whole. */
enum { FIRST_WINDOW = 512, LAST_WINDOW = 65536 };

static size_t wider(size_t window)
{
	return window < LAST_WINDOW ? window * 2 : window;
}

/* The end of the line at `window` bytes after `start`, before its newline. */
static size_t window_end(const struct text *t, size_t start, size_t window)
{
	size_t len = text_len(t);

	return len - start <= window ? len : text_line_end(t, text_line_of(t, start + window));
}

bool find_take_lines(struct find *f, const struct text *t, size_t start, size_t *ret_end)
{
	*ret_end = window_end(t, start, LAST_WINDOW);
	return search_range(f, t, start, *ret_end);
}

bool find_next(struct find *f, const struct text *t, size_t from, size_t to, struct find_match *ret)
{
	size_t len = text_len(t), end, window = FIRST_WINDOW;
	struct find_match match;

	if (from > len)
		return false;
	for (size_t start = text_line_start(t, text_line_of(t, from)); start <= len && start < to;
			start = end + 1, window = wider(window)) {
		end = window_end(t, start, window);
		if (!search_range(f, t, start, end))
			return false;
		if (!in_window(f, from > start ? from - start : 0, &match))
			continue;
		match.pos += start;
		*ret = match;
		return match.pos < to;
	}
	return false;
}

/* The last match of the window that begins before `before`. */
static bool last_in_window(struct find *f, size_t before, struct find_match *ret)
{
	struct find_match match;
	bool is_found = false;

	for (size_t from = 0; in_window(f, from, &match) && match.pos < before;
			from = match.pos + (match.len ? match.len : 1)) {
		*ret = match;
		is_found = true;
	}
	return is_found;
}

bool find_previous(struct find *f, const struct text *t, size_t before, struct find_match *ret)
{
	size_t end = text_line_end(t, text_line_of(t, before));

	for (size_t window = FIRST_WINDOW;; window = wider(window)) {
		size_t start = end > window ? end - window : 0;
		start = text_line_start(t, text_line_of(t, start));
		if (!search_range(f, t, start, end))
			return false;
		if (before > start && last_in_window(f, before - start, ret)) {
			ret->pos += start;
			return true;
		}
		if (start == 0)
			return false;
		end = start - 1;
	}
}

/* ---- replacements ---- */

struct builder {
	char *bytes;
	size_t len, cap;
	bool failed;
};

static void add_pattern_bytes(struct builder *b, const char *bytes, size_t n)
{
	if (b->len + n + 1 > b->cap) {
		size_t cap = 2 * (b->len + n + 1);
		char *bigger = realloc(b->bytes, cap);
		if (!bigger) {
			b->failed = true;
			return;
		}
		b->bytes = bigger;
		b->cap = cap;
	}
	memcpy(b->bytes + b->len, bytes, n);
	b->len += n;
}

/* Add one piece of a template. Returns its length in the template. */
static size_t add_piece(struct builder *b, const struct find *f, const char *by,
		const struct trm_regex_span spans[TRM_REGEX_GROUPS])
{
	static const char from[] = "nt\\$", to[] = "\n\t\\$";
	const char *known = by[1] ? strchr(from, by[1]) : NULL;

	if ((*by == '$' || *by == '\\') && by[1] >= '0' && by[1] <= '9') {
		const struct trm_regex_span *s = &spans[by[1] - '0'];
		if (s->start <= s->end)
			add_pattern_bytes(b, f->window + s->start, s->end - s->start);
		return 2;
	}
	if ((*by == '\\' && known) || (*by == '$' && by[1] == '$')) {
		add_pattern_bytes(b, &to[known - from], 1);
		return 2;
	}
	add_pattern_bytes(b, by, 1);
	return 1;
}

char *find_replacement(struct find *f, const struct text *t, struct find_match match, const char *by,
		size_t *ret_len)
{
	struct trm_regex_span spans[TRM_REGEX_GROUPS];
	struct builder b = {0};

	if (f->opts.is_regex) {
		size_t line = text_line_of(t, match.pos), start = text_line_start(t, line);
		if (!search_range(f, t, start, text_line_end(t, line))
				|| !trm_regex_match(
						f->regex, f->window, f->window_len, match.pos - start, spans))
			return NULL;
		while (*by && !b.failed)
			by += add_piece(&b, f, by, spans);
	} else {
		add_pattern_bytes(&b, by, strlen(by));
	}
	add_pattern_bytes(&b, "", 0);
	if (b.failed || !b.bytes) {
		free(b.bytes);
		return NULL;
	}
	b.bytes[b.len] = '\0';
	*ret_len = b.len;
	return b.bytes;
}
