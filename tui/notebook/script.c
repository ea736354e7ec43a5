/* SPDX-License-Identifier: MIT */
/* The script of a notebook. A line of a cell that would look like a mark gets an additional comment sign at
 * its start, unless it stands in a string. Reading the script removes the sign. */
#include "notebook/notebook.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

struct line {
	const char *at;
	size_t n;
};

/* Read the next line of a text, without its line break. False: there is none. */
static bool take_line(const char *text, size_t n, size_t *at, struct line *ret)
{
	if (*at >= n)
		return false;
	const char *end = memchr(text + *at, '\n', n - *at);
	*ret = (struct line){text + *at, end ? (size_t)(end - text) - *at : n - *at};
	*at += ret->n + 1;
	return true;
}

static bool begins_with(struct line l, const char *word)
{
	size_t n = strlen(word);
	return l.n >= n && memcmp(l.at, word, n) == 0;
}

static struct line without(struct line l, size_t n)
{
	return (struct line){l.at + n, l.n - n};
}

static struct line without_blanks(struct line l)
{
	while (l.n && *l.at == ' ')
		l = without(l, 1);
	return l;
}

/* "# ", the comment sign with a blank. */
static bool has_sign(struct line l, const char *sign)
{
	return begins_with(l, sign) && l.n > strlen(sign) && l.at[strlen(sign)] == ' ';
}

/* "# %%" in code; in a comment the sign is not part of the line. */
static bool is_mark(struct line l, const char *sign, bool is_comment)
{
	if (is_comment)
		return begins_with(without_blanks(l), "%%");
	return begins_with(l, sign) && begins_with(without_blanks(without(l, strlen(sign))), "%%");
}

static bool looks_like_mark(struct line l, const char *sign, bool is_comment)
{
	while (!is_mark(l, sign, is_comment)) {
		if (!has_sign(l, sign))
			return false;
		l = without(l, strlen(sign) + 1);
	}
	return true;
}

static bool is_in_string(const struct notebook_strings *strings, const char *text, size_t n, size_t pos)
{
	return strings && strings->has(strings->user, text, n, pos);
}

/* ---- writing ---- */

static void put_body(const struct notebook *nb, const struct notebook_cell *c, FILE *out)
{
	bool is_comment = c->kind != NOTEBOOK_CODE || c->foreign;
	const char *sign = nb->lang->comment;
	struct line l;

	for (size_t at = 0; take_line(c->source, c->n, &at, &l);) {
		if (is_comment)
			fprintf(out, "%s%s", sign, l.n ? " " : "");
		if (looks_like_mark(l, sign, is_comment)
				&& (is_comment
						|| !is_in_string(nb->strings, c->source, c->n,
								(size_t)(l.at - c->source))))
			fprintf(out, "%s ", sign);
		fwrite(l.at, 1, l.n, out);
		putc('\n', out);
	}
}

void notebook_put_script(const struct notebook *nb, FILE *out)
{
	for (size_t i = 0; i < nb->n_cells; i++) {
		const struct notebook_cell *c = &nb->cells[i];
		const char *kind = c->kind == NOTEBOOK_MARKDOWN ? "markdown"
				   : c->kind == NOTEBOOK_RAW    ? "raw"
				   : c->foreign                 ? c->foreign->name
								: NULL;
		fprintf(out, "%s%s %%%%", i ? "\n" : "", nb->lang->comment);
		if (kind)
			fprintf(out, " [%s]", kind);
		fprintf(out, "%s%s\n", *c->title ? " " : "", c->title);
		put_body(nb, c, out);
	}
}

/* ---- reading ---- */

/* Read the kind of a cell in "[…]". False: it is unknown. */
static bool read_kind(struct notebook_cell *c, const struct trm_lang *lang, struct line name)
{
	const struct trm_lang *foreign = NULL;
	struct trm_error ignored;
	char word[64];

	snprintf(word, sizeof word, "%.*s", (int)(name.n < 60 ? name.n : 60), name.at);
	if (strcmp(word, "markdown") == 0 || strcmp(word, "md") == 0)
		c->kind = NOTEBOOK_MARKDOWN;
	else if (strcmp(word, "raw") == 0)
		c->kind = NOTEBOOK_RAW;
	else if (notebook_find_language(word, &foreign, &ignored) == 0)
		c->foreign = foreign != lang ? foreign : NULL;
	else
		return false;
	return true;
}

