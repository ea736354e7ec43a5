/* SPDX-License-Identifier: MIT */
/* The entries of a piece of C: the declarations that later pieces are compiled with. */
#include "agent/batch/source_c_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void source_c_free(struct source_c_entry **entries, size_t *n)
{
	for (size_t i = 0; i < *n; i++) {
		buf_finish(&(*entries)[i].text);
		free((*entries)[i].names);
	}
	free(*entries);
	*entries = NULL;
	*n = 0;
}

/* ---- words ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

bool c_scan_is_name_byte(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9');
}

size_t c_scan_skip_size(const char *at, const char *end)
{
	size_t left = (size_t)(end - at);
	if (left >= 2 && (!memcmp(at, "/*", 2) || !memcmp(at, "//", 2))) {
		const char *close =
				memmem(at + 2, left - 2, at[1] == '*' ? "*/" : "\n", at[1] == '*' ? 2 : 1);
		return close ? (size_t)(close - at) + 1 + (at[1] == '*') : left;
	}
	if (*at != '"' && *at != '\'')
		return 0;
	size_t i = 1;
	while (i < left && at[i] != *at)
		i += 1 + (at[i] == '\\');
	return i < left ? i + 1 : left;
}

bool c_scan_is_word(const struct c_scan *s, const char *word)
{
	return s->n == strlen(word) && !memcmp(s->word, word, s->n);
}

static bool next_name(struct c_scan *s)
{
	if (s->word) {
		bool is_kind = c_scan_is_word(s, "struct") || c_scan_is_word(s, "union")
			       || c_scan_is_word(s, "enum");
		s->is_enum = is_kind ? c_scan_is_word(s, "enum") : s->is_enum;
		s->is_tag = is_kind;
		s->before2 = s->before;
		s->before = 'a';
	}
	for (s->word = NULL; s->at < s->end;) {
		size_t skip = c_scan_skip_size(s->at, s->end), n = 1;
		if (skip) {
			s->at += skip;
		} else if (strchr(" \t\r\n", *s->at)) {
			s->at++;
		} else if (c_scan_is_name_byte(*s->at)) {
			while (s->at + n < s->end && c_scan_is_name_byte(s->at[n]))
				n++;
			s->word = s->at;
			s->n = n;
			s->at += n;
			if (is_letter(*s->word))
				return true;
			s->is_tag = false;
		} else {
			s->is_enum &= *s->at != '}' && *s->at != ';';
			s->is_tag = false;
			s->before2 = s->before;
			s->before = *s->at++;
		}
	}
	return false;
}

static bool is_member(const struct c_scan *s)
{
	return s->before == '.' || (s->before == '>' && s->before2 == '-');
}

static char next_sign(const struct c_scan *s)
{
	const char *at = s->at;
	while (at < s->end && strchr(" \t\r\n", *at))
		at++;
	return at < s->end ? *at : '\0';
}

/* ---- entries ---- */

struct source_c_entry *source_c_add_entry(struct maker *m, enum part_kind kind)
{
	struct source_piece *piece = m->piece;
	struct source_c_entry *list = realloc(piece->entries, (piece->n_entries + 1) * sizeof *list);
	if (!list)
		return NULL;
	piece->entries = list;
	struct source_c_entry *e = &list[piece->n_entries++];
	*e = (struct source_c_entry){.kind = kind};
	buf_init(&e->text, SOURCE_MAX);
	return e;
}

void source_c_add_name(struct source_c_entry *e, const char *text, size_t n, struct c_name how)
{
	struct c_name *names = realloc(e->names, (e->n_names + 1) * sizeof *names);
	if (!names)
		return;
	e->names = names;
	if (n >= PART_NAME_SIZE)
		return;
	snprintf(how.text, sizeof how.text, "%.*s", (int)n, text);
	names[e->n_names++] = how;
}

struct c_name *source_c_find_name(const struct source_c_entry *list, size_t n, const char *text, size_t len,
		bool is_tag, bool is_defined)
{
	for (size_t i = n; i-- > 0;)
		for (size_t k = 0; k < list[i].n_names; k++) {
			struct c_name *name = &list[i].names[k];
			if (name->is_tag == is_tag && name->is_defined == is_defined
					&& strlen(name->text) == len && !memcmp(name->text, text, len))
				return name;
		}
	return NULL;
}

void source_c_note_tags(struct source_c_entry *e, const char *at, size_t n)
{
	struct c_scan s = {.at = at, .end = at + n};
	while (next_name(&s)) {
		char sign = next_sign(&s);
		if (s.is_tag && (sign == '{' || sign == ';'))
			source_c_add_name(e, s.word, s.n,
					(struct c_name){.is_tag = true, .is_defined = sign == '{'});
		else if (s.is_enum && !s.is_tag && (s.before == '{' || s.before == ',')
				&& strchr(",=}", sign))
			source_c_add_name(
					e, s.word, s.n, (struct c_name){.is_type = true, .is_defined = true});
	}
}

/* ---- names that are declared again ---- */

