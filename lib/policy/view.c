/* SPDX-License-Identifier: MIT */
#include "policy/view.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

#include "base/err.h"

enum {
	PARSE_US = 2000000,     /* for a text of the largest size; then it is looked at without a tree */
	RENAMED_MAX = 32 << 20, /* bytes */
	FOLLOWING_BYTES = 100,
};
#define USE_END "\n\1\n" /* nothing matches across it */

/* ---- what does not count -------------------------------------------------------------- */

static const char *const comments[] = {"comment", "hash_bang_line", NULL};
static const char *const contents[] = {"string_content", "string_fragment", "raw_string", "ansi_c_string",
		"regex_pattern", "heredoc_content", "heredoc_body", NULL};

static bool is_one_of(const char *type, const char *const *types)
{
	for (; *types; types++)
		if (!strcmp(*types, type))
			return true;
	return false;
}

static void blank(char *text, TSNode node)
{
	for (uint32_t i = ts_node_start_byte(node), end = ts_node_end_byte(node); i < end; i++)
		if (text[i] != '\n')
			text[i] = ' ';
}

/* ---- imports and uses ------------------------------------------------------------------ */

int view_add_import(struct view *v, TSNode node, const struct name *name)
{
	if (v->n_imports == v->cap_imports) {
		size_t cap = v->cap_imports ? 2 * v->cap_imports : 32;
		struct view_import *grown = realloc(v->imports, cap * sizeof *grown);
		if (!grown)
			return TRM_ENOMEM;
		v->imports = grown;
		v->cap_imports = cap;
	}
	v->imports[v->n_imports++] = (struct view_import){
			ts_node_start_byte(node), node_size(node), v->names.len, name->n};
	return buf_append(&v->names, name->text, name->n + 1);
}

int view_add_use(struct view *v, TSNode node, const struct name *name)
{
	if (v->n_uses == v->cap_uses) {
		size_t cap = v->cap_uses ? 2 * v->cap_uses : 32;
		struct view_use *grown = realloc(v->uses, cap * sizeof *grown);
		if (!grown)
			return TRM_ENOMEM;
		v->uses = grown;
		v->cap_uses = cap;
	}
	v->uses[v->n_uses++] = (struct view_use){.at = ts_node_start_byte(node),
			.n = node_size(node),
			.name = v->names.len,
			.name_n = name->n};
	return buf_append(&v->names, name->text, name->n + 1);
}

/* Behind each name comes what is behind it in the code, when all of that has been looked at. */
static int add_renamed(struct view *v, struct buf *renamed, const char *text)
{
	int r = 0;
	for (size_t i = 0; i < v->n_uses && r == 0; i++) {
		struct view_use *use = &v->uses[i];
		size_t from = use->at + use->n, left = v->n - from;
		const char *newline = memchr(text + from, '\n', left);
		left = newline ? (size_t)(newline - text) - from : left;
		left = left < FOLLOWING_BYTES ? left : FOLLOWING_BYTES;
		use->renamed = renamed->len;
		r = buf_append(renamed, buf_at(&v->names) + use->name, use->name_n);
		r = r == 0 ? buf_append(renamed, text + from, left) : r;
		r = r == 0 ? buf_append(renamed, USE_END, strlen(USE_END)) : r;
	}
	return r;
}

static int by_use(const void *a, const void *b)
{
	const struct view_use *x = a, *y = b;
	return x->at != y->at ? (x->at < y->at ? -1 : 1) : (x->n > y->n) - (x->n < y->n);
}

static int rename_all(struct view *v)
{
	if (v->n_uses)
		qsort(v->uses, v->n_uses, sizeof *v->uses, by_use);
	int r = add_renamed(v, &v->renamed_code, v->code);
	return r == 0 ? add_renamed(v, &v->renamed_text, v->text) : r;
}

/* ---- the walk --------------------------------------------------------------------------- */

enum { KIND_UNKNOWN, KIND_DULL, KIND_DEFINES, KIND_NAMES };

/* Most nodes are signs and blocks, which need no look at what they are. */
static int kind_of(struct view_walk *w, TSNode node)
{
	static const char *const defining[] = {"import_statement", "import_from_statement",
			"export_statement", "assignment", "named_expression", "variable_declarator",
			"assignment_expression", "variable_assignment", "command", NULL};
	static const char *const naming[] = {"identifier", "attribute", "member_expression", "subscript",
			"subscript_expression", "call", "call_expression", NULL};
	TSSymbol symbol = ts_node_symbol(node);
	const char *type = ts_node_type(node);
	bool has_room = symbol < sizeof w->kinds;
	if (has_room && w->kinds[symbol])
		return w->kinds[symbol];
	int kind = is_one_of(type, defining) ? KIND_DEFINES
		   : is_one_of(type, naming) || is_one_of(type, comments) || is_one_of(type, contents)
				   ? KIND_NAMES
				   : KIND_DULL;
	if (has_room)
		w->kinds[symbol] = (unsigned char)kind;
	return kind;
}

