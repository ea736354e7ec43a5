/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_LINES_H
#define TRM_SERVER_METHODS_LINES_H

/* `output` of repl.run and command.run: [{"stream":"stdout","text":"a line"},…], written as JSON at once,
 * since a tree of a hundred thousand lines would take ten times as much memory. A line's newline and a CR
 * before it are stripped, empty lines are kept, what is not UTF-8 becomes U+FFFD. Each stream keeps its
 * order; between the two, a line counts when it is complete. What does not fit into LINES_MAX_BYTES of JSON
 * is left out and told at the end. What is said beside the output has room of its own behind that. */

#include <stdint.h>

#include "base/buf.h"

struct cJSON;
struct trm_result;

enum { LINES_MAX_BYTES = 48 << 20 };

struct lines {
	struct buf json;
	size_t max;            /* bytes of it, for what is being added */
	struct buf partial[2]; /* a line that is not complete, by stream */
	uint64_t n_lines, left_out;
};

void lines_init(struct lines *lines);
void lines_finish(struct lines *lines);
/* `stream`: TRM_STDOUT or TRM_STDERR. */
void lines_feed(struct lines *lines, int stream, const char *bytes, size_t n);
/* What is said beside the output: on lines of its own. */
void lines_add(struct lines *lines, int stream, const char *text);
__attribute__((format(printf, 2, 3))) void lines_tell(
		struct lines *lines, const char *fmt, ...); /* on stderr */
/* The output of a run or command as it was kept, with a word about what was not. */
void lines_feed_kept(struct lines *lines, const struct trm_result *result);
/* Complete, as an item of cJSON's: NULL when out of memory. */
struct cJSON *lines_end(struct lines *lines);
/* Complete, as `output` of `json` (NULL: there was no memory for it), which is returned; or NULL, and freed,
 * when out of memory. Finishes `lines`. */
struct cJSON *lines_end_in(struct lines *lines, struct cJSON *json);

#endif
