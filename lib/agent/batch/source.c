/* SPDX-License-Identifier: MIT */
#include "agent/batch/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/batch/source_c.h"
#include "agent/batch/source_maker.h"

#define NAMES_MAX 100000

void source_put(struct buf *out, const char *format, ...)
{
	char text[PATH_MAX + 200];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	buf_append(out, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

static bool is_whole(const struct buf *b)
{
	return b->len < b->max;
}

/* ---- life ---- */

static void init_bufs(struct buf *includes, struct buf *top, struct buf *kept)
{
	buf_init(includes, SOURCE_MAX);
	buf_init(top, SOURCE_MAX);
	buf_init(kept, SOURCE_MAX);
}

void source_open(struct source *s, const char *folder, const char *ending, bool is_c)
{
	*s = (struct source){.ending = ending, .is_c = is_c};
	snprintf(s->folder, sizeof s->folder, "%s", folder);
	init_bufs(&s->includes, &s->top, &s->kept);
}

void source_reset(struct source *s)
{
	buf_clear(&s->includes);
	buf_clear(&s->top);
	buf_clear(&s->kept);
	source_c_free(&s->entries, &s->n_entries);
	s->n_names = s->depth = 0;
}

void source_close(struct source *s)
{
	buf_finish(&s->includes);
	buf_finish(&s->top);
	buf_finish(&s->kept);
	for (unsigned i = 0; s->files && i <= s->number; i++)
		free(s->files[i]);
	source_c_free(&s->entries, &s->n_entries);
	free(s->files);
	free(s->names);
	*s = (struct source){0};
}

unsigned source_begin(struct source *s, const char *file)
{
	char *name = strdup(*file ? file : "<run>");
	char **files = name ? realloc(s->files, (s->number + 2) * sizeof *files) : NULL;
	if (!files) {
		free(name);
		return 0;
	}
	if (!s->files)
		files[0] = NULL;
	s->files = files;
	files[++s->number] = name;
	return s->number;
}

void source_piece_finish(struct source_piece *piece)
{
	buf_finish(&piece->text);
	buf_finish(&piece->includes);
	buf_finish(&piece->top);
	buf_finish(&piece->kept);
	free(piece->names);
	source_c_free(&piece->entries, &piece->n_entries);
	*piece = (struct source_piece){0};
}

/* ---- names ---- */

static struct source_name *find_name(const struct source *s, const char *name, size_t n)
{
	for (size_t i = 0; i < s->n_names; i++)
		if (strlen(s->names[i].text) == n && !memcmp(s->names[i].text, name, n))
			return &s->names[i];
	return NULL;
}

bool source_knows(void *source, const char *name, size_t n)
{
	const struct source_name *found = find_name(source, name, n);
	return found && found->kind != PART_TYPE;
}

void source_note_names(struct maker *m, const struct part *p)
{
	struct source_piece *piece = m->piece;
	if (m->is_inner || !p->n_names)
		return;
	struct source_name *names = realloc(piece->names, (piece->n_names + p->n_names) * sizeof *names);
	if (!names)
		return;
	piece->names = names;
	for (size_t i = 0; i < p->n_names; i++) {
		struct source_name *name = &names[piece->n_names++];
		snprintf(name->text, sizeof name->text, "%.*s", (int)p->name_len[i], p->names[i]);
		name->kind = p->kind;
	}
}

/* ---- text ---- */

const char *source_line_of(const char *code, const char *at, unsigned *ret_line)
{
	const char *begin = code;
	*ret_line = 1;
	for (const char *c = code; c < at; c++)
		if (*c == '\n') {
			++*ret_line;
			begin = c + 1;
		}
	return begin;
}

void source_put_place(const struct maker *m, struct buf *out, const char *at)
{
	unsigned line;
	const char *begin = source_line_of(m->code, at, &line);
	source_put(out, "\n#line %u \"%s/%u%s\"\n", line, m->s->folder, m->piece->number, m->s->ending);
	for (; begin < at; begin++)
		if (((unsigned char)*begin & 0xc0) != 0x80)
			source_put(out, "%c", *begin == '\t' ? '\t' : ' ');
}

bool source_starts_word(const char *at, const char *end, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(end - at) > n && !memcmp(at, word, n) && strchr(" \t\r\n", at[n]);
}

/* `static` and `inline` at the front become spaces; so does what a lambda outside of functions cannot have.
 */
static void put_object(struct buf *out, const char *at, const char *end)
{
	for (bool is_front = true; is_front;) {
		is_front = false;
		static const char *const words[] = {"static", "inline", "constexpr", "const"};
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			if (!source_starts_word(at, end, words[i]))
				continue;
			source_put(out, "%s", i < 2 ? "      " : words[i]);
			at += strlen(words[i]);
			size_t spaces = strspn(at, " \t\r\n");
			buf_append(out, at, spaces);
			at += spaces;
			is_front = true;
		}
	}
	int depth = 0;
	for (; at < end; at++) {
		depth += *at == '{';
		depth -= *at == '}';
		bool is_capture = depth <= 0 && end - at > 3
				  && (!memcmp(at, "[&]", 3) || !memcmp(at, "[=]", 3));
		buf_append(out, is_capture ? "[ ]" : at, is_capture ? 3 : 1);
		at += is_capture ? 2 : 0;
	}
}

static void put_both(struct maker *m, const struct buf *one)
{
	buf_append(&m->piece->text, buf_at(one), one->len);
	buf_append(&m->piece->kept, buf_at(one), one->len);
}

static void open_namespaces(struct buf *out, unsigned depth, bool closes)
{
	for (unsigned i = 1; i <= depth; i++)
		closes ? source_put(out, "\n}") : source_put(out, "\nnamespace trm_%u {", i);
}

/* ---- parts ---- */

static void make_part(struct maker *m, struct buf *out, const struct part *p);

static void register_names(struct maker *m, const struct part *p)
{
	for (size_t i = 0; !m->is_inner && i < p->n_names; i++) {
		int n = (int)p->name_len[i];
		source_put(&m->piece->text,
				"\n#line 1 \"<terrarium>\"\nstatic int trm_r%u = (trm_::know<decltype(%.*s)>(\"%.*s\", %.*s), 0);",
				m->count++, n, p->names[i], n, p->names[i], n, p->names[i]);
	}
}

/* auto [a, b] = x; cannot be inline: a hidden variable, and references to what it is made of. */
static void make_binding(struct maker *m, struct buf *out, const struct part *p)
{
	const char *bracket = memchr(p->at, '[', p->n), *end = p->at + p->n;
	unsigned id = m->count++;
	char hidden[60];
	snprintf(hidden, sizeof hidden, "trm_b%u_%u", m->piece->number, id);
	if (!bracket || !p->body)
		return;
	source_put(out, "inline");
	source_put_place(m, out, p->at);
	put_object(out, p->at, bracket);
	source_put(out, "%s ", hidden);
	put_object(out, p->body, end);
	source_put(out, "%s\ninline auto %s_t = [] { auto &[", p->is_unended ? ";" : "", hidden);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < p->n_names; i++)
			source_put(out, "%s%.*s", i ? ", " : "", (int)p->name_len[i], p->names[i]);
		source_put(out, pass ? "); }();\n" : "] = %s; return std::tie(", hidden);
	}
	for (size_t i = 0; i < p->n_names; i++)
		source_put(out, "inline auto &%.*s = std::get<%zu>(%s_t);\n", (int)p->name_len[i],
				p->names[i], i, hidden);
}

