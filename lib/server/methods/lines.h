/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_LINES_H
#define TRM_SERVER_METHODS_LINES_H

/* `output` of repl.run and command.run: [{"stream":"stdout","text":"a line"},…]. It is written as JSON
 * directly, since a tree of a hundred thousand lines would take ten times as much memory. The newline of a
 * line and a CR before it are stripped, empty lines are kept, and invalid UTF-8 becomes U+FFFD. Each stream
 * keeps its order; between the two, lines are ordered by when they were complete. Output beyond
 * LINES_MAX_BYTES of JSON is left out, and a note at the end says so. Text that is added beside the output
 * has room of its own. */

#include <stdint.h>

#include "base/buf.h"

struct cJSON;
struct trm_result;

enum { LINES_MAX_BYTES = 48 << 20 };

struct lines {
	struct buf json;
	size_t max;            /* the current limit of its length */
	struct buf partial[2]; /* incomplete line of each stream */
	uint64_t n_lines, left_out;
};

void lines_init(struct lines *lines);
void lines_finish(struct lines *lines);
/* `stream`: TRM_STDOUT or TRM_STDERR. */
void lines_feed(struct lines *lines, int stream, const char *bytes, size_t n);
/* Add text that is not output, on lines of its own. */
void lines_add(struct lines *lines, int stream, const char *text);
__attribute__((format(printf, 2, 3))) void lines_add_format(
		struct lines *lines, const char *fmt, ...); /* on stderr */
/* Add the kept output of a run or command, and a note about what was not kept. */
void lines_feed_kept(struct lines *lines, const struct trm_result *result);
/* The whole list as a cJSON item. NULL: out of memory. */
struct cJSON *lines_end(struct lines *lines);
/* Set the whole list as `output` of `json` (NULL if that could not be made) and return `json`. Returns
 * NULL, and frees it, if out of memory. Frees `lines`. */
struct cJSON *lines_end_in(struct lines *lines, struct cJSON *json);

#endif
