/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_HISTORY_H
#define TRM_AGENT_PROCESS_HISTORY_H

/* The newest output of a process, and of its predecessors with the same key, for clients that attach
 * later: see "Replay" and "Past" in wire/frame.h. No I/O.
 *
 * It is a ring of records, each some bytes of one channel, that grows up to FRAME_RECENT_MAX. Records
 * that are pushed out at the old end leave a trace in the pins: the newest note, the line that says that
 * its run is over, and the beginning of a line on CONTROL that continues in the ring. Lack of memory only
 * makes the history shorter. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/frame.h"

enum {
	/* Of a pinned line. A longer line is lost, including its rest. The end of a run may contain a
	 * value of a million characters. */
	PROC_HISTORY_LINE_MAX = 3 * 1024 * 1024,
};

struct pins {
	struct buf note;
	struct buf end;    /* complete; comes after the note */
	struct buf line;   /* incomplete */
	bool has_compiled; /* the code is compiled that the note announced */
	bool has_ended;    /* the process has ended after the note */
	uint8_t exit_code; /* then: as a shell sees it */
	bool line_is_lost; /* CONTROL continues in the middle of a line that was too long */
};

struct proc_history {
	char *mem;
	size_t cap;          /* a power of two */
	uint64_t head, tail; /* counted since the beginning: the byte at `x` is mem[x % cap] */
	uint64_t last;       /* start of the newest record; undefined if there is none */
	uint64_t own_bytes;  /* payload in the ring, without notes */
	uint64_t position;   /* total payload so far, without notes */
	/* Of the living process. Others precede it in the ring while head < born. */
	uint64_t born;        /* start of its first record */
	uint64_t young_bytes; /* its total payload so far, without notes */
	struct pins pins;
	struct pins newest; /* the pins as they would be if everything were pushed out */
	char greeting[FRAME_GREETING_MAX];
	size_t greeting_len;
	bool has_greeting, is_mute; /* mute: the first line was too long for a greeting */
};

/* The result of proc_history_replay(). The names are those of struct started_msg. */
struct replay {
	uint32_t pinned_bytes, replay_bytes;
	uint64_t lost_bytes;
	bool is_torn;
};

void proc_history_init(struct proc_history *proc_history);
void proc_history_finish(struct proc_history *proc_history);
void proc_history_add(struct proc_history *proc_history, uint8_t channel, const char *bytes, size_t n);
/* The process has ended: later output belongs to the next one. */
void proc_history_end(struct proc_history *proc_history, uint8_t exit_code);
/* True if the newest run was announced and has not ended. */
bool proc_history_is_open(const struct proc_history *proc_history);
/* Append the replay for a client that attaches now to a backlog. `all`: also the ring, which an
 * unfinished run needs in any case; `past`: also output from before the living process. TRM_ENOMEM,
 * TRM_ETOOBIG: the replay may be incomplete. */
int proc_history_replay(const struct proc_history *proc_history, bool all, bool past, struct buf *backlog,
		struct replay *ret);

#endif
