/* SPDX-License-Identifier: MIT */
#include "agent/batch/source_c_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

const char *source_c_put_front(struct buf *out, const char *at, const char *end)
{
	static const char *const words[] = {"static", "inline", "__inline__", "__inline", "register"};
	for (size_t i = 0; i < sizeof words / sizeof *words;) {
		if (!source_starts_word(at, end, words[i])) {
			i++;
			continue;
		}
		for (size_t k = strlen(words[i]); k; k--, at++)
			source_put(out, " ");
		size_t spaces = strspn(at, " \t\r\n");
		buf_append(out, at, spaces);
		at += spaces;
		i = 0;
	}
	return at;
}

void source_c_put_definition(const struct maker *m, const char *at, const char *end)
{
	struct buf *out = &m->piece->text;
	source_put_place(m, out, at);
	at = source_c_put_front(out, at, end);
	buf_append(out, at, (size_t)(end - at));
	source_put(out, "\n");
}

static void make_type(struct maker *m, const struct part *p)
{
	struct source_c_entry *e = source_c_add_entry(m, PART_TYPE);
	const char *end = p->at + p->n;
	if (!e)
		return;
	buf_append(&e->text, p->at, p->n);
	source_put(&e->text, "%s", p->is_unended ? ";" : "");
	source_c_note_tags(e, p->at, p->n);
	for (size_t i = 0; i < p->n_names; i++) {
		const char *behind = p->names[i] + p->name_len[i];
		behind += strspn(behind, " \t\r\n");
		bool is_tag = source_c_find_name(e, 1, p->names[i], p->name_len[i], true, true)
			      || source_c_find_name(e, 1, p->names[i], p->name_len[i], true, false);
		bool is_prototype =
				behind < end && *behind == '(' && !source_starts_word(p->at, end, "typedef");
		if (!is_tag || source_starts_word(p->at, end, "typedef"))
			source_c_add_name(e, p->names[i], p->name_len[i],
					(struct c_name){.is_type = !is_prototype,
							.is_defined = !is_prototype});
	}
	if (source_c_is_repeated(m->s, e)) {
		m->piece->n_entries--;
		buf_finish(&e->text);
		free(e->names);
		return;
	}
	source_c_put_definition(m, p->at, end);
	source_put(&m->piece->text, "%s\n", p->is_unended ? ";" : "");
}

static void make_function(struct maker *m, const struct part *p)
{
	struct buf head, spaces;
	buf_init(&head, SOURCE_MAX);
	buf_init(&spaces, SOURCE_MAX);
	const char *at = source_c_put_front(&spaces, p->at, p->body);
	source_put(&head, "extern ");
	buf_append(&head, at, (size_t)(p->body - at));
	source_put(&head, " __asm__(\"");
	source_c_put_label(m, &head, p->names[0], p->name_len[0]);
	source_put(&head, "\");");
	struct source_c_entry *e = source_c_add_entry(m, PART_FUNCTION);
	if (e) {
		buf_append(&e->text, buf_at(&head), head.len);
		source_c_add_name(e, p->names[0], p->name_len[0], (struct c_name){.is_defined = true});
	}
	source_put(&m->piece->text, NOWHERE);
	buf_append(&m->piece->text, buf_at(&head), head.len);
	source_c_put_definition(m, p->at, p->at + p->n);
	buf_finish(&head);
	buf_finish(&spaces);
}

/* ---- statements ---- */

/* The text stands there three times, of which one is carried out. Only the first one has a place: the same
 * errors in the others are left out. */
static void make_shown(struct maker *m, const struct part *p)
{
	struct buf *out = &m->piece->text;
	source_put(out, "\n{ typedef __typeof__(");
	source_put_place(m, out, p->at);
	buf_append(out, p->at, p->n);
	source_put(out, NOWHERE ") trm_t; __auto_type trm_v = trm_pick(trm_is_void(trm_t), ((" NOWHERE);
	buf_append(out, p->at, p->n);
	source_put(out, NOWHERE "), 0), (" NOWHERE);
	buf_append(out, p->at, p->n);
	source_put(out, NOWHERE ")); trm_show(trm_t, trm_v); }\n");
}

