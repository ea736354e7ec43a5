/* SPDX-License-Identifier: MIT */
/* Names in Python and JavaScript: what an expression is really called ("os.system" of `o.system` and of
 * getattr(os, "system")), and what is imported by it. */
#include <stdint.h>
#include <stdlib.h>

#include "policy/view.h"

enum { EXPRESSION_DEPTH = 40 };

struct speech {
	bool is_python;
	const char *attribute, *object, *property, *subscript, *subscripted, *index, *call;
	const char *const *everywhere; /* names of the object that holds the others */
};

static const char *const builtin_modules[] = {"builtins.", "__builtins__.", NULL};
static const char *const globals[] = {"globalThis.", "global.", NULL};
static const struct speech python_speech = {true, "attribute", "object", "attribute", "subscript", "value",
		"subscript", "call", builtin_modules};
static const struct speech javascript_speech = {false, "member_expression", "object", "property",
		"subscript_expression", "object", "index", "call_expression", globals};

static bool resolve(
		const struct view_walk *w, const struct speech *s, TSNode node, struct name *out, int depth);

/* ---- calls that give something by its name ------------------------------------------------- */

static bool is_importer(const struct speech *s, const struct name *function)
{
	static const char *const python[] = {"__import__", "import_module", "importlib.import_module",
			"importlib.__import__", NULL};
	static const char *const javascript[] = {"import", "require", "process.binding", NULL};
	for (const char *const *name = s->is_python ? python : javascript; *name; name++)
		if (name_is(function, *name))
			return true;
	return !s->is_python && (name_ends(function, ".require") || name_ends(function, "getBuiltinModule"));
}

/* f(x) and f(name=x). */
static TSNode argument(TSNode call, uint32_t nth)
{
	TSNode arguments = node_field(call, "arguments"), part = node_part(arguments, nth);
	if (node_is(arguments, "template_string"))
		return nth ? (TSNode){0} : arguments;
	return node_is(part, "keyword_argument") ? node_field(part, "value") : part;
}

static void drop_prefix(struct name *name, const char *prefix)
{
	size_t n = strlen(prefix);
	if (name->n > n && !memcmp(name->text, prefix, n)) {
		name->n -= n;
		memmove(name->text, name->text + n, name->n + 1);
	}
}

static bool resolve_call(
		const struct view_walk *w, const struct speech *s, TSNode call, struct name *out, int depth)
{
	struct name function = {0}, word;
	if (!resolve(w, s, node_field(call, "function"), &function, depth + 1))
		return false;
	if (!s->is_python && (name_ends(&function, "createRequire") || name_is(&function, "require.bind")))
		return name_add(out, "require", strlen("require"));
	if (is_importer(s, &function) && literal_read(w->view->source, argument(call, 0), &word)) {
		drop_prefix(&word, s->is_python ? "" : "node:");
		return name_add(out, word.text, word.n);
	}
	return s->is_python && name_is(&function, "getattr")
	       && literal_read(w->view->source, argument(call, 1), &word)
	       && resolve(w, s, argument(call, 0), out, depth + 1) && name_add(out, ".", 1)
	       && name_add(out, word.text, word.n);
}

/* ---- expressions ------------------------------------------------------------------------------ */

static bool resolve_subscript(
		const struct view_walk *w, const struct speech *s, TSNode node, struct name *out, int depth)
{
	struct name word;
	if (!literal_read(w->view->source, node_field(node, s->index), &word)
			|| !resolve(w, s, node_field(node, s->subscripted), out, depth + 1))
		return false;
	if (!s->is_python)
		return name_add(out, ".", 1) && name_add(out, word.text, word.n);
	if (name_is(out, "sys.modules")) {
		*out = word;
		return true;
	}
	return name_is(out, "__builtins__") && (*out = word, true);
}

static bool resolve_name(const struct view_walk *w, TSNode node, struct name *out)
{
	const char *at = w->view->source + ts_node_start_byte(node);
	const char *meaning = aliases_get(&w->aliases, at, node_size(node));
	return meaning ? name_add(out, meaning, strlen(meaning)) : name_add(out, at, node_size(node));
}

