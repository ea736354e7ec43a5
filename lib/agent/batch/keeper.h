/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_KEEPER_H
#define TRM_AGENT_KEEPER_H

/* The process that holds the state of pieces: kernel/native.inc, compiled in the sandbox. Before each
 * piece it forks a copy of itself, which waits. If the piece ends well, the copy is ended, and threads,
 * children and locks of the piece live on, because their process does. If the process ends by a crash,
 * exit() or a signal, the copy takes its place, with the state before the piece, but without threads.
 *
 * Packets to it: R SET PATH: run the shared object; A NAME: show that variable, "" all; B: names and types
 * of all; L: exit.
 * Packets from it: C number of threads besides the first; S process ID of the copy; N errno: no copy can be
 * made, and the piece is not run; V part of the value; E, M name and message of an error; T place of a frame;
 * Z name and number of elements of a new array; v, t, V name, type and value of a variable; D the end, with
 * the microseconds of CPU used. */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

struct reading;

struct keeper {
	char program[PATH_MAX]; /* to be started */
	pid_t host, copy;       /* 0: none */
	int control;            /* our end of the socket, -1: none */
};

struct keeper_result {
	bool is_done;      /* otherwise the process has ended: */
	int status;        /* wait status; -1: unknown */
	bool has_lost_all; /* there was no copy to continue with */
	int lost_threads;  /* threads that the copy lacks */
	int no_copy;       /* errno if no copy could be made; the piece was not run */
	uint64_t cpu_us;
	struct buf value, name, message;
	struct buf frames; /* lines "OFFSET PATH" */
	struct buf sizes;  /* lines "NAME COUNT" */
};

void keeper_init(struct keeper *k, const char *program);
/* Start the process, unless it runs. Returns errno. */
int keeper_start(struct keeper *k);
/* Run a piece. `interrupts` says whether it is to end. `reading` reports when it waits for a line. */
void keeper_run(struct keeper *k, int set, const char *path, bool (*interrupts)(void),
		struct reading *reading, struct keeper_result *ret);
void keeper_result_finish(struct keeper_result *r);
/* Append "NAME\0TYPE\0VALUE\0" for each variable, or the one of that name; without values if !is_whole. */
void keeper_ask(struct keeper *k, const char *name, bool is_whole, struct buf *out);
/* Do other processes live that the piece or we have started? `other` is one of ours that does not count;
 * 0: none. */
bool keeper_has_left(const struct keeper *k, pid_t other);
/* Make it exit. Returns its exit code. */
int keeper_leave(struct keeper *k);
/* End it and its copy. */
void keeper_stop(struct keeper *k);

#endif
