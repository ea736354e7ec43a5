/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_JSON_OUT_H
#define TUI_CMD_JSON_OUT_H

/* What --json prints: without blanks, as in `terrarium run --json`; collected, then written to stdout at
 * once. Names of fields are for ever (they stand in the man pages); what is not known is null, never left
 * out. Entries of a list have no key (NULL). */

#include <stdbool.h>
#include <stdint.h>

#include "record/writer.h"

struct json_out {
	struct writer w;
	bool needs_comma, is_list;
	unsigned depth;
};

void json_init(struct json_out *j);
void json_open(struct json_out *j, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json_out *j, char bracket);                 /* '}' or ']' */

void json_put_text(struct json_out *j, const char *key,
		const char *text); /* NULL: null; any bytes may be in it */
void json_put_bool(struct json_out *j, const char *key, bool value);
void json_put_u64(struct json_out *j, const char *key, uint64_t value);
void json_put_number(struct json_out *j, const char *key, double value, int decimals); /* not finite: null */
void json_put_null(struct json_out *j, const char *key);

/* Write what was collected, and a newline, to stdout; flush it, so that a reader of JSON Lines has it. Begin
 * anew, for the next line. CMD_OK, or the sentence has been printed. */
int json_flush(struct json_out *j);
/* The same for the last time; nothing has been put: nothing is written, but stdout is flushed all the same.
 */
int json_finish(struct json_out *j);
/* Only the end of it. */
void json_drop(struct json_out *j);

#endif