static void make_namespace(struct maker *m, struct buf *out, const struct part *p)
{
	const char *brace = memchr(p->at, '{', p->n), *at = brace + 1, *end = p->at + p->n - 1;
	const char *word_end = p->at + strspn(p->at, "abcdefghijklmnopqrstuvwxyz");
	struct part inner;
	bool was_inner = m->is_inner;
	bool is_unnamed = word_end + strspn(word_end, " \t\r\n") == brace;
	source_put_place(m, out, p->at);
	if (is_unnamed)
		source_put(out, "inline namespace trm_unnamed {");
	else
		buf_append(out, p->at, (size_t)(at - p->at));
	m->is_inner = true;
	for (; part_next(at, (size_t)(end - at), source_knows, (void *)m->s, &inner); at = inner.at + inner.n)
		make_part(m, out, &inner);
	m->is_inner = was_inner;
	source_put(out, "\n}\n");
}

/* A declaration. */
static void make_part(struct maker *m, struct buf *out, const struct part *p)
{
	if (p->kind == PART_NAMESPACE) {
		make_namespace(m, out, p);
	} else if (p->kind == PART_BINDING) {
		make_binding(m, out, p);
	} else if (p->kind == PART_FUNCTION || p->kind == PART_OBJECT) {
		source_put(out, "\ninline");
		source_put_place(m, out, p->at);
		put_object(out, p->at, p->at + p->n);
	} else {
		source_put_place(m, out, p->at);
		buf_append(out, p->at, p->n);
	}
	if (p->is_unended && p->kind != PART_BINDING && p->kind != PART_FUNCTION && p->kind != PART_NAMESPACE)
		source_put(out, ";");
	source_put(out, "\n");
	source_note_names(m, p);
}

