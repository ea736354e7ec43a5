/* SPDX-License-Identifier: MIT */
#include "syntax/language.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

static TSSymbol symbol_of(const TSLanguage *g, const char *name)
{
	bool is_token = name && *name == '\'';

	if (!name)
		return 0;
	name += is_token;
	return ts_language_symbol_for_name(g, name, (uint32_t)strlen(name), !is_token);
}

static TSFieldId field_of(const TSLanguage *g, const char *name)
{
	return name ? ts_language_field_id_for_name(g, name, (uint32_t)strlen(name)) : 0;
}

/* The kind of an unnamed token in plain code. */
static uint8_t plain_kind(const char *token)
{
	if (isalpha((unsigned char)*token))
		return SYNTAX_KEYWORD;
	return strchr("()[]{},;.:\n", *token) && strcmp(token, ":=") != 0 ? SYNTAX_PUNCTUATION
									  : SYNTAX_OPERATOR;
}

static void fill_plain(struct syntax_language *l)
{
	for (TSSymbol s = 0; s < l->n_symbols; s++) {
		const char *name = ts_language_symbol_name(l->grammar, s);
		bool is_token = ts_language_symbol_type(l->grammar, s) == TSSymbolTypeAnonymous && name
				&& *name;
		l->plain[s] = is_token ? plain_kind(name) : SYNTAX_INHERIT;
	}
}

/* Rules with names that this version of the grammar lacks are left out. */
static bool resolve_rule(const TSLanguage *g, const struct syntax_rule *from, struct rule *to)
{
	*to = (struct rule){.parent = symbol_of(g, from->parent),
			.grand = symbol_of(g, from->grand),
			.field = field_of(g, from->field),
			.role = field_of(g, from->role),
			.kind = from->kind,
			.words = from->words};
	return !(from->parent && !to->parent) && !(from->grand && !to->grand) && !(from->field && !to->field)
	       && !(from->role && !to->role);
}

int language_init(struct syntax_language *l, const TSLanguage *grammar, const struct syntax_rules *rules)
{
	size_t n = 0;
	while (rules->rules[n].node)
		n++;
	*l = (struct syntax_language){.name = rules->name,
			.goes_on = rules->goes_on,
			.is_sure = rules->is_sure,
			.counts_columns = rules->counts_columns,
			.grammar = grammar};
	l->n_symbols = (TSSymbol)ts_language_symbol_count(grammar);
	l->rules = calloc(n + 1, sizeof(*l->rules));
	l->first = calloc(l->n_symbols, sizeof(*l->first));
	l->plain = calloc(l->n_symbols, sizeof(*l->plain));
	if (!l->rules || !l->first || !l->plain) {
		language_finish(l);
		return TRM_ENOMEM;
	}
	/* From the last to the first: each is put before the other rules for the same node. */
	for (size_t i = n; i > 0; i--) {
		TSSymbol s = symbol_of(grammar, rules->rules[i - 1].node);
		if (!s || s >= l->n_symbols || !resolve_rule(grammar, &rules->rules[i - 1], &l->rules[i]))
			continue;
		l->rules[i].next = l->first[s];
		l->first[s] = (uint16_t)i;
	}
	fill_plain(l);
	return 0;
}

/* Report the words of a rule, which are separated by blanks. */
static void tell_words(const struct rule *rule, void (*fn)(void *, const char *, uint8_t), void *user)
{
	char word[64];

	for (const char *at = rule->words; *(at += strspn(at, " "));) {
		size_t n = strcspn(at, " ");
		if (n < sizeof word && at[0] != '^') {
			memcpy(word, at, n);
			word[n] = '\0';
			fn(user, word, rule->kind);
		}
		at += n;
	}
}

void syntax_words(const struct syntax_language *l, void (*fn)(void *user, const char *word, uint8_t kind),
		void *user)
{
	if (!l)
		return;
	for (TSSymbol s = 0; s < l->n_symbols; s++) {
		const char *name = ts_language_symbol_name(l->grammar, s);
		if (l->plain[s] == SYNTAX_KEYWORD
				&& name[strspn(name, "abcdefghijklmnopqrstuvwxyz_")] == '\0')
			fn(user, name, SYNTAX_KEYWORD);
		for (uint16_t i = l->first[s]; i; i = l->rules[i].next)
			if (l->rules[i].words)
				tell_words(&l->rules[i], fn, user);
	}
}

void language_finish(struct syntax_language *l)
{
	free(l->rules);
	free(l->first);
	free(l->plain);
	*l = (struct syntax_language){0};
}
