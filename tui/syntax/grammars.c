/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/grammar.h>

#include "syntax/language.h"

static const struct syntax_rules *const known[] = {&rules_python, &rules_javascript, &rules_bash, &rules_c,
		&rules_cpp, &rules_go, &rules_java, &rules_ruby};
#define KNOWN (sizeof(known) / sizeof(*known))

struct grammars {
	struct syntax_language languages[KNOWN];
	bool is_tried[KNOWN];
};

struct grammars *grammars_create(void)
{
	return calloc(1, sizeof(struct grammars));
}

void grammars_destroy(struct grammars *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < KNOWN; i++) {
		struct trm_grammar grammar = {.library = g->languages[i].library};
		language_finish(&g->languages[i]);
		trm_grammar_close(&grammar);
	}
	free(g);
}

static void load_grammar(
		struct syntax_language *l, const struct syntax_rules *rules, struct trm_error *reterr)
{
	struct trm_grammar grammar;
	struct trm_error why;
	int r = trm_grammar_open(rules->name, &grammar, &why);
	if (r == 0) {
		l->library = grammar.library;
		r = language_init(l, grammar.language, rules);
		if (r < 0) {
			trm_grammar_close(&grammar);
			l->library = NULL;
			trm_error_set(&why, r, "out of memory");
		}
	}
	if (r < 0)
		trm_error_set(reterr, r, "no colors for %s: %s", rules->name, why.msg);
}

const struct syntax_language *grammars_loaded(const struct grammars *g, const char *name)
{
	for (size_t i = 0; g && i < KNOWN; i++)
		if (g->languages[i].grammar && strcmp(known[i]->name, name) == 0)
			return &g->languages[i];
	return NULL;
}

const struct syntax_language *grammars_get(struct grammars *g, const char *name, struct trm_error *reterr)
{
	for (size_t i = 0; g && i < KNOWN; i++) {
		if (strcmp(known[i]->name, name) != 0)
			continue;
		if (!g->is_tried[i])
			load_grammar(&g->languages[i], known[i], reterr);
		g->is_tried[i] = true;
		return g->languages[i].grammar ? &g->languages[i] : NULL;
	}
	return NULL;
}
