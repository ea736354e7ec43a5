/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_RESULT_H
#define TERRARIUM_RESULT_H

/* The result of one run. It is borrowed inside the `done` callback; trm_result_copy() keeps it. All strings
 * are valid UTF-8 (invalid bytes are shown as U+FFFD) unless stated otherwise. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_lang;

enum trm_status {
	TRM_STATUS_OK,
	TRM_STATUS_ERROR, /* exception, or non-zero exit */
	TRM_STATUS_TIMEOUT,
	TRM_STATUS_INTERRUPTED,
	TRM_STATUS_KILLED, /* the interpreter died; `reason` says why */
	TRM_STATUS_LOST,   /* the sandbox is gone */
	/* The code never ran; `reason` says why. Callbacks never get this status: the front end that refuses
	 * the code writes it. */
	TRM_STATUS_REFUSED,
};
const char *trm_status_name(enum trm_status status); /* "ok", "error", … */

/* One piece of output, in order of arrival. */
struct trm_chunk {
	int stream;       /* TRM_STDOUT or TRM_STDERR */
	size_t offset, n; /* into trm_result.output */
};

/* How a display came about: shown by the code (plt.show(), display()), saved by it as a figure
 * (plt.savefig("a.png")), or collected: a file that the run has written. */
enum trm_display_source { TRM_DISPLAY_SHOWN, TRM_DISPLAY_SAVED, TRM_DISPLAY_COLLECTED };
const char *trm_display_source_name(enum trm_display_source source); /* "shown", "saved", "collected" */

struct trm_display {
	char *mime; /* "image/png" */
	char *data; /* text, or base64 for binary types, as Jupyter does */
	size_t n;
	/* Displays of one bundle are one thing in several forms, of which a front end shows the best one it
	 * can. They follow each other; `more` is the number of forms that follow this one. */
	size_t bundle; /* counted from 0 in the run */
	size_t more;
	uint64_t run; /* number of the run that it belongs to; 0: it has none */
	/* "png", "jpeg", "svg", "gif", "webp", "pdf", "html", "csv", "json", "md", "tex", "txt"; NULL:
	 * another one. Static. */
	const char *format;
	/* Pixels of a PNG, JPEG, GIF or SVG, and dots per inch, as its bytes say; they may say anything. */
	bool has_size, has_dpi;
	uint32_t width, height;
	double dpi;
	char *title; /* of a figure, or the name of the file; NULL: none */
	enum trm_display_source source;
	/* File that a front end has written it to: the JSON has that in place of `data`. NULL: none.
	 * Borrowed: trm_result_copy() leaves it out. */
	const char *path;
};

struct trm_result {
	enum trm_status status;
	bool state_lost; /* the kernel had to be restarted; its variables are lost */
	uint64_t number; /* number of the run in its session, from 1; 0: it has none */
	const struct trm_lang *lang;
	/* as a shell would see it: 0 ok, 1 exception, 124 timeout, 130 interrupted, 128+n signal */
	int exit_code;
	/* a sentence for timeout, killed and lost, and if the run was interrupted because of memory */
	char *reason;
	/* a sentence about a limit that the code reached and survived ("process limit 128 reached 3 times
	 * during this run"), or NULL */
	char *hint;
	char *value;      /* text of the last expression, or NULL */
	char *error_name; /* all three are NULL if there was no exception */
	char *error_message;
	char **traceback; /* lines, NULL-terminated */
	char *output;     /* raw bytes of stdout and stderr as they arrived; not NUL-terminated text */
	size_t output_len;
	struct trm_chunk *chunks; /* which bytes belong to which stream */
	size_t n_chunks;
	struct trm_display *displays;
	size_t n_displays;
	size_t dropped_displays; /* number of displays that were too many or too big to keep */
	uint64_t wall_us;
	bool is_wall_unknown; /* it is another session's run that began before this one was opened */
	bool has_cpu;
	uint64_t cpu_us; /* of the kernel and its children */
	bool has_mem_peak;
	uint64_t mem_peak_bytes;             /* the sandbox's highest memory use during this run, if known */
	uint64_t stdout_bytes, stderr_bytes; /* total bytes printed */
	uint64_t dropped_bytes;              /* of these, how many are not kept in `output` */
	bool has_install;
	uint64_t install_us; /* for packages that were fetched and installed before the run; not in wall_us */
	bool has_compile;
	uint64_t compile_us; /* of wall_us, the time until the code was compiled */
};

/* Deep copy, or NULL when out of memory. */
struct trm_result *trm_result_copy(const struct trm_result *result);
void trm_result_free(struct trm_result *result); /* takes NULL */

/* Format the result as one JSON object on one line without newline, malloc'd; NULL when out of memory.
 * Fields: run, language, status, exit_code, reason, hint, state_lost, stdout, stderr, value, error {name,
 * message, traceback []}, displays [{mime, data, bundle, format, width, height, dpi, title, source, run,
 * path}], dropped_displays, wall_ms, install_ms, compile_ms, cpu_ms,
 * mem_peak_bytes, stdout_bytes, stderr_bytes, dropped_bytes. Unknown values are null. */
char *trm_result_to_json(const struct trm_result *result);

TRM_END_API

#endif
