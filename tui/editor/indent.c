/* SPDX-License-Identifier: MIT */
#include "editor/indent.h"

#include <string.h>

#include <terrarium/lang.h>

#define DEPTH_MAX 32 /* nesting depth of brackets that is tracked */
#define WORD_MAX 16

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_style(const struct trm_lang *lang, enum trm_lang_style style)
{
	return lang && lang->style == style;
}

/* ---- the shape of a line ---- */

static bool begins_comment(const struct trm_lang *lang, const char *line, size_t n, size_t at)
{
	const char *sign = lang ? lang->comment : NULL;
	size_t len = sign ? strlen(sign) : 0;
	if (len == 0 || n - at < len || memcmp(line + at, sign, len) != 0)
		return false;
	return !is_style(lang, TRM_STYLE_SHELL) || at == 0 || strchr(" \t;&|(", line[at - 1]);
}

/* The position after the string that begins at `at`. n + 1: the string does not end in this line. */
static size_t behind_string(const struct trm_lang *lang, const char *line, size_t n, size_t at)
{
	char quote = line[at];
	bool is_long = is_style(lang, TRM_STYLE_INDENT) && n - at >= 3 && line[at + 1] == quote
		       && line[at + 2] == quote;
	bool has_escapes = !(is_style(lang, TRM_STYLE_SHELL) && quote == '\'');
	for (size_t i = at + (is_long ? 3 : 1); i < n; i++) {
		if (line[i] == '\\' && has_escapes)
			i++;
		else if (line[i] == quote && !is_long)
			return i + 1;
		else if (line[i] == quote && n - i >= 3 && line[i + 1] == quote && line[i + 2] == quote)
			return i + 3;
	}
	return n + 1;
}

struct line_shape line_shape(const struct trm_lang *lang, const char *line, size_t n)
{
	static const char opening[] = "([{", closing[] = ")]}";
	const char *quotes = is_style(lang, TRM_STYLE_INDENT) ? "\"'" : "\"'`";
	struct line_shape s = {0};
	size_t open[DEPTH_MAX] = {0};
	while (s.blank < n && is_blank(line[s.blank]))
		s.blank++;
	for (size_t i = s.blank; i < n;) {
		char c = line[i];
		if (begins_comment(lang, line, n, i))
			break;
		if (!is_blank(c))
			s.ink = i + 1;
		if (c == '\\') {
			i += 2;
		} else if (c != '\0' && strchr(quotes, c)) {
			i = behind_string(lang, line, n, i);
			s.ink = i <= n ? i : n;
			s.is_quoted = i > n;
		} else {
			if (c != '\0' && strchr(opening, c)) {
				if (s.n_open < DEPTH_MAX)
					open[s.n_open] = i;
				s.n_open++;
			} else if (c != '\0' && strchr(closing, c) && s.n_open > 0) {
				s.n_open--;
			} else if (c != '\0' && strchr(closing, c)) {
				s.has_closer = true;
				s.closer_at = i;
			}
			i++;
		}
	}
	s.open_at = s.n_open > 0 && s.n_open <= DEPTH_MAX ? open[s.n_open - 1] : 0;
	return s;
}

/* ---- words ---- */

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool line_has_word(const char *words, const char *line, const struct line_shape *s, bool is_last)
{
	char word[WORD_MAX + 3];
	size_t from = s->blank, to = s->blank;
	if (is_last) {
		from = to = s->ink;
		while (from > s->blank && is_word_byte(line[from - 1]))
			from--;
	} else {
		while (to < s->ink && is_word_byte(line[to]))
			to++;
	}
	if (to == from || to - from > WORD_MAX)
		return false;
	word[0] = ' ';
	memcpy(word + 1, line + from, to - from);
	memcpy(word + 1 + (to - from), " ", 2);
	return strstr(words, word) != NULL;
}

static char last_ink(const char *line, const struct line_shape *s)
{
	return s->ink > s->blank ? line[s->ink - 1] : '\0';
}

