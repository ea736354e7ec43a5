/* SPDX-License-Identifier: MIT */
#include "agent/batch/source_c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/batch/source_maker.h"

#define NOWHERE "\n#line 1 \"<terrarium>\"\n"
#define COUNT_MARK '\1' /* around the name of an array: its number of elements comes there */

struct c_name {
	char text[PART_NAME_SIZE];
	bool is_tag;     /* of a struct, union or enum */
	bool is_type;    /* or an enumerator */
	bool is_defined; /* not only announced */
};

/* A declaration. */
struct source_c_entry {
	struct buf text;
	enum part_kind kind;
	struct c_name *names;
	size_t n_names;
};

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

struct scan {
	const char *at, *end;
	const char *word;
	size_t n;
	char before, before2; /* what stands in front of the word */
	bool is_tag;          /* behind struct, union or enum */
	bool is_enum;         /* behind enum, or between its braces */
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_letter_or_digit(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9');
}

/* Bytes of the string, character or comment at `at`; 0: none. */
static size_t skip_size(const char *at, const char *end)
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

static bool is_word_of(const struct scan *s, const char *word)
{
	return s->n == strlen(word) && !memcmp(s->word, word, s->n);
}

static bool next_name(struct scan *s)
{
	if (s->word) {
		bool is_kind = is_word_of(s, "struct") || is_word_of(s, "union") || is_word_of(s, "enum");
		s->is_enum = is_kind ? is_word_of(s, "enum") : s->is_enum;
		s->is_tag = is_kind;
		s->before2 = s->before;
		s->before = 'a';
	}
	for (s->word = NULL; s->at < s->end;) {
		size_t skip = skip_size(s->at, s->end), n = 1;
		if (skip) {
			s->at += skip;
		} else if (strchr(" \t\r\n", *s->at)) {
			s->at++;
		} else if (is_letter_or_digit(*s->at)) {
			while (s->at + n < s->end && is_letter_or_digit(s->at[n]))
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

static bool is_member(const struct scan *s)
{
	return s->before == '.' || (s->before == '>' && s->before2 == '-');
}

static char next_sign(const struct scan *s)
{
	const char *at = s->at;
	while (at < s->end && strchr(" \t\r\n", *at))
		at++;
	return at < s->end ? *at : '\0';
}

/* ---- entries ---- */

static struct source_c_entry *add_entry(struct maker *m, enum part_kind kind)
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

static void add_c_name(struct source_c_entry *e, const char *text, size_t n, struct c_name how)
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

static struct c_name *find_c_name(const struct source_c_entry *list, size_t n, const char *text, size_t len,
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

/* Tags and enumerators that the text of a type declares. */
static void note_tags(struct source_c_entry *e, const char *at, size_t n)
{
	struct scan s = {.at = at, .end = at + n};
	while (next_name(&s)) {
		char sign = next_sign(&s);
		if (s.is_tag && (sign == '{' || sign == ';'))
			add_c_name(e, s.word, s.n,
					(struct c_name){.is_tag = true, .is_defined = sign == '{'});
		else if (s.is_enum && !s.is_tag && (s.before == '{' || s.before == ',')
				&& strchr(",=}", sign))
			add_c_name(e, s.word, s.n, (struct c_name){.is_type = true, .is_defined = true});
	}
}

/* ---- names that are declared again ---- */

/* The earlier name that a word of an entry means, if the piece hides that; else NULL. */
static const struct c_name *hidden_name(const struct source *s, const struct source_piece *piece,
		const struct source_c_entry *e, const struct scan *w, bool has_typeof)
{
	const struct c_name *had = find_c_name(s->entries, s->n_entries, w->word, w->n, w->is_tag, true);
	if (!had || is_member(w) || e->kind == PART_DIRECTIVE
			|| !find_c_name(piece->entries, piece->n_entries, w->word, w->n, w->is_tag, true))
		return NULL;
	/* A struct may have members of the name of a variable. */
	return e->kind == PART_TYPE && !had->is_tag && !had->is_type && !has_typeof ? NULL : had;
}

static void put_entry(struct buf *out, const struct source *s, const struct source_piece *piece,
		const struct source_c_entry *e)
{
	const char *text = buf_at(&e->text), *done = text, *end = text + e->text.len;
	struct scan w = {.at = text, .end = end};
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

/* Is it there already, as it stands? */
static bool is_repeated(const struct source *s, const struct source_c_entry *e)
{
	for (size_t i = 0; i < s->n_entries; i++)
		if (e->kind == PART_TYPE && s->entries[i].kind == PART_TYPE && s->entries[i].n_names
				&& s->entries[i].text.len == e->text.len
				&& !memcmp(buf_at(&s->entries[i].text), buf_at(&e->text), e->text.len))
			return true;
	return false;
}

/* What the symbol of a name that this piece defines is called. One that was announced is called as it is
 * called. */
static void put_label(const struct maker *m, struct buf *out, const char *name, size_t n)
{
	const struct source_piece *piece = m->piece;
	if (!find_c_name(piece->entries, piece->n_entries, name, n, false, false)
			&& (!find_c_name(m->s->entries, m->s->n_entries, name, n, false, false)
					|| find_c_name(m->s->entries, m->s->n_entries, name, n, false, true)))
		source_put(out, "%.*s.%u", (int)n, name, piece->number);
	else
		buf_append(out, name, n);
}

/* ---- parts ---- */

/* What a definition outside of functions must not have in front becomes spaces. */
static const char *put_front(struct buf *out, const char *at, const char *end)
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

static void put_definition(const struct maker *m, const char *at, const char *end)
{
	struct buf *out = &m->piece->text;
	source_put_place(m, out, at);
	at = put_front(out, at, end);
	buf_append(out, at, (size_t)(end - at));
	source_put(out, "\n");
}

static void make_type(struct maker *m, const struct part *p)
{
	struct source_c_entry *e = add_entry(m, PART_TYPE);
	const char *end = p->at + p->n;
	if (!e)
		return;
	buf_append(&e->text, p->at, p->n);
	source_put(&e->text, "%s", p->is_unended ? ";" : "");
	note_tags(e, p->at, p->n);
	for (size_t i = 0; i < p->n_names; i++) {
		const char *behind = p->names[i] + p->name_len[i];
		behind += strspn(behind, " \t\r\n");
		bool is_tag = find_c_name(e, 1, p->names[i], p->name_len[i], true, true)
			      || find_c_name(e, 1, p->names[i], p->name_len[i], true, false);
		bool is_prototype =
				behind < end && *behind == '(' && !source_starts_word(p->at, end, "typedef");
		if (!is_tag || source_starts_word(p->at, end, "typedef"))
			add_c_name(e, p->names[i], p->name_len[i],
					(struct c_name){.is_type = !is_prototype,
							.is_defined = !is_prototype});
	}
	if (is_repeated(m->s, e)) {
		m->piece->n_entries--;
		buf_finish(&e->text);
		free(e->names);
		return;
	}
	put_definition(m, p->at, end);
	source_put(&m->piece->text, "%s\n", p->is_unended ? ";" : "");
}

static void make_function(struct maker *m, const struct part *p)
{
	struct buf head, spaces;
	buf_init(&head, SOURCE_MAX);
	buf_init(&spaces, SOURCE_MAX);
	const char *at = put_front(&spaces, p->at, p->body);
	source_put(&head, "extern ");
	buf_append(&head, at, (size_t)(p->body - at));
	source_put(&head, " __asm__(\"");
	put_label(m, &head, p->names[0], p->name_len[0]);
	source_put(&head, "\");");
	struct source_c_entry *e = add_entry(m, PART_FUNCTION);
	if (e) {
		buf_append(&e->text, buf_at(&head), head.len);
		add_c_name(e, p->names[0], p->name_len[0], (struct c_name){.is_defined = true});
	}
	source_put(&m->piece->text, NOWHERE);
	buf_append(&m->piece->text, buf_at(&head), head.len);
	put_definition(m, p->at, p->at + p->n);
	buf_finish(&head);
	buf_finish(&spaces);
}

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
			size_t skip = skip_size(at, end);
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
	} texts[] = {{put_front(&unused, front, front_end), front_end}, {d->from, d->name},
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

static void make_step(struct maker *m, struct buf *calls, unsigned *ret_id)
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
	const char *front = put_front(&unused, o->front, o->front_end);
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
		put_label(m, out, d->name, d->n);
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
	put_definition(m, o->rest, o->end);
	source_put(&m->piece->text, ";\n");
}

static void make_before_run_time(struct maker *m, const struct object *o, struct buf *calls)
{
	unsigned id;
	put_whole(m, o);
	make_step(m, calls, &id);
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
	make_step(m, calls, &id);
	put_whole(m, o);
	for (size_t i = 0; i < o->n; i++) {
		const struct declarator *d = &o->list[i];
		snprintf(place, sizeof place, "trm_at%u_%zu", id, i);
		source_put(out, "%strm_make(%.*s, %s, \"", NOWHERE, (int)d->n, d->name, place);
		put_label(m, out, d->name, d->n);
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
		size_t skip = skip_size(at, p->names[0]);
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
	const char *at = put_front(&unused, p->at, brace), *word_end = brace;
	while (word_end > at && strchr(" \t\r\n", word_end[-1]))
		word_end--;
	buf_append(front, at, (size_t)(word_end - at));
	const char *word = word_end;
	while (word > at && is_letter_or_digit(word[-1]))
		word--;
	struct scan s = {.word = word, .n = (size_t)(word_end - word)};
	if (is_word_of(&s, "struct") || is_word_of(&s, "union") || is_word_of(&s, "enum"))
		source_put(front, " trm_t%u_%u", m->piece->number, m->count++);
	buf_append(&text, buf_at(front), front->len);
	source_put(front, " ");
	buf_append(&text, brace, (size_t)(close - brace));
	source_put(&text, ";");
	struct source_c_entry *e = add_entry(m, PART_TYPE);
	if (e) {
		buf_append(&e->text, buf_at(&text), text.len);
		note_tags(e, buf_at(&text), text.len);
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

static void make_object(struct maker *m, const struct part *p, const struct buf *said, struct buf *calls)
{
	struct buf front;
	struct object o;
	buf_init(&front, SOURCE_MAX);
	read_object(m, p, &front, &o);
	source_put(&m->piece->text, NOWHERE);
	put_extern(m, &m->piece->text, &o, false);
	struct source_c_entry *e = add_entry(m, PART_OBJECT);
	if (e)
		put_extern(m, &e->text, &o, true);
	if (is_made_at_run_time(m, p, said))
		make_at_run_time(m, &o, calls);
	else
		make_before_run_time(m, &o, calls);
	for (size_t i = 0; e && i < o.n; i++)
		add_c_name(e, o.list[i].name, o.list[i].n, (struct c_name){.is_defined = true});
	buf_finish(&front);
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
	make_step(m, calls, &id);
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
		struct source_c_entry *e = add_entry(m, PART_DIRECTIVE);
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
			make_object(m, &p, said, calls);
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
		put_entry(&text, s, piece, &s->entries[i]);
	buf_append(&text, buf_at(&piece->text), piece->text.len);
	buf_finish(&piece->text);
	piece->text = text;
	return true;
}

/* ---- what stays ---- */

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
		put_entry(&text, s, piece, e);
		buf_finish(&e->text);
		e->text = text;
	}
	for (size_t i = 0; i < s->n_entries; i++)
		for (size_t k = 0; k < s->entries[i].n_names; k++) {
			struct c_name *name = &s->entries[i].names[k];
			if (find_c_name(piece->entries, piece->n_entries, name->text, strlen(name->text),
					    name->is_tag, true))
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
