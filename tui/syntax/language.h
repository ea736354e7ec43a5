/* SPDX-License-Identifier: MIT */
#ifndef TUI_SYNTAX_LANGUAGE_H
#define TUI_SYNTAX_LANGUAGE_H

/* The look of a grammar's nodes; private to this folder.
 *
 * Rules are data: rules_python.c and its neighbors. A node has the kind of the first rule that fits;
 * without such a rule it has its parent's kind. Unnamed tokens (keywords, operators, brackets) in plain
 * code need no rule: letters are a keyword, other tokens are distinguished by their characters. */

#include <stdint.h>
#include <tree_sitter/api.h>

#include "syntax/syntax.h"

struct syntax_rule {
	const char *node;   /* "'" before it: an unnamed token */
	uint8_t kind;       /* enum syntax_kind */
	const char *parent; /* NULL: any */
	const char *field;  /* the node's field in its parent; NULL: any */
	const char *grand;  /* the parent's parent; NULL: any */
	const char *role;   /* the parent's field in its own parent; NULL: any */
	const char *words;  /* with a blank before and after each word: the node's text must be one of them;
			       "^-": it must begin so; NULL: any */
};

struct syntax_rules {
	const char *name;    /* of the grammar and its file: "python" */
	const char *goes_on; /* words, a blank before and behind each, that go on with a statement */
	bool is_sure;        /* where it finds an error there is one */
	bool counts_columns; /* its scanner does, for each character from the start of the line */
	const struct syntax_rule *rules; /* ends with a node of NULL */
};
extern const struct syntax_rules rules_python, rules_javascript, rules_bash;
extern const struct syntax_rules rules_c, rules_cpp, rules_go, rules_java, rules_ruby; /* rules_common.c */

/* A rule with its names looked up in the grammar. */
struct rule {
	TSSymbol parent, grand; /* 0: any */
	TSFieldId field, role;  /* 0: any */
	uint8_t kind;
	uint16_t next; /* the next rule for the same node; 0: none */
	const char *words;
};

struct syntax_language {
	const char *name, *goes_on;
	const TSLanguage *grammar;
	void *library;      /* from dlopen */
	struct rule *rules; /* from 1 */
	uint16_t *first;    /* by symbol: its first rule; 0: none */
	uint8_t *plain; /* by symbol: kind of an unnamed token without a rule in plain code; SYNTAX_INHERIT: a
			   named node */
	TSSymbol n_symbols;
	bool counts_columns, is_sure;
};

#define SYNTAX_INHERIT 0xFF

/* Look up the names of the rules. 0 or TRM_ENOMEM. */
int language_init(struct syntax_language *l, const TSLanguage *grammar, const struct syntax_rules *rules);
void language_finish(struct syntax_language *l); /* accepts a zeroed object */

#endif