/* The earlier name that a word of an entry means, if the piece hides that; else NULL. */
static const struct c_name *hidden_name(const struct source *s, const struct source_piece *piece,
		const struct source_c_entry *e, const struct c_scan *w, bool has_typeof)
{
	const struct c_name *had =
			source_c_find_name(s->entries, s->n_entries, w->word, w->n, w->is_tag, true);
	if (!had || is_member(w) || e->kind == PART_DIRECTIVE
			|| !source_c_find_name(
					piece->entries, piece->n_entries, w->word, w->n, w->is_tag, true))
		return NULL;
	/* A struct may have members of the name of a variable. */
	return e->kind == PART_TYPE && !had->is_tag && !had->is_type && !has_typeof ? NULL : had;
}

void source_c_put_entry(struct buf *out, const struct source *s, const struct source_piece *piece,
		const struct source_c_entry *e)
{
	const char *text = buf_at(&e->text), *done = text, *end = text + e->text.len;
	struct c_scan w = {.at = text, .end = end};
	bool has_typeof = e->text.len && memmem(text, e->text.len, "typeof", 6);
	while (text && next_name(&w)) {
		if (!hidden_name(s, piece, e, &w, has_typeof))
			continue;
		buf_append(out, done, (size_t)(w.word - done));
		source_put(out, "trm_%u_", piece->number);
		done = w.word;
	}
	buf_append(out, done, (size_t)(end - done));
	source_put(out, "\n");
}

bool source_c_is_repeated(const struct source *s, const struct source_c_entry *e)
{
	for (size_t i = 0; i < s->n_entries; i++)
		if (e->kind == PART_TYPE && s->entries[i].kind == PART_TYPE && s->entries[i].n_names
				&& s->entries[i].text.len == e->text.len
				&& !memcmp(buf_at(&s->entries[i].text), buf_at(&e->text), e->text.len))
			return true;
	return false;
}

void source_c_put_label(const struct maker *m, struct buf *out, const char *name, size_t n)
{
	const struct source_piece *piece = m->piece;
	if (!source_c_find_name(piece->entries, piece->n_entries, name, n, false, false)
			&& (!source_c_find_name(m->s->entries, m->s->n_entries, name, n, false, false)
					|| source_c_find_name(m->s->entries, m->s->n_entries, name, n, false,
							true)))
		source_put(out, "%.*s.%u", (int)n, name, piece->number);
	else
		buf_append(out, name, n);
}

/* ---- declarations that stay after a run ---- */

/* The number behind that word. */
static unsigned long long count_of(const char *sizes, const char *name, size_t n)
{
	unsigned long long count = 0;
	for (const char *at = sizes; at && *at; at = strchr(at, '\n'), at += at != NULL)
		if (!strncmp(at, name, n) && at[n] == ' ')
			count = strtoull(at + n, NULL, 10);
	return count;
}

/* Fill in how many elements arrays have. */
static void put_counts(struct buf *out, const char *at, size_t len, const char *sizes)
{
	for (const char *end = at + len; at < end;) {
		const char *mark = memchr(at, COUNT_MARK, (size_t)(end - at));
		const char *close = mark ? memchr(mark + 1, COUNT_MARK, (size_t)(end - mark - 1)) : NULL;
		buf_append(out, at, (size_t)((close ? mark : end) - at));
		if (!close)
			return;
		unsigned long long count = count_of(sizes, mark + 1, (size_t)(close - mark - 1));
		if (count)
			source_put(out, "%llu", count);
		at = close + 1;
	}
}

/* The names that the piece hides are called otherwise from now on. */
static void hide_names(struct source *s, const struct source_piece *piece)
{
	struct buf text;
	for (size_t i = 0; i < s->n_entries; i++) {
		struct source_c_entry *e = &s->entries[i];
		buf_init(&text, SOURCE_MAX);
		source_c_put_entry(&text, s, piece, e);
		buf_finish(&e->text);
		e->text = text;
	}
	for (size_t i = 0; i < s->n_entries; i++)
		for (size_t k = 0; k < s->entries[i].n_names; k++) {
			struct c_name *name = &s->entries[i].names[k];
			if (source_c_find_name(piece->entries, piece->n_entries, name->text,
					    strlen(name->text), name->is_tag, true))
				name->text[0] = '\0';
		}
}

bool source_c_keep(struct source *s, struct source_piece *piece, const char *sizes)
{
	struct source_c_entry *list =
			realloc(s->entries, (s->n_entries + piece->n_entries + 1) * sizeof *list);
	if (!list)
		return false;
	s->entries = list;
	hide_names(s, piece);
	for (size_t i = 0; i < piece->n_entries; i++) {
		struct source_c_entry *e = &s->entries[s->n_entries++];
		*e = piece->entries[i];
		struct buf text;
		buf_init(&text, SOURCE_MAX);
		put_counts(&text, buf_at(&e->text), e->text.len, sizes);
		buf_finish(&e->text);
		e->text = text;
	}
	free(piece->entries);
	piece->entries = NULL;
	piece->n_entries = 0;
	return true;
}
