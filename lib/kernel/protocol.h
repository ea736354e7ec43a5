/* SPDX-License-Identifier: MIT */
#ifndef TRM_KERNEL_PROTOCOL_H
#define TRM_KERNEL_PROTOCOL_H

/* The JSON lines of kernel.h without I/O: requests to bytes, bytes to events.
 * The bytes come from user code's process and are hostile: a line has a
 * greatest length and depth, strings are repaired to UTF-8 without NUL, and
 * numbers out of range count as absent. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct cJSON;
struct trm_error;
struct trm_table_query;

#ifndef KERNEL_LINE_MAX
#define KERNEL_LINE_MAX (32u * 1024 * 1024)
#endif
enum { KERNEL_DEPTH_MAX = 32 };
#define KERNEL_CPU_US_MAX 1000000000000000u
enum { KERNEL_TITLE_MAX = 400 }; /* bytes of a display's title */

/* ---- requests -------------------------------------------------------------- */

enum kernel_op {
	KERNEL_OP_RUN,
	KERNEL_OP_COMPLETE,
	KERNEL_OP_INSPECT,
	KERNEL_OP_IS_COMPLETE,
	KERNEL_OP_VARIABLES,
	KERNEL_OP_MEMBERS,
	KERNEL_OP_TABLE,
	KERNEL_OP_RESET,
	KERNEL_OP_LEAVE,
};

struct kernel_request {
	enum kernel_op op;
	uint64_t id;
	const char *code; /* run, complete, inspect, is_complete; members, table: the path of a value */
	size_t code_len;
	const char *file;                    /* run */
	size_t cursor;                       /* complete, inspect: in code points; members: the first */
	bool echoes;                         /* run */
	bool is_program;                     /* run */
	char **args;                         /* run: NULL-terminated; NULL: none */
	char **env;                          /* run: NULL-terminated; NULL: none */
	const char *cwd;                     /* run; NULL: as it is */
	uint64_t timeout_ms;                 /* run: what it may take; 0: not told */
	const struct trm_table_query *table; /* table */
};

/* Append the request's line. TRM_ETOOBIG or TRM_ENOMEM as buf_append. */
int kernel_request_put(struct buf *out, const struct kernel_request *request);

/* ---- events ---------------------------------------------------------------- */

enum kernel_event_type {
	KERNEL_EVENT_OTHER, /* none of ours: to be ignored */
	KERNEL_EVENT_READY,
	KERNEL_EVENT_INPUT,
	KERNEL_EVENT_DISPLAY,
	KERNEL_EVENT_LATE,
	KERNEL_EVENT_DONE,
	KERNEL_EVENT_REPLY,
	KERNEL_EVENT_FATE,
	KERNEL_EVENT_COMPILED,
};

/* LOST comes from the agent's history, without an id: nobody has kept how the run ended. */
enum kernel_done { KERNEL_DONE_OK, KERNEL_DONE_ERROR, KERNEL_DONE_INTERRUPTED, KERNEL_DONE_LOST };

/* Texts are borrowed from the event and NULL when absent. */
struct kernel_event {
	enum kernel_event_type type;
	uint64_t id;              /* 0: none */
	const char *text;         /* ready: version; input: prompt; late: text; reply: error; fate: reason */
	bool is_foreign;          /* ready: of another version of the protocol, which decoding refuses */
	bool tells_compiled;      /* ready: "compiled" will come in each run */
	bool is_secret;           /* input */
	bool is_stderr;           /* late */
	bool is_saved;            /* display: the code has saved it as a file */
	const char *title;        /* display; printable, NULL: none */
	const struct cJSON *data; /* display: object of MIME type to text; reply: object */
	enum kernel_done done;    /* the rest: done */
	int exit_code;            /* 0 to 255; -1 absent */
	int set;                  /* 0 to KERNEL_SPARE_SETS; -1 absent */
	bool has_cpu;
	uint64_t cpu_us;
	bool has_compile;
	uint64_t compile_us;
	const char *value;
	const char *error_name, *error_message; /* both or none */
	const struct cJSON *traceback;          /* array; only its strings count */
	struct cJSON *json;                     /* owner of all of this; NULL: that is `own` */
	char *own;                              /* malloc'd; may be NULL */
};

/* Decode one line (without its newline), which is changed in place. TRM_EPROTO
 * with a sentence if it is no event; nothing to finish then. */
int kernel_event_decode(char *line, size_t n, struct kernel_event *ret, struct trm_error *reterr);
void kernel_event_finish(struct kernel_event *event);
/* The same for a "done" of the form that is usual, which is done.c's. False: it is another line, or there is
 * no memory. */
bool kernel_done_read(const char *line, size_t n, struct kernel_event *ret);

/* One line as JSON with its strings made harmless, changed in place; to be freed with cJSON_Delete.
 * NULL: nested too deeply (`*ret_is_deep`, may be NULL), or no JSON. */
struct cJSON *kernel_json_parse(char *line, size_t n, bool *ret_is_deep);
/* A number from 0 to max; false if there is none of that name. */
bool kernel_json_number(const struct cJSON *object, const char *name, double max, double *ret);
const char *kernel_json_text(const struct cJSON *object, const char *name); /* NULL: none */
uint64_t kernel_json_id(const struct cJSON *object);                        /* "id"; 0: none */

/* ---- lines ------------------------------------------------------------------- */

struct kernel_lines {
	struct buf bytes;
	size_t scanned; /* bytes at the front known to hold no newline */
};

void kernel_lines_init(struct kernel_lines *lines);
void kernel_lines_finish(struct kernel_lines *lines);
/* TRM_ETOOBIG: a line is longer than KERNEL_LINE_MAX. */
int kernel_lines_feed(struct kernel_lines *lines, const void *bytes, size_t n);
/* The next whole line without its newline, until the next call; NULL: none. */
char *kernel_lines_next(struct kernel_lines *lines, size_t *ret_len);
/* Consume the line last returned. */
void kernel_lines_done(struct kernel_lines *lines, size_t len);

#endif
