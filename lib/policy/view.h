/* SPDX-License-Identifier: MIT */
#ifndef TRM_POLICY_VIEW_H
#define TRM_POLICY_VIEW_H

/* Code as a policy looks at it: what is code, what is text, and what is imported where. Offsets are those of
 * the code itself: what does not count is blank. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/grammar.h>
#include <terrarium/lang.h>

struct view_import {
	size_t at, n; /* the module's name, or that of a command of Bash */
};

struct view {
	char *code; /* without comments and what strings hold */
	char *text; /* without comments */
	size_t n;
	struct view_import *imports;
	size_t n_imports, cap;
	bool has_tree; /* else both texts are the code itself, and there are no imports */
};

/* `grammar` of the language, or NULL. TRM_ENOMEM. */
int view_init(struct view *view, const struct trm_grammar *grammar, const struct trm_lang *lang,
		const char *code, size_t n, struct trm_error *reterr);
void view_finish(struct view *view); /* takes a zeroed one */

#endif
