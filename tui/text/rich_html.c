/* SPDX-License-Identifier: MIT */
/* HTML as text. Source: the relevant parts of the HTML Standard, 13.1 and 13.5. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/text.h>

#include "text/rich.h"
#include "text/rich_internal.h"

enum { NAME_MAX_BYTES = 12, CELL_BYTES = 4096 };

struct reader {
	const char *at, *end;
	struct rich out;
	struct rich cell; /* contents of the open cell of the table */
	struct rich_table table;
	int tables; /* open tables; an inner one is part of a cell */
	bool is_in_cell, is_head;
	size_t span;
	int bold, verbatim; /* open elements */
};

struct tag {
	char name[NAME_MAX_BYTES + 1]; /* lower case; cut */
	bool is_end;
	const char *attributes, *end;
};

static struct rich *target(struct reader *r)
{
	return r->is_in_cell ? &r->cell : &r->out;
}

/* ---- tags ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* The end of the tag after its ">", ignoring quoted ones; the end of the input if there is none. */
static const char *tag_end(const char *at, const char *end)
{
	for (char quote = 0; at < end; at++) {
		if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == '>')
			return at + 1;
	}
	return end;
}

/* At "<": read a tag. False: it is only a character. */
static bool read_tag(struct reader *r, struct tag *ret)
{
	const char *at = r->at + 1;
	size_t n = 0;

	*ret = (struct tag){.is_end = at < r->end && *at == '/'};
	at += ret->is_end;
	if (at == r->end || !is_letter(*at))
		return false;
	for (; at < r->end && (is_letter(*at) || (*at >= '0' && *at <= '9') || *at == '-'); at++)
		if (n < NAME_MAX_BYTES)
			ret->name[n++] = (char)(is_letter(*at) ? *at | 0x20 : *at);
	ret->attributes = at;
	ret->end = r->at = tag_end(at, r->end);
	return true;
}

/* Skip "<!-- … -->", "<!doctype …>" and "<?…>". False: none of these. */
static bool skip_declaration(struct reader *r)
{
	if (r->end - r->at < 2 || (r->at[1] != '!' && r->at[1] != '?'))
		return false;
	bool is_comment = r->end - r->at >= 4 && memcmp(r->at, "<!--", 4) == 0;
	const char *end = is_comment ? memmem(r->at + 4, (size_t)(r->end - r->at - 4), "-->", 3)
				     : memchr(r->at, '>', (size_t)(r->end - r->at));
	r->at = !end ? r->end : end + (is_comment ? 3 : 1);
	return true;
}

/* Skip everything up to the end tag of that name. */
static void skip_element(struct reader *r, const char *name)
{
	struct tag tag;

	while (r->at < r->end) {
		const char *next = memchr(r->at, '<', (size_t)(r->end - r->at));
		if (!next) {
			r->at = r->end;
			return;
		}
		r->at = next;
		if (!read_tag(r, &tag))
			r->at++;
		else if (tag.is_end && strcmp(tag.name, name) == 0)
			return;
		else if (!tag.is_end)
			r->at = next + 1; /* within a script only its own end tag counts */
	}
}

static size_t span_of(const struct tag *tag)
{
	const char *at = memmem(tag->attributes, (size_t)(tag->end - tag->attributes), "colspan=", 8);
	size_t span = 0;

	for (at = at ? at + 8 : tag->end; at < tag->end && (*at == '"' || *at == '\''); at++)
		;
	for (; at < tag->end && *at >= '0' && *at <= '9' && span < 1000; at++)
		span = span * 10 + (size_t)(*at - '0');
	return span;
}

/* ---- tables ---- */

static void end_cell(struct reader *r)
{
	if (!r->is_in_cell)
		return;
	r->is_in_cell = false;
	rich_table_cell(&r->table, r->cell.mem ? r->cell.mem : "", r->cell.len, r->is_head, r->span);
	r->cell.len = 0;
	r->cell.has_gap = r->cell.is_full = false;
	r->cell.newlines = 0;
}

static void on_cell(struct reader *r, const struct tag *tag)
{
	if (r->tables != 1)
		return;
	end_cell(r);
	if (tag->is_end)
		return;
	if (!r->table.is_in_row)
		rich_table_row(&r->table);
	r->is_in_cell = true;
	r->is_head = tag->name[1] == 'h';
	r->span = span_of(tag);
}

static void on_row(struct reader *r, const struct tag *tag)
{
	if (r->tables != 1) {
		target(r)->has_gap = true;
		return;
	}
	end_cell(r);
	r->table.is_in_row = false;
	if (!tag->is_end)
		rich_table_row(&r->table);
}

static void on_table(struct reader *r, const struct tag *tag)
{
	if (!tag->is_end) {
		r->tables++;
		return;
	}
	if (r->tables == 1) {
		end_cell(r);
		rich_table_put(&r->table, &r->out);
	}
	r->tables -= r->tables > 0;
}

/* ---- other elements ---- */

static void set_bold(struct reader *r, const struct tag *tag)
{
	bool was_bold = r->bold > 0;

	r->bold += tag->is_end ? -was_bold : 1;
	if (r->is_in_cell)
		return; /* cells are cut and padded */
	if (!tag->is_end && r->bold == 1)
		rich_word(&r->out, RICH_BOLD, strlen(RICH_BOLD));
	else if (was_bold && r->bold == 0)
		rich_add(&r->out, RICH_PLAIN, strlen(RICH_PLAIN));
}

static void on_heading(struct reader *r, const struct tag *tag)
{
	if (tag->is_end)
		set_bold(r, tag);
	rich_break(target(r), 2);
	if (!tag->is_end)
		set_bold(r, tag);
}

static void on_paragraph(struct reader *r, const struct tag *tag)
{
	(void)tag;
	rich_break(target(r), 2);
}

