/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_REGEX_H
#define TERRARIUM_REGEX_H

/* Regular expressions of PCRE2, which is loaded at the first use: a start of the program does not pay for it.
 * What a pattern may cost is bounded: one that would take too long does not match. */

#include <stdbool.h>
#include <stddef.h>

struct trm_regex;
struct trm_error;

#define TRM_REGEX_GROUPS 10 /* the whole match and nine groups */

struct trm_regex_span {
	size_t start, end; /* start > end: the group took no part */
};

/* `is_literal`: the pattern is plain text. TRM_EINVAL, TRM_ENOTSUP or TRM_ENOMEM with a sentence. */
int trm_regex_create(const char *pattern, size_t n, bool is_literal, bool ignores_case,
		struct trm_regex **ret, struct trm_error *reterr);
void trm_regex_destroy(struct trm_regex *r); /* takes NULL */

/* Match in a text, usually a line, not before `from`. The spans that are no group are as if they took no
 * part. */
bool trm_regex_match(struct trm_regex *r, const char *text, size_t n, size_t from,
		struct trm_regex_span spans[TRM_REGEX_GROUPS]);

/* The last match was not found because looking for it would have cost too much. */
bool trm_regex_gave_up(const struct trm_regex *r);

#endif
