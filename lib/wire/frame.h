/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_FRAME_H
#define TRM_WIRE_FRAME_H

/* Frames between a host (client) and the agent in the sandbox: no I/O here,
 * bytes in, frames out. Agent, host, fake, fuzzer and tests share this file.
 *
 *   0      4      8     9      10       12
 *   | len  | stream | type | channel | zero | payload (len bytes) |
 *
 * Little-endian. `stream` names a process or a transfer: chosen by the client,
 * never 0, unique among the client's living streams; 0 is the connection.
 * Each connection has its own numbers.
 *
 * Credit. OUTPUT, CONTROL and DATA from the agent may not exceed the credit that
 * the client has given to the stream (SPAWN's or GET's window, then CREDIT).
 * INPUT from the client may not exceed the credit of its channel: it starts at
 * FRAME_INPUT_WINDOW per channel and INPUT_CREDIT gives back what the process has taken. A peer that
 * oversteps breaks the protocol: the connection ends. So neither side ever needs more memory than the windows
 * it gave, and a SIGNAL is never behind a flood: the side that floods stops reading its source, not the
 * connection.
 *
 * Sharing. Several clients may follow one process: the one that has a key. All of them get the same OUTPUT.
 *
 * Turn. One of them at most has the turn, and only what it sends as INPUT and STDIN is taken; what others
 * send is thrown away, its credit given back. Who started the process has it first, and may keep it while it
 * has nothing to say. SIGNAL and RESIZE need no turn, and stdin needs none while the author of the newest
 * note is gone: its run may be waiting for input. CLOSE or a lost connection gives up the turn.
 *
 * Note. What the one with the turn writes to CHANNEL_NOTE is for the other clients, not for the process:
 * lines of at most FRAME_NOTE_MAX bytes that say what comes next on CONTROL. They are sent to each of the
 * others as OUTPUT, in order with what the process writes, as soon as a newline comes from their author on
 * CONTROL: a client that dies between the two has announced nothing.
 *
 * Replay. Of a process with a key the agent keeps the newest FRAME_RECENT_MAX bytes of OUTPUT, notes
 * included. Who attaches gets, between STARTED and what is new, replay_bytes of old OUTPUT. First
 * pinned_bytes that stand for what is missing: the newest note; the newest line behind it on CONTROL that
 * begins with FRAME_END_MARK, which says that what the note announced is over; and the beginning of a line of
 * which the end is still to come. Pins are what precedes the rest, never what is in it. With SPAWN_RECENT the
 * rest is everything that is kept, in its order; without, there is none, unless what the newest note
 * announced is not over. A process that nobody follows is read all the same, and never waits.
 *
 * Past. What is kept outlives the process, and the next one of that key goes on with it: notes, output and
 * `position`. Where one has ended, a byte on CHANNEL_ENDED stands in the replay, its exit code as a shell
 * sees it. Only who asks with SPAWN_PAST is told of what was before the last of these, and of a key that
 * none lives of: STARTED with pid 0, the replay, ERROR TRM_ENOENT; such keys are announced like others to
 * who connects.
 *
 * Patience. A lone client holds the process up for as long as it likes. Of several, who holds up others for
 * FRAME_SLOW_MS (who has the turn: FRAME_TURN_TIMEOUT_MS) is detached with ERROR TRM_EBUSY: it may
 * attach again, and counts by `position` and `lost_bytes` what it has missed.
 *
 * Telling. What a client runs in processes of its own, without a key, it may tell the others about: TELL is
 * passed on as REPORTED, unread, to each that keeps up, and is kept for nobody (message.h: announced_msg).
 *
 * Payloads are made of pack.h fields in the order given. A field list may grow
 * at its end: readers ignore what follows. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
	FRAME_HEADER = 12,
	FRAME_MAX_PAYLOAD = 256 * 1024,
	FRAME_INPUT_WINDOW = 256 * 1024,
	FRAME_VERSION = 1,
	FRAME_MAX_STREAMS = 1024, /* per connection */
	FRAME_NOTE_MAX = 1024 * 1024,
	FRAME_RECENT_MAX = 256 * 1024,
	FRAME_GREETING_MAX = 1024,
	FRAME_SLOW_MS = 500,
	FRAME_TURN_TIMEOUT_MS = 2000,
	FRAME_TAKE_AFTER_MS = 250, /* see TURN_TAKE */
	FRAME_ANNOUNCE_MAX = 32 * 1024,
};
#define FRAME_MAGIC 0x314D5254u /* "TRM1" */
#define FRAME_END_MARK "{\"ev\":\"done\""