/* Statements up to the next declaration are one function. */
static void make_c_statements(struct maker *m, struct part *p, bool *ret_has_next, struct buf *calls)
{
	struct buf *out = &m->piece->text;
	unsigned id;
	source_c_make_step(m, calls, &id);
	do {
		if (p->kind == PART_EXPRESSION) {
			make_shown(m, p);
		} else {
			source_put_place(m, out, p->at);
			buf_append(out, p->at, p->n);
			source_put(out, "\n");
		}
		const char *end = p->at + p->n;
		*ret_has_next = part_next(end, (size_t)(m->code + m->n - end), source_knows, (void *)m->s, p);
	} while (*ret_has_next && (p->kind == PART_STATEMENT || p->kind == PART_EXPRESSION));
	source_put(out, "\n}\n");
}

static void make_directive(struct maker *m, const struct part *p)
{
	struct buf one;
	buf_init(&one, SOURCE_MAX);
	source_put_place(m, &one, p->at);
	buf_append(&one, p->at, p->n);
	source_put(&one, NOWHERE);
	if (source_is_include(p)) {
		buf_append(&m->piece->top, buf_at(&one), one.len);
	} else {
		struct source_c_entry *e = source_c_add_entry(m, PART_DIRECTIVE);
		if (e)
			buf_append(&e->text, buf_at(&one), one.len);
		buf_append(&m->piece->text, buf_at(&one), one.len);
	}
	buf_finish(&one);
}

static void make_c_parts(struct maker *m, const struct buf *said, struct buf *calls)
{
	struct part p;
	bool has_part = part_next(m->code, m->n, source_knows, (void *)m->s, &p);
	while (has_part) {
		const char *end = p.at + p.n;
		if (p.kind == PART_STATEMENT || p.kind == PART_EXPRESSION) {
			make_c_statements(m, &p, &has_part, calls);
			continue;
		}
		if (p.kind == PART_INCLUDE)
			source_add_include(m, &p);
		else if (p.kind == PART_DIRECTIVE)
			make_directive(m, &p);
		else if (p.kind == PART_OBJECT && p.n_names)
			source_c_make_object(m, &p, said, calls);
		else if (p.kind == PART_FUNCTION && p.n_names && p.body)
			make_function(m, &p);
		else
			make_type(m, &p);
		if (p.kind != PART_INCLUDE && p.kind != PART_DIRECTIVE)
			source_note_names(m, &p);
		has_part = part_next(end, (size_t)(m->code + m->n - end), source_knows, (void *)m->s, &p);
	}
}

bool source_c_wants_again(const struct buf *said)
{
	return said->len && memmem(buf_at(said), said->len, "nitializer element is not", 25);
}

bool source_c_make(struct maker *m, const struct buf *said)
{
	const struct source *s = m->s;
	struct source_piece *piece = m->piece;
	struct buf calls, text;
	buf_init(&calls, SOURCE_MAX);
	make_c_parts(m, said, &calls);
	source_put(&piece->text, NOWHERE "__attribute__((constructor)) static void trm_run(void) { ");
	buf_append(&piece->text, buf_at(&calls), calls.len);
	source_put(&piece->text, "}\n");
	buf_finish(&calls);
	buf_init(&text, SOURCE_MAX);
	buf_append(&text, buf_at(&s->top), s->top.len);
	buf_append(&text, buf_at(&piece->top), piece->top.len);
	source_put(&text, NOWHERE);
	for (size_t i = 0; i < s->n_entries; i++)
		source_c_put_entry(&text, s, piece, &s->entries[i]);
	buf_append(&text, buf_at(&piece->text), piece->text.len);
	buf_finish(&piece->text);
	piece->text = text;
	return true;
}
