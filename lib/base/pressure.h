/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_PRESSURE_H
#define TRM_BASE_PRESSURE_H

/* How long something had to wait, as the kernel counts it: CPU quota used up (cpu.stat of a control
 * group) and pressure stall information (Documentation/accounting/psi.rst). The counters only rise.
 * Samples show rates between two readings. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/metrics.h>

enum pressure_resource { PRESSURE_CPU, PRESSURE_MEM, PRESSURE_IO, PRESSURE_RESOURCES };

/* One reading. */
struct pressure {
	uint64_t time_ns;  /* 0: no reading yet */
	bool has_throttle; /* the next three are known */
	uint64_t cpu_periods, cpu_throttled, throttled_ns;
	bool has_pressure[PRESSURE_RESOURCES];
	uint64_t pressure_us[PRESSURE_RESOURCES];
};

/* Read cpu.stat. False (and nothing is read) if it does not count periods. Version 1 of control groups
 * counts throttled_time in ns, version 2 counts throttled_usec. */
bool pressure_parse_cpu_stat(const char *text, struct pressure *ret);
/* Read the first line of a pressure file: "some avg10=… total=N". */
bool pressure_parse_pressure(const char *text, enum pressure_resource resource, struct pressure *ret);

/* Fill in the sample's counters, and the rates if there was a reading before. */
void pressure_describe(const struct pressure *now, const struct pressure *before, struct trm_sample *sample);

/* The number after `key` at the beginning of a line of "key value". NULL: the number at the beginning of
 * the text. */
bool pressure_find_number(const char *text, const char *key, uint64_t *ret);

#endif