/* What stands in brackets, or around which there is more that does not change what it is. */
static TSNode inner_expression(TSNode node, const char *type)
{
	if (!strcmp(type, "parenthesized_expression") || !strcmp(type, "await_expression"))
		return node_part(node, 0);
	if (!strcmp(type, "named_expression"))
		return node_field(node, "value");
	if (!strcmp(type, "assignment_expression"))
		return node_field(node, "right");
	if (!strcmp(type, "sequence_expression") && ts_node_named_child_count(node))
		return ts_node_named_child(node, ts_node_named_child_count(node) - 1);
	return (TSNode){0};
}

static bool resolve(
		const struct view_walk *w, const struct speech *s, TSNode node, struct name *out, int depth)
{
	if (ts_node_is_null(node) || depth == EXPRESSION_DEPTH)
		return false;
	const char *type = ts_node_type(node);
	if (!strcmp(type, "identifier"))
		return resolve_name(w, node, out);
	if (!strcmp(type, "import"))
		return name_add(out, "import", strlen("import"));
	TSNode inner = inner_expression(node, type);
	if (!ts_node_is_null(inner))
		return resolve(w, s, inner, out, depth + 1);
	bool is_known;
	if (!strcmp(type, s->attribute)) {
		TSNode property = node_field(node, s->property);
		is_known = resolve(w, s, node_field(node, s->object), out, depth + 1) && name_add(out, ".", 1)
			   && !ts_node_is_null(property)
			   && name_add(out, w->view->source + ts_node_start_byte(property),
					   node_size(property));
	} else if (!strcmp(type, s->call)) {
		is_known = resolve_call(w, s, node, out, depth);
	} else {
		is_known = !strcmp(type, s->subscript) && resolve_subscript(w, s, node, out, depth);
	}
	for (const char *const *prefix = s->everywhere; is_known && *prefix; prefix++)
		drop_prefix(out, *prefix);
	return is_known;
}

/* ---- what is looked at -------------------------------------------------------------------------- */

static int set_alias(struct view_walk *w, TSNode name, const struct name *meaning)
{
	if (ts_node_is_null(name))
		return 0;
	return aliases_set(&w->aliases, w->view->source + ts_node_start_byte(name), node_size(name), meaning);
}

/* name = value */
static int define(struct view_walk *w, const struct speech *s, TSNode name, TSNode value)
{
	struct name meaning = {0};
	if (!node_is(name, "identifier"))
		return 0;
	if (ts_node_end_byte(name) > w->defined_to)
		w->defined_to = ts_node_end_byte(name);
	return resolve(w, s, value, &meaning, 0) ? set_alias(w, name, &meaning) : 0;
}

/* Something of a module: "module.name". */
static int set_part(struct view_walk *w, TSNode alias, const struct name *module, TSNode name)
{
	struct name meaning = *module;
	bool fits = name_add(&meaning, ".", 1)
		    && name_add(&meaning, w->view->source + ts_node_start_byte(name), node_size(name));
	return fits ? set_alias(w, alias, &meaning) : 0;
}

static int look_at_call(struct view_walk *w, const struct speech *s, TSNode call)
{
	struct name function = {0}, module;
	TSNode first = argument(call, 0);
	if (w->only_aliases || !resolve(w, s, node_field(call, "function"), &function, 0)
			|| !is_importer(s, &function) || !literal_read(w->view->source, first, &module))
		return 0;
	/* Of a plain string, what stands between its quotes is what is told. */
	bool is_plain = ts_node_named_child_count(first) == (s->is_python ? 3 : 1);
	for (uint32_t i = 0; is_plain && i < ts_node_named_child_count(first); i++)
		if (node_is(ts_node_named_child(first, i), "string_content")
				|| node_is(ts_node_named_child(first, i), "string_fragment"))
			return view_add_import(w->view, ts_node_named_child(first, i), &module);
	return view_add_import(w->view, first, &module);
}

