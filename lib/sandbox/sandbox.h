/* SPDX-License-Identifier: MIT */
#ifndef TRM_SANDBOX_PRIVATE_H
#define TRM_SANDBOX_PRIVATE_H

/* The inside of a sandbox handle: for the files of this room, and for the
 * session, which holds and observes it.
 *
 * A sandbox is a carrier (backend.h) and a client of the agent at the far end
 * of the carrier's stream. Everything the agent sends is hostile: what breaks
 * the protocol closes the sandbox with a sentence that says how.
 *
 * Any callback may close anything. So that nothing is freed under somebody's
 * feet: streams die only from the bottom of the stack (their last frame, the
 * deferred list, the end of the sandbox), and the sandbox ends only when nobody
 * holds it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>
#include <terrarium/sandbox.h>

#include "backend/backend.h"
#include "base/buf.h"
#include "wire/control.h"
#include "wire/frame.h"
#include "wire/message.h"
#include "wire/pack.h"

/* Credit that a stream of ours has: what may come before we have dealt with it. */
#ifndef SANDBOX_WINDOW
#define SANDBOX_WINDOW (1024u * 1024)
#endif
/* Bytes asked for in one read: as much as a turn shall deliver at most. They grow up to that, while reads
 * bring all that they ask for: most connections never hear so much, and memory that nobody touches costs,
 * too. */
#ifndef SANDBOX_READ_BYTES
#define SANDBOX_READ_BYTES (512u * 1024)
#endif
#define SANDBOX_READ_FIRST 2048u
/* File bytes wait in their transfers, not in the outgoing buffer, beyond this. */
#ifndef SANDBOX_OUT_SOFT_BYTES
#define SANDBOX_OUT_SOFT_BYTES (256u * 1024)
#endif
#define SANDBOX_OUT_MAX_BYTES (256u * 1024 * 1024)

/* ---- streams ----------------------------------------------------------------- */

struct stream;

struct stream_ops {
	/* A frame for this stream. TRM_EPROTO with a sentence: the sandbox closes. It may end
	 * and free the stream. */
	int (*frame)(struct stream *stream, const struct frame *frame, struct trm_error *why);
	/* The end without the agent's word: report `why` and free. The stream is out of the table. */
	void (*end)(struct stream *stream, const struct trm_error *why);
	/* The outgoing buffer has room again (sandbox.wants_pump was set); NULL: never asks for it. */
	void (*pump)(struct stream *stream);
};

/* Base of a process and a transfer: first member. */
struct stream {
	const struct stream_ops *ops;
	struct trm_sandbox *sandbox;
	uint32_t id;       /* 0: not in the table (any more) */
	uint32_t credit;   /* bytes that the agent may still send */
	uint32_t consumed; /* bytes dealt with and not yet given back as credit */
	struct stream *next_deferred;
};

/* Ids carry the slot in their low bits and the slot's generation above, so that
 * finding one is an index, and one that is gone is told from one that never was. */
enum { STREAM_SLOT_BITS = 10, STREAM_SLOTS = 1 << STREAM_SLOT_BITS };

struct stream_slot {
	struct stream *stream;
	uint32_t generation;
	uint32_t next_free; /* the number of another one that is free, and 1; 0: there is none */
};

struct stream_table {
	struct stream_slot *slots;
	uint32_t first_free; /* as next_free: of those that have been in use */
	unsigned n_slots;    /* that have ever been in use: the lowest */
	unsigned cap;
};

enum stream_found { STREAM_UNKNOWN, STREAM_GONE, STREAM_FOUND };

/* Zeroed, a table is empty. */
void streams_finish(struct stream_table *table);
/* Give `stream` an id. TRM_EBUSY when the table is full. */
int streams_add(struct stream_table *table, struct stream *stream, struct trm_error *reterr);
void streams_remove(struct stream_table *table, struct stream *stream); /* takes one that is out */
enum stream_found streams_find(const struct stream_table *table, uint32_t id, struct stream **ret);

