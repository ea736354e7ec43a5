/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_EVENT_H
#define TUI_RECORD_EVENT_H

/* A recording is a text file with one JSON object per line. The recorder only appends to the file, so a
 * recording can be replayed even after a crash. A reader drops a last line that is cut short.
 *
 * The first line identifies the file and tells where it was made:
 *     {"terrarium":"recording","version":1,"program":"0.1.0","started":"2026-03-01T09:00:00Z",
 *      "rows":36,"cols":120}
 * Each further line is one event. "t" is the time in seconds since the start and never decreases. "e" is
 * the kind of the event. Runs have the ids 1, 2, 3 … in the order of their requests. Text that is not
 * valid UTF-8 is written as base64 under "b64" instead of "text". A reader skips keys and kinds of events
 * that it does not know. It refuses a version that it does not know.
 *
 *     e          keys
 *     sandbox    state ("starting", "ready", "closed"), name, backend, limits {mem_bytes, cpus, procs,
 *                disk_bytes, file_bytes, open_files}, guards [{what, how, strength}], reason
 *     run        run, language, text (the code), name (of the file, optional). For a run of another
 *                program in the same sandbox also: by (name of the program), number
 *     accepted   run, number (of the run in its session)
 *     started    run
 *     output     run, stream ("stdout", "stderr"), text or b64: the bytes as they came
 *     display    run, mime, text (as in a notebook: base64 for binary types), bundle, more (see
 *                struct trm_display)
 *     prompt     run, text, secret: the code waits for a line
 *     input      run, text or b64: data sent to stdin. For a secret: secret, without the data
 *     eof        run: the end of stdin was sent
 *     interrupt  run
 *     stopping   run, step, next ("none", "interrupt", "terminate", "kill"), next_ms (-1: on request)
 *     done       run, status, exit_code, state_lost, reason, hint, value, error {name, message,
 *                traceback []}, wall_us, cpu_us, mem_peak_bytes, stdout_bytes, stderr_bytes
 *     refused    run, text: the reason why the run could not start
 *     late       number, stream, text or b64: output after the end of its run
 *     sample     the known ones of cpu_percent, cpu_ns, cpu_limit, mem_bytes … (struct trm_sample), source;
 *                processes [[pid, ppid, state, cpu_percent or null, mem_bytes, command, threads, cpu_ns]]
 *     sandboxes  list: the page of all sandboxes is on the screen and shows these [{name, backend, group,
 *                client, is_stale, is_kept, clients, and the keys of a sample without processes}].
 *                Without list: the page was closed
 *     end        the recording was stopped */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/metrics.h>
#include <terrarium/registry.h>
#include <terrarium/sandbox.h>
#include <terrarium/session.h>

struct trm_error;
struct trm_lang;
struct trm_result;
struct writer;

#define RECORDING_VERSION 1
#define REC_LINE_BYTES ((size_t)256 << 20) /* a longer line is refused */
#define REC_GUARDS 24

enum rec_kind {
	REC_SANDBOX,
	REC_RUN,
	REC_ACCEPTED,
	REC_STARTED,
	REC_OUTPUT,
	REC_DISPLAY,
	REC_PROMPT,
	REC_INPUT,
	REC_EOF,
	REC_INTERRUPT,
	REC_STOPPING,
	REC_DONE,
	REC_REFUSED,
	REC_LATE,
	REC_SAMPLE,
	REC_SANDBOXES,
	REC_END,
	REC_KINDS
};

enum rec_sandbox { REC_STARTING, REC_READY, REC_CLOSED };

/* One event. An event to encode borrows its data. A decoded event owns its data until rec_event_finish(). */
struct rec_event {
	enum rec_kind kind;
	uint64_t t_us;
	uint32_t run;    /* id in the recording; 0: none */
	uint64_t number; /* ACCEPTED, LATE, RUN of another program: number in the session */
	const struct trm_lang *lang;
	int stream;       /* OUTPUT, LATE: TRM_STDOUT or TRM_STDERR */
	bool is_secret;   /* PROMPT, INPUT */
	const char *text; /* code, output, data, prompt, input or reason; NUL-terminated */
	size_t len;
	const char *by;               /* RUN: name of the other program; NULL: a run of this program */
	const char *name;             /* RUN: name of the file; DISPLAY: MIME type; SANDBOX: its name */
	size_t bundle, more;          /* DISPLAY: as in struct trm_display */
	struct trm_stopping stopping; /* STOPPING */
	const char *backend;          /* SANDBOX */
	enum rec_sandbox state;
	bool has_limits;
	struct trm_limits limits;
	const struct trm_guard *guards;
	size_t n_guards;
	const struct trm_result *result;   /* DONE: without output and displays */
	const struct trm_metrics *metrics; /* SAMPLE; times are left at 0 */
	const struct trm_entry *entries;   /* SANDBOXES */
	size_t n_entries;
	bool is_shown; /* SANDBOXES: false when the page was closed */
	void *own;     /* data of a decoded event */
};

/* The first line. */
struct rec_header {
	int version;
	int rows, cols;
	char started[32]; /* UTC, ISO 8601 */
	char program[32];
};

/* Append one line with its newline. */
void rec_header_encode(const struct rec_header *header, struct writer *w);
void rec_event_encode(const struct rec_event *event, struct writer *w);

/* Read a line without its newline. Errors: TRM_EPROTO with a sentence that names the fault.
 * rec_event_decode() returns 1 for an unknown kind of event and then holds nothing. */
int rec_header_decode(const char *line, size_t n, struct rec_header *ret, struct trm_error *reterr);
int rec_event_decode(const char *line, size_t n, struct rec_event *ret, struct trm_error *reterr);
void rec_event_finish(struct rec_event *event); /* takes a zeroed object */

/* ---- shared by encode.c and decode.c ---- */

extern const char *const rec_kind_names[REC_KINDS];
extern const char *const rec_sandbox_names[3];
extern const char *const rec_strength_names[3];
extern const char *const rec_stop_names[4];

/* The fields of a sample: the bit that marks the field as known (0: always known), the key, the offset in
 * the struct. */
struct rec_field {
	uint32_t bit;
	const char *key;
	size_t offset;
	bool is_double;
};
extern const struct rec_field rec_sample_fields[];
extern const size_t rec_n_sample_fields;

#endif
