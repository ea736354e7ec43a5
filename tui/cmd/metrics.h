/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_METRICS_H
#define TUI_CMD_METRICS_H

/* The parts of `terrarium metrics`. For one sandbox the program attaches as a client and shows its
 * processes. For all sandboxes it reads their entries in the runtime directory. Ctrl-C just ends the
 * program, because nothing depends on it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/registry.h>

#include "settings/settings.h"

struct json_out;
struct options;

enum { METRICS_SNAPSHOT_MS = 200 }; /* time between the two samples that a rate needs */

struct metrics_request {
	struct settings settings;
	const struct options *options;
	const char *name; /* NULL: all sandboxes */
	uint32_t interval_ms;
	uint64_t count; /* number of lines of --watch; 0: until the end */
	bool is_watch, is_json;
};

/* Both return an exit code. */
int metrics_of_one(const struct metrics_request *q); /* metrics_one.c */
int metrics_of_all(const struct metrics_request *q); /* metrics_all.c */

/* List the running sandboxes, malloc'd. 0 or an exit code. */
int metrics_running(struct trm_registry *registry, struct trm_entry **ret, size_t *ret_n);

/* Add one JSON object. `metrics`: includes the processes; may be NULL. `ended`: the reason of the sandbox's
 * end, in which case `sample` is NULL; else NULL. */
void metrics_put(struct json_out *j, const char *name, const struct trm_sample *sample,
		const struct trm_metrics *metrics, const char *ended);

#endif
