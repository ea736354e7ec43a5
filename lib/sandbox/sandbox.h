/* SPDX-License-Identifier: MIT */
#ifndef TRM_SANDBOX_PRIVATE_H
#define TRM_SANDBOX_PRIVATE_H

/* The inside of a sandbox handle: for the files of this room, and for the session, which holds and
 * observes it.
 *
 * A sandbox is a carrier (backend.h) and a client of the agent at the far end of the carrier's stream.
 * Everything the agent sends is hostile: a violation of the protocol closes the sandbox with a sentence
 * that says how.
 *
 * Any callback may close anything. To prevent use after free, streams are freed only at the bottom of the
 * stack (their last frame, the deferred list, the end of the sandbox), and the sandbox ends only when
 * nobody holds it. */

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

/* Credit of our streams: bytes that may come before we have consumed any. */
#ifndef SANDBOX_WINDOW
#define SANDBOX_WINDOW (1024u * 1024)
#endif
/* Bytes requested in one read: the most that one loop iteration should deliver. The size grows up to this
 * while reads are full. Most connections never carry so much, and even untouched memory costs something. */
#ifndef SANDBOX_READ_BYTES
#define SANDBOX_READ_BYTES (512u * 1024)
#endif
#define SANDBOX_READ_FIRST 2048u
/* Beyond this size file bytes wait in their transfers, not in the outgoing buffer. */
#ifndef SANDBOX_OUT_SOFT_BYTES
#define SANDBOX_OUT_SOFT_BYTES (256u * 1024)
#endif
#define SANDBOX_OUT_MAX_BYTES (256u * 1024 * 1024)

/* ---- streams ----------------------------------------------------------------- */

struct stream;

struct stream_ops {
	/* A frame for this stream. TRM_EPROTO with a sentence: the sandbox closes. The call may end and
	 * free the stream. */
	int (*frame)(struct stream *stream, const struct frame *frame, struct trm_error *why);
	/* The stream ends without a frame from the agent: report `why` and free it. It is out of the
	 * table already. */
	void (*end)(struct stream *stream, const struct trm_error *why);
	/* The outgoing buffer has room again (sandbox.wants_pump was set). NULL: this is never needed. */
	void (*pump)(struct stream *stream);
};

/* Base of a process and a transfer; their first member. */
struct stream {
	const struct stream_ops *ops;
	struct trm_sandbox *sandbox;
	uint32_t id;       /* 0: not in the table (any more) */
	uint32_t credit;   /* bytes that the agent may still send */
	uint32_t consumed; /* bytes consumed and not yet given back as credit */
	struct stream *next_deferred;
};

/* Ids carry the slot in their low bits and the slot's generation above. So a lookup is an index, and an
 * id that was used before is distinguished from an invalid one. */
enum { STREAM_SLOT_BITS = 10, STREAM_SLOTS = 1 << STREAM_SLOT_BITS };

struct stream_slot {
	struct stream *stream;
	uint32_t generation;
	uint32_t next_free; /* the number of another free slot, plus 1; 0: there is none */
};

struct stream_table {
	struct stream_slot *slots;
	uint32_t first_free; /* as next_free: of slots that have been in use */
	unsigned n_slots;    /* slots that have ever been in use: the lowest ones */
	unsigned cap;
};

enum stream_found { STREAM_UNKNOWN, STREAM_GONE, STREAM_FOUND };

/* Zeroed, a table is empty. */
void streams_finish(struct stream_table *table);
/* Give `stream` an id. TRM_EBUSY when the table is full. */
int streams_add(struct stream_table *table, struct stream *stream, struct trm_error *reterr);
void streams_remove(struct stream_table *table, struct stream *stream); /* no effect if it is not in it */
enum stream_found streams_find(const struct stream_table *table, uint32_t id, struct stream **ret);

/* Subtract `n` bytes from the stream's credit. TRM_EPROTO with a sentence when the credit is exceeded. */
int stream_charge(struct stream *stream, size_t n, struct trm_error *why);
/* Report n bytes as consumed. Gives credit back, half a window at a time. */
void stream_consume(struct stream *stream, size_t n);
/* Report the end from the loop, as canceled. The stream leaves the table now. */
void stream_defer_end(struct stream *stream);

/* ---- the sandbox ------------------------------------------------------------------ */

enum sandbox_state { SANDBOX_STARTING, SANDBOX_CONNECTED, SANDBOX_READY, SANDBOX_CLOSING };

/* An observer of the end, called after all streams have ended and before cb->closed. The observer owns
 * the memory and removes itself before freeing it. */
