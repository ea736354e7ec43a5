/* SPDX-License-Identifier: MIT */
#ifndef TRM_CONFORM_TALK_H
#define TRM_CONFORM_TALK_H

/* A driver in a sandbox, asked with plain calls: each one writes a request and waits for its answer, for a
 * limited time. What the driver sends is hostile, and what breaks the protocol is kept as `fault`. */

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
	struct trm_sandbox *sandbox; /* NULL: it has closed, for `why` */
	bool is_sandbox_ready;
	struct trm_error why; /* of the sandbox, or of a driver that could not be started */
	uint32_t start_ms, answer_ms;
	struct trm_proc *proc; /* NULL: the driver does not run */
	int exit_code, signal; /* of the one that ran last; -1: it is not known */
	bool is_ready, is_late;
	char version[64];
	struct kernel_lines lines;
	int set; /* output set in use */
	struct buf out, err;
	uint64_t id;
	/* The answer to the last request. */
	bool is_answered, was_asked_for_input;
	struct kernel_event answer;
	char fault[200]; /* the first one of the last request; "": none */
};

enum {
	TALK_OUTPUT_MAX = 8 << 20,
	TALK_IGNORED_ID = 900000000, /* of requests whose answers, if any, are passed over */
};

int talk_open(struct talk *t, const struct trm_lang *lang, const struct trm_sandbox_opts *opts,
		struct trm_error *reterr);
void talk_close(struct talk *t);

/* Start the driver, if it does not run, and wait for "ready". False: it did not come. */
bool talk_start(struct talk *t);
void talk_kill(struct talk *t);
/* Write a request under a new id, whatever it is; forgets the last answer. */
bool talk_send(struct talk *t, struct kernel_request *request);
/* Write any bytes. */
bool talk_write(struct talk *t, const char *text);
/* Wait until the answer is there, the driver has ended or there is a fault. False: time is over, which is
 * one, too. */
bool talk_wait(struct talk *t);
/* Wait until this has been printed; false: as above. */
bool talk_wait_text(struct talk *t, const char *text);
/* Wait for the driver's end; false: as above. */
bool talk_wait_end(struct talk *t);
/* A piece of code, to the end of its run. */
bool talk_run(struct talk *t, const char *code);

#endif
