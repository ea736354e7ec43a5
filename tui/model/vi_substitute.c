/* SPDX-License-Identifier: MIT */
/* vi's ":s". The pattern is a regular expression of PCRE2; in the new text \1 stands for a group and & for
 * the whole match. */
#include "model/vi_keys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "editor/editor_internal.h"
#include "model/model.h"
#include "model/update.h"
#include "text/find.h"
#include "text/text.h"

#define PART_BYTES 512

struct substitution {
	size_t first, last;                    /* lines, from 0 */
	char what[PART_BYTES], by[PART_BYTES]; /* the pattern, and the new text as the finder writes it */
	bool is_global, ignores_case, is_wrong;
};

/* ---- the command ---- */

/* "12", "." or "$". False: there is no line number. */
static bool take_line(const struct model *m, const char **p, size_t *ret)
{
	const struct editor *e = &buffers_current(&m->buffers)->editor;
	size_t lines = text_lines(e->text);
	char *end;

	if (isdigit((unsigned char)**p)) {
		size_t n = strtoul(*p, &end, 10);
		*ret = n > lines ? lines - 1 : n ? n - 1 : 0;
		*p = end;
		return true;
	}
	if (**p != '.' && **p != '$')
		return false;
	*ret = **p == '$' ? lines - 1 : text_line_of(e->text, e->sel.cursor);
	++*p;
	return true;
}

static void take_lines(const struct model *m, const char **p, struct substitution *s)
{
	const struct editor *e = &buffers_current(&m->buffers)->editor;

	s->first = s->last = text_line_of(e->text, e->sel.cursor);
	if (**p == '%') {
		s->first = 0;
		s->last = text_lines(e->text) - 1;
		++*p;
	} else if (take_line(m, p, &s->first)) {
		s->last = s->first;
		if (**p == ',') {
			++*p;
			s->is_wrong = !take_line(m, p, &s->last);
		}
	}
}

/* Copy up to the delimiter. A backslash before it is left out. */
static void take_part(const char **p, char delimiter, char out[PART_BYTES], bool *is_wrong)
{
	size_t n = 0;

	for (; **p && **p != delimiter && n + 2 < PART_BYTES; ++*p) {
		if (**p == '\\' && (*p)[1] == delimiter)
			++*p;
		else if (**p == '\\' && (*p)[1])
			out[n++] = *(*p)++;
		out[n++] = **p;
	}
	*is_wrong |= **p && **p != delimiter;
	out[n] = '\0';
	*p += **p == delimiter;
}

/* From vi's way of writing the new text to the finder's. */
static void translate_new_text(const char *from, char out[2 * PART_BYTES])
{
	size_t n = 0;

	for (; *from; from++) {
		bool is_group = from[0] == '\\' && isdigit((unsigned char)from[1]);
		bool is_sign = from[0] == '\\' && from[1] == '&';
		if (*from == '$' || is_group || (*from == '&'))
			out[n++] = '$';
		from += is_group || is_sign;
		out[n++] = *from == '&' && !is_sign ? '0' : *from;
	}
	out[n] = '\0';
}

static void take_flags(const char *p, struct substitution *s)
{
	for (; *p; p++) {
		s->is_global |= *p == 'g';
		s->ignores_case |= *p == 'i';
		s->is_wrong |= !strchr("gi ", *p);
	}
}

/* False: the text is another command. */
static bool read_substitution(const struct model *m, const char *text, struct substitution *s)
{
	char by[PART_BYTES], delimiter;

	*s = (struct substitution){0};
	take_lines(m, &text, s);
	if (text[0] != 's' || !ispunct((unsigned char)text[1]) || text[1] == '\\')
		return false;
	delimiter = text[1];
	text += 2;
	take_part(&text, delimiter, s->what, &s->is_wrong);
	take_part(&text, delimiter, by, &s->is_wrong);
	char translated[2 * PART_BYTES];
	translate_new_text(by, translated);
	s->is_wrong |= strlen(translated) >= sizeof s->by || !s->what[0];
	strncat(s->by, translated, sizeof s->by - 1);
	take_flags(text, s);
	return true;
}

/* ---- the change ---- */

/* The ranges in which matches are replaced, the last one first, malloc'd. */
static struct editor_range *make_ranges(
		const struct editor *e, struct find *f, const struct substitution *s, size_t *ret_n)
{
	struct editor_range *ranges = malloc((s->last - s->first + 1) * sizeof *ranges);
	struct find_match match;
	size_t n = 0;

	for (size_t line = s->last + 1; ranges && line-- > s->first;) {
		struct editor_range r = {text_line_start(e->text, line), text_line_end(e->text, line) + 1};
		if (!find_next(f, e->text, r.from, r.to, &match))
			continue;
		ranges[n++] = s->is_global ? r : (struct editor_range){match.pos, match.pos + 1};
	}
	*ret_n = n;
	return ranges;
}

static void carry_out(struct model *m, const struct substitution *s, struct effects *out)
{
	const struct find_opts opts = {.is_regex = true, .is_exact = true};
	struct editor *e = model_editor(m);
	struct trm_error err = {0};
	size_t n_ranges = 0, n = 0;
	char what[PART_BYTES + 8];
	struct find *f;

	snprintf(what, sizeof what, "%s%s", s->ignores_case ? "(?i)" : "", s->what);
	if (find_create(what, strlen(what), opts, &f, &err) < 0) {
		notices_add(&m->notices, m->now_ns, true, "%s", err.msg);
		return;
	}
	struct editor_range *ranges = make_ranges(e, f, s, &n_ranges);
	if (n_ranges)
		editor_done(m, editor_replace_all(e, f, s->by, ranges, n_ranges, &n), out);
	if (n)
		notices_add(&m->notices, m->now_ns, false, "replaced %zu match%s%s", n, n == 1 ? "" : "es",
				finder_gap(f));
	else
		notices_add(&m->notices, m->now_ns, true, "no match%s", finder_gap(f));
	free(ranges);
	find_destroy(f);
}

bool vi_substitute(struct model *m, const char *text, struct effects *out)
{
	struct substitution s;

	if (!read_substitution(m, text, &s))
		return false;
	if (s.is_wrong || s.last < s.first)
		notices_add(&m->notices, m->now_ns, true,
				"use :s/OLD/NEW/ or :%%s/OLD/NEW/ with the flags g and i");
	else
		carry_out(m, &s, out);
	return true;
}
