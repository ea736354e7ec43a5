/* SPDX-License-Identifier: MIT */
#ifndef TUI_REGEX_H
#define TUI_REGEX_H

/* Regular expressions of PCRE2, which is loaded at the first use: a start of the program does not pay for it.
 * Private to find.c. */

#include <stdbool.h>
#include <stddef.h>

struct regex;
struct trm_error;

#define REGEX_GROUPS 10 /* the whole match and nine groups */

struct regex_span {
	size_t start, end; /* start > end: the group took no part */
};

/* `is_literal`: the pattern is plain text. TRM_EINVAL, TRM_ENOTSUP or TRM_ENOMEM with a sentence. */
int regex_create(const char *pattern, size_t n, bool is_literal, bool ignores_case, struct regex **ret,
		struct trm_error *reterr);
void regex_destroy(struct regex *r); /* takes NULL */

/* Match in one line, not before `from`. The spans that are no group are as if they took no part. */
bool regex_match(struct regex *r, const char *line, size_t n, size_t from,
		struct regex_span spans[REGEX_GROUPS]);

#endif