static void on_block(struct reader *r, const struct tag *tag)
{
	(void)tag;
	rich_break(target(r), 1);
}

static void on_item(struct reader *r, const struct tag *tag)
{
	rich_break(target(r), 1);
	if (!tag->is_end)
		rich_add(target(r), "  * ", 4);
}

static void on_newline(struct reader *r, const struct tag *tag)
{
	(void)tag;
	target(r)->has_gap = false;
	rich_add(target(r), "\n", 1);
}

static void on_rule(struct reader *r, const struct tag *tag)
{
	(void)tag;
	rich_break(target(r), 1);
	rich_add(target(r), "----------------\n", 17);
}

static void on_verbatim(struct reader *r, const struct tag *tag)
{
	r->verbatim += tag->is_end ? -(r->verbatim > 0) : 1;
	rich_break(target(r), 1);
}

static void on_hidden(struct reader *r, const struct tag *tag)
{
	if (!tag->is_end)
		skip_element(r, tag->name);
}

static const struct {
	const char *name;
	void (*handle)(struct reader *r, const struct tag *tag);
} elements[] = {{"table", on_table}, {"tr", on_row}, {"td", on_cell}, {"th", on_cell}, {"b", set_bold},
		{"strong", set_bold}, {"h1", on_heading}, {"h2", on_heading}, {"h3", on_heading},
		{"h4", on_heading}, {"h5", on_heading}, {"h6", on_heading}, {"p", on_paragraph},
		{"ul", on_block}, {"ol", on_block}, {"dl", on_block}, {"dt", on_block}, {"dd", on_item},
		{"div", on_block}, {"section", on_block}, {"blockquote", on_paragraph}, {"li", on_item},
		{"br", on_newline}, {"hr", on_rule}, {"pre", on_verbatim}, {"script", on_hidden},
		{"style", on_hidden}, {"head", on_hidden}, {"title", on_hidden}, {"template", on_hidden},
		{"iframe", on_hidden}, {"noscript", on_hidden}, {"svg", on_hidden}};

static void handle_tag(struct reader *r, const struct tag *tag)
{
	for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
		if (strcmp(tag->name, elements[i].name) == 0) {
			elements[i].handle(r, tag);
			return;
		}
}

/* ---- text ---- */

static bool is_printable(uint32_t cp)
{
	return cp >= 0x20 && cp != 0x7F && !(cp >= 0x80 && cp < 0xA0) && !(cp >= 0xD800 && cp < 0xE000)
	       && cp < 0x110000;
}

static void put_char(struct reader *r, uint32_t cp)
{
	char text[8];
	struct rich *to = target(r);

	if (r->is_in_cell && to->len > CELL_BYTES)
		return;
	if (!is_printable(cp) || (r->tables && !r->is_in_cell)) /* text between cells is ignored */
		return;
	rich_word(to, text, trm_utf8_encode(cp == 0xA0 ? ' ' : cp, text));
}

static const struct {
	const char *name;
	uint32_t cp;
} entities[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"nbsp", 0xA0},
		{"middot", 0xB7}, {"times", 0xD7}, {"deg", 0xB0}, {"plusmn", 0xB1}, {"micro", 0xB5},
		{"hellip", 0x2026}, {"ndash", 0x2013}, {"mdash", 0x2014}, {"rarr", 0x2192}, {"larr", 0x2190},
		{"bull", 0x2022}, {"copy", 0xA9}, {"euro", 0x20AC}};

/* At "&": the character that it stands for, otherwise "&" itself. */
static uint32_t read_entity(struct reader *r)
{
	const char *end = memchr(r->at, ';', (size_t)(r->end - r->at < 12 ? r->end - r->at : 12));
	size_t n = end ? (size_t)(end - r->at - 1) : 0;
	char name[12];
	uint32_t cp = 0;

	memcpy(name, r->at + 1, n);
	name[n] = '\0';
	if (n > 1 && name[0] == '#') {
		bool is_hex = (name[1] | 0x20) == 'x';
		cp = (uint32_t)strtoul(name + 1 + is_hex, NULL, is_hex ? 16 : 10);
	}
	for (size_t i = 0; n && i < sizeof entities / sizeof *entities; i++)
		if (strcmp(name, entities[i].name) == 0)
			cp = entities[i].cp;
	r->at = cp ? end + 1 : r->at + 1;
	return cp ? cp : '&';
}

static void read_text(struct reader *r)
{
	bool is_valid;
	uint32_t cp;

	if (*r->at == '\n' && r->verbatim) {
		on_newline(r, NULL);
		r->at++;
	} else if (is_blank(*r->at) && !r->verbatim) {
		target(r)->has_gap = true;
		r->at++;
	} else if (*r->at == '&') {
		put_char(r, read_entity(r));
	} else {
		r->at += trm_utf8_decode(r->at, (size_t)(r->end - r->at), &cp, &is_valid);
		put_char(r, cp == '\t' ? ' ' : cp);
	}
}

char *rich_from_html(const char *html, size_t n, size_t cols, size_t *ret_len)
{
	struct reader r = {.at = html, .end = html + n, .out.cols = cols};
	struct tag tag;

	while (r.at < r.end && !r.out.is_full) {
		if (*r.at != '<')
			read_text(&r);
		else if (read_tag(&r, &tag))
			handle_tag(&r, &tag);
		else if (!skip_declaration(&r))
			read_text(&r);
	}
	end_cell(&r);
	if (r.tables)
		rich_table_put(&r.table, &r.out);
	rich_table_finish(&r.table);
	free(r.cell.mem);
	if (r.bold)
		rich_add(&r.out, RICH_PLAIN, strlen(RICH_PLAIN));
	return rich_take(&r.out, ret_len);
}
