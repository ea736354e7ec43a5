/* SPDX-License-Identifier: MIT */
#ifndef TRM_POLICY_VIEW_H
#define TRM_POLICY_VIEW_H

/* Code as a policy looks at it: what is code, what is text, what is imported where, and what things are
 * really called. Offsets are those of the code itself: what does not count is blank. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/grammar.h>
#include <terrarium/lang.h>

#include "base/buf.h"
#include "policy/alias.h"

struct view_import {
	size_t at, n;        /* where it is written */
	size_t name, name_n; /* in view.names: the module's name, or that of a command of Bash */
};

/* Something that is not called by its own name: `o.system`, "r\m". `renamed_code` and `renamed_text` have it
 * by its name, and after it what follows in the code. */
struct view_use {
	size_t at, n;        /* where it is written */
	size_t name, name_n; /* in view.names */
	size_t renamed;      /* where it begins in both */
};

struct view {
	const char *source;
	char *code; /* without comments and what strings hold */
	char *text; /* without comments */
	size_t n;
	struct view_import *imports;
	size_t n_imports, cap_imports;
	struct buf names;
	struct view_use *uses; /* in the order of the code */
	size_t n_uses, cap_uses;
	struct buf renamed_code, renamed_text;
	bool has_comments; /* they count as code */
	bool has_tree;     /* else both texts are the code itself, and there are neither imports nor uses */
};

/* Is this language's tree one that is read here? Others are scanned coarsely. */
bool view_reads(const struct trm_lang *lang);
/* `grammar` of the language, or NULL. TRM_ENOMEM; TRM_ETOOBIG: too much is not called by its own name. */
int view_init(struct view *view, const struct trm_grammar *grammar, const struct trm_lang *lang,
		const char *code, size_t n, struct trm_error *reterr);
void view_finish(struct view *view); /* takes a zeroed one */

/* For those that read a language. 0, TRM_ENOMEM or TRM_ETOOBIG. */
int view_add_import(struct view *view, TSNode node, const struct name *name);
int view_add_use(struct view *view, TSNode node, const struct name *name);

/* One look at a tree, which is walked twice: only for aliases, and then for all. */
struct view_walk {
	struct view *view;
	struct aliases aliases;
	const TSTreeCursor *cursor; /* at the node */
	bool only_aliases;
	unsigned char kinds[1024];   /* of the grammar's symbols; 0: not known yet */
	size_t named_from, named_to; /* an expression that has been named as a whole */
	size_t defined_to;           /* end of names that are being defined */
};

/* Each looks at one node. */
int expression_visit_python(struct view_walk *walk, TSNode node, const char *type);
int expression_visit_javascript(struct view_walk *walk, TSNode node, const char *type);
int word_visit(struct view_walk *walk, TSNode node, const char *type);

#endif
