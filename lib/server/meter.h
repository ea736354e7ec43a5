/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METER_H
#define TRM_SERVER_METER_H

/* What a served sandbox uses. The processor's share is a rate between two looks, of which there is one every
 * METER_MS whether anybody asks or not: so one that is asked for is of the last seconds, however rarely or
 * often. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/metrics.h>

struct trm_sandbox;

enum { METER_MS = 2000 };

struct meter {
	struct {
		uint64_t time_ns, cpu_ns;
	} old[2]; /* the last two looks, the newer one first; time 0: there was none */
	uint64_t start_ns;
	struct trm_sample told; /* by the sandbox's agent, where the carrier knows too little */
};

/* Before its sandbox is opened. */
void meter_start(struct meter *meter);
uint64_t meter_age_ms(const struct meter *meter); /* since the start */
void meter_look(struct meter *meter, struct trm_sandbox *sandbox);
/* Now. cpu_percent is in ret->known unless it cannot be known. */
void meter_read(const struct meter *meter, struct trm_sandbox *sandbox, struct trm_sample *ret);
/* Does the carrier know processor time and memory? Else the agent is to be asked for metrics. */
bool meter_suffices(struct trm_sandbox *sandbox);

#endif