/* Channels. From the process: 2k stdout and 2k+1 stderr of output set k (0 is the ordinary
 * one); to the process: 0 stdin. Both: the control pipes (descriptors 3 and 4), and notes, which go from
 * client to client. */
enum {
	CHANNEL_STDIN = 0,
	CHANNEL_STDOUT = 0,
	CHANNEL_STDERR = 1,
	CHANNEL_ENDED = 253, /* see Past */
	CHANNEL_NOTE = 254,
	CHANNEL_CONTROL = 255
};
enum { SPARE_SETS_MAX = 8 };

enum hello_flag { HELLO_ONLOOKER = 1 /* it is not counted among the clients */ };

enum frame_type {
	/* client → agent */
	FRAME_HELLO = 1, /* stream 0. u32 magic, u32 version, u32 nproc: RLIMIT_NPROC of what this client
			    starts (0: leave), u32 enum hello_flag, u32 pid. First frame of a connection. */
	FRAME_SPAWN,  /* str key, u32 flags, u16 rows, u16 cols, u32 spare_sets, u32 window, strv argv, strv
			 env,  str cwd, bytes script, str label (what METRICS call it; "": its command line).
			 Answer: STARTED or ERROR.
			 With a non-empty key and a living process of that key: attach to it instead; with
			 SPAWN_ATTACH only that (TRM_ENOENT without one), and argv may be empty. `env` is laid
			 over the agent's own environment; an entry without '=' takes that name away. */
	FRAME_INPUT,  /* channel; raw bytes. Taken and thrown away while stdin is at its end. */
	FRAME_STDIN,  /* u8 enum stdin_state */
	FRAME_SIGNAL, /* u32 signo, u8 scope: 0 group, 1 tree */
	FRAME_RESIZE, /* u16 rows, u16 cols */
	FRAME_CREDIT, /* u32 further bytes the client takes on this stream */
	FRAME_CLOSE,  /* detach; the last one to leave a process without KEEP kills its tree */
	FRAME_PUT,    /* str path, u32 mode, u64 size; then DATA frames of size bytes in all. Answer: DONE or
			 ERROR */
	FRAME_GET,    /* str path, u64 max_bytes, u32 window. Answer: DATA…, DONE, or ERROR */
	FRAME_WATCH, /* stream 0. u32 interval_ms (0 stop), u8 with_processes: METRICS at once and then at the
			interval */
	FRAME_PING,  /* stream 0. any bytes ≤ 64; answered by PONG with the same */
	FRAME_SHUTDOWN,        /* stream 0. end everything; the agent exits */
	FRAME_SIGNAL_PID = 20, /* see message.h. Any process inside but the agent. Answer: DONE or ERROR */
	FRAME_LEFTOVERS = 21,  /* stream 0. u32 stream of a process or 0, u32 age_ms, u64 sent_ms. Kill what
			       that  process has started and was no older when this was sent; with 0 for
			       either,  all  orphans. sent_ms: CLOCK_BOOTTIME, told apart from another
			       machine's  by its  being  less than a minute ago; else this was sent just now */
	FRAME_ANNOUNCE = 22,   /* stream 0. At most FRAME_ANNOUNCE_MAX bytes for the other clients */
	FRAME_TREE_GET = 32,   /* see entry.h, as the next three. Answer: ENTRY and DATA of a tree, which take
				  credit alike (payload bytes), then DONE; or ERROR */
	FRAME_TREE_PUT, /* then ENTRY and DATA of a tree. Answer: NOTEs, DONE when it is complete, or ERROR */
	FRAME_FILE_OP,  /* u8 enum file_op, str path, u32 mode. Answer: DONE or ERROR */
	FRAME_CERTS,    /* stream 0. raw bytes, appended to a file of certificates */
	FRAME_ENVIRON,  /* stream 0. strv "NAME=value", strv names of variables that are to hold that file's
			   path: for all that is started from now on, behind what is there already. CERTS
			   ends with it */

	/* both ways */
	FRAME_DATA = 64,  /* file bytes */
	FRAME_TURN = 65,  /* u8 enum turn_word */
	FRAME_ENTRY = 66, /* a step in a tree of files: see entry.h */

