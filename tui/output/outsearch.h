/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTSEARCH_H
#define TUI_OUTSEARCH_H

/* Searching the output: which lines match. Plain bytes are looked through at the speed of memory; only
 * lines with control sequences are read as they look. A search goes on in slices, so that a
 * regular expression over 100 MB does not keep the keys waiting. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct find;
struct output_line;
struct outpane;
struct trm_error;

#define OUTSEARCH_LINES ((size_t)1 << 20) /* matching lines that are remembered; more are only counted */

struct outsearch {
	struct find *find; /* NULL: nothing is searched for */
	char *pattern;
	bool is_regex;
	uint64_t *lines; /* that match, ascending */
	size_t n, cap;
	uint64_t n_more;  /* that match and are not in `lines` */
	uint64_t scanned; /* the line to go on at */
};

void outsearch_finish(
		struct outsearch *s); /* takes a zeroed object; also: nothing is searched for any more */

/* Begin a search; "" ends it. Upper and lower case differ as soon as the pattern has a capital. TRM_EINVAL:
 * not a regular expression; TRM_ENOTSUP, TRM_ENOMEM. */
int outsearch_begin(struct outsearch *s, const char *pattern, bool is_regex, struct trm_error *reterr);

/* Look through more output, about `bytes` of it. True: there is more to look through. */
bool outsearch_step(struct outpane *p, size_t bytes);
/* Lines before one have got other numbers; as many behind it are gone. */
void outsearch_shift(struct outsearch *s, uint64_t before, uint64_t by);
bool outsearch_is_done(const struct outpane *p);

/* The matching line next to `line` in a direction, round the ends; false: none (so far). */
bool outsearch_next(const struct outpane *p, uint64_t line, int by, uint64_t *ret_line);
/* How many matching lines there are, and which of them this one is (from 1; 0: none). */
uint64_t outsearch_count(const struct outsearch *s, uint64_t line, uint64_t *ret_index);

/* The matches in a line's cells, [from, to) each. Returns how many, at most `max`. */
struct out_match {
	size_t from, to;
};
size_t outsearch_in_line(const struct outsearch *s, const struct output_line *l, struct out_match *matches,
		size_t max);

#endif
