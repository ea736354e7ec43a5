/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_LIMIT_H
#define TRM_AGENT_PROCESS_LIMIT_H

/* The time limit of a run. Its client, the author, keeps it, and has announced it in its note. If the author
 * is gone before the run has ended, or is there and does nothing for some seconds (it was stopped), the agent
 * keeps it instead: it tells the others, interrupts the process several times, and then kills it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proc;

struct run_limit {
	uint64_t id;         /* of the run */
	uint64_t timeout_ms; /* 0: it has no limit, or there is no run */
	uint64_t left_ms;    /* until the end, at begun_ns */
	uint64_t code_ms;    /* it is being compiled: what is left when its code begins. 0: its code runs */
	uint64_t begun_ns;   /* when its clock began to run, or stopped */
	uint64_t acted_ns;   /* when the author last sent a signal or a clock note; 0: never */
	unsigned stops;      /* why it stands: FRAME_CLOCK_… */
	uint32_t grace_ms;   /* from the first interrupt to the end */
	unsigned step;       /* how much of limit_check() is done */
};

/* A note is published: the run that it announces begins. */
void limit_begin(struct proc *proc, const char *note, size_t n);
/* The process reads requests from now on: the clock of a run that was sent before begins. */
void limit_restart(struct proc *proc);
/* The author of the run says how its clock stands. */
void limit_set_clock(struct proc *proc, const char *note, size_t n);
/* The code is compiled, and begins. */
void limit_code_begins(struct proc *proc);
/* The author signals the process: it is ending the run itself. */
void limit_author_acts(struct proc *proc);
/* Its question was answered. */
void limit_answered(struct proc *proc);
/* The author is gone, and cannot continue what it has paused or held. */
void limit_author_gone(struct proc *proc);
/* The time is over, and the agent ends the run, which goes on. */
bool limit_is_being_kept(const struct proc *proc);
/* When limit_check() has something to do. UINT64_MAX: never. */
uint64_t limit_due_ns(const struct proc *proc);
void limit_check(struct proc *proc, uint64_t now_ns);

#endif
