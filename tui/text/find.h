/* SPDX-License-Identifier: MIT */
#ifndef TUI_FIND_H
#define TUI_FIND_H

/* Finds a pattern in a text: plain, or a regular expression of PCRE2 (libpcre2-8 is loaded for the first
 * one). A match lies within one line. The text is searched in windows of whole lines, so its size only
 * matters for the time: about 0.1 ms per MiB for a plain pattern. The first window of a search is small,
 * so that many matches close to each other are cheap. */

#include <stdbool.h>
#include <stddef.h>

struct find;
struct text;
struct trm_error;

#define FIND_MAX 4096 /* bytes of a pattern */

struct find_opts {
	bool is_regex;
	bool is_exact; /* case always matters; otherwise only if the pattern has a capital */
	bool is_word;  /* no letter of a word is next to the match */
};

struct find_match {
	size_t pos, len; /* a regular expression may match an empty string: len is 0 */
};

/* TRM_EINVAL with a sentence: the pattern is empty, too long or not well-formed; TRM_ENOTSUP: no PCRE2. */
int find_create(const char *pattern, size_t n, struct find_opts opts, struct find **ret,
		struct trm_error *reterr);
void find_destroy(struct find *f); /* accepts NULL */

/* Find the first match that begins in [from, to), or the last one that begins before `before`. False:
 * there is none. */
bool find_next(struct find *f, const struct text *t, size_t from, size_t to, struct find_match *ret);
bool find_previous(struct find *f, const struct text *t, size_t before, struct find_match *ret);

/* The same for bytes that are no text. They are copied, then searched from an offset on. False for
 * find_take(): no memory. */
bool find_take(struct find *f, const char *bytes, size_t n);
bool find_in_taken(struct find *f, size_t from, struct find_match *ret);

/* The same for lines of a text, from the start of one on: at most 64 KiB, or one line that is longer.
 * *ret_end is before the newline of the last one. False: no memory. */
bool find_take_lines(struct find *f, const struct text *t, size_t start, size_t *ret_end);

/* Has any of the searches left out a line, because the regular expression would have taken too long in it? */
bool find_gave_up(const struct find *f);

/* The replacement for a match. For a plain search it is `by`. With a regular expression $0 to $9 stand
 * for the match and its groups, \n and \t for a newline and a tab, $$ and \\ for themselves. malloc'd,
 * followed by a NUL; NULL: no memory. */
char *find_replacement(struct find *f, const struct text *t, struct find_match match, const char *by,
		size_t *ret_len);

#endif
