/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_GRAMMAR_H
#define TERRARIUM_GRAMMAR_H

/* Tree-sitter grammars, ABI 13 and 14. They are shared objects beside the program or the library, or in
 * their installed place ($TERRARIUM_GRAMMARS names another folder), and are loaded at their first use.
 * Callers must work without a grammar, because it may not have been built. */

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_error;
struct TSLanguage; /* tree_sitter/api.h */

struct trm_grammar {
	const struct TSLanguage *language;
	void *library;
};

/* Open a grammar by its name (trm_lang.grammar): "python", "java", ... TRM_ENOENT: there is none;
 * TRM_ENOTSUP: it does not fit this version of tree-sitter, or cannot be loaded. The sentence completes "no
 * colors for python: ". End: trm_grammar_close(), when none of its trees is in use any more. */
int trm_grammar_open(const char *name, struct trm_grammar *ret, struct trm_error *reterr);
void trm_grammar_close(struct trm_grammar *grammar); /* takes a zeroed one */

TRM_END_API

#endif
