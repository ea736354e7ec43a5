/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_GO_PIECES_H
#define TRM_AGENT_GO_PIECES_H

/* Pieces of Go that keep their state. Each is a program of its own (go_source.h), for a process of Go cannot
 * be copied by fork(): it reads the values of the variables from a file and writes them to another one at its
 * end. If it ends badly, the next one reads the earlier file. */

#include <stdbool.h>
#include <stdint.h>

#include "agent/batch/go_direct.h"
#include "agent/batch/go_source.h"

struct order;

struct go_pieces {
	const char *const *compiler; /* with its options */
	const char *carry;           /* kernel/carry.go */
	size_t carry_len;
	const char *name, *missing, *ending; /* of the language */
	bool is_ready;
	struct go_source source;
	struct go_direct direct;
	struct buf known; /* "NAME\0TYPE\0VALUE\0" of each variable */
};

/* As pieces_run(). */
void go_pieces_run(struct go_pieces *p, const struct order *o, bool (*interrupts)(void), struct buf *event,
		uint64_t *ret_compile_ns);
/* As pieces_answer(). */
bool go_pieces_answer(struct go_pieces *p, const struct order *o);
void go_pieces_stop(struct go_pieces *p);

#endif
