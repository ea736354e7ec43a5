/* SPDX-License-Identifier: MIT */
#ifndef TUI_SYNTAX_LANGUAGE_H
#define TUI_SYNTAX_LANGUAGE_H

/* What a grammar's nodes look like on the screen; private to this folder.
 *
 * Rules are data: rules_python.c and its neighbors. A node has the kind of the first rule that fits;
 * one that no rule fits has its parent's. Tokens without a name (keywords, operators, brackets) that stand in
 * plain code need no rule: letters are a keyword, the rest is told by its sign. */

#include <stdint.h>
#include <tree_sitter/api.h>

#include "syntax/syntax.h"

struct syntax_rule {
	const char *node;   /* "'" before it: a token without a name */
	uint8_t kind;       /* enum syntax_kind */
	const char *parent; /* NULL: any */
	const char *field;  /* that the node is in its parent; NULL: any */
	const char *grand;  /* the parent's parent; NULL: any */
	const char *role;   /* field that the parent is in there; NULL: any */
	const char *words;  /* blank before and behind each: the node's text is one of them; "^-": it begins
			       so;  NULL: any */
};

struct syntax_rules {
	const char *name;    /* of the language and its file: "python" */
	const char *goes_on; /* words, a blank before and behind each, that go on with a statement */
	bool counts_columns; /* its scanner does, for each character from the start of the line */
	const struct syntax_rule *rules; /* ends with a node of NULL */
};
extern const struct syntax_rules rules_python, rules_javascript, rules_bash;

/* A rule with its names looked up in the grammar. */
struct rule {
	TSSymbol parent, grand; /* 0: any */
	TSFieldId field, role;  /* 0: any */
	uint8_t kind;
	uint16_t next; /* rule for the same node to be tried after this one; 0: none */
	const char *words;
};

struct syntax_language {
	const char *name, *goes_on;
	const TSLanguage *grammar;
	void *library;      /* from dlopen */
	struct rule *rules; /* from 1 */
	uint16_t *first;    /* by symbol: its first rule; 0: none */
	uint8_t *plain; /* by symbol: kind of a token without a rule in plain code; SYNTAX_INHERIT: a node */
	TSSymbol n_symbols;
	bool counts_columns;
};

#define SYNTAX_INHERIT 0xFF

/* Look the rules up. 0 or TRM_ENOMEM. */
int language_init(struct syntax_language *l, const TSLanguage *grammar, const struct syntax_rules *rules);
void language_finish(struct syntax_language *l); /* takes a zeroed object */

#endif
