/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_FRAME_H
#define TRM_WIRE_FRAME_H

/* Frames between a host (client) and the agent in the sandbox. This file does no I/O: bytes in, frames
 * out. Agent, host, fake, fuzzer and tests share it.
 *
 *   0      4      8     9      10       12
 *   | len  | stream | type | channel | zero | payload (len bytes) |
 *
 * Integers are little-endian. `stream` names a process or a transfer: the client chooses it, it is never
 * 0, and it is unique among the client's open streams; 0 is the connection. Each connection has its own
 * numbers.
 *
 * Credit. The agent may not send more OUTPUT, CONTROL and DATA than the credit that the client has
 * granted to the stream: SPAWN's or GET's window, then CREDIT. The client may not send more INPUT than
 * the credit of its channel: FRAME_INPUT_WINDOW at first, then INPUT_CREDIT gives back what the process
 * has read. A peer that exceeds its credit breaks the protocol, and the connection ends. So neither side
 * ever needs more memory than the windows it granted. A SIGNAL never waits behind a flood, because a side
 * with too much data stops reading the source of that data, not the connection.
 *
 * Sharing. Several clients may follow one process if it has a key. All of them get the same OUTPUT.
 *
 * Turn. At most one client has the turn, and the agent accepts INPUT and STDIN only from that client. It
 * discards those of others and gives back the credit. The client that started the process has the turn
 * first, and may keep it even while it sends nothing. SIGNAL and RESIZE need no turn. Nor does stdin of the
 * author of the newest note, or of anybody once that author does not follow: its run may be waiting for
 * input. CLOSE or a lost connection gives up the turn.
 *
 * Note. What the one with the turn writes to CHANNEL_NOTE is for the other clients, not for the process:
 * lines of at most FRAME_NOTE_MAX bytes that say what comes next on CONTROL. They are sent to each of the
 * others as OUTPUT, in order with what the process writes, as soon as a newline of their author has been
 * written to the process: a client that dies before has announced nothing. A line that begins with
 * FRAME_LIMIT_MARK adds to the note before it, and is sent as soon as a SIGNAL comes from its author. A line
 * that begins with FRAME_ANSWER_MARK says that input was answered. It is sent at once. One as
 * FRAME_CLOCK_FORMAT is for the agent alone.
 *
 * Limit. A note may begin as FRAME_BEGIN_FORMAT says. If its author has disconnected when the time limit of
 * that run is over, the agent sends the limit note, interrupts the process, and kills it if it goes on. It
 * does so five seconds later if the author is there and does nothing, as when it was stopped. An author that
 * ends the run itself does something: after each SIGNAL and clock note the agent leaves it the whole time
 * between interrupt and end, too. A client that holds up the end of that run is a slow client, even if it is
 * alone. The author tells by clock notes how much of its time is left, when that is not what it was. While
 * the code is compiled they tell two limits. The second one counts from the line on CONTROL that begins with
 * FRAME_COMPILED_MARK, which the agent finds itself: the author may be gone by then. While a
 * question is open (FRAME_CLOCK_ASKED) no time passes until it is answered; in a pause, or while the author
 * holds the end of the run for a person (FRAME_CLOCK_HELD), none until it says so or is gone.
 *
 * Cut. A line on CONTROL whose client leaves, or loses the turn, before its newline was written is ended with
 * FRAME_CUT, which no whole line contains. The process forgets such a line.
 *
 * Replay. Of a process with a key the agent keeps the newest FRAME_RECENT_MAX bytes of OUTPUT, notes
 * included. Who attaches gets, between STARTED and what is new, replay_bytes of old OUTPUT. First
 * pinned_bytes that stand for what is missing: the newest note; the newest line behind it on CONTROL that
 * begins with FRAME_END_MARK, which says that what the note announced is over (FRAME_LOST_END if that line is
 * too long to keep); and the beginning of a line of which the end is still to come. Pins are what precedes
 * the rest, never what is in it. With SPAWN_RECENT the rest is everything that is kept, in its order;
 * without, there is none, unless what the newest note announced is not over. A process that nobody follows is
 * read all the same, and never waits.
 *
 * Past. The kept output outlives the process, and the next process of that key continues it: notes,
 * output and `position`. A byte on CHANNEL_ENDED in the replay marks where a process has ended: its exit
 * code as a shell sees it. Only a client that asks with SPAWN_PAST gets the output from before the last
 * of these marks, and the output of a key without a living process: STARTED with pid 0, the replay, ERROR
 * TRM_ENOENT. The agent announces such keys to new clients like all others.
 *
 * Slow clients. A lone client may hold up the process as long as it likes. One of several clients that
 * holds up the others for FRAME_SLOW_MS (the one with the turn: FRAME_TURN_TIMEOUT_MS) is detached with
 * ERROR TRM_EBUSY. It may attach again, and finds out by `position` and `lost_bytes` what it has missed.
 *
 * Commands. Clients that have sent FOLLOW get news of each process that has no key and whose SPAWN says by
 * whom it is run: ANNOUNCED with its begin, its output and its end (message.h: announced_msg). A client that
 * follows later gets the begin then. These clients never hold up the process: one that reads slowly misses
 * output, and finds out by `position`. A client that got the begin also gets the end, and the newest output
 * before it.
 *
 * Payloads consist of pack.h fields in the order given. A field list may grow at its end: readers ignore
 * fields that they do not know. */

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
	FRAME_HEADER = 12,
	FRAME_MAX_PAYLOAD = 256 * 1024,
	FRAME_INPUT_WINDOW = 256 * 1024,
	FRAME_VERSION = 3,
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
#define FRAME_LOST_END FRAME_END_MARK ",\"status\":\"lost\"}\n"
#define FRAME_LIMIT_MARK "{\"ev\":\"limit\""
#define FRAME_COMPILED_MARK "{\"ev\":\"compiled\""
/* For scanf: the beginning of a note that announces a run. Its id, its time limit, and the time between its
 * interrupt and its end (which need not be there). */
