/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PIECES_H
#define TRM_AGENT_PIECES_H

/* Pieces of a compiled language that keep their state. Those of C and C++ are compiled to shared objects
 * (source.h), which are loaded into a process that stays (keeper.h). Both are made with the compiler that the
 * row names. For Go see go_pieces.h. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "agent/batch/go_pieces.h"
#include "agent/batch/keeper.h"
#include "agent/batch/prepared.h"
#include "agent/batch/source.h"

enum { PIECES_WORDS = 32 };

struct buf;
struct order;

struct pieces {
	const char *compiler[PIECES_WORDS + 1]; /* with its options; [0] NULL: the language has no pieces */
	const char *native;                     /* kernel/native.inc, or carry.go */
	size_t native_len;
	const char *name, *missing, *ending; /* of the language */
	bool is_ready;
	struct prepared prepared;
	pid_t host_maker; /* compiles the program that keeps the state; 0: it is there */
	struct keeper keeper;
	struct source source;
	unsigned front;      /* number of the file that stands in front of pieces: what is included */
	pid_t precompiler;   /* makes the precompiled header of it; 0: none */
	unsigned made_front; /* that it is made of, or was */
	unsigned attempts;
	bool is_go; /* its compiler takes no language by -x */
	struct go_pieces go;
};

/* The members before is_ready are set: get the others ready. */
void pieces_init(struct pieces *p);

/* Is the code a piece, and no program? */
bool pieces_take(const struct pieces *p, const struct order *o);
/* The cost of a run that the usage of its ended processes does not contain. */
struct pieces_cost {
	uint64_t cpu_us;     /* of the piece itself */
	uint64_t compile_ns; /* until it was compiled */
};
/* Run it and append what `done` tells, from its status on. `ret_cost` is zeroed before. */
void pieces_run(struct pieces *p, const struct order *o, int set, bool (*interrupts)(void), struct buf *event,
		struct pieces_cost *ret_cost);
/* Does something run that the run has left behind? */
bool pieces_has_left(const struct pieces *p);
/* Answer a question. False: it is none of these. */
bool pieces_answer(struct pieces *p, const struct order *o);
/* Let the process exit, as at the end of a program; gives its exit code. */
int pieces_leave(struct pieces *p);

#endif