struct sandbox_observer {
	struct sandbox_observer *next;
	void (*connected)(void *user); /* requests made so far are sent when this returns */
	void (*ready)(void *user);
	void (*closed)(void *user, const struct trm_error *why);
	void (*sample)(void *user, const struct trm_sample *sample);
	/* A process that a client can attach to: it existed already, or has just started. `key` is
	 * borrowed and hostile. */
	void (*shared)(void *user, const char *key);
	/* All processes that existed when sandbox_list_shared() was called have been reported. */
	void (*listed)(void *user);
	/* What the agent says of another client, or of a command that it runs. Hostile. */
	void (*announced)(void *user, const struct announced_msg *what);
	void *user;
};

struct trm_sandbox {
	struct trm_loop *loop;
	const struct trm_sandbox_cb *cb;
	void *user;
	/* Complete. Strings point to the next four members and the backend's own. Variables are valid
	 * only until the start. */
	struct trm_sandbox_opts opts;
	char name[65];
	char backend[32];
	char workdir[TRM_INSIDE_PATH];
	char group[TRM_GROUP_BYTES];
	struct kept_mounts *mounts; /* malloc'd; NULL: none */
	char doing[160];            /* the carrier's last progress message; "" */
	const struct backend_ops *ops;
	struct carrier *carrier; /* NULL once it has closed */
	enum sandbox_state state;
	uint32_t client;         /* the agent's number of this connection; 0: unknown so far */
	uint32_t last_shared_id; /* of runs and questions in shared kernels: counted here, because all
				    sessions of a connection share its number */
	bool has_shared_session;
	struct trm_error why; /* of closing */
	bool is_kept;         /* as far as we know */
	bool is_adoptable;    /* a later server may go on with it */
	bool leaves;          /* closing leaves the sandbox running: it is kept, or we have only attached */
	bool is_hung_up;      /* the stream has ended; a reason from the carrier is better than ours */
	/* Runs until ready; then until the next check of the agent; after a hang-up until the carrier
	 * knows why. */
	struct trm_timer *deadline;
	uint64_t silence_ms; /* an agent that is silent for this long is given up */
	unsigned silent_looks;
	bool has_heard;         /* the agent has sent something since the last check */
	struct trm_timer *soon; /* runs the deferred list */
	struct stream *deferred;
	struct sandbox_observer *observers;
	unsigned holds;
	uint64_t rate_time_ns, rate_cpu_ns; /* of the last metrics; 0: there were none */
	uint32_t needed_interval_ms;        /* see metrics_need(); 0: not */
	/* connection */
	int fd; /* the carrier's; -1 */
	struct trm_watch *watch;
	struct buf in, out;
	unsigned read_bytes; /* size of the next read */
	bool is_blocked;     /* the socket is full: the loop tells when to go on */
	bool wants_pump;     /* a stream holds back bytes until `out` has room */
	bool is_dead;        /* the socket accepts nothing any more */
	struct stream_table streams;
};

bool sandbox_is_open(const struct trm_sandbox *sandbox); /* not closing */
/* For open.c, until the carrier has started: what it and the timers call, and the end of a sandbox that does
 * not come to be. */
extern const struct carrier_cb sandbox_carrier_cb;
int sandbox_add_timers(struct trm_sandbox *sandbox, struct trm_error *reterr);
void sandbox_free(struct trm_sandbox *sandbox);
/* Fails with the sentence for a backend whose sandboxes cannot be kept. */
int sandbox_fail_keeping(const struct trm_sandbox *sandbox, struct trm_error *reterr);
/* While held, frames collect in the outgoing buffer (one write for all), and the handle is not freed. */
void sandbox_hold(struct trm_sandbox *sandbox);
void sandbox_release(struct trm_sandbox *sandbox);
/* Has another program started it? */
bool sandbox_is_attached(const struct trm_sandbox *sandbox);
/* Does the backend enforce the time limit of a run, so that its kernels must know the limit (kernel.h:
 * timeout_ms)? */
bool sandbox_enforces_timeout(const struct trm_sandbox *sandbox);
/* Where a path of the inside is: without namespaces, `out` in the sandbox's folder; else the path itself. */
const char *sandbox_place(const struct trm_sandbox *s, const char *path, char *out, size_t cap);
/* Does the backend say why an interpreter ends (kernel.h: fate)? */
bool sandbox_reports_fate(const struct trm_sandbox *sandbox);
/* Has a recipe made it from an image, so that its contents are the image's? */
bool sandbox_is_made(const struct trm_sandbox *sandbox);
/* Ask which processes can be attached to: `shared` for each, then `listed`. */
void sandbox_list_shared(struct trm_sandbox *sandbox);
/* Tell other clients what we are. */
void sandbox_present(struct trm_sandbox *sandbox, const char *by);
/* Be told of other clients and their commands: `announced`. */
void sandbox_follow(struct trm_sandbox *sandbox);
/* Close because of `why`. */
void sandbox_fail(struct trm_sandbox *sandbox, const struct trm_error *why);
void sandbox_observe(struct trm_sandbox *sandbox, struct sandbox_observer *observer);
void sandbox_unobserve(struct trm_sandbox *sandbox, struct sandbox_observer *observer);