static bool holds_line(const struct buf *b, const char *line, size_t n)
{
	const char *all = buf_at(b);
	const char *at = all ? memmem(all, b->len, line, n) : NULL;
	return at && (at == all || at[-1] == '\n');
}

void source_add_include(struct maker *m, const struct part *p)
{
	if (holds_line(&m->s->includes, p->at, p->n))
		return;
	m->piece->has_includes = true;
	buf_append(&m->piece->includes, p->at, p->n);
	source_put(&m->piece->includes, "\n");
}

bool source_is_include(const struct part *p)
{
	const char *word = p->at + 1;
	word += strspn(word, " \t");
	return !strncmp(word, "include", 7);
}

static void make_declaration(struct maker *m, const struct part *p)
{
	struct buf one;
	buf_init(&one, SOURCE_MAX);
	/* Namespaces may be opened again only where they were opened first. */
	bool is_outer = p->kind == PART_NAMESPACE && m->piece->depth;
	if (is_outer)
		open_namespaces(&one, m->piece->depth, true);
	make_part(m, &one, p);
	if (is_outer)
		open_namespaces(&one, m->piece->depth, false);
	if (p->kind == PART_DIRECTIVE && source_is_include(p))
		buf_append(&m->piece->top, buf_at(&one), one.len);
	else
		put_both(m, &one);
	buf_finish(&one);
	if (p->kind == PART_OBJECT || p->kind == PART_BINDING)
		register_names(m, p);
}

/* Statements up to the next declaration are one function. */
static const char *make_statements(struct maker *m, struct part *p, bool *ret_has_next)
{
	struct buf *out = &m->piece->text;
	const char *end = m->code + m->n;
	unsigned id = m->count++;
	source_put(out, "\nstatic void trm_s%u() {", id);
	do {
		source_put(out, p->kind == PART_EXPRESSION ? "(" : "");
		source_put_place(m, out, p->at);
		buf_append(out, p->at, p->n);
		source_put(out, p->kind == PART_EXPRESSION ? "\n#line 1 \"<terrarium>\"\n, trm_::sink{});"
							   : "\n");
		end = p->at + p->n;
		*ret_has_next = part_next(end, (size_t)(m->code + m->n - end), source_knows, (void *)m->s, p);
	} while (*ret_has_next && (p->kind == PART_STATEMENT || p->kind == PART_EXPRESSION));
	source_put(out, "\n}\n#line 1 \"<terrarium>\"\nstatic int trm_r%u = (trm_s%u(), 0);\n", id, id);
	return end;
}

static void make_parts(struct maker *m)
{
	struct part p;
	bool has_part = part_next(m->code, m->n, source_knows, (void *)m->s, &p);
	while (has_part) {
		const char *end = p.at + p.n;
		if (p.kind == PART_STATEMENT || p.kind == PART_EXPRESSION) {
			make_statements(m, &p, &has_part);
			continue;
		}
		if (p.kind == PART_INCLUDE)
			source_add_include(m, &p);
		else
			make_declaration(m, &p);
		has_part = part_next(end, (size_t)(m->code + m->n - end), source_knows, (void *)m->s, &p);
	}
}

bool source_wants_again(const struct source *s, const struct buf *said)
{
	static const char *const words[] = {"redefinition of", "conflicting declaration",
			"redeclared as different", "redeclaration of", "ambiguating new declaration",
			"redefinition; different", "cannot be overloaded"};
	if (s->is_c)
		return source_c_wants_again(said);
	for (size_t i = 0; said->len && i < sizeof words / sizeof *words; i++)
		if (memmem(buf_at(said), said->len, words[i], strlen(words[i])))
			return true;
	return false;
}

