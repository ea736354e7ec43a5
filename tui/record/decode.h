/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_DECODE_H
#define TUI_RECORD_DECODE_H

/* The parts of decoding one event; private to decode.c and decode_result.c. */

#include <stdint.h>

#include <terrarium/metrics.h>
#include <terrarium/sandbox.h>

#include "record/event.h"

struct cJSON;

/* The memory of a decoded event. The event's strings point into the tree. */
struct holder {
	struct cJSON *tree;
	char *bytes; /* decoded base64 */
	struct trm_result *result;
	struct trm_metrics metrics;
	struct trm_process *processes;
	struct trm_guard guards[REC_GUARDS];
	struct trm_entry *entries;
};

struct decoder {
	struct rec_event *e;
	struct holder *own;
	const struct cJSON *object;
	struct trm_error *err;
};

int decode_wrong(const struct decoder *d,
		const char *what); /* returns TRM_EPROTO: a key is missing or wrong */
uint64_t decode_number(const struct decoder *d, const char *key); /* 0 when the key is missing or no number */

int decode_done(struct decoder *d);
int decode_sample(struct decoder *d);
int decode_sandboxes(struct decoder *d);

#endif