#define FRAME_BEGIN_FORMAT \
	"{\"ev\":\"begin\",\"id\":\"%" SCNu64 \
	"\",\"number\":%*[0-9],\"at_ms\":%*[0-9],\"timeout_ms\":%" SCNu64 ",\"grace_ms\":%" SCNu64
#define FRAME_ANSWER_MARK "{\"ev\":\"answer\""
#define FRAME_CLOCK_MARK "{\"ev\":\"clock\""
/* For scanf: the id of a run, its time limit, how much time is left, why its clock stands (0: it runs, or
 * bits), and what its code may take once it is compiled (not there: it is not being compiled). */
#define FRAME_CLOCK_FORMAT \
	FRAME_CLOCK_MARK ",\"id\":\"%" SCNu64 "\",\"timeout_ms\":%" SCNu64 ",\"left_ms\":%" SCNu64 \
			 ",\"stops\":%u,\"code_ms\":%" SCNu64
enum { FRAME_CLOCK_PAUSED = 1, FRAME_CLOCK_ASKED = 2, FRAME_CLOCK_HELD = 4 };
#define FRAME_CUT "\x18\n"

/* Channels. From the process: 2k is stdout and 2k+1 is stderr of output set k (0 is the ordinary one). To
 * the process: 0 is stdin. Both ways: the control pipes (descriptors 3 and 4), and notes, which go from
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

enum hello_flag { HELLO_OBSERVER = 1 /* this client is an observer: it is not counted */ };

