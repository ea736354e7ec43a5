/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_KEEPER_H
#define TRM_AGENT_KEEPER_H

/* The process that holds the state of pieces: kernel/native.inc, compiled in the sandbox. Before each piece
 * it makes a copy of itself (fork), which waits. If the piece ends well, the copy is ended, and threads,
 * children and locks of the piece go on, for they are of a process that lives. If the process ends, whether
 * by a crash, exit() or a signal, the copy goes on in its place, with the state before the piece; threads are
 * not in it.
 *
 * Packets to it: R SET PATH: run the shared object; A NAME: show that variable, "" all; B: names and types
 * of all; L: exit.
 * Packets from it: C number of threads besides the first; S process ID of the copy; N errno: no copy can be
 * made, and the piece is not run; V part of the value; E, M name and message of an error; T place of a frame;
 * v, t, V name, type and value of a variable; D the end, with the microseconds of CPU used. */

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
	bool is_done;      /* else the process has ended: */
	int status;        /* as waitpid() tells; -1: not known */
	bool has_lost_all; /* there was no copy that could go on */
	int lost_threads;  /* that the copy has not */
	int no_copy;       /* errno: the piece was not run */
	uint64_t cpu_us;
	struct buf value, name, message;
	struct buf frames; /* lines "OFFSET PATH" */
};

void keeper_init(struct keeper *k, const char *program);
/* Start the process, unless it runs. Gives errno. */
int keeper_start(struct keeper *k);
/* Run a piece. `interrupts` is asked whether it is to end; `awaits_input` is called when it waits for a line.
 */
void keeper_run(struct keeper *k, int set, const char *path, bool (*interrupts)(void),
		struct reading *reading, struct keeper_result *ret);
void keeper_result_finish(struct keeper_result *r);
/* Append "NAME\0TYPE\0VALUE\0" for each variable, or the one of that name; without values if !is_whole. */
void keeper_ask(struct keeper *k, const char *name, bool is_whole, struct buf *out);
/* Do other processes live that it has started, or we? `other` is one of ours that does not count; 0: none. */
bool keeper_has_left(const struct keeper *k, pid_t other);
/* Let it exit; gives its exit code. */
int keeper_leave(struct keeper *k);
/* End it, and all that it knows. */
void keeper_stop(struct keeper *k);

#endif