bool source_make(const struct source *s, const char *code, size_t n, const struct buf *said,
		struct source_piece *ret)
{
	struct maker m = {.s = s, .piece = ret, .code = code, .n = n};
	struct buf text;
	bool hides = said && !s->is_c;
	*ret = (struct source_piece){.number = s->number, .depth = s->depth + hides};
	buf_init(&ret->text, SOURCE_MAX);
	init_bufs(&ret->includes, &ret->top, &ret->kept);
	if (s->is_c)
		return source_c_make(&m, said) && is_whole(&ret->text);
	if (hides) {
		source_put(&ret->text, "\nnamespace trm_%u {", ret->depth);
		source_put(&ret->kept, "\nnamespace trm_%u {", ret->depth);
	}
	make_parts(&m);
	buf_init(&text, SOURCE_MAX);
	buf_append(&text, buf_at(&s->top), s->top.len);
	buf_append(&text, buf_at(&ret->top), ret->top.len);
	buf_append(&text, buf_at(&s->kept), s->kept.len);
	buf_append(&text, buf_at(&ret->text), ret->text.len);
	open_namespaces(&text, ret->depth, true);
	source_put(&text, "\n");
	buf_finish(&ret->text);
	ret->text = text;
	return is_whole(&text) && is_whole(&ret->kept);
}

/* ---- declarations that stay after a run ---- */

bool source_keep(struct source *s, struct source_piece *piece, const char *sizes)
{
	struct source_name *names = realloc(s->names, (s->n_names + piece->n_names + 1) * sizeof *names);
	if (!names)
		return false;
	s->names = names;
	for (size_t i = 0; i < piece->n_names && s->n_names < NAMES_MAX; i++) {
		struct source_name *had = find_name(s, piece->names[i].text, strlen(piece->names[i].text));
		*(had ? had : &names[s->n_names++]) = piece->names[i];
	}
	s->depth = piece->depth;
	if (s->is_c && !source_c_keep(s, piece, sizes))
		return false;
	return buf_append(&s->includes, buf_at(&piece->includes), piece->includes.len) >= 0
	       && buf_append(&s->top, buf_at(&piece->top), piece->top.len) >= 0
	       && buf_append(&s->kept, buf_at(&piece->kept), piece->kept.len) >= 0;
}

/* FOLDER/12.cpp, at `at`: the name of piece 12, and in *ret_n the length of what stands for it. */
static const char *known_name(const struct source *s, const char *at, const char *end, size_t *ret_n)
{
	size_t folder = strlen(s->folder), ending = strlen(s->ending), digits;
	unsigned number = 0;
	if ((size_t)(end - at) <= folder + 1 || memcmp(at, s->folder, folder) || at[folder] != '/')
		return NULL;
	const char *digit = at + folder + 1;
	for (digits = 0; digit + digits < end && digit[digits] >= '0' && digit[digits] <= '9' && digits < 9;
			digits++)
		number = number * 10 + (unsigned)(digit[digits] - '0');
	if (!digits || number > s->number || !number || (size_t)(end - digit) < digits + ending
			|| memcmp(digit + digits, s->ending, ending))
		return NULL;
	*ret_n = folder + 1 + digits + ending;
	return s->files[number];
}

/* "trm_2::", a namespace of ours. */
static size_t namespace_size(const char *at, const char *end)
{
	size_t n = 4;
	if ((size_t)(end - at) < 7 || memcmp(at, "trm_", 4))
		return 0;
	while (at + n < end && at[n] >= '0' && at[n] <= '9')
		n++;
	return n > 4 && end - at >= (ptrdiff_t)n + 2 && !memcmp(at + n, "::", 2) ? n + 2 : 0;
}

void source_rename(const struct source *s, const char *text, size_t n, struct buf *out)
{
	for (const char *at = text, *end = text + n; at < end;) {
		size_t size = namespace_size(at, end);
		const char *name = size ? "" : known_name(s, at, end, &size);
		if (name)
			buf_append(out, name, strlen(name));
		else
			buf_append(out, at, size = 1);
		at += size;
	}
}
