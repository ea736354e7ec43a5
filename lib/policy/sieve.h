/* SPDX-License-Identifier: MIT */
#ifndef TRM_POLICY_SIEVE_H
#define TRM_POLICY_SIEVE_H

/* A fast look at code before it is parsed: does any word occur without which nothing can be found? Most code
 * has none of them, and the parse is most of what a scan costs. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/lang.h>

#include "policy/policy.h"

/* False: a scan of this code would find nothing. True also where that cannot be said: for other languages
 * than Python, and for patterns that are too intricate to know a word of. */
bool sieve_may_find(const struct trm_policy *policy, const struct trm_lang *lang, const char *code, size_t n);

enum { SIEVE_PATTERN_WORDS = 32 };

/* A part of a pattern's text. */
struct sieve_word {
	const char *at;
	size_t n;
	bool begins, ends; /* a whole word begins or ends there */
};

/* Words of which each match of a pattern holds at least one. Returns how many; 0: not known. */
size_t sieve_words_of(const char *pattern, struct sieve_word ret[SIEVE_PATTERN_WORDS]);

#endif