/* ---- blocks ---- */

/* "a)", "*.c)": a pattern of a case statement. */
static bool is_pattern(const char *line, const struct line_shape *s)
{
	return s->has_closer && s->n_open == 0 && line[s->closer_at] == ')' && s->closer_at + 1 == s->ink
	       && s->blank < s->closer_at;
}

/* "def f", "list.each do |one|", "x = if y"; but not "def f = 1" or a block that ends in the same line. */
static bool opens_until_end(const char *line, const struct line_shape *s)
{
	static const char first[] = " def class module if unless while until for case begin else elsif when "
				    "rescue ensure function local repeat ";
	static const char last[] = " do then begin repeat else ";
	const char *parameters = memmem(line, s->ink, " do |", 5);
	bool is_short = line_has_word(" def ", line, s, false) && memmem(line, s->ink, " = ", 3);
	if (line_has_word(" end ", line, s, true) || is_short)
		return false;
	if (line_has_word(" local ", line, s, false))
		return memmem(line, s->ink, "function", 8);
	return line_has_word(first, line, s, false) || line_has_word(last, line, s, true)
	       || (parameters && last_ink(line, s) == '|');
}

bool line_opens_block(const struct trm_lang *lang, const char *line, const struct line_shape *s)
{
	char last = last_ink(line, s);
	if (s->is_quoted || !lang)
		return false;
	switch (lang->style) {
	case TRM_STYLE_INDENT: return last == ':' && s->n_open == 0;
	case TRM_STYLE_BRACES: return last == ':' && line_has_word(" case default ", line, s, false);
	case TRM_STYLE_SHELL:
		return line_has_word(" then do else ", line, s, true)
		       || (line_has_word(" in ", line, s, true) && line_has_word(" case ", line, s, false))
		       || is_pattern(line, s);
	case TRM_STYLE_END: return opens_until_end(line, s);
	}
	return false;
}

bool line_leaves_block(const struct trm_lang *lang, const char *line, const struct line_shape *s)
{
	if (s->is_quoted || s->n_open > 0 || !lang)
		return false;
	if (lang->style == TRM_STYLE_INDENT)
		return line_has_word(" return pass break continue raise ", line, s, false);
	/* ";;" after the commands of a pattern; but not "a) b ;;", which is on the level of the pattern. */
	return lang->style == TRM_STYLE_SHELL && s->ink >= 2 && memcmp(line + s->ink - 2, ";;", 2) == 0
	       && !s->has_closer;
}

static const struct line_partner python_partners[] = {
		{" else ", " if elif for while try except async ", NULL},
		{" elif ", " if elif ", NULL},
		{" except ", " try except ", NULL},
		{" finally ", " try except else ", NULL},
		{NULL, NULL, NULL},
};
static const struct line_partner bash_partners[] = {
		{" fi ", " if ", " fi "},
		{" else ", " if ", " fi "},
		{" elif ", " if ", " fi "},
		{" then ", " if elif ", " fi "},
		{" done ", " for while until select ", " done "},
		{" do ", " for while until select ", " done "},
		{" esac ", " case ", " esac "},
		{NULL, NULL, NULL},
};
static const struct line_partner end_partners[] = {
		{" end ", NULL, NULL},
		{" else ", NULL, NULL},
		{" elsif ", NULL, NULL},
		{" elseif ", NULL, NULL},
		{" rescue ", NULL, NULL},
		{" ensure ", NULL, NULL},
		{NULL, NULL, NULL},
};

const struct line_partner *line_partner(
		const struct trm_lang *lang, const char *line, const struct line_shape *s)
{
	const struct line_partner *p = is_style(lang, TRM_STYLE_INDENT)  ? python_partners
				       : is_style(lang, TRM_STYLE_SHELL) ? bash_partners
				       : is_style(lang, TRM_STYLE_END)   ? end_partners
									 : NULL;
	for (; p && p->word; p++)
		if (line_has_word(p->word, line, s, false))
			return p;
	return NULL;
}
