/* SPDX-License-Identifier: MIT */
#ifndef TRM_STALL_H
#define TRM_STALL_H

/* How long something stood still, as the kernel counts it: CPU quota used up (cpu.stat of a
 * control group) and pressure stall information (Documentation/accounting/psi.rst). The
 * counters only ever rise; what is shown are rates between two readings. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/metrics.h>

enum stall_resource { STALL_CPU, STALL_MEM, STALL_IO, STALL_RESOURCES };

/* One reading. */
struct stall {
	uint64_t time_ns;  /* 0: none taken yet */
	bool has_throttle; /* the next three are known */
	uint64_t cpu_periods, cpu_throttled, throttled_ns;
	bool has_pressure[STALL_RESOURCES];
	uint64_t pressure_us[STALL_RESOURCES];
};

/* Take what cpu.stat says; false (nothing taken) if it does not count periods. Version 1 of
 * control groups calls the time throttled_time and counts ns, version 2 throttled_usec. */
bool stall_parse_cpu_stat(const char *text, struct stall *ret);
/* Take the first line of a pressure file: "some avg10=… total=N". */
bool stall_parse_pressure(const char *text, enum stall_resource resource, struct stall *ret);

/* Fill in the sample's counters, and the rates if there was a reading before. */
void stall_tell(const struct stall *now, const struct stall *before, struct trm_sample *sample);

/* The number behind `key` at the beginning of a line of "key value"; NULL: the number that the text begins
 * with. */
bool stall_find_number(const char *text, const char *key, uint64_t *ret);

#endif
