/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_RESULT_H
#define TERRARIUM_RESULT_H

/* The result of one run. Borrowed inside the `done` callback;
 * trm_result_copy() keeps one. All texts are valid UTF-8 (bytes that were not
 * are shown as U+FFFD) unless said otherwise. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trm_lang;

enum trm_status {
	TRM_STATUS_OK,
	TRM_STATUS_ERROR, /* exception, or non-zero exit */
	TRM_STATUS_TIMEOUT,
	TRM_STATUS_INTERRUPTED,
	TRM_STATUS_KILLED, /* the interpreter died: `reason` says of what */
	TRM_STATUS_LOST,   /* the sandbox is gone */
};
const char *trm_status_name(enum trm_status status); /* "ok", "error", … */

/* One piece of output, in order of arrival. */
struct trm_chunk {
	int stream;       /* TRM_STDOUT or TRM_STDERR */
	size_t offset, n; /* into trm_result.output */
};

struct trm_display {
	char *mime; /* "image/png" */
	char *data; /* text, or base64 for binary types, as Jupyter does */
	size_t n;
	/* Displays of one bundle are one thing in several forms, of which a front end shows the best that it
	 * can. They come one after the other; `more` tells how many forms of it follow this one. */
	size_t bundle; /* counted from 0 in the run */
	size_t more;
};

struct trm_result {
	enum trm_status status;
	bool state_lost; /* the kernel had to be restarted: its variables are gone */
	uint64_t number; /* of the run in its session, from 1 */
	const struct trm_lang *lang;
	int exit_code;    /* what a shell would see; 0 ok, 1 exception, 124 timeout, 130 interrupted, 128+n
			     signal */
	char *reason;     /* sentence for timeout, killed, lost, and when memory was why it was interrupted */
	char *hint;       /* sentence about a limit that the code met and survived ("process limit 128 reached
			     3 times during this run"), or NULL */
	char *value;      /* text of the last expression, or NULL */
	char *error_name; /* all three NULL if there was no exception */
	char *error_message;
	char **traceback; /* lines, NULL-terminated */
	char *output;     /* raw bytes of stdout and stderr as they arrived; not NUL-terminated text */
	size_t output_len;
	struct trm_chunk *chunks; /* which bytes are which stream */
	size_t n_chunks;
	struct trm_display *displays;
	size_t n_displays;
	size_t dropped_displays; /* that came, but were too many or too big to be kept */
	uint64_t wall_us;
	bool is_wall_unknown; /* another session's run that began before this one came */
	bool has_cpu;
	uint64_t cpu_us; /* of the kernel and its children */
	bool has_mem_peak;
	uint64_t mem_peak_bytes;             /* highest of the sandbox in this run, if that is known */
	uint64_t stdout_bytes, stderr_bytes; /* printed in all */
	uint64_t dropped_bytes;              /* of these, not kept in `output` */
};

/* Deep copy, or NULL when out of memory. */
struct trm_result *trm_result_copy(const struct trm_result *result);
void trm_result_free(struct trm_result *result); /* takes NULL */

/* One JSON object on one line without newline, malloc'd; NULL when out of memory.
 * Fields: run, language, status, exit_code, reason, hint, state_lost, stdout, stderr, value,
 * error {name, message, traceback []}, displays [{mime, data, bundle}], dropped_displays,
 * wall_ms, cpu_ms, mem_peak_bytes, stdout_bytes, stderr_bytes, dropped_bytes. What is not known is null. */
char *trm_result_to_json(const struct trm_result *result);

#endif
