/* SPDX-License-Identifier: MIT */
#include "policy/view.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

#include "base/err.h"

enum { PARSE_US = 2000000 }; /* for a text of the largest size; then it is looked at without a tree */

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

/* ---- what is imported ------------------------------------------------------------------ */

static TSNode field(TSNode node, const char *name)
{
	return ts_node_child_by_field_name(node, name, (uint32_t)strlen(name));
}

static bool is_type(TSNode node, const char *type)
{
	return !ts_node_is_null(node) && !strcmp(ts_node_type(node), type);
}

static bool reads(const struct view *v, TSNode node, const char *word)
{
	size_t n = ts_node_end_byte(node) - ts_node_start_byte(node);
	return !ts_node_is_null(node) && n == strlen(word)
	       && !memcmp(v->text + ts_node_start_byte(node), word, n);
}

static int add_range(struct view *v, TSNode node)
{
	if (ts_node_is_null(node))
		return 0;
	if (v->n_imports == v->cap) {
		size_t cap = v->cap ? 2 * v->cap : 32;
		struct view_import *grown = realloc(v->imports, cap * sizeof *grown);
		if (!grown)
			return TRM_ENOMEM;
		v->imports = grown;
		v->cap = cap;
	}
	size_t at = ts_node_start_byte(node);
	v->imports[v->n_imports++] = (struct view_import){at, ts_node_end_byte(node) - at};
	return 0;
}

/* What stands between the quotes of a plain string. */
static int add_string(struct view *v, TSNode string)
{
	for (uint32_t i = 0; is_type(string, "string") && i < ts_node_named_child_count(string); i++) {
		TSNode part = ts_node_named_child(string, i);
		if (is_type(part, "string_content") || is_type(part, "string_fragment"))
			return add_range(v, part);
	}
	return 0;
}

static int add_python(struct view *v, TSNode node, const char *type)
{
	int r = 0;
	if (!strcmp(type, "import_from_statement")) {
		TSNode module = field(node, "module_name");
		return is_type(module, "dotted_name") ? add_range(v, module) : 0;
	}
	for (uint32_t i = 0;
			!strcmp(type, "import_statement") && i < ts_node_named_child_count(node) && r == 0;
			i++) {
		TSNode name = ts_node_named_child(node, i);
		r = add_range(v, is_type(name, "aliased_import") ? field(name, "name") : name);
	}
	if (!strcmp(type, "call")) {
		TSNode function = field(node, "function");
		TSNode first = ts_node_named_child(field(node, "arguments"), 0);
		if (reads(v, function, "__import__") || reads(v, function, "import_module")
				|| reads(v, function, "importlib.import_module"))
			r = add_string(v, first);
	}
	return r;
}

static int add_javascript(struct view *v, TSNode node, const char *type)
{
	if (!strcmp(type, "import_statement") || !strcmp(type, "export_statement"))
		return add_string(v, field(node, "source"));
	if (strcmp(type, "call_expression"))
		return 0;
	TSNode function = field(node, "function");
	if (!is_type(function, "import") && !reads(v, function, "require")
			&& !reads(v, function, "process.binding"))
		return 0;
	return add_string(v, ts_node_named_child(field(node, "arguments"), 0));
}

static int add_of(struct view *v, const struct trm_lang *lang, TSNode node, const char *type)
{
	if (!strcmp(lang->grammar, "python"))
		return add_python(v, node, type);
	if (!strcmp(lang->grammar, "javascript"))
		return add_javascript(v, node, type);
	if (!strcmp(lang->grammar, "bash") && !strcmp(type, "command_name"))
		return add_range(v, node);
	return 0;
}

/* ---- the walk --------------------------------------------------------------------------- */

static int visit_node(struct view *v, const struct trm_lang *lang, TSNode node)
{
	const char *type = ts_node_type(node);
	if (is_one_of(type, comments)) {
		blank(v->text, node);
		blank(v->code, node);
		return 0;
	}
	if (is_one_of(type, contents))
		blank(v->code, node);
	return add_of(v, lang, node, type);
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

static int walk(struct view *v, const struct trm_lang *lang, const TSTree *tree)
{
	TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	int r;
	do
		r = visit_node(v, lang, ts_tree_cursor_current_node(&cursor));
	while (r == 0 && step(&cursor));
	ts_tree_cursor_delete(&cursor);
	return r;
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

int view_init(struct view *v, const struct trm_grammar *grammar, const struct trm_lang *lang,
		const char *code, size_t n, struct trm_error *reterr)
{
	int r = 0;
	*v = (struct view){.code = malloc(n + 1), .text = malloc(n + 1), .n = n};
	if (!v->code || !v->text) {
		view_finish(v);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	if (n) {
		memcpy(v->code, code, n);
		memcpy(v->text, code, n);
	}
	v->code[n] = v->text[n] = '\0';
	TSTree *tree = grammar ? parse(grammar, code, n) : NULL;
	if (tree) {
		v->has_tree = true;
		r = walk(v, lang, tree);
		ts_tree_delete(tree);
	}
	if (r < 0) {
		view_finish(v);
		return trm_error_set(reterr, r, "out of memory");
	}
	return 0;
}

void view_finish(struct view *v)
{
	free(v->code);
	free(v->text);
	free(v->imports);
	*v = (struct view){0};
}
