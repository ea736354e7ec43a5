/* SPDX-License-Identifier: MIT */
#ifndef TRM_CONFORM_TALK_H
#define TRM_CONFORM_TALK_H

/* A driver in a sandbox, with blocking calls. Each call writes a request and waits for its answer for a
 * limited time. Output of the driver is hostile; a violation of the protocol is kept as `fault`. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>
#include <terrarium/sandbox.h>

#include "base/buf.h"
#include "kernel/kernel.h"
#include "kernel/protocol.h"

struct talk {
	const struct trm_lang *lang;
	struct trm_loop *loop;
	struct trm_sandbox *sandbox; /* NULL: the sandbox has closed; the reason is in `why` */
	bool is_sandbox_ready;
	struct trm_error why; /* error of the sandbox, or of a driver that did not start */
	uint32_t start_ms, answer_ms;
	struct trm_proc *proc; /* NULL: the driver does not run */
	int exit_code, signal; /* of the previous driver; -1: unknown */
	bool is_ready, is_late;
	char version[64];
	struct kernel_lines lines;
	int set; /* current output set */
	struct buf out, err;
	uint64_t id;
	/* The answer to the last request. */
	bool is_answered, was_asked_for_input, is_compiled;
	struct kernel_event answer;
	char fault[200]; /* the first fault of the last request; "": none */
};

enum {
	TALK_OUTPUT_MAX = 8 << 20,
	TALK_IGNORED_ID = 900000000, /* id of requests whose answers are ignored */
};

int talk_open(struct talk *t, const struct trm_lang *lang, const struct trm_sandbox_opts *opts,
		struct trm_error *reterr);
void talk_close(struct talk *t);

/* Start the driver if it does not run, and wait for "ready". False: "ready" did not come. */
bool talk_start(struct talk *t);
void talk_kill(struct talk *t);
/* Write a request under a new id and forget the last answer. */
bool talk_send(struct talk *t, struct kernel_request *request);
/* Write arbitrary text. */
bool talk_write(struct talk *t, const char *text);
/* Wait for an answer, a fault or the end of the driver. False: the time is over, which is recorded as a
 * fault too. */
bool talk_wait(struct talk *t);
/* Wait until the driver has printed the text. False: as above. */
bool talk_wait_text(struct talk *t, const char *text);
/* Wait for the end of the driver. False: as above. */
bool talk_wait_end(struct talk *t);
/* Run a piece of code and wait for the end of the run. */
bool talk_run(struct talk *t, const char *code);

#endif
