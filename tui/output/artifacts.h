/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_ARTIFACTS_H
#define TUI_OUTPUT_ARTIFACTS_H

/* All that runs have made beyond plain text: images, which figures.h keeps, and other displays and collected
 * files, which are kept here, up to a total of bytes; the oldest are given up for the newest. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/figures.h"

#define ARTIFACTS_BYTES ((size_t)64 << 20)
enum { ARTIFACTS_MAX = 2000 };
#define ARTIFACT_ID 0x80000000u /* ids of what is no figure begin here */

struct artifact {
	uint32_t id, run; /* run: serial */
	unsigned number;  /* of the run's own ones here, from 1 */
	uint32_t after;   /* the newest figure when it came */
	char mime[64], title[100];
	bool is_collected;
	uint8_t *bytes; /* owned; followed by a NUL */
	size_t n;
};

struct artifacts {
	struct artifact *all; /* by id */
	size_t n, cap, bytes;
	uint32_t last_id;
};

void artifacts_finish(struct artifacts *a); /* takes a zeroed object */
/* Take one in: `bytes`, which are malloc'd with a NUL behind them, become the store's. False: no memory. */
bool artifacts_add(struct artifacts *a, const struct artifact *artifact);

void artifacts_drop_last(struct artifacts *a); /* there is one */

/* A figure or another one, the same for both. Texts and bytes are borrowed. */
struct artifact_row {
	uint32_t id, run;
	char name[120]; /* of its file: that of a collected file, or "fig-RUN-N.png", "out-RUN-N.html" */
	const char *mime, *source;
	const uint8_t *bytes;
	size_t n;
	int width, height; /* pixels; 0: n/a */
};

/* How many there are, and the i-th, in the order they came. `run_number` is for the name. */
size_t artifacts_count(const struct artifacts *a, const struct figures *f);
struct artifact_row artifacts_row(const struct artifacts *a, const struct figures *f, size_t i);
/* False: there is none any more. */
bool artifacts_find(
		const struct artifacts *a, const struct figures *f, uint32_t id, struct artifact_row *ret);

#endif
