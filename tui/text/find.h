/* SPDX-License-Identifier: MIT */
#ifndef TUI_FIND_H
#define TUI_FIND_H

/* Finding a pattern in a text: plain, or a regular expression of PCRE2 (libpcre2-8 is loaded when the first
 * one is made). A match lies within one line. A text is looked through in windows of whole
 * lines, so that its size does not matter but for the time it takes: about 0.1 ms per MiB for a plain one.
 * The first window of a look is small, so that many matches that are near to each other cost no more than
 * that. */

#include <stdbool.h>
#include <stddef.h>

struct find;
struct text;
struct trm_error;

#define FIND_MAX 4096 /* bytes of a pattern */

struct find_opts {
	bool is_regex;
	bool is_exact; /* upper and lower case differ; else they do as soon as the pattern has a capital */
	bool is_word;  /* nothing of a word stands beside it */
};

struct find_match {
	size_t pos, len; /* a regular expression may match nothing at a place: len is 0 */
};

/* TRM_EINVAL with a sentence: the pattern is empty, too long or not well-formed; TRM_ENOTSUP: no PCRE2. */
int find_create(const char *pattern, size_t n, struct find_opts opts, struct find **ret,
		struct trm_error *reterr);
void find_destroy(struct find *f); /* takes NULL */

/* The first match that begins in [from, to); the last that begins before `before`. False: there is none. */
bool find_next(struct find *f, const struct text *t, size_t from, size_t to, struct find_match *ret);
bool find_previous(struct find *f, const struct text *t, size_t before, struct find_match *ret);

/* The same in bytes that are no text: they are copied, then looked through from an offset in them on. False
 * for find_take(): out of memory. */
bool find_take(struct find *f, const char *bytes, size_t n);
bool find_in_taken(const struct find *f, size_t from, struct find_match *ret);

/* What comes in place of a match. In a plain search that is `by`; with a regular expression $0 to $9 stand
 * for what was matched and its groups, \n and \t for a newline and a tab, $$ and \\ for themselves. malloc'd,
 * with a NUL behind; NULL when out of memory. */
char *find_replacement(struct find *f, const struct text *t, struct find_match match, const char *by,
		size_t *ret_len);

#endif