/* ---- connection (client.c) ----------------------------------------------------------- */

void client_init(struct trm_sandbox *sandbox);
void client_finish(struct trm_sandbox *sandbox);
/* Free memory that is kept for the next frames. Not from inside a callback of the sandbox. For programs
 * with many sandboxes. */
void client_trim(struct trm_sandbox *sandbox);
void client_connected(struct trm_sandbox *sandbox, int fd);
/* Ask the agent for a sign of life. After several unanswered checks the sandbox is given up. */
void client_probe(struct trm_sandbox *sandbox);
/* Stop reading and writing. */
void client_stop(struct trm_sandbox *sandbox);
/* Queue a frame; it is sent when the last hold is released. If the queue has no room (memory), the
 * sandbox closes. */
void client_send(struct trm_sandbox *sandbox, uint32_t stream, enum frame_type type, uint8_t channel,
		const void *payload, size_t n);
void client_send_u32(struct trm_sandbox *sandbox, uint32_t stream, enum frame_type type, uint8_t channel,
		uint32_t value);
/* Write as much as the socket accepts. Only for a holder. */
void client_flush(struct trm_sandbox *sandbox);

/* ---- the host's network (proxy_env.c) ---------------------------------------------------- */

/* Append the frames with the host's network settings, if the agent needs them. TRM_E… */
int proxy_env_send(const struct trm_sandbox *sandbox, struct buf *out);

/* ---- processes (proc.c) ----------------------------------------------------------------- */

/* Kill and forget the process, or leave it to the other clients if it is shared. No callback follows, not
 * even `exited`. For owners that are freed first. */
void proc_forget(struct trm_proc *proc);

/* News about the turn of a shared process: the session has it now; another client waits for it; another
 * client has taken it. */
enum proc_turn { PROC_TURN_OURS, PROC_TURN_WANTED, PROC_TURN_TAKEN };
/* Channels of cb->output besides the streams: a line for the other clients, and the end of an earlier
 * process. */
enum { PROC_NOTE = CHANNEL_NOTE, PROC_ENDED = CHANNEL_ENDED };
enum { PROC_GREETING_MAX = FRAME_GREETING_MAX };
/* Why the clock of a run stands, in notes. */
enum {
	PROC_CLOCK_PAUSED = FRAME_CLOCK_PAUSED,
	PROC_CLOCK_ASKED = FRAME_CLOCK_ASKED,
	PROC_CLOCK_HELD = FRAME_CLOCK_HELD
};

/* A process that several clients follow (wire/frame.h: Sharing). It outlives them. */
struct proc_share {
	const char *key;
	bool attaches; /* start none: `exited` with TRM_ENOENT if none lives */
	bool wants_recent;
	bool is_resumed; /* we were let go as a slow client, and are back */
	bool wants_past; /* also output of processes before it, even if none lives; then `exited` follows */
	/* Called after cb->started. */
	void (*started)(void *user, const struct started_msg *how);
	void (*turn)(void *user, enum proc_turn news);
};
/* As trm_proc_spawn(). With `attaches`, script and environment are not sent. cb->output also gets notes
 * (PROC_NOTE) and PROC_ENDED. Borrows `share` for as long as the process lives. */
int proc_spawn_shared(struct trm_sandbox *sandbox, const struct trm_proc_opts *opts,
		const struct proc_share *share, const struct trm_proc_cb *cb, void *user,
		struct trm_proc **ret_proc, struct trm_error *reterr);
/* Ask for the turn; take it from a client that does not give it up in time; give it up. */
void proc_want_turn(struct trm_proc *proc);
void proc_take_turn(struct trm_proc *proc);
void proc_release_turn(struct trm_proc *proc);
/* TRM_ETOOBIG: trm_proc_write() would refuse so many bytes for stdin, because too many are waiting. */
int proc_check_room(const struct trm_proc *proc, size_t n, struct trm_error *reterr);
/* Send a whole line to the other clients. */
int proc_send_note(struct trm_proc *proc, const void *bytes, size_t n, struct trm_error *reterr);
/* Kill the processes that `proc` has started within the last age_ms; with NULL or 0, all orphans. */
void proc_ask_kill_leftovers(struct trm_sandbox *sandbox, const struct trm_proc *proc, uint32_t age_ms);
/* The turn is lost: discard input that waits for credit. */
void proc_drop_input(struct trm_proc *proc);
/* In cb->exited: the process has not read all that was last written to it on CONTROL. */
bool proc_has_unread(const struct trm_proc *proc);
/* ---- flood.c: limits the output of a process ---- */