static bool read_mark(struct notebook_cell *c, const struct trm_lang *lang, struct line l)
{
	l = without_blanks(without(l, strlen(lang->comment)));
	while (l.n && *l.at == '%')
		l = without(l, 1);
	l = without_blanks(l);
	const char *end = l.n && *l.at == '[' ? memchr(l.at, ']', l.n) : NULL;
	if (end && read_kind(c, lang, (struct line){l.at + 1, (size_t)(end - l.at) - 1}))
		l = without_blanks(without(l, (size_t)(end - l.at) + 1));
	while (l.n && strchr(" \t\r", l.at[l.n - 1]))
		l.n--;
	c->title = strndup(l.at, l.n);
	c->magic = strdup("");
	return c->title && c->magic;
}

static struct line plain_line(struct line l, const char *sign, bool is_comment)
{
	size_t n = strlen(sign);

	if (is_comment && begins_with(l, sign))
		l = without(l, l.n > n && l.at[n] == ' ' ? n + 1 : n);
	if (has_sign(l, sign) && looks_like_mark(without(l, n + 1), sign, is_comment))
		l = without(l, n + 1);
	return l;
}

size_t notebook_uncomment(const struct trm_lang *lang, char *text, size_t n)
{
	size_t len = 0, at = 0;
	struct line l;

	while (take_line(text, n, &at, &l)) {
		l = plain_line(l, lang->comment, true);
		memmove(text + len, l.at, l.n);
		len += l.n;
		if (at <= n)
			text[len++] = '\n';
	}
	return len;
}

struct split {
	const struct trm_lang *lang;
	const struct notebook_strings *strings;
	const char *script;
	size_t n_script;
	struct notebook_cell *cells;
	size_t n, cap;
};

/* Does the line stand in a string of the cell that begins at `pos`? */
static bool stands_in_string(const struct split *s, size_t pos, struct line l)
{
	const char *cell = s->script + pos;

	return is_in_string(s->strings, cell, s->n_script - pos, (size_t)(l.at - cell));
}

/* Read the source from the lines after the mark. */
static bool read_body(const struct split *s, struct notebook_cell *c, const char *text, size_t n)
{
	const char *sign = s->lang->comment;
	bool is_comment = c->kind != NOTEBOOK_CODE || c->foreign;
	FILE *out = open_memstream(&c->source, &c->n);
	struct line l;

	if (!out)
		return false;
	for (size_t at = 0; take_line(text, n, &at, &l);) {
		bool is_plain = !is_comment && looks_like_mark(l, sign, false)
				&& stands_in_string(s, (size_t)(text - s->script), l);
		l = is_plain ? l : plain_line(l, sign, is_comment);
		fwrite(l.at, 1, l.n, out);
		putc('\n', out);
	}
	if (fclose(out) != 0)
		return false;
	while (c->n && c->source[c->n - 1] == '\n')
		c->source[--c->n] = '\0';
	return true;
}

static bool is_all_blank(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!memchr(" \t\r\n", text[i], 4))
			return false;
	return true;
}

/* Add a cell with the mark `mark`, if it has one, and the lines from `pos` to `end`. */
static bool add_split_cell(struct split *s, struct line mark, size_t pos, size_t end)
{
	struct notebook_cell c = {.pos = pos, .end = end};

	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct notebook_cell *cells = realloc(s->cells, cap * sizeof *cells);
		if (!cells)
			return false;
		s->cells = cells;
		s->cap = cap;
	}
	bool is_right = mark.at ? read_mark(&c, s->lang, mark)
				: (c.title = strdup("")) != NULL && (c.magic = strdup("")) != NULL;
	is_right = is_right && read_body(s, &c, s->script + pos, end - pos);
	s->cells[s->n++] = c;
	return is_right;
}

int notebook_split(const struct trm_lang *lang, const struct notebook_strings *strings, const char *script,
		size_t n, struct notebook_cell **ret, size_t *ret_n)
{
	struct split s = {.lang = lang, .strings = strings, .script = script, .n_script = n};
	struct line l, mark = {0};
	size_t pos = 0, at = 0;
	bool is_right = true;

	for (size_t start = 0; is_right && take_line(script, n, &at, &l); start = at < n ? at : n) {
		if (!is_mark(l, lang->comment, false) || stands_in_string(&s, pos, l))
			continue;
		if (mark.at || !is_all_blank(script, start))
			is_right = add_split_cell(&s, mark, pos, start);
		mark = l;
		pos = at < n ? at : n;
	}
	if (is_right && (mark.at || !is_all_blank(script, n)))
		is_right = add_split_cell(&s, mark, pos, n);
	if (!is_right) {
		notebook_cells_free(s.cells, s.n);
		return TRM_ENOMEM;
	}
	*ret = s.cells;
	*ret_n = s.n;
	return 0;
}
