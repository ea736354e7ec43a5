/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_USAGE_RATE_H
#define TRM_SERVER_SANDBOXES_USAGE_RATE_H

/* The resource usage of a served sandbox. The processor's share is a rate between two samples. A sample
 * is taken every USAGE_RATE_MS, whether or not anybody asks. So a requested rate covers the last seconds,
 * however often it is requested. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/metrics.h>

struct trm_sandbox;

enum { USAGE_RATE_MS = 2000 };

struct usage_rate {
	struct {
		uint64_t time_ns, cpu_ns;
	} old[2]; /* the last two samples, the newer one first; time 0: none */
	uint64_t start_ns;
	struct trm_sample last; /* from the sandbox's agent, if the carrier knows too little */
};

/* Call this before the sandbox is opened. */
void usage_rate_start(struct usage_rate *usage_rate);
uint64_t usage_rate_age_ms(const struct usage_rate *usage_rate); /* since the start */
void usage_rate_poll(struct usage_rate *usage_rate, struct trm_sandbox *sandbox);
/* The current usage. cpu_percent is in ret->known if it can be known. */
void usage_rate_read(
		const struct usage_rate *usage_rate, struct trm_sandbox *sandbox, struct trm_sample *ret);
/* Does the carrier know processor time and memory? Otherwise the agent must be asked for metrics. */
bool usage_rate_suffices(struct trm_sandbox *sandbox);

#endif
