/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_MESSAGE_H
#define TRM_WIRE_MESSAGE_H

/* The payloads that have more than a field or two. Each has one writer and one reader, so that agent,
 * host and fake cannot drift apart. Readers return 0, TRM_EPROTO or TRM_ENOMEM; on an error there is
 * nothing to free. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/frame.h"
#include "wire/pack.h"

struct hello_msg {
	uint32_t magic, version, nproc;
	uint32_t flags; /* enum hello_flag */
	uint32_t pid;   /* the client's, on its machine; 0: unknown */
};
/* With our own magic and version. */
int hello_msg_put(struct buf *out, uint32_t nproc, uint32_t flags, uint32_t pid);
int hello_msg_get(const struct frame *frame, struct hello_msg *ret);

struct welcome_msg {
	uint32_t version;
	struct slice agent; /* its version; only for people who read the wire */
	uint32_t client;    /* never 0 */
	const char *report; /* a packed struct handoff_report, borrowed from the payload; NULL: none */
	size_t report_len;
};
int welcome_msg_put(struct buf *out, const char *agent_version, uint32_t client, const char *report,
		size_t report_len);
int welcome_msg_get(const struct frame *frame, struct welcome_msg *ret);

enum { SPAWN_LABEL_MAX = 64, ANNOUNCED_BY_MAX = 128 };

struct spawn_msg {
	char *key;      /* "" for none */
	uint32_t flags; /* SPAWN_… */
	uint16_t rows, cols;
	uint32_t spare_sets; /* ≤ SPARE_SETS_MAX */
	uint32_t window;
	char **argv, **env;
	char *cwd;
	const char *script; /* borrowed from the payload by the reader */
	size_t script_len;
	char *label; /* "" for none; at most SPAWN_LABEL_MAX bytes */
	char *by;    /* "": nobody is told of it; at most ANNOUNCED_BY_MAX bytes */
};
/* The whole frame. TRM_ETOOBIG when it does not fit one frame, or exceeds what the reader accepts. */
int spawn_msg_put(struct buf *out, uint32_t stream, const struct spawn_msg *msg);
int spawn_msg_get(const struct frame *frame, struct spawn_msg *ret);
void spawn_msg_finish(struct spawn_msg *msg); /* frees what the reader allocated */

/* What happened before the client attached: see "Replay" in frame.h. For a new process everything but
 * `position` is zero. */
struct started_msg {
	uint32_t pid;   /* 0: the process has ended, and only its past is replayed */
	bool was_there; /* attached */
	bool has_turn;
	bool is_torn; /* the first line on CONTROL has lost its beginning: skip to the first byte after its
			 newline */
	/* Old OUTPUT to come: the pins, and all of it (with the pins). */
	uint32_t pinned_bytes, replay_bytes;
	/* Bytes that the process and its predecessors with the same key have written to their own
	 * channels (notes do not count): `lost_bytes` up to the part of the replay after the pins,
	 * `position` until now. A client that was detached at position p has missed the bytes from p to
	 * lost_bytes. */
	uint64_t lost_bytes, position;
	const char *greeting; /* the first line on CONTROL, without its newline: a kernel's "ready"; borrowed
				 from the payload. Empty: none yet, or longer than FRAME_GREETING_MAX */
	size_t greeting_len;
};
int started_msg_put(struct buf *out, uint32_t stream, const struct started_msg *msg);
int started_msg_get(const struct frame *frame, struct started_msg *ret);

int turn_msg_put(struct buf *out, uint32_t stream, enum turn_word word);
int turn_msg_get(const struct frame *frame, enum turn_word *ret); /* TRM_EPROTO: unknown number */

int shared_msg_put(struct buf *out, const char *key);
int shared_msg_get(const struct frame *frame, char **ret_key); /* malloc'd */

/* The payload of ANNOUNCED: what the agent tells of a command of another client (frame.h: Commands), or
 * (PRESENT) what that client is. PRESENT may come twice. GONE has no more than `client`. */
enum announced_kind { ANNOUNCED_GONE, ANNOUNCED_BEGIN, ANNOUNCED_OUTPUT, ANNOUNCED_END, ANNOUNCED_PRESENT };
struct announced_msg {
	uint32_t client; /* the one that runs the process */
	enum announced_kind kind;
	uint32_t id;       /* of the command, never given twice */
	uint64_t position; /* bytes that the process had written before */
	/* BEGIN; PRESENT has `by` alone. Texts are borrowed and hostile. */
	uint64_t began_ms; /* since 1970 */
	uint32_t pid;      /* in the sandbox */
	const char *by;
	size_t by_len;
	const char *words;
	size_t words_len;
	/* OUTPUT */
	uint8_t channel; /* CHANNEL_STDOUT or CHANNEL_STDERR */
	const char *bytes;
	size_t n_bytes;
	/* END. -1 without a signal: its client has ended it, or has gone */
	int32_t exit_code;
	uint32_t signal;
};
/* TRM_ETOOBIG: it is longer than FRAME_ANNOUNCE_MAX. */
int announced_msg_put(struct buf *out, const struct announced_msg *msg);
int announced_msg_get(const struct frame *frame, struct announced_msg *ret);

/* SIGNAL_PID: u32 pid, u64 start (trm_process.start), u32 signo, u8 tree. */
struct signal_pid_msg {
	uint32_t pid;
	uint64_t start;
	uint32_t signo;
	bool has_tree; /* its descendants too */
};
int signal_pid_msg_put(struct buf *out, uint32_t stream, const struct signal_pid_msg *msg);
int signal_pid_msg_get(const struct frame *frame, struct signal_pid_msg *ret);

struct exited_msg {
	int32_t exit_code;
	uint32_t signal;
	uint64_t user_us, system_us, max_rss_bytes;
	/* If a signal from a client killed the process: that client's number and the pid from its HELLO.
	 * Else 0. */
	uint32_t by_client, by_pid;
	uint64_t oom_kills; /* processes of the sandbox that the kernel has killed for memory since the last
			       such message; 0 if only the carrier knows */
	bool has_unread;    /* it never read the last bytes that were sent to it on CONTROL */
};
int exited_msg_put(struct buf *out, uint32_t stream, const struct exited_msg *msg);
int exited_msg_get(const struct frame *frame, struct exited_msg *ret);

int error_msg_put(struct buf *out, uint32_t stream, int32_t code, const char *sentence);
struct trm_error;
int error_msg_get(const struct frame *frame,
		struct trm_error *ret); /* cleaned; an unknown code becomes TRM_EIO */

/* METRICS: u32 known, f64 cpu_percent, u64 cpu_ns, f64 cpu_limit, u64 mem, mem_peak, mem_limit, disk,
 * disk_limit, procs, procs_limit, net_rx, net_tx, uptime_ms, oom_kills, str source, u8 has_processes, u32 n,
 * then per process: u32 pid, u32 ppid, u8 state, u8 has_cpu, f64 cpu_percent, u64 mem_bytes, str command;
 * then u64 cpu_periods, cpu_throttled, throttled_ns, procs_refused, f64 throttled_percent, pressure of cpu,
 * mem, io, u8 pressure_is_machine, and per process again: u32 threads, u64 cpu_ns, u64 start. */
struct trm_metrics;
struct trm_process;
enum { METRICS_MAX_PROCESSES = 256 };
int metrics_msg_put(struct buf *out, const struct trm_metrics *metrics);
/* Fills *ret. Processes go to `table` (METRICS_MAX_PROCESSES rows); commands are cleaned. time_ns stays
 * 0. */
int metrics_msg_get(const struct frame *frame, struct trm_metrics *ret, struct trm_process *table);

#endif
