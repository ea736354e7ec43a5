/* SPDX-License-Identifier: MIT */
#ifndef TESTS_BED_H
#define TESTS_BED_H

/* A sandbox and a session to lie in: what the asynchronous library does, as
 * plain calls that wait, with a deadline. One at a time per process. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/terrarium.h>

enum { BED_DEADLINE_MS = 60000 };

struct bed_text {
	char *s; /* NUL-terminated; NULL while empty */
	size_t n;
};

struct bed {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	bool is_ready, is_closed;
	struct trm_error why; /* of closing */
	/* of the last run */
	struct trm_run *run;
	struct trm_result *result; /* a copy, freed by the next run; NULL while it runs */
	struct bed_text out[2];    /* what cb->output brought */
	struct bed_text prompts;   /* of cb->input, each followed by a newline */
	unsigned n_started, n_outputs, n_inputs, n_answered, n_killing;
	struct trm_stopping stopping; /* as last told */
	unsigned n_stopping, n_memory;
	uint64_t memory_bytes; /* as last warned of */
	/* of the session */
	struct bed_text late;
	unsigned long long late_number;
	unsigned n_metrics;
	struct trm_sample sample;
	/* hooks that a case may set */
	void (*on_output)(struct bed *bed, int stream, const char *bytes, size_t n);
	void (*on_input)(struct bed *bed);
};

/* Open. A backend that cannot work here: false, and bed->why says why. */
bool bed_open(struct bed *bed, const char *backend, const struct trm_sandbox_opts *opts,
		const struct trm_session_opts *session_opts);
/* Whether such a sandbox comes up here; if not, prints "SKIP: " and the reason. `opts` may be NULL. */
bool bed_works(const char *backend, const struct trm_sandbox_opts *opts);
/* Close and wait; checks that `closed` came. */
void bed_close(struct bed *bed);

/* Turn the loop until *flag, or fail the test after the deadline. */
void bed_wait(struct bed *bed, const bool *flag);
/* Turn the loop for so long, or until the condition holds; returns whether it does. */
bool bed_wait_for(struct bed *bed, bool (*holds)(struct bed *bed), int ms);

/* Begin a run; bed->run is its handle. */
void bed_begin(struct bed *bed, const struct trm_run_opts *opts);
/* The same for the end of a kernel. */
void bed_leave(struct bed *bed, const struct trm_run_opts *opts, struct trm_error *why);
/* Wait for its end. */
const struct trm_result *bed_end(struct bed *bed);
/* Both, for a language by name and code without stdin. */
const struct trm_result *bed_run(struct bed *bed, const char *lang, const char *code);
/* As bed_run; these lines can be read from stdin. */
const struct trm_result *bed_run_with(struct bed *bed, const char *lang, const char *code, const char *input);

const char *bed_stdout(const struct bed *bed); /* never NULL */
const char *bed_stderr(const struct bed *bed);
const struct trm_lang *bed_lang(const char *name);
void bed_text_add(struct bed_text *text, const void *bytes, size_t n);
double bed_now_ms(void);

#endif
