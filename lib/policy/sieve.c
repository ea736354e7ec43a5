/* SPDX-License-Identifier: MIT */
#include "policy/sieve.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_LEAST = 2, GROUP_DEPTH = 8 };

static bool is_word_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- words of a pattern ----------------------------------------------------------------- */

struct words {
	struct sieve_word all[SIEVE_PATTERN_WORDS];
	size_t n;
};

/* Reads a pattern from its beginning to its end. Syntax that it does not know makes the pattern unknown. */
struct reader {
	const char *at;
	bool is_unknown;
};

static size_t shortest_word(const struct words *words)
{
	size_t least = SIZE_MAX;
	for (size_t i = 0; i < words->n; i++)
		least = words->all[i].n < least ? words->all[i].n : least;
	return words->n ? least : 0;
}

static void keep_better(struct words *best, const struct words *other)
{
	size_t least = shortest_word(other);
	if (least >= WORD_LEAST && least > shortest_word(best))
		*best = *other;
}

static bool is_quantifier(char c)
{
	return c == '*' || c == '?' || c == '+' || c == '{';
}

/* Behind the quantifier, if there is one. Returns whether what stands before it may be missing. */
static bool read_quantifier(struct reader *r)
{
	char sign = *r->at;
	if (!is_quantifier(sign))
		return false;
	const char *end = sign == '{' ? strchr(r->at, '}') : r->at;
	if (!end) {
		r->is_unknown = true;
		return true;
	}
	r->at = end + 1;
	if (*r->at == '?' || *r->at == '+')
		r->at++;
	return sign != '+';
}

/* [...], without what POSIX adds to it. */
static void read_class(struct reader *r)
{
	const char *at = r->at + 1;
	at += *at == '^';
	at += *at == ']';
	for (; *at && *at != ']'; at++) {
		if (*at == '[' && strchr(":.=", at[1]))
			break;
		at += *at == '\\' && at[1];
	}
	r->is_unknown |= *at != ']';
	r->at = *at == ']' ? at + 1 : at;
}

/* Do word characters end where this part of a pattern begins? */
static bool ends_words(const char *at)
{
	static const char *const parts[] = {"\\b", "\\s*\\(", "\\s+", "\\.", "\\("};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strncmp(at, parts[i], strlen(parts[i])))
			return true;
	return false;
}

/* A run of word characters, of which the last may be repeated or missing. */
static struct sieve_word read_run(struct reader *r, bool begins)
{
	struct sieve_word word = {.at = r->at, .begins = begins};
	while (is_word_char(*r->at))
		r->at++;
	word.n = (size_t)(r->at - word.at);
	if (is_quantifier(*r->at))
		word.n -= read_quantifier(r);
	else
		word.ends = ends_words(r->at);
	return word;
}

static void read_alternatives(struct reader *r, struct words *ret, int depth);

/* Words of a lookaround or of an optional group need not be in the match: they do not count. */
static void read_group(struct reader *r, struct words *ret, bool *ret_begins, int depth)
{
	static const char not_after_word[] = "(?<![\\w.])";
	static const char *const beside[] = {"(?<!", "(?<=", "(?!", "(?="};
	bool is_beside = false;
	*ret_begins = !strncmp(r->at, not_after_word, sizeof not_after_word - 1);
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
		is_beside |= !strncmp(r->at, beside[i], strlen(beside[i]));
	if (is_beside)
		r->at += r->at[2] == '<' ? 4 : 3;
	else if (!strncmp(r->at, "(?:", 3))
		r->at += 3;
	else if (r->at[1] != '?' && r->at[1] != '*')
		r->at += 1;
	else
		r->is_unknown = true;
	if (r->is_unknown)
		return;
	read_alternatives(r, ret, depth + 1);
	r->is_unknown |= *r->at != ')';
	r->at += *r->at == ')';
	if (read_quantifier(r) || is_beside)
		ret->n = 0;
}

/* An escape other than \b. */
static void read_escape(struct reader *r)
{
	static const char kinds[] = "wWsSdD";
	char c = r->at[1];
	r->is_unknown |= !c || (is_word_char(c) && !strchr(kinds, c));
	r->at += c ? 2 : 1;
	read_quantifier(r);
}

/* Up to '|', ')' or the end: the best words of those that must all be there. */
static void read_sequence(struct reader *r, struct words *ret, int depth)
{
	bool begins = false;
	ret->n = 0;
	while (*r->at && *r->at != '|' && *r->at != ')' && !r->is_unknown) {
		struct words found = {.n = 0};
		bool next_begins = false;
		if (is_word_char(*r->at)) {
			found.all[found.n++] = read_run(r, begins);
		} else if (!strncmp(r->at, "\\b", 2)) {
			next_begins = true;
			r->at += 2;
			r->is_unknown |= is_quantifier(*r->at);
		} else if (*r->at == '\\') {
			read_escape(r);
		} else if (*r->at == '[') {
			read_class(r);
			read_quantifier(r);
		} else if (*r->at == '(') {
			read_group(r, &found, &next_begins, depth);
		} else {
			r->at++;
			read_quantifier(r);
		}
		keep_better(ret, &found);
		begins = next_begins;
	}
}

