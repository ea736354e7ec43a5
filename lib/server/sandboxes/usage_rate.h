/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_USAGE_RATE_H
#define TRM_SERVER_SANDBOXES_USAGE_RATE_H

/* What a served sandbox uses. The processor's share is a rate between two looks, of which there is one every
 * USAGE_RATE_MS whether anybody asks or not: so one that is asked for is of the last seconds, however rarely
 * or often. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/metrics.h>

struct trm_sandbox;

enum { USAGE_RATE_MS = 2000 };

struct usage_rate {
	struct {
		uint64_t time_ns, cpu_ns;
	} old[2]; /* the last two looks, the newer one first; time 0: there was none */
	uint64_t start_ns;
	struct trm_sample last; /* by the sandbox's agent, where the carrier knows too little */
};

/* Before its sandbox is opened. */
void usage_rate_start(struct usage_rate *usage_rate);
uint64_t usage_rate_age_ms(const struct usage_rate *usage_rate); /* since the start */
void usage_rate_look(struct usage_rate *usage_rate, struct trm_sandbox *sandbox);
/* Now. cpu_percent is in ret->known unless it cannot be known. */
void usage_rate_read(
		const struct usage_rate *usage_rate, struct trm_sandbox *sandbox, struct trm_sample *ret);
/* Does the carrier know processor time and memory? Else the agent is to be asked for metrics. */
bool usage_rate_suffices(struct trm_sandbox *sandbox);

#endif
