/* SPDX-License-Identifier: MIT */
#ifndef TRM_SESSION_SHARING_H
#define TRM_SESSION_SHARING_H

/* How a session stands to a kernel that others use too: whether it follows the process, whether what comes
 * is history, and who may write. This is a state machine without I/O: events go in, actions come out
 * (share.c takes them). wire/frame.h explains the terms.
 *
 * Following:
 *
 *   none --SPAWNED--> attaching --STARTED_NEW--> following --LEFT_BEHIND--> detached --BACK--> none
 *                               --STARTED_OLD--> replaying --REPLAYED--> following
 *
 * The turn is the right to write. One session has it at a time. Its owner may keep it while it writes
 * nothing, so that a session that is alone never asks. Nothing is written before STARTED has come and the
 * history is over:
 *
 *   none --NEED--> asked --YOURS--> fresh --SENT--> used --(wanted, and IDLE)--> none
 *
 * A turn that was not used yet is kept while there is work for it. Otherwise two sessions would pass it to
 * and fro. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum share_phase {
	SHARE_NONE,      /* there is no process for us */
	SHARE_ATTACHING, /* STARTED has not come */
	SHARE_REPLAYING, /* what comes is history */
	SHARE_FOLLOWING,
	SHARE_DETACHED /* left behind, and our reader has not yet consumed all output */
};

enum turn { TURN_NONE, TURN_ASKED, TURN_FRESH, TURN_USED };

enum share_event {
	SHARE_SPAWNED,        /* we have asked for the process */
	SHARE_STARTED_NEW,    /* STARTED: we have started it */
	SHARE_STARTED_OLD,    /* STARTED: it was there */
	SHARE_GIVEN,          /* STARTED says that the turn is ours */
	SHARE_REPLAYED,       /* the history has come */
	SHARE_LEFT_BEHIND,    /* the agent has detached us */
	SHARE_BACK,           /* and now we could attach again */
	SHARE_NEED,           /* there is something to write */
	SHARE_SENT,           /* something was written */
	SHARE_IDLE,           /* nothing is in hand, and nothing waits */
	SHARE_IDLE_WITH_WORK, /* nothing is in hand, but we could write */
	SHARE_YOURS,          /* the agent: the turn is ours */
	SHARE_WANTED,         /* the agent: another session wants it */
	SHARE_TAKEN,          /* the agent: another session has taken it; what was not read is dropped */
	SHARE_TIMEOUT,        /* the timer, while nothing runs */
	SHARE_TIMEOUT_BUSY,   /* the timer, while something runs */
	SHARE_EVENTS
};

enum share_action {
	SHARE_DO_WANT = 1,        /* tell the agent that we want the turn */
	SHARE_DO_TAKE = 2,        /* tell it to take the turn from an owner that is stuck */
	SHARE_DO_RELEASE = 4,     /* tell it that we give the turn up */
	SHARE_DO_START_TIMER = 8, /* SHARE_TIMEOUT is due after TAKE_AFTER_MS */
	SHARE_DO_STOP_TIMER = 16, /* it is not */
	SHARE_DO_ADOPT = 32,      /* a run whose session is gone is ours to look after */
	SHARE_DO_RESEND = 64,     /* what we wrote last was not read */
	SHARE_DO_END_INPUT = 128, /* nobody has answered a run that waits for input */
	SHARE_DO_CAUGHT_UP = 256, /* the history is over */
};

/* How much of the history is still to come (wire/message.h: started_msg), and where we are in all that the
 * process has written. */
struct catchup {
	uint32_t pins_left, replay_left;
	uint64_t position;   /* how much of everything we have received */
	uint64_t lost_bytes; /* bytes that nobody has kept */
	uint64_t seen_bytes; /* of earlier processes: not lost, though we do not receive them again */
	uint64_t known_left; /* bytes of the replay that we had before */
	bool is_resumed;     /* we were detached during a run and have attached again */
	bool drops_pins;     /* drop the pinned bytes: we have them already */
	bool skips_line;     /* ignore bytes up to the next newline on control */
};

struct sharing {
	enum share_phase phase;
	enum turn turn;
	bool is_wanted; /* others want the turn */
	struct catchup catchup;
};

/* Returns the actions to take: a mask of enum share_action. An event that means nothing now changes nothing.
 */
unsigned share_step(struct sharing *sharing, enum share_event event);

/* Has STARTED come? */
bool sharing_is_started(const struct sharing *sharing);
/* Is the turn ours? */
bool sharing_is_ours(const struct sharing *sharing);
/* May something be written now? */
bool sharing_may_write(const struct sharing *sharing);

struct started_msg;
/* STARTED of a process that was there before us. Returns how many bytes we have missed since we were
 * detached; *ret_is_torn: the beginning of the line that we were reading is lost. */
uint64_t catchup_begin(struct catchup *catchup, const struct started_msg *how, bool *ret_is_torn);

enum catchup_kind { CATCHUP_OUTPUT, CATCHUP_CONTROL, CATCHUP_MARK /* a note or an end: does not count */ };
/* n bytes came. Returns how many of them, at the front, must be ignored. */
size_t catchup_count(struct catchup *catchup, enum catchup_kind kind, const char *bytes, size_t n);
/* All of the history has come. */
void catchup_end(struct catchup *catchup);
/* The process is gone: what is known for the next one. */
void catchup_reset(struct catchup *catchup);

#endif
