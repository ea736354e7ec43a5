/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_GRAMMAR_H
#define TERRARIUM_GRAMMAR_H

/* Grammars of tree-sitter, ABI 13 and 14: shared objects that lie beside the program or the library, or where
 * they are installed ($TERRARIUM_GRAMMARS names another folder), and that are loaded when they are first
 * wanted. Code that looks at texts has to do without one where it was not built. */

struct trm_error;
struct TSLanguage; /* tree_sitter/api.h */

struct trm_grammar {
	const struct TSLanguage *language;
	void *library;
};

/* The grammar of "python", "javascript" or "bash". TRM_ENOENT there is none; TRM_ENOTSUP it is not for this
 * version of tree-sitter, or cannot be loaded: the sentence goes behind "no colours for python: ".
 * End: trm_grammar_close(), when no tree of it lives any more. */
int trm_grammar_open(const char *name, struct trm_grammar *ret, struct trm_error *reterr);
void trm_grammar_close(struct trm_grammar *grammar); /* takes a zeroed one */

#endif