	/* agent → client */
	FRAME_WELCOME = 128, /* stream 0. u32 version, str agent version, u32 client: the number of this
				connection, from 1 on, never given twice; in containers also bytes: a report,
				see fd_handoff.h */
	FRAME_STARTED, /* u32 pid, u8 attached (1: the process was there already), u8 has_turn, u8 is_torn,
			  u32 pinned_bytes, u32 replay_bytes, u64 lost_bytes, u64 position, bytes greeting.
			  See message.h */
	FRAME_OUTPUT,  /* channel (also CONTROL); raw bytes. What a process wrote to stdout and stderr
			  before it wrote to control is sent before it. None at all on CONTROL: it has closed
			  that, and lives on. */
	FRAME_INPUT_CREDIT, /* channel; u32 bytes that the process has taken */
	FRAME_EXITED,       /* i32 exit_code (-1: signal), u32 signal, u64 user_us, u64 system_us, u64
			       max_rss_bytes, u32 client that has sent the signal (0: none), u32 its pid, u64
			       kills for memory, u8 whether it left something on CONTROL unread. After all output
			       that was there. Ends the stream. */
	FRAME_DONE,         /* u64 size, u32 mode. Ends a transfer. */
	FRAME_METRICS,      /* stream 0. see message.h */
	FRAME_PONG,         /* stream 0 */
	FRAME_ERROR, /* i32 code (TRM_E…), str sentence. Ends the stream it names; on stream 0 the connection.
		      */
	FRAME_SHARED = 144, /* stream 0. str key. A process that can be attached to: after WELCOME for each
			       that runs, and to each client that does not follow it when one has started */
	FRAME_CLIENTS, /* stream 0. u32 n: clients there are, this one with them. After WELCOME, and when that
			  has changed */
	FRAME_ANNOUNCED, /* stream 0. u32 client, then what it has sent as TELL; nothing: it is gone */
};

enum {
	SPAWN_PTY = 1,
	SPAWN_CONTROL = 2,
	SPAWN_STDIN_OPEN = 4,
	SPAWN_KEEP = 8,       /* survives its clients */
	SPAWN_ATTACH = 16,    /* start nothing */
	SPAWN_RECENT = 32,    /* replay all that is kept */
	SPAWN_PAST = 128,     /* and what was before it: see Past */
	SPAWN_ELSEWHERE = 64, /* where `cwd` cannot be entered, start in / and say so on its stderr */
};
enum turn_word {
	/* client → agent; one that changes nothing is ignored */
	TURN_WANT = 1, /* YOURS as soon as it is free, in the order of asking; who has it hears YOURS again */
	TURN_RELEASE,  /* or: wanted no longer */
	TURN_TAKE,     /* WANT; and the one that has it loses it if it has been WANTED for FRAME_TAKE_AFTER_MS
			  and sent nothing since. If it has sent something it hears WANTED once more */

	/* agent → client */
	TURN_YOURS = 16,
	TURN_WANTED, /* to the one that has it: somebody waits; release it when your business is done */
	TURN_TAKEN,  /* somebody took it; your INPUT that the process has not read yet is dropped */
};
enum stdin_state {
	STDIN_OPEN,  /* reads wait for input (again) */
	STDIN_EOF,   /* after what was sent: reads give EOF, until OPEN */
	STDIN_RESET, /* throw away what was sent and not read, then EOF; its bytes count as taken */
};

struct frame {
	uint32_t stream;
	uint8_t type;
	uint8_t channel;
	const char *payload; /* borrowed: until the next call on the reader */
	uint32_t len;
};

/* Reader: feed bytes into `in` (buf_reserve/buf_fill or buf_append; its max must be at least
 * FRAME_HEADER + FRAME_MAX_PAYLOAD), then call frame_next until it returns 0.
 * 1: a frame is in *ret. 0: more bytes are needed. TRM_EPROTO: the stream is broken for good. */
int frame_next(struct buf *in, struct frame *ret);
/* Consume the frame last returned: to be called before the next frame_next. */
void frame_done(struct buf *in, const struct frame *frame);

/* Append a whole frame. TRM_ETOOBIG (nothing appended) if the payload or the buffer is too big. */
int frame_put(struct buf *out, uint32_t stream, enum frame_type type, uint8_t channel, const void *payload,
		size_t n);
/* Append only the header of a frame whose payload the caller appends itself. */
int frame_put_header(struct buf *out, uint32_t stream, enum frame_type type, uint8_t channel, size_t n);
/* Reserve a header now and set its length when the payload has been appended behind it. */
int frame_begin(struct buf *out, uint32_t stream, enum frame_type type, uint8_t channel, size_t *ret_mark);
int frame_end(struct buf *out, size_t mark); /* TRM_ETOOBIG: payload too long, frame taken back */

#endif