/* Is the name that of a member, or of an argument? */
static bool is_member(const struct view_walk *w, const struct speech *s)
{
	const char *field = ts_tree_cursor_current_field_name(w->cursor);
	return field && (!strcmp(field, s->property) || !strcmp(field, "name"));
}

/* An expression that is not called by its own name. */
static int look_at_name(struct view_walk *w, const struct speech *s, TSNode node, const char *type)
{
	struct name name = {0};
	size_t at = ts_node_start_byte(node), end = ts_node_end_byte(node);
	bool is_name = !strcmp(type, "identifier");
	if (w->only_aliases || end <= w->defined_to || (at == w->named_from && end <= w->named_to))
		return 0;
	if (is_name && (!aliases_get(&w->aliases, w->view->source + at, end - at) || is_member(w, s)))
		return 0;
	if (!is_name && strcmp(type, s->attribute) && strcmp(type, s->subscript) && strcmp(type, s->call))
		return 0;
	if (!resolve(w, s, node, &name, 0))
		return 0;
	w->named_from = at;
	w->named_to = end;
	bool is_own = name.n == end - at && !memcmp(name.text, w->view->source + at, name.n);
	return is_own ? 0 : view_add_use(w->view, node, &name);
}

/* ---- Python ---------------------------------------------------------------------------------------- */

/* "a.b", however many blanks and lines are between. */
static bool read_dotted(const struct view_walk *w, TSNode node, struct name *out)
{
	for (uint32_t i = 0; i < ts_node_named_child_count(node); i++) {
		TSNode part = ts_node_named_child(node, i);
		if (!node_is(part, "identifier"))
			continue;
		if ((out->n && !name_add(out, ".", 1))
				|| !name_add(out, w->view->source + ts_node_start_byte(part),
						node_size(part)))
			return false;
	}
	return out->n > 0;
}

/* import a.b, c as d */
static int visit_import(struct view_walk *w, TSNode statement)
{
	int r = 0;
	for (uint32_t i = 0; i < ts_node_named_child_count(statement) && r == 0; i++) {
		TSNode name = ts_node_named_child(statement, i), alias = node_field(name, "alias");
		bool is_aliased = node_is(name, "aliased_import");
		struct name module = {0};
		name = is_aliased ? node_field(name, "name") : name;
		if (!node_is(name, "dotted_name") || !read_dotted(w, name, &module))
			continue;
		if (!w->only_aliases)
			r = view_add_import(w->view, name, &module);
		if (r == 0 && is_aliased)
			r = set_alias(w, alias, &module);
	}
	return r;
}

/* from a.b import c, d as e; c may be a module, too */
static int visit_from(struct view_walk *w, TSNode statement)
{
	TSNode from = node_field(statement, "module_name");
	struct name module = {0};
	if (!node_is(from, "dotted_name") || !read_dotted(w, from, &module))
		return 0;
	int r = w->only_aliases ? 0 : view_add_import(w->view, from, &module);
	for (uint32_t i = 1; i < ts_node_named_child_count(statement) && r == 0; i++) {
		TSNode name = ts_node_named_child(statement, i), alias = name;
		if (node_is(name, "aliased_import")) {
			alias = node_field(name, "alias");
			name = node_field(name, "name");
		}
		struct name part = module;
		if (!node_is(name, "dotted_name") || !name_add(&part, ".", 1)
				|| !name_add(&part, w->view->source + ts_node_start_byte(name),
						node_size(name)))
			continue;
		r = w->only_aliases ? 0 : view_add_import(w->view, from, &part);
		if (r == 0)
			r = set_part(w, alias, &module, name);
	}
	return r;
}

