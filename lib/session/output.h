/* SPDX-License-Identifier: MIT */
#ifndef TRM_SESSION_OUTPUT_H
#define TRM_SESSION_OUTPUT_H

/* A run's output as far as it is kept: the first half of what may be kept and
 * the last half, exactly to the byte; what lies between is counted. Bytes lie
 * in blocks with records of which stream they came from:
 *
 *   | head | head | head |   (dropped)   | tail | tail | tail |
 *                                          ^ skip     ^ last: filled now
 *
 * Streams that alternate byte by byte would need more memory for the records
 * than for the bytes; a greatest number of blocks ends that. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/result.h>
#include <terrarium/sandbox.h>

struct output_block;

struct output {
	size_t head_max, tail_max; /* bytes that may be kept */
	size_t head_len, tail_len; /* bytes that are kept */
	uint64_t total[2];         /* bytes received: stdout, stderr */
	struct output_block *first, *last;
	bool has_tail; /* the head is closed */
	/* with has_tail: the last block of the head; NULL if the head is empty */
	struct output_block *head_last;
	struct output_block *spare; /* one empty block for reuse */
	size_t n_blocks, max_blocks;
};

void output_init(struct output *o, size_t keep_bytes);
void output_finish(struct output *o); /* a zeroed object is allowed */
/* `stream`: TRM_STDOUT or TRM_STDERR. Bytes for which there is no memory count as dropped. */
void output_append(struct output *o, int stream, const char *bytes, size_t n);
/* Empty it for another run. One block is kept, so that small runs allocate nothing. */
void output_reset(struct output *o, size_t keep_bytes);
/* Fill in output, output_len, chunks, n_chunks (malloc'd) and the three counts. */
void output_to_result(const struct output *o, struct trm_result *result);

#endif