enum frame_type {
	/* client → agent */
	FRAME_HELLO = 1, /* stream 0. u32 magic, u32 version, u32 nproc: RLIMIT_NPROC for processes of this
			    client (0: unchanged), u32 enum hello_flag, u32 pid. First frame of all. */
	FRAME_SPAWN,  /* str key, u32 flags, u16 rows, u16 cols, u32 spare_sets, u32 window, strv argv, strv
			 env, str cwd, bytes script, str label (its name in METRICS; "": its command line), str
			 by (see Commands; "": nobody is told of it).
			 Answer: STARTED or ERROR.
			 If a process with this key lives, the client is attached to it instead. With
			 SPAWN_ATTACH nothing is ever started (TRM_ENOENT if none lives), and argv may be
			 empty. `env` is laid over the agent's own environment; an entry without '=' removes
			 that variable. */
	FRAME_INPUT,  /* channel; raw bytes. Accepted and discarded while stdin is at its end. */
	FRAME_STDIN,  /* u8 enum stdin_state */
	FRAME_SIGNAL, /* u32 signo, u8 scope: 0 group, 1 tree */
	FRAME_RESIZE, /* u16 rows, u16 cols */
	FRAME_CREDIT, /* u32 further bytes that the client takes on this stream */
	FRAME_CLOSE,  /* detach; the last client to detach from a process without KEEP kills its tree */
	FRAME_PUT,   /* str path, u32 mode, u64 size; then DATA frames of size bytes in total. Answer: DONE or
			ERROR */
	FRAME_GET,   /* str path, u64 max_bytes, u32 window. Answer: DATA…, DONE, or ERROR */
	FRAME_WATCH, /* stream 0. u32 interval_ms (0 stop), u8 with_processes: METRICS at once and then at the
			interval */
	FRAME_PING,  /* stream 0. any bytes ≤ 64; answered by PONG with the same */
	FRAME_SHUTDOWN,        /* stream 0. end all processes; the agent exits */
	FRAME_SIGNAL_PID = 20, /* see message.h. Any process inside except the agent. Answer: DONE or ERROR */
	FRAME_LEFTOVERS = 21,  /* stream 0. u32 stream of a process or 0, u32 age_ms, u64 sent_ms. Kill the
				  processes that this process has started and that were at most age_ms old at
				  sent_ms. If either is 0: kill all orphans. sent_ms: CLOCK_BOOTTIME. If it is
				  not of the last minute, it is another machine's; then now is used instead */
	FRAME_PRESENT = 22,  /* stream 0. At most ANNOUNCED_BY_MAX bytes: what this client is, for those that
				FOLLOW */
	FRAME_FOLLOW = 23,   /* stream 0. From now on ANNOUNCED about the other clients and their commands */
	FRAME_TREE_GET = 32, /* see entry.h, also for the next three. Answer: ENTRY and DATA of a tree, which
				both use credit (payload bytes), then DONE; or ERROR */
	FRAME_TREE_PUT,      /* then ENTRY and DATA of a tree. Answer: NOTEs, then DONE or ERROR */
	FRAME_FILE_OP,       /* u8 enum file_op, str path, u32 mode. Answer: DONE or ERROR */
	FRAME_CERTS,         /* stream 0. raw bytes, appended to a file of certificates */
	FRAME_ENVIRON, /* stream 0. strv "NAME=value", strv names of variables that are to hold the path of
			  the certificates: for all processes started from now on, after what their
			  environment has already. Ends CERTS */
	/* both ways */
	FRAME_DATA = 64,  /* file bytes */
	FRAME_TURN = 65,  /* u8 enum turn_word */
	FRAME_ENTRY = 66, /* a step in a tree of files: see entry.h */

