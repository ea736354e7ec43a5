/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_HISTORY_H
#define TRM_AGENT_PROCESS_HISTORY_H

/* The newest output of a process, and of those of its key before it, for those
 * who attach later: see "Replay" and "Past" in wire/frame.h. No I/O.
 *
 * A ring of records, each some bytes of one channel, that grows up to
 * FRAME_RECENT_MAX. What is pushed out at its old end leaves a trace in the
 * pins: the newest note, the line that says that it is over, and the beginning
 * of a line on CONTROL that goes on in the ring. Lack of memory only makes the
 * memory shorter. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/frame.h"

enum {
	/* Of a pinned line; a longer one is lost, and with it what is left of it. A run's end may have a
	 * value of a million characters in it. */
	PROC_HISTORY_LINE_MAX = 3 * 1024 * 1024,
};

struct pins {
	struct buf note;
	struct buf end;    /* whole; behind the note */
	struct buf line;   /* not whole */
	bool has_ended;    /* the process has, behind the note */
	uint8_t exit_code; /* then: as a shell sees it */
	bool line_is_lost; /* CONTROL goes on in the middle of a line that was too long */
};

struct proc_history {
	char *mem;
	size_t cap;          /* a power of two */
	uint64_t head, tail; /* counted from the beginning of time: the byte at `x` is mem[x % cap] */
	uint64_t last;       /* where the newest record begins; undefined while there is none */
	uint64_t own_bytes;  /* payload in the ring but for notes */
	uint64_t position;   /* payload ever but for notes */
	/* Of the process that lives; there are others before it in the ring while head < born. */
	uint64_t born;        /* where its first record begins */
	uint64_t young_bytes; /* its payload ever but for notes */
	struct pins pins;
	struct pins newest; /* as the pins would be were everything pushed out */
	char greeting[FRAME_GREETING_MAX];
	size_t greeting_len;
	bool has_greeting, is_mute; /* mute: the first line was too long for a greeting */
};

/* What proc_history_replay() has made; the names are those of struct started_msg. */
struct replay {
	uint32_t pinned_bytes, replay_bytes;
	uint64_t lost_bytes;
	bool is_torn;
};

void proc_history_init(struct proc_history *proc_history);
void proc_history_finish(struct proc_history *proc_history);
void proc_history_add(struct proc_history *proc_history, uint8_t channel, const char *bytes, size_t n);
/* The process has ended; what comes is the next one's. */
void proc_history_end(struct proc_history *proc_history, uint8_t exit_code);
/* Append to a backlog what one who attaches now is to be told; `all`: the ring, too, which a run that is not
 * over needs in any case; `past`: also what was before the process that lives. TRM_ENOMEM, TRM_ETOOBIG:
 * some of it may be there. */
int proc_history_replay(const struct proc_history *proc_history, bool all, bool past, struct buf *backlog,
		struct replay *ret);

#endif