static void read_alternatives(struct reader *r, struct words *ret, int depth)
{
	bool is_known = true;
	ret->n = 0;
	r->is_unknown |= depth > GROUP_DEPTH;
	for (;;) {
		struct words one = {.n = 0};
		if (!r->is_unknown)
			read_sequence(r, &one, depth);
		is_known &= one.n && ret->n + one.n <= SIEVE_PATTERN_WORDS;
		for (size_t i = 0; is_known && i < one.n; i++)
			ret->all[ret->n++] = one.all[i];
		if (r->is_unknown || *r->at != '|')
			break;
		r->at++;
	}
	if (!is_known || r->is_unknown)
		ret->n = 0;
}

size_t sieve_words_of(const char *pattern, struct sieve_word ret[SIEVE_PATTERN_WORDS])
{
	struct reader r = {.at = pattern};
	struct words words = {.n = 0};
	read_alternatives(&r, &words, 0);
	if (r.is_unknown || *r.at)
		return 0;
	memcpy(ret, words.all, words.n * sizeof *ret);
	return words.n;
}

/* ---- words of a policy --------------------------------------------------------------------- */

enum { WORDS_MAX = 512, PAIR_BITS = 65536 };

struct sieve {
	struct sieve_word words[WORDS_MAX];
	size_t n;
	uint8_t pairs[PAIR_BITS / 8]; /* the first two bytes of the words */
};

static bool add_word(struct sieve *s, struct sieve_word word)
{
	if (s->n == WORDS_MAX || word.n < WORD_LEAST)
		return false;
	unsigned pair = (unsigned)(unsigned char)word.at[0] << 8 | (unsigned char)word.at[1];
	s->pairs[pair / 8] |= (uint8_t)(1u << pair % 8);
	s->words[s->n++] = word;
	return true;
}

/* By these a name is made of strings: expression.c follows them. */
static bool add_makers(struct sieve *s)
{
	static const char *const makers[] = {
			"getattr", "__import__", "import_module", "modules", "__builtins__"};
	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
		if (!add_word(s, (struct sieve_word){makers[i], strlen(makers[i]), true, true}))
			return false;
	return true;
}

/* "os" of "os.path": the parts of a name may stand apart. */
static bool add_module(struct sieve *s, const char *name)
{
	size_t n = 0;
	while (is_word_char(name[n]))
		n++;
	return add_word(s, (struct sieve_word){name, n, true, true});
}

static bool add_policy(struct sieve *s, const struct trm_policy *policy, const struct trm_lang *lang)
{
	struct sieve_word words[SIEVE_PATTERN_WORDS];
	for (size_t i = 0; i < policy->n_modules; i++)
		if (policy_counts(policy->modules[i].lang, lang) && !add_module(s, policy->modules[i].name))
			return false;
	for (size_t i = 0; i < policy->n_patterns; i++) {
		if (!policy_counts(policy->patterns[i].lang, lang))
			continue;
		size_t n = sieve_words_of(policy->patterns[i].text, words);
		for (size_t k = 0; k < n; k++)
			if (!add_word(s, words[k]))
				return false;
		if (!n)
			return false;
	}
	return true;
}

/* ---- the look at code -------------------------------------------------------------------------- */

static bool has_word_at(const struct sieve *s, const char *code, size_t n, size_t at)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct sieve_word *word = &s->words[i];
		if (word->n > n - at || memcmp(code + at, word->at, word->n))
			continue;
		size_t end = at + word->n;
		if (!(word->begins && at && is_word_char(code[at - 1]))
				&& !(word->ends && end < n && is_word_char(code[end])))
			return true;
	}
	return false;
}

static bool has_word(const struct sieve *s, const char *code, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		unsigned pair = (unsigned)(unsigned char)code[i] << 8 | (unsigned char)code[i + 1];
		if (s->pairs[pair / 8] >> pair % 8 & 1 && has_word_at(s, code, n, i))
			return true;
	}
	return false;
}

bool sieve_may_find(const struct trm_policy *policy, const struct trm_lang *lang, const char *code, size_t n)
{
	if (lang->tree != TRM_TREE_ATTRIBUTES)
		return true;
	struct sieve *s = calloc(1, sizeof *s);
	bool may_find = !s || !add_makers(s) || !add_policy(s, policy, lang) || has_word(s, code, n);
	free(s);
	return may_find;
}