int expression_visit_python(struct view_walk *w, TSNode node, const char *type)
{
	const struct speech *s = &python_speech;
	int r = 0;
	bool is_from = !strcmp(type, "import_from_statement");
	if (is_from || !strcmp(type, "import_statement")) {
		w->defined_to = ts_node_end_byte(node);
		return is_from ? visit_from(w, node) : visit_import(w, node);
	}
	if (!strcmp(type, "assignment"))
		return define(w, s, node_field(node, "left"), node_field(node, "right"));
	if (!strcmp(type, "named_expression"))
		return define(w, s, node_field(node, "name"), node_field(node, "value"));
	if (!strcmp(type, s->call))
		r = look_at_call(w, s, node);
	return r == 0 ? look_at_name(w, s, node, type) : r;
}

/* ---- JavaScript -------------------------------------------------------------------------------------- */

/* const {a, b: c} = value */
static int take_apart(struct view_walk *w, const struct speech *s, TSNode pattern, TSNode value)
{
	struct name module = {0};
	int r = 0;
	if (!resolve(w, s, value, &module, 0))
		return 0;
	for (uint32_t i = 0; i < ts_node_named_child_count(pattern) && r == 0; i++) {
		TSNode part = ts_node_named_child(pattern, i);
		if (node_is(part, "shorthand_property_identifier_pattern"))
			r = set_part(w, part, &module, part);
		else if (node_is(part, "pair_pattern") && node_is(node_field(part, "value"), "identifier")
				&& node_is(node_field(part, "key"), "property_identifier"))
			r = set_part(w, node_field(part, "value"), &module, node_field(part, "key"));
	}
	if (ts_node_end_byte(pattern) > w->defined_to)
		w->defined_to = ts_node_end_byte(pattern);
	return r;
}

static int define_javascript(struct view_walk *w, const struct speech *s, TSNode name, TSNode value)
{
	return node_is(name, "object_pattern") ? take_apart(w, s, name, value) : define(w, s, name, value);
}

/* import a, {b, c as d} from "module", import * as e from "module" */
static int take_clause(struct view_walk *w, TSNode clause, const struct name *module)
{
	int r = 0;
	for (uint32_t i = 0; i < ts_node_named_child_count(clause) && r == 0; i++) {
		TSNode part = ts_node_named_child(clause, i);
		if (node_is(part, "identifier"))
			r = set_alias(w, part, module);
		else if (node_is(part, "namespace_import"))
			r = set_alias(w, node_part(part, 0), module);
		for (uint32_t k = 0; node_is(part, "named_imports") && k < ts_node_named_child_count(part)
				     && r == 0;
				k++) {
			TSNode one = ts_node_named_child(part, k), name = node_field(one, "name");
			TSNode alias = node_field(one, "alias");
			if (!ts_node_is_null(name))
				r = set_part(w, ts_node_is_null(alias) ? name : alias, module, name);
		}
	}
	return r;
}

static int visit_module(struct view_walk *w, TSNode statement)
{
	TSNode source = node_field(statement, "source"), clause = node_part(statement, 0);
	struct name module;
	if (!literal_read(w->view->source, source, &module))
		return 0;
	w->defined_to = ts_node_end_byte(statement);
	TSNode inside = ts_node_named_child_count(source) == 1 ? ts_node_named_child(source, 0) : source;
	int r = w->only_aliases ? 0 : view_add_import(w->view, inside, &module);
	drop_prefix(&module, "node:");
	return r == 0 && node_is(clause, "import_clause") ? take_clause(w, clause, &module) : r;
}

int expression_visit_javascript(struct view_walk *w, TSNode node, const char *type)
{
	const struct speech *s = &javascript_speech;
	int r = 0;
	if (!strcmp(type, "import_statement") || !strcmp(type, "export_statement"))
		return visit_module(w, node);
	if (!strcmp(type, "variable_declarator"))
		return define_javascript(w, s, node_field(node, "name"), node_field(node, "value"));
	if (!strcmp(type, "assignment_expression"))
		return define_javascript(w, s, node_field(node, "left"), node_field(node, "right"));
	if (!strcmp(type, s->call))
		r = look_at_call(w, s, node);
	return r == 0 ? look_at_name(w, s, node, type) : r;
}
