/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_JSON_OUT_H
#define TUI_CMD_JSON_OUT_H

/* The output of --json, without blanks, as in `terrarium run --json`. It is collected, then written to
 * stdout at once. Names of fields never change, because the man pages document them. An unknown value is
 * null, never left out. Entries of a list have no key (NULL). */

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
		const char *text); /* NULL: null; the text may contain any bytes */
void json_put_bool(struct json_out *j, const char *key, bool value);
void json_put_u64(struct json_out *j, const char *key, uint64_t value);
/* not finite: null */
void json_put_number(struct json_out *j, const char *key, double value, int decimals);
void json_put_null(struct json_out *j, const char *key);

/* Write the collected output and a newline to stdout and flush it, so that a reader of JSON Lines receives
 * it. The object can be used again for the next line. CMD_OK, or an exit code after a message. */
int json_flush(struct json_out *j);
/* The same for the last time. If nothing was collected, nothing is written, but stdout is flushed anyway. */
int json_finish(struct json_out *j);
/* Free the object without writing. */
void json_drop(struct json_out *j);

#endif
