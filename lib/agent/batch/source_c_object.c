/* SPDX-License-Identifier: MIT */
/* The variables of a piece of C. */
#include "agent/batch/source_c_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- variables ---- */

struct declarator {
	const char *from, *name, *cut, *init, *end; /* cut: where initializer or attributes begin */
	size_t n;
};

/* The variables of a declaration whose first declarator begins at `from`. */
static size_t split_object(const struct part *p, const char *from, struct declarator list[PART_NAMES])
{
	const char *end = p->at + p->n;
	size_t n = 0;
	for (const char *at = from; n < p->n_names; n++) {
		struct declarator *d = &list[n];
		*d = (struct declarator){.from = from, .name = p->names[n], .n = p->name_len[n]};
		int depth = 0;
		for (const char *c = from; c < d->name; c++)
			depth += (*c == '(') - (*c == ')');
		for (at = d->name + d->n; at < end;) {
			size_t skip = c_scan_skip_size(at, end);
			if (skip) {
				at += skip;
				continue;
			}
			depth += *at != '\0' && strchr("([{", *at) != NULL;
			depth -= *at != '\0' && strchr(")]}", *at) != NULL;
			bool is_top = depth <= 0;
			if (is_top && (*at == ',' || *at == ';'))
				break;
			if (is_top && *at == '=' && !d->init) {
				d->init = at + 1;
				d->cut = d->cut ? d->cut : at;
			}
			if (is_top && !d->cut && end - at > 13 && !memcmp(at, "__attribute__", 13))
				d->cut = at;
			at++;
		}
		d->end = at;
		d->cut = d->cut ? d->cut : at;
		from = at + (at < end);
	}
	return n;
}

/* "[]" behind a name, to be filled in. */
static size_t empty_brackets(const struct declarator *d)
{
	const char *at = d->name + d->n;
	size_t spaces = strspn(at, " \t"), more = at[spaces] == '[' ? strspn(at + spaces + 1, " \t") : 0;
	return at[spaces] == '[' && at[spaces + 1 + more] == ']' ? spaces + 1 + more : 0;
}

/* Did the compiler say that its initializer is not constant? */
static bool is_made_at_run_time(const struct maker *m, const struct part *p, const struct buf *said)
{
	char place[PATH_MAX + 40];
	unsigned line = 1, last = 1;
	for (const char *c = m->code; c < p->at + p->n; c++) {
		line += *c == '\n' && c < p->at;
		last += *c == '\n';
	}
	for (; said && said->len && line <= last; line++) {
		int n = snprintf(place, sizeof place, "%s/%u%s:%u:", m->s->folder, m->piece->number,
				m->s->ending, line);
		const char *at = buf_at(said), *end = at + said->len;
		while (at < end && (at = memmem(at, (size_t)(end - at), place, (size_t)n))) {
			const char *stop = memchr(at, '\n', (size_t)(end - at));
			stop = stop ? stop : end;
			if (memmem(at, (size_t)(stop - at), "nitializer element is not", 25))
				return true;
			at = stop;
		}
	}
	return false;
}