/* Take `n` bytes off the stream's credit; TRM_EPROTO with a sentence when it oversteps. */
int stream_charge(struct stream *stream, size_t n, struct trm_error *why);
/* n bytes are dealt with: gives credit back, by halves of the window. */
void stream_consume(struct stream *stream, size_t n);
/* Report the end from the next turn of the loop, as canceled; out of the table now. */
void stream_defer_end(struct stream *stream);

/* ---- the sandbox ------------------------------------------------------------------ */

enum sandbox_state { SANDBOX_STARTING, SANDBOX_CONNECTED, SANDBOX_READY, SANDBOX_CLOSING };

/* Somebody who must know of the end: told after all streams have ended and
 * before cb->closed. The observer owns the memory and removes itself before. */
struct sandbox_observer {
	struct sandbox_observer *next;
	void (*connected)(void *user); /* what was asked for so far leaves when this returns */
	void (*ready)(void *user);
	void (*closed)(void *user, const struct trm_error *why);
	void (*sample)(void *user, const struct trm_sample *sample);
	/* A process that can be attached to: one that was there, or has started. `key` is borrowed, hostile.
	 */
	void (*shared)(void *user, const char *key);
	/* All that were there when sandbox_list_shared() was called have been told. */
	void (*listed)(void *user);
	/* Another client tells of a process of its own: as announced_msg, hostile. */
	void (*announced)(void *user, const struct announced_msg *what);
	void *user;
};

struct trm_sandbox {
	struct trm_loop *loop;
	const struct trm_sandbox_cb *cb;
	void *user;
	/* Complete; strings point to the next four and the backend's own. Variables are known only until it
	 * has started. */
	struct trm_sandbox_opts opts;
	char name[65];
	char backend[32];
	char workdir[TRM_INSIDE_PATH];
	char group[TRM_GROUP_BYTES];
	char *mounts;    /* malloc'd; NULL: none */
	char doing[160]; /* what the carrier has begun last, in its words; "" */
	const struct backend_ops *ops;
	struct carrier *carrier; /* NULL once it has closed */
	enum sandbox_state state;
	uint32_t client;         /* the number of this connection among the agent's; 0: not known yet */
	uint32_t last_shared_id; /* of runs and questions in shared kernels: counted here, since all sessions
				    of a connection have its number */
	bool has_shared_session;
	uint32_t n_clients; /* as the agent says; 0: it has not yet */
	uint32_t last_tell;
	struct tell *tells;   /* of our processes, what the others are told */
	struct trm_error why; /* of closing */
	bool is_kept;         /* as far as we know */
	bool leaves;          /* closing leaves it running: it is kept, or we have but attached to it */
	bool is_hung_up;      /* the stream has ended: the carrier's reason, if any, is better than ours */
	/* Until ready; then for the next look for life; after a hang-up until the carrier knows why. */
	struct trm_timer *deadline;
	uint64_t silence_ms; /* an agent that says nothing for so long is given up */
	unsigned silent_looks;
	bool has_heard;         /* from the agent, since the last look */
	struct trm_timer *soon; /* runs the deferred list */
	struct stream *deferred;
	struct sandbox_observer *observers;
	unsigned holds;
	uint64_t rate_time_ns, rate_cpu_ns; /* of the last metrics; 0: there were none */
	/* connection */
	int fd; /* the carrier's; -1 */
	struct trm_watch *watch;
	struct buf in, out;
	unsigned read_bytes; /* asked for in the next read */
	bool is_blocked;     /* the socket is full: the loop tells when to go on */
	bool wants_pump;     /* some stream holds back bytes until `out` has room */
	bool is_dead;        /* the socket takes nothing any more */
	struct stream_table streams;
};

bool sandbox_is_open(const struct trm_sandbox *sandbox); /* not closing */
/* While held, frames gather in the outgoing buffer (one write for all), and the handle
 * does not die. */
void sandbox_hold(struct trm_sandbox *sandbox);
void sandbox_release(struct trm_sandbox *sandbox);
/* Does it belong to somebody else, who has started it? */
bool sandbox_is_attached(const struct trm_sandbox *sandbox);
/* Has a recipe made it, and is all in it what an image has? */
bool sandbox_is_made(const struct trm_sandbox *sandbox);
/* Ask what processes can be attached to: `shared` for each, then `listed`. */
void sandbox_list_shared(struct trm_sandbox *sandbox);
/* Close because of `why`. */
void sandbox_fail(struct trm_sandbox *sandbox, const struct trm_error *why);
void sandbox_observe(struct trm_sandbox *sandbox, struct sandbox_observer *observer);
void sandbox_unobserve(struct trm_sandbox *sandbox, struct sandbox_observer *observer);