	/* agent → client */
	FRAME_WELCOME = 128, /* stream 0. u32 version, str agent version, u32 client: the number of this
				connection, from 1 on, never used twice; in containers also bytes: a report,
				see fd_handoff.h */
	FRAME_STARTED, /* u32 pid, u8 attached (1: the process existed already), u8 has_turn, u8 is_torn,
			  u32 pinned_bytes, u32 replay_bytes, u64 lost_bytes, u64 position, bytes greeting.
			  See message.h */
	FRAME_OUTPUT,  /* channel (also CONTROL); raw bytes. Output that a process wrote before it wrote to
			  control is sent before it. No bytes on CONTROL: the process has closed CONTROL, and
			  lives on. */
	FRAME_INPUT_CREDIT, /* channel; u32 bytes that the process has read */
	FRAME_EXITED,       /* i32 exit_code (-1: signal), u32 signal, u64 user_us, u64 system_us, u64
			       max_rss_bytes, u32 client that sent the signal (0: none), u32 its pid, u64
			       kills for memory, u8 whether the process left something on CONTROL unread.
			       Comes after all output. Ends the stream. */
	FRAME_DONE,         /* u64 size, u32 mode. Ends a transfer. */
	FRAME_METRICS,      /* stream 0. see message.h */
	FRAME_PONG,         /* stream 0 */
	FRAME_ERROR, /* i32 code (TRM_E…), str sentence. Ends the stream that it names, or on stream 0 the
			connection. */
	FRAME_SHARED = 144, /* stream 0. str key. A process that a client can attach to: sent after WELCOME
			       for each one that runs, and on each start to the clients that do not follow it
			     */
	FRAME_CLIENTS, /* stream 0. u32 n: the number of clients, this one included. Sent after WELCOME and on
			  each change */
	FRAME_ANNOUNCED, /* stream 0. See message.h */
};

enum {
	SPAWN_PTY = 1,
	SPAWN_CONTROL = 2,
	SPAWN_STDIN_OPEN = 4,
	SPAWN_KEEP = 8,       /* survives its clients */
	SPAWN_ATTACH = 16,    /* start nothing */
	SPAWN_RECENT = 32,    /* replay all output that is kept */
	SPAWN_PAST = 128,     /* and the output before that: see Past */
	SPAWN_RESUMED = 256,  /* with ATTACH: it was let go as a slow client, and knows its run */
	SPAWN_ELSEWHERE = 64, /* if `cwd` cannot be entered, start in / and say so on stderr */
};
enum turn_word {
	/* client → agent; a word that changes nothing is ignored */
	TURN_WANT = 1, /* YOURS as soon as the turn is free, in the order of asking */
	TURN_RELEASE,  /* give up the turn, or the request for it */
	TURN_TAKE,     /* WANT; and the client that has the turn loses it if it has been WANTED for
			  FRAME_TAKE_AFTER_MS and has sent nothing since. If it has sent something, it gets
			  WANTED once more */

	/* agent → client */
	TURN_YOURS = 16,
	TURN_WANTED, /* to the client with the turn: another one waits; release the turn when you are done */
	TURN_TAKEN,  /* another client took the turn; your INPUT that the process has not read is dropped */
};
enum stdin_state {
	STDIN_OPEN,  /* reads wait for input (again) */
	STDIN_EOF,   /* after the bytes sent so far, reads give EOF, until OPEN */
	STDIN_RESET, /* discard the bytes that were sent and not read, then EOF; they count as read */
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
/* Consume the frame last returned. Call this before the next frame_next. */
void frame_done(struct buf *in, const struct frame *frame);

/* Append a whole frame. TRM_ETOOBIG (nothing appended) if the payload or the buffer is too big. */
int frame_put(struct buf *out, uint32_t stream, enum frame_type type, uint8_t channel, const void *payload,
		size_t n);
/* Append only the header of a frame. The caller appends the payload itself. */
int frame_put_header(struct buf *out, uint32_t stream, enum frame_type type, uint8_t channel, size_t n);
/* The four bytes of a u32 as in pack.h, for payloads of nothing else. */
void frame_store_u32(char *at, uint32_t v);
/* Reserve a header now; frame_end() sets its length once the payload has been appended. */
int frame_begin(struct buf *out, uint32_t stream, enum frame_type type, uint8_t channel, size_t *ret_mark);
int frame_end(struct buf *out, size_t mark); /* TRM_ETOOBIG: the payload is too long, the frame is removed */

#endif
