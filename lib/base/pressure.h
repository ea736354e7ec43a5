/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_PRESSURE_H
#define TRM_BASE_PRESSURE_H

/* How long something stood still, as the kernel counts it: CPU quota used up (cpu.stat of a
 * control group) and pressure stall information (Documentation/accounting/psi.rst). The
 * counters only ever rise; what is shown are rates between two readings. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/metrics.h>

enum pressure_resource { PRESSURE_CPU, PRESSURE_MEM, PRESSURE_IO, PRESSURE_RESOURCES };

/* One reading. */
struct pressure {
	uint64_t time_ns;  /* 0: none taken yet */
	bool has_throttle; /* the next three are known */
	uint64_t cpu_periods, cpu_throttled, throttled_ns;
	bool has_pressure[PRESSURE_RESOURCES];
	uint64_t pressure_us[PRESSURE_RESOURCES];
};

/* Take what cpu.stat says; false (nothing taken) if it does not count periods. Version 1 of
 * control groups calls the time throttled_time and counts ns, version 2 throttled_usec. */
bool pressure_parse_cpu_stat(const char *text, struct pressure *ret);
/* Take the first line of a pressure file: "some avg10=… total=N". */
bool pressure_parse_pressure(const char *text, enum pressure_resource resource, struct pressure *ret);

/* Fill in the sample's counters, and the rates if there was a reading before. */
void pressure_describe(const struct pressure *now, const struct pressure *before, struct trm_sample *sample);

/* The number behind `key` at the beginning of a line of "key value"; NULL: the number that the text begins
 * with. */
bool pressure_find_number(const char *text, const char *key, uint64_t *ret);

#endif