/* ---- connection (client.c) ----------------------------------------------------------- */

void client_init(struct trm_sandbox *sandbox);
void client_finish(struct trm_sandbox *sandbox);
/* Give back memory that is kept for the next frames. Not from inside of a callback of the sandbox's. For who
 * has many of them. */
void client_trim(struct trm_sandbox *sandbox);
void client_connected(struct trm_sandbox *sandbox, int fd);
/* Is the agent still there? It is asked; without an answer to some of these looks the sandbox is given up. */
void client_look_for_life(struct trm_sandbox *sandbox);
/* Stop reading and writing. */
void client_stop(struct trm_sandbox *sandbox);
/* Queue a frame; sent at the release of the last hold. A queue that does not take
 * it (memory) closes the sandbox. */
void client_send(struct trm_sandbox *sandbox, uint32_t stream, enum frame_type type, uint8_t channel,
		const void *payload, size_t n);
void client_send_u32(struct trm_sandbox *sandbox, uint32_t stream, enum frame_type type, uint8_t channel,
		uint32_t value);
/* Write what the socket takes. For the holder only. */
void client_flush(struct trm_sandbox *sandbox);

/* ---- the host's network (proxy_env.c) ---------------------------------------------------- */

/* Append the frames that tell the agent of it, if it is to be told. TRM_E… */
int proxy_env_send(const struct trm_sandbox *sandbox, struct buf *out);

/* ---- processes (proc.c) ----------------------------------------------------------------- */

/* Kill and forget, or leave it to the others if it is shared: not even `exited` is called. For owners that
 * die first. */
void proc_forget(struct trm_proc *proc);

/* One that several clients follow (wire/frame.h: Sharing). It outlives them. */
struct proc_share {
	const char *key;
	bool attaches; /* start none: `exited` with TRM_ENOENT if there is none */
	bool wants_recent;
	bool wants_past; /* and what ran before it, even if there is none; then `exited` follows */
	/* After cb->started. */
	void (*started)(void *user, const struct started_msg *how);
	void (*turn)(void *user, enum turn_word word);
};
/* As trm_proc_spawn(); with `attaches`, script and environment are not sent. cb->output brings notes, too, on
 * CHANNEL_NOTE, and CHANNEL_ENDED. Borrows `share` for as long as the process. */
int proc_spawn_shared(struct trm_sandbox *sandbox, const struct trm_proc_opts *opts,
		const struct proc_share *share, const struct trm_proc_cb *cb, void *user,
		struct trm_proc **ret_proc, struct trm_error *reterr);
void proc_send_turn(struct trm_proc *proc, enum turn_word word);
/* A whole line for the others. */
int proc_send_note(struct trm_proc *proc, const void *bytes, size_t n, struct trm_error *reterr);
/* Kill what `proc` has started and is no older than that; with NULL or 0, all orphans. */
void proc_ask_kill_leftovers(struct trm_sandbox *sandbox, const struct trm_proc *proc, uint32_t age_ms);
/* The turn is lost: what waits for credit is not to be sent any more. */
void proc_drop_input(struct trm_proc *proc);
/* In cb->exited: what was written to it last on CONTROL it has not read to the end. */
bool proc_has_unread(const struct trm_proc *proc);
/* ---- flood.c: what a process may print ---- */

struct flood {
	uint64_t max_bytes, printed_bytes; /* max 0: no limit */
	struct trm_timer *grace;           /* after the interrupt */
	bool is_over;
};
int flood_init(struct flood *flood, struct trm_proc *proc, struct trm_loop *loop, uint64_t max_bytes,
		struct trm_error *reterr);
void flood_finish(struct flood *flood); /* takes a zeroed object */
/* How much of these bytes may be told. A process that prints more is interrupted, and killed if it goes on.
 */
