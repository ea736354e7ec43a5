/* SPDX-License-Identifier: MIT */
#ifndef TRM_POLICY_LITERAL_H
#define TRM_POLICY_LITERAL_H

/* What literals in code say, as far as that is visible without running it. */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <tree_sitter/api.h>

/* A name, or what a string says. Longer ones are none: no module and no command is called so. */
struct name {
	char text[200];
	size_t n;
};

/* Append; false: it does not fit. */
bool name_add(struct name *name, const char *text, size_t n);
/* The same with the escapes of JavaScript, Python and Bash's $'' decoded. */
bool name_add_escaped(struct name *name, const char *text, size_t n);
static inline bool name_is(const struct name *name, const char *word)
{
	return name->n == strlen(word) && !memcmp(name->text, word, name->n);
}
bool name_ends(const struct name *name, const char *end);

/* A string of Python or JavaScript, a template without substitutions, or several with + between them.
 * false: what it says is not known. */
bool literal_read(const char *code, TSNode node, struct name *out);

static inline bool node_is(TSNode node, const char *type)
{
	return !ts_node_is_null(node) && !strcmp(ts_node_type(node), type);
}
static inline TSNode node_field(TSNode node, const char *field)
{
	return ts_node_child_by_field_name(node, field, (uint32_t)strlen(field));
}
static inline size_t node_size(TSNode node)
{
	return ts_node_end_byte(node) - ts_node_start_byte(node);
}
/* The nth named child that is no comment; null if there is none. */
TSNode node_part(TSNode node, uint32_t nth);

#endif
