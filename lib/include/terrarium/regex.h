/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_REGEX_H
#define TERRARIUM_REGEX_H

/* PCRE2 regular expressions. PCRE2 is loaded at the first use, so it does not slow down the program's
 * start. The cost of a match is limited: a pattern that would take too long does not match. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_regex;
struct trm_error;

#define TRM_REGEX_GROUPS 10 /* the whole match and nine groups */

struct trm_regex_span {
	size_t start, end; /* start > end: the group is not part of the match */
};

/* `is_literal`: the pattern is plain text. TRM_EINVAL, TRM_ENOTSUP or TRM_ENOMEM with a sentence. */
int trm_regex_create(const char *pattern, size_t n, bool is_literal, bool ignores_case,
		struct trm_regex **ret, struct trm_error *reterr);
void trm_regex_destroy(struct trm_regex *r); /* takes NULL */

/* Match in a text, usually a line, starting at `from`. Spans of groups that do not exist are set as if they
 * were not part of the match. */
bool trm_regex_match(struct trm_regex *r, const char *text, size_t n, size_t from,
		struct trm_regex_span spans[TRM_REGEX_GROUPS]);

/* The same for a long text. It is given up when CLOCK_MONOTONIC is past `deadline_ns`, a little later at
 * most.
 */
bool trm_regex_match_until(struct trm_regex *r, const char *text, size_t n, size_t from, uint64_t deadline_ns,
		struct trm_regex_span spans[TRM_REGEX_GROUPS]);

/* True if the last search was given up because it would have taken too long. */
bool trm_regex_gave_up(const struct trm_regex *r);

TRM_END_API

#endif