size_t flood_admit(struct flood *flood, struct trm_proc *proc, size_t n);
void flood_describe(uint64_t max_bytes, char *out, size_t cap);

/* ---- limit_report.c: which limit it was ---- */

/* The end of what somebody has said; zeroed at first. */
struct said {
	char *bytes; /* ended by NUL; NULL: nothing was said */
	size_t n;
};
void said_note(struct said *said, const char *bytes, size_t n);
void said_finish(struct said *said);
static inline const char *said_text(const struct said *said)
{
	return said->bytes ? said->bytes : "";
}

/* What is known of a run or a process that has ended. Borrows all. */
struct limit_report {
	struct trm_sandbox *sandbox;
	struct trm_sample before, now; /* what limits had done when it began, and now; `known` 0: not known */
	const struct trm_result *result;
	const char *last_words; /* on its stderr */
};
enum limit_hit {
	LIMIT_HIT_NOTHING,
	LIMIT_HIT_MEMORY,
	LIMIT_HIT_PROCESSES,
	LIMIT_HIT_FILES,
	LIMIT_HIT_DISK,
	LIMIT_HIT_FILE_SIZE,
	LIMIT_HIT_OPEN_FILES,
	LIMIT_HIT_ALLOCATION,
	LIMIT_HIT_UNCOUNTED,
};
/* How many processes were killed for memory. */
uint64_t limit_report_kills(const struct limit_report *limit_report);
/* "out of memory at 512 of 512 MiB" */
void limit_report_describe_memory(const struct limit_report *limit_report, char *out, size_t cap);
/* A sentence about the limit that it met; "" if it met none. */
enum limit_hit limit_report_find(const struct limit_report *limit_report, char *out, size_t cap);
/* The same for a process; sets met->now, and needs no result. */
void limit_report_by_process(
		struct limit_report *limit_report, const struct trm_exit *exit, char *out, size_t cap);

/* ---- the others (announce.c) ------------------------------------------------------------------ */

/* What other clients are told of a process of ours: nothing at all while there are none, and what they do not
 * take in time is missing. `by` and argv are copied. NULL: no memory. */
struct tell *announce_create(struct trm_sandbox *sandbox, const char *by, const char *const *argv);
void announce_begin(struct tell *tell, uint32_t pid);
void announce_output(struct tell *tell, unsigned channel, const void *bytes, size_t n);
/* The end, and of `tell` too. `exit` NULL: not known. NULL is taken. */
void announce_end(struct tell *tell, const struct trm_exit *exit);
/* Somebody has come, who is to hear of what goes on. */
void announce_to_newcomers(struct trm_sandbox *sandbox);

/* ---- errands (signal.c) ------------------------------------------------------------------- */

/* One frame that is answered by DONE or ERROR: exactly one `fn` follows. */
int errand_send(struct trm_sandbox *sandbox, enum frame_type type, const struct buf *payload, trm_done_fn *fn,
		void *user, struct trm_error *reterr);

/* ---- metrics (metrics.c) ----------------------------------------------------------------- */

/* What to start for a program of the host's /usr, which local sandboxes see: an image has it wherever its
 * PATH leads to. */
const char *sandbox_program(const struct trm_sandbox *sandbox, const char *path);
int metrics_check(uint32_t interval_ms, struct trm_error *reterr);
void metrics_send_watch(struct trm_sandbox *sandbox);
int metrics_frame(struct trm_sandbox *sandbox, const struct frame *frame, struct trm_error *why);
/* What the carrier knows right now; false if it knows nothing without the agent. */
bool metrics_sample_now(struct trm_sandbox *sandbox, struct trm_sample *ret);
/* The same of processor time, memory and disk: quicker. */
bool metrics_usage_now(struct trm_sandbox *sandbox, struct trm_sample *ret);
/* What its limits did so far (backend.h: events); false if it does not know. */
bool metrics_events_now(struct trm_sandbox *sandbox, bool marks, struct trm_sample *ret, bool *ret_is_marked);
/* A descriptor that becomes readable when memory passes so many bytes, the caller's to close; -1: none. */
int metrics_watch_memory(struct trm_sandbox *sandbox, uint64_t bytes);

#endif