struct flood {
	uint64_t max_bytes, printed_bytes; /* max 0: no limit */
	struct trm_timer *grace;           /* after the interrupt */
	bool is_over;
};
int flood_init(struct flood *flood, struct trm_proc *proc, struct trm_loop *loop, uint64_t max_bytes,
		struct trm_error *reterr);
void flood_finish(struct flood *flood); /* accepts a zeroed object */
/* How many of these bytes may be passed on. A process that prints more is interrupted, and killed if it
 * goes on. */
size_t flood_admit(struct flood *flood, struct trm_proc *proc, size_t n);
void flood_describe(uint64_t max_bytes, char *out, size_t cap);

/* ---- limit_report.c: finds the limit that was hit ---- */

/* The end of a text, such as stderr; zeroed at first. */
struct said {
	char *bytes; /* ended by NUL; NULL: empty */
	size_t n;
};
void said_note(struct said *said, const char *bytes, size_t n);
void said_finish(struct said *said);
static inline const char *said_text(const struct said *said)
{
	return said->bytes ? said->bytes : "";
}

/* What is known of a run or process that has ended. Borrows everything. */
struct limit_report {
	struct trm_sandbox *sandbox;
	struct trm_sample before, now; /* the limit counters at the beginning and now; `known` 0: unknown */
	const struct trm_result *result;
	const char *last_words; /* of its stderr */
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
	LIMIT_HIT_NETWORK, /* there is none */
};
/* How many processes were killed for memory. */
uint64_t limit_report_kills(const struct limit_report *limit_report);
/* "out of memory at 512 of 512 MiB" */
void limit_report_describe_memory(const struct limit_report *limit_report, char *out, size_t cap);
/* Write a sentence about the limit that it hit; "" if it hit none. */
enum limit_hit limit_report_find(const struct limit_report *limit_report, char *out, size_t cap);
/* The same for a process. Sets `now`, and needs no result. */
void limit_report_by_process(
		struct limit_report *limit_report, const struct trm_exit *exit, char *out, size_t cap);

/* ---- options (opts.c) ------------------------------------------------------------------------------ */

/* One line without control characters that fits. TRM_EINVAL. */
int opts_check_group(const char *group, struct trm_error *reterr);

/* ---- commands of others ------------------------------------------------------------------------ */

/* The kinds of what the agent says of them; and the channel for stderr. */
#define PEER_COMMAND_GONE ANNOUNCED_GONE
#define PEER_COMMAND_PRESENT ANNOUNCED_PRESENT
#define PEER_COMMAND_BEGIN ANNOUNCED_BEGIN
#define PEER_COMMAND_OUTPUT ANNOUNCED_OUTPUT
#define PEER_COMMAND_STDERR CHANNEL_STDERR

/* ---- one-shot requests (signal.c) ----------------------------------------------------------------- */

/* Send a frame that is answered by DONE or ERROR. Exactly one call of `fn` follows. */
int errand_send(struct trm_sandbox *sandbox, enum frame_type type, const struct buf *payload, trm_done_fn *fn,
		void *user, struct trm_error *reterr);

/* ---- metrics (metrics.c) ----------------------------------------------------------------- */

/* Report that no sandbox of this name runs: TRM_ENOENT. For a container that has ended, the sentence includes
 * the reason. */
int registry_fail_absent(const char *name, struct trm_error *reterr);
/* The program to start for a path below /usr of the host. Local sandboxes see that path. In an image, the
 * PATH of the sandbox leads to the program. */
const char *sandbox_program(const struct trm_sandbox *sandbox, const char *path);
int metrics_check(uint32_t interval_ms, struct trm_error *reterr);
void metrics_send_watch(struct trm_sandbox *sandbox);
/* Observers get samples this often, unless the owner has asked for an interval, which then counts for all.
 * 0: no longer. There is one such interval for a sandbox: the last call decides. */
void metrics_need(struct trm_sandbox *sandbox, uint32_t interval_ms);
int metrics_frame(struct trm_sandbox *sandbox, const struct frame *frame, struct trm_error *why);
/* Sample what the carrier knows right now. False if it knows nothing without the agent. */
bool metrics_sample_now(struct trm_sandbox *sandbox, struct trm_sample *ret);
/* The same for processor time, memory and disk only: faster. */
bool metrics_usage_now(struct trm_sandbox *sandbox, struct trm_sample *ret);
/* Sample the limit counters (backend.h: events). False if the carrier does not know them. */
bool metrics_events_now(struct trm_sandbox *sandbox, bool marks, struct trm_sample *ret, bool *ret_is_marked);
/* A descriptor that becomes readable when memory passes this many bytes; the caller closes it. -1: none. */
int metrics_watch_memory(struct trm_sandbox *sandbox, uint64_t bytes);

#endif
