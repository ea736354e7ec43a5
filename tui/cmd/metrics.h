/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_METRICS_H
#define TUI_CMD_METRICS_H

/* The parts of `terrarium metrics`. One sandbox is measured as its client, with its processes; all of them,
 * from outside, by their entries in the runtime directory. Ctrl-C simply ends us: nothing depends on us. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/config.h>
#include <terrarium/registry.h>

struct json_out;
struct options;

enum { METRICS_SNAPSHOT_MS = 200 }; /* between the two samples that a rate needs */

struct metrics_request {
	struct trm_config config;
	const struct options *options;
	const char *name; /* NULL: all */
	uint32_t interval_ms;
	uint64_t count; /* lines of --watch; 0: until the end */
	bool is_watch, is_json;
};

/* Exit codes. */
int metrics_of_one(const struct metrics_request *q); /* metrics_one.c */
int metrics_of_all(const struct metrics_request *q); /* metrics_all.c */

/* The sandboxes that run, malloc'd. 0 or an exit code. */
int metrics_running(struct trm_registry *registry, struct trm_entry **ret, size_t *ret_n);

/* One object of JSON. `metrics`: with its processes, or NULL. `ended`: the reason, when there is nothing more
 * to measure
 * (`sample` then is NULL), or NULL. */
void metrics_put(struct json_out *j, const char *name, const struct trm_sample *sample,
		const struct trm_metrics *metrics, const char *ended);

#endif