typedef int visit_fn(struct view_walk *walk, TSNode node, const char *type);

static visit_fn *visit_of(const struct trm_lang *lang)
{
	static visit_fn *const visits[] = {[TRM_TREE_NONE] = NULL,
			[TRM_TREE_ATTRIBUTES] = expression_visit_python,
			[TRM_TREE_MEMBERS] = expression_visit_javascript,
			[TRM_TREE_COMMANDS] = word_visit};
	return *lang->grammar ? visits[lang->tree] : NULL;
}

bool view_reads(const struct trm_lang *lang)
{
	return visit_of(lang) != NULL;
}

static int visit_node(struct view_walk *w, visit_fn *visit, TSNode node)
{
	struct view *v = w->view;
	int kind = kind_of(w, node);
	if (kind == KIND_DULL || (w->only_aliases && kind != KIND_DEFINES))
		return 0;
	const char *type = ts_node_type(node);
	if (is_one_of(type, comments)) {
		blank(v->text, node);
		blank(v->code, node);
		return 0;
	}
	if (is_one_of(type, contents))
		blank(v->code, node);
	return visit(w, node, type);
}

/* To the next node in the order of the text; false behind the last. */
static bool step(TSTreeCursor *cursor)
{
	if (ts_tree_cursor_goto_first_child(cursor) || ts_tree_cursor_goto_next_sibling(cursor))
		return true;
	while (ts_tree_cursor_goto_parent(cursor))
		if (ts_tree_cursor_goto_next_sibling(cursor))
			return true;
	return false;
}

static int walk_once(struct view_walk *w, visit_fn *visit, const TSTree *tree)
{
	TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	int r;
	w->cursor = &cursor;
	w->named_from = w->named_to = w->defined_to = 0;
	do
		r = visit_node(w, visit, ts_tree_cursor_current_node(&cursor));
	while (r == 0 && step(&cursor));
	ts_tree_cursor_delete(&cursor);
	return r;
}

/* Twice, as a function may use an alias that is defined below it. */
static int walk(struct view *v, visit_fn *visit, const TSTree *tree)
{
	struct view_walk w = {.view = v, .only_aliases = true};
	int r = walk_once(&w, visit, tree);
	w.only_aliases = false;
	if (r == 0)
		r = walk_once(&w, visit, tree);
	aliases_finish(&w.aliases);
	return r == 0 ? rename_all(v) : r;
}

static TSTree *parse(const struct trm_grammar *grammar, const char *code, size_t n)
{
	TSParser *parser = ts_parser_new();
	TSTree *tree = NULL;
	if (!parser)
		return NULL;
	ts_parser_set_timeout_micros(parser, PARSE_US);
	if (ts_parser_set_language(parser, grammar->language))
		tree = ts_parser_parse_string(parser, NULL, code, (uint32_t)n);
	ts_parser_delete(parser);
	return tree;
}

/* Where no grammar can be had, comments are known by their signs. */
static int blank_comments(struct view *v, const struct trm_lang *lang)
{
	char *code = trm_lang_blank_comments(lang, v->source, v->n);
	if (!code)
		return TRM_ENOMEM;
	memcpy(v->code, code, v->n);
	memcpy(v->text, code, v->n);
	free(code);
	return 0;
}

int view_init(struct view *v, const struct trm_grammar *grammar, const struct trm_lang *lang,
		const char *code, size_t n, struct trm_error *reterr)
{
	int r = 0;
	*v = (struct view){.source = code, .code = malloc(n + 1), .text = malloc(n + 1), .n = n};
	buf_init(&v->names, RENAMED_MAX);
	buf_init(&v->renamed_code, RENAMED_MAX);
	buf_init(&v->renamed_text, RENAMED_MAX);
	if (!v->code || !v->text) {
		view_finish(v);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	if (n) {
		memcpy(v->code, code, n);
		memcpy(v->text, code, n);
	}
	v->code[n] = v->text[n] = '\0';
	visit_fn *visit = visit_of(lang);
	TSTree *tree = grammar && visit ? parse(grammar, code, n) : NULL;
	v->has_tree = tree != NULL;
	v->has_comments = !tree && visit;
	if (tree)
		r = walk(v, visit, tree);
	else if (!v->has_comments)
		r = blank_comments(v, lang);
	if (tree)
		ts_tree_delete(tree);
	if (r < 0) {
		view_finish(v);
		return trm_error_set(reterr, r, "%s",
				r == TRM_ETOOBIG
						? "too much in the code is called by other names for a policy to follow"
						: "out of memory");
	}
	return 0;
}

void view_finish(struct view *v)
{
	free(v->code);
	free(v->text);
	free(v->imports);
	free(v->uses);
	buf_finish(&v->names);
	buf_finish(&v->renamed_code);
	buf_finish(&v->renamed_text);
	*v = (struct view){0};
}
