/* SPDX-License-Identifier: MIT */
/* Names of commands in Bash, however they are quoted: "rm", r\m, $'rm', `alias x=rm; x`, `c=rm; $c`. */
#include <stdint.h>
#include <stdlib.h>

#include "policy/view.h"

/* Those that start the command that is their argument. */
static const char *const starters[] = {"builtin", "busybox", "command", "doas", "env", "exec", "ionice",
		"nice", "nohup", "setsid", "stdbuf", "sudo", "time", "timeout", "xargs", NULL};

static bool add_word(const struct view_walk *w, TSNode node, struct name *out);

/* A variable has another name than a command: "$name". */
static bool add_variable(const struct view_walk *w, TSNode node, struct name *out)
{
	TSNode variable = ts_node_named_child(node, 0);
	struct name name = {0};
	if (ts_node_named_child_count(node) != 1 || !node_is(variable, "variable_name"))
		return false;
	bool fits = name_add(&name, "$", 1)
		    && name_add(&name, w->view->source + ts_node_start_byte(variable), node_size(variable));
	const char *value = fits ? aliases_get(&w->aliases, name.text, name.n) : NULL;
	return value && name_add(out, value, strlen(value));
}

/* A backslash stands for what is behind it, in double quotes only before some. */
static bool add_unescaped(const char *at, size_t n, bool is_quoted, struct name *out)
{
	for (size_t i = 0; i < n; i++) {
		bool is_escape = at[i] == '\\' && i + 1 < n
				 && (!is_quoted || strchr("\\\"$`\n", at[i + 1]) != NULL);
		i += is_escape;
		if (!(is_escape && at[i] == '\n') && !name_add(out, at + i, 1))
			return false;
	}
	return true;
}

static bool add_parts(const struct view_walk *w, TSNode node, struct name *out)
{
	for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
		if (!add_word(w, ts_node_named_child(node, i), out))
			return false;
	return true;
}

static bool add_word(const struct view_walk *w, TSNode node, struct name *out)
{
	const char *type = ts_node_type(node), *at = w->view->source + ts_node_start_byte(node);
	size_t n = node_size(node);
	if (!strcmp(type, "word") || !strcmp(type, "number"))
		return add_unescaped(at, n, false, out);
	if (!strcmp(type, "string_content"))
		return add_unescaped(at, n, true, out);
	if (!strcmp(type, "raw_string"))
		return n >= 2 && name_add(out, at + 1, n - 2);
	if (!strcmp(type, "ansi_c_string"))
		return n >= 3 && name_add_escaped(out, at + 2, n - 3);
	if (!strcmp(type, "simple_expansion") || !strcmp(type, "expansion"))
		return add_variable(w, node, out);
	return (!strcmp(type, "string") || !strcmp(type, "translated_string")
			       || !strcmp(type, "concatenation") || !strcmp(type, "command_name"))
	       && add_parts(w, node, out);
}

/* The name of a command, and its place in the views. Empty: it is not known. */
static int name_command(struct view_walk *w, TSNode node, struct name *ret)
{
	const char *at = w->view->source + ts_node_start_byte(node);
	*ret = (struct name){0};
	if (!add_word(w, node, ret) || !ret->n) {
		*ret = (struct name){0};
		return 0;
	}
	const char *meaning = aliases_get(&w->aliases, ret->text, ret->n);
	if (meaning) {
		*ret = (struct name){0};
		name_add(ret, meaning, strlen(meaning));
	}
	char *slash = memrchr(ret->text, '/', ret->n);
	if (slash) {
		ret->n -= (size_t)(slash + 1 - ret->text);
		memmove(ret->text, slash + 1, ret->n + 1);
	}
	if (w->only_aliases)
		return 0;
	int r = view_add_import(w->view, node, ret);
	bool is_own = ret->n == node_size(node) && !memcmp(at, ret->text, ret->n);
	return r < 0 || is_own || !ret->n ? r : view_add_use(w->view, node, ret);
}

static bool is_starter(const struct name *name)
{
	for (const char *const *word = starters; *word; word++)
		if (name_is(name, *word))
			return true;
	return false;
}

/* NAME=VALUE: of VALUE, its first word. */
static int set_meaning(struct view_walk *w, const char *name, size_t n, const struct name *value)
{
	struct name first = {0};
	size_t blanks = strspn(value->text, " \t");
	name_add(&first, value->text + blanks, strcspn(value->text + blanks, " \t\n;|&"));
	return first.n ? aliases_set(&w->aliases, name, n, &first) : 0;
}

static int define_alias(struct view_walk *w, TSNode node)
{
	struct name word = {0};
	char *equals = add_word(w, node, &word) ? strchr(word.text, '=') : NULL;
	if (!equals)
		return 0;
	struct name value = {0};
	name_add(&value, equals + 1, strlen(equals + 1));
	return set_meaning(w, word.text, (size_t)(equals - word.text), &value);
}

static int define_variable(struct view_walk *w, TSNode node)
{
	TSNode variable = node_field(node, "name"), given = node_field(node, "value");
	struct name value = {0}, name = {0};
	bool fits = node_is(variable, "variable_name") && !ts_node_is_null(given)
		    && add_word(w, given, &value) && name_add(&name, "$", 1)
		    && name_add(&name, w->view->source + ts_node_start_byte(variable), node_size(variable));
	return fits ? set_meaning(w, name.text, name.n, &value) : 0;
}

/* "sudo -n nice -n 5 rm": words that may be a command are, until one is that starts no other. */
static int visit_command(struct view_walk *w, TSNode command)
{
	struct name name = {0};
	bool starts_if_missing = false, is_alias = false;
	int r = 0;
	for (uint32_t i = 0; i < ts_node_named_child_count(command) && r == 0; i++) {
		TSNode word = ts_node_named_child(command, i);
		struct name text = {0};
		if (node_is(word, "command_name")) {
			r = name_command(w, word, &name);
			starts_if_missing = is_starter(&name);
			is_alias = name_is(&name, "alias");
		} else if (is_alias) {
			r = define_alias(w, word);
		} else if (starts_if_missing && add_word(w, word, &text) && text.n && text.text[0] != '-'
				&& !strchr(text.text, '=')
				&& strspn(text.text, "0123456789.smhd") != text.n) {
			r = name_command(w, word, &name);
			starts_if_missing = is_starter(&name);
		}
	}
	return r;
}

int word_visit(struct view_walk *w, TSNode node, const char *type)
{
	if (!strcmp(type, "command"))
		return visit_command(w, node);
	return !strcmp(type, "variable_assignment") ? define_variable(w, node) : 0;
}