/* The type as the user has written it: the declaration without name and initializer. */
static void put_type(struct buf *out, const char *front, const char *front_end, const struct declarator *d)
{
	struct buf unused;
	char last = ' ';
	buf_init(&unused, SOURCE_MAX);
	const struct {
		const char *at, *end;
	} texts[] = {{source_c_put_front(&unused, front, front_end), front_end}, {d->from, d->name},
			{d->name + d->n, d->cut}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (const char *at = texts[i].at; at < texts[i].end; at++) {
			char c = strchr("\t\r\n", *at) ? ' ' : *at;
			if ((c != ' ' || last != ' ') && c != '"' && c != '\\')
				source_put(out, "%c", c);
			last = c;
		}
	buf_finish(&unused);
}

void source_c_make_step(struct maker *m, struct buf *calls, unsigned *ret_id)
{
	*ret_id = m->count++;
	source_put(&m->piece->text, "\n__attribute__((noinline, noclone)) static void trm_s%u(void) {",
			*ret_id);
	source_put(calls, "trm_s%u(); ", *ret_id);
}

/* Tell the host of a variable. */
static void register_object(struct maker *m, const char *front, const char *front_end,
		const struct declarator *d, const char *place)
{
	struct buf *out = &m->piece->text;
	int n = (int)d->n;
	source_put(out, "%strm_know(\"%.*s\", \"", NOWHERE, n, d->name);
	put_type(out, front, front_end, d);
	source_put(out, "\", %.*s, %s%.*s);", n, d->name, *place ? place : "&", *place ? 0 : n, d->name);
}

/* One declaration of variables. */
struct object {
	const char *front, *front_end; /* what stands in front of the first declarator */
	const char *rest, *end;        /* what is to be compiled; behind `front` if that is not the user's */
	bool has_body;                 /* front is text of ours, in the place of a type with a body */
	struct declarator list[PART_NAMES];
	size_t n;
};

/* The declaration without its initializer. */
static void put_extern(const struct maker *m, struct buf *out, const struct object *o, bool marks)
{
	static const char word[] = "__auto_type";
	struct buf unused;
	buf_init(&unused, SOURCE_MAX);
	source_put(out, "extern ");
	const char *front = source_c_put_front(&unused, o->front, o->front_end);
	if (source_starts_word(front, o->front_end + 1, word) && o->list[0].init) {
		source_put(out, "__typeof__(");
		buf_append(out, o->list[0].init, (size_t)(o->list[0].end - o->list[0].init));
		source_put(out, ")");
		front += strlen(word);
	}
	buf_append(out, front, (size_t)(o->front_end - front));
	for (size_t i = 0; i < o->n; i++) {
		const struct declarator *d = &o->list[i];
		size_t empty = marks ? empty_brackets(d) : 0;
		const char *middle = d->name + d->n + empty;
		source_put(out, "%s", i ? "," : "");
		buf_append(out, d->from, (size_t)(middle - d->from));
		if (empty)
			source_put(out, "%c%.*s%c", COUNT_MARK, (int)d->n, d->name, COUNT_MARK);
		buf_append(out, middle, (size_t)(d->cut - middle));
		source_put(out, " __asm__(\"");
		source_c_put_label(m, out, d->name, d->n);
		source_put(out, "\")");
	}
	source_put(out, ";");
	buf_finish(&unused);
}

static void put_whole(const struct maker *m, const struct object *o)
{
	source_put(&m->piece->text, "\n");
	if (o->has_body)
		buf_append(&m->piece->text, o->front, (size_t)(o->front_end - o->front));
	source_c_put_definition(m, o->rest, o->end);
	source_put(&m->piece->text, ";\n");
}

static void make_before_run_time(struct maker *m, const struct object *o, struct buf *calls)
{
	unsigned id;
	put_whole(m, o);
	source_c_make_step(m, calls, &id);
	for (size_t i = 0; i < o->n; i++)
		register_object(m, o->front, o->front_end, &o->list[i], "");
	source_put(&m->piece->text, " }\n");
}

/* A variable of the function becomes the one that stays. */
static void make_at_run_time(struct maker *m, const struct object *o, struct buf *calls)
{
	struct buf *out = &m->piece->text;
	char place[40];
	unsigned id;
	source_c_make_step(m, calls, &id);
	put_whole(m, o);
	for (size_t i = 0; i < o->n; i++) {
		const struct declarator *d = &o->list[i];
		snprintf(place, sizeof place, "trm_at%u_%zu", id, i);
		source_put(out, "%strm_make(%.*s, %s, \"", NOWHERE, (int)d->n, d->name, place);
		source_c_put_label(m, out, d->name, d->n);
		source_put(out, "\");");
		register_object(m, o->front, o->front_end, d, place);
	}
	source_put(out, "\n}\n");
}

/* Behind the brace that closes a struct's body in front of the first name; NULL: there is none. */
static const char *behind_body(const struct part *p)
{
	const char *close = NULL;
	for (const char *at = p->at; at < p->names[0];) {
		size_t skip = c_scan_skip_size(at, p->names[0]);
		close = *at == '}' ? at + 1 : close;
		at += skip ? skip : 1;
	}
	return close;
}

/* struct { … } v: the type is a declaration of its own. `front`: what is written in its place. */
static void make_body(struct maker *m, const struct part *p, const char *close, struct buf *front)
{
	const char *brace = memchr(p->at, '{', (size_t)(close - p->at));
	struct buf unused, text;
	buf_init(&unused, SOURCE_MAX);
	buf_init(&text, SOURCE_MAX);
	const char *at = source_c_put_front(&unused, p->at, brace), *word_end = brace;
	while (word_end > at && strchr(" \t\r\n", word_end[-1]))
		word_end--;
	buf_append(front, at, (size_t)(word_end - at));
	const char *word = word_end;
	while (word > at && c_scan_is_name_byte(word[-1]))
		word--;
	struct c_scan s = {.word = word, .n = (size_t)(word_end - word)};
	if (c_scan_is_word(&s, "struct") || c_scan_is_word(&s, "union") || c_scan_is_word(&s, "enum"))
		source_put(front, " trm_t%u_%u", m->piece->number, m->count++);
	buf_append(&text, buf_at(front), front->len);
	source_put(front, " ");
	buf_append(&text, brace, (size_t)(close - brace));
	source_put(&text, ";");
	struct source_c_entry *e = source_c_add_entry(m, PART_TYPE);
	if (e) {
		buf_append(&e->text, buf_at(&text), text.len);
		source_c_note_tags(e, buf_at(&text), text.len);
	}
	source_put_place(m, &m->piece->text, p->at);
	buf_append(&m->piece->text, buf_at(&text), text.len);
	buf_finish(&text);
	buf_finish(&unused);
}

/* Without a type of its own, what stands in front is the text up to the first declarator's stars. */
static void read_object(struct maker *m, const struct part *p, struct buf *front, struct object *o)
{
	const char *close = behind_body(p), *stars = p->names[0];
	while (stars > p->at && strchr("* (", stars[-1]))
		stars--;
	*o = (struct object){.front = p->at, .front_end = stars, .rest = p->at, .end = p->at + p->n};
	if (close) {
		make_body(m, p, close, front);
		o->has_body = true;
		o->front = buf_at(front);
		o->front_end = o->front + front->len;
		o->rest = close;
	}
	o->n = split_object(p, close ? close : stars, o->list);
}

void source_c_make_object(struct maker *m, const struct part *p, const struct buf *said, struct buf *calls)
{
	struct buf front;
	struct object o;
	buf_init(&front, SOURCE_MAX);
	read_object(m, p, &front, &o);
	source_put(&m->piece->text, NOWHERE);
	put_extern(m, &m->piece->text, &o, false);
	struct source_c_entry *e = source_c_add_entry(m, PART_OBJECT);
	if (e)
		put_extern(m, &e->text, &o, true);
	if (is_made_at_run_time(m, p, said))
		make_at_run_time(m, &o, calls);
	else
		make_before_run_time(m, &o, calls);
	for (size_t i = 0; e && i < o.n; i++)
		source_c_add_name(e, o.list[i].name, o.list[i].n, (struct c_name){.is_defined = true});
	buf_finish(&front);
}
