/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTSEARCH_H
#define TUI_OUTSEARCH_H

/* Searches the output for matching lines. Plain bytes are searched at the speed of memory, and only lines
 * with control sequences are parsed first. A search proceeds in slices, so that a regular expression over
 * 100 MB does not delay keys. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct find;
struct output_line;
struct outpane;
struct trm_error;

#define OUTSEARCH_LINES ((size_t)1 << 20) /* matching lines that are stored; more are only counted */

struct outsearch {
	struct find *find; /* NULL: no search */
	char *pattern;
	bool is_regex;
	uint64_t *lines; /* matching lines, ascending */
	size_t n, cap;
	uint64_t n_more;  /* matching lines that are not in `lines` */
	uint64_t scanned; /* the line to continue with */
};

void outsearch_finish(struct outsearch *s); /* accepts a zeroed object; also ends the search */

/* Begin a search; "" ends it. Case matters if the pattern has a capital letter. TRM_EINVAL: not a valid
 * regular expression; TRM_ENOTSUP, TRM_ENOMEM. */
int outsearch_begin(struct outsearch *s, const char *pattern, bool is_regex, struct trm_error *reterr);

/* Search about `bytes` more bytes of output. True: there is more. */
bool outsearch_step(struct outpane *p, size_t bytes);
/* Lines before `before` have moved by `by`. The lines that would overlap are gone. */
void outsearch_shift(struct outsearch *s, uint64_t before, uint64_t by);
bool outsearch_is_done(const struct outpane *p);

/* The next matching line after or before `line`; wraps around at the ends. False: none so far. */
bool outsearch_next(const struct outpane *p, uint64_t line, int by, uint64_t *ret_line);
/* The number of matching lines, and the index of this one among them (from 1; 0: it does not match). */
uint64_t outsearch_count(const struct outsearch *s, uint64_t line, uint64_t *ret_index);

/* The matches in the cells of a line, each [from, to). Returns their number, at most `max`. */
struct out_match {
	size_t from, to;
};
size_t outsearch_in_line(const struct outsearch *s, const struct output_line *l, struct out_match *matches,
		size_t max);

#endif
