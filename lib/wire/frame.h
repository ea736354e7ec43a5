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
};
#define FRAME_MAGIC 0x314D5254u /* "TRM1" */

/* Channels. From the process: 2k stdout and 2k+1 stderr of output set k (0 is the ordinary
 * one); to the process: 0 stdin. Both: the control pipes (descriptors 3 and 4). */
enum { CHANNEL_STDIN = 0, CHANNEL_STDOUT = 0, CHANNEL_STDERR = 1, CHANNEL_CONTROL = 255 };
enum { SPARE_SETS_MAX = 8 };

enum frame_type {
	/* client → agent */
	FRAME_HELLO = 1, /* stream 0. u32 magic, u32 version, u32 nproc: RLIMIT_NPROC of what this client
			    starts (0: leave). First frame of a connection. */
	FRAME_SPAWN,  /* str key, u32 flags, u16 rows, u16 cols, u32 spare_sets, u32 window, strv argv, strv
			 env,  str cwd, bytes script, str label (what METRICS call it; "": its command line).
			 Answer: STARTED or ERROR.
			 With a non-empty key and a living process of that key: attach to it instead
			 (several clients, one kernel). `env` is laid over the agent's own environment;
			 an entry without '=' takes that name away. */
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

	/* both ways */
	FRAME_DATA = 64, /* file bytes */

	/* agent → client */
	FRAME_WELCOME = 128, /* stream 0. u32 version, str agent version */
	FRAME_STARTED,       /* u32 pid, u8 attached (1: the process was there already) */
	FRAME_OUTPUT,        /* channel (also CONTROL); raw bytes. What a process wrote to stdout and stderr
				before it wrote to control is sent before it. */
	FRAME_INPUT_CREDIT,  /* channel; u32 bytes that the process has taken */
	FRAME_EXITED,        /* i32 exit_code (-1: signal), u32 signal, u64 user_us, u64 system_us, u64
				max_rss_bytes.        After all output that was there. Ends the stream. */
	FRAME_DONE,          /* u64 size, u32 mode. Ends a transfer. */
	FRAME_METRICS,       /* stream 0. see message.h */
	FRAME_PONG,          /* stream 0 */
	FRAME_ERROR, /* i32 code (TRM_E…), str sentence. Ends the stream it names; on stream 0 the connection.
		      */
};

enum { SPAWN_PTY = 1, SPAWN_CONTROL = 2, SPAWN_STDIN_OPEN = 4, SPAWN_KEEP = 8 /* survives its clients */ };
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
