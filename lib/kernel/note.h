/* SPDX-License-Identifier: MIT */
#ifndef TRM_KERNEL_NOTE_H
#define TRM_KERNEL_NOTE_H

/* What a session tells the others about the run that it is about to begin: one JSON line on CHANNEL_NOTE
 * (wire/frame.h) before the request. Its end is the kernel's own `done` of that id.
 *
 *   {"ev":"begin","id":"4294967299","number":3,"at_ms":1700000000000,"timeout_ms":30000,"grace_ms":2000,"set":0,
 *    "stdin":true,"by":"terrarium repl, pid 42","file":"<run 3>","code":"…","code_cut":n}
 *
 * and one more before it is interrupted because its time is up:
 *
 *   {"ev":"limit","id":"4294967299","timeout_ms":30000}
 *
 * with "compiling":true if its code had not begun; and one when a question of its code was answered, before
 * the answer:
 *
 *   {"ev":"answer","id":"4294967299"}
 *
 * and one for the agent alone when the clock of its time limit stops, goes on, or was put back:
 *
 *   {"ev":"clock","id":"4294967299","timeout_ms":60000,"left_ms":12000,"stops":0}
 *
 * with "code_ms":60000 while it is being compiled: what its code may take then.
 *
 * The first line begins as FRAME_BEGIN_FORMAT says, the last is as FRAME_CLOCK_FORMAT, and the others begin
 * with FRAME_LIMIT_MARK and FRAME_ANSWER_MARK. `set` is the kernel's output set in use (kernel.h). The line
 * comes by way of the sandbox, and from whoever else is in there: it is decoded as any hostile line. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct cJSON;

/* A whole line fits the wire's window beside what has not been given back of it. */
enum { KERNEL_NOTE_MAX = 192 * 1024 };

enum note_kind { NOTE_BEGIN, NOTE_LIMIT, NOTE_ANSWER, NOTE_CLOCK /* never decoded */ };

/* Texts are borrowed: from the caller, or from `json`. */
struct kernel_note {
	/* Of LIMIT only `id`, `timeout_ms` and `is_compiling` count, of ANSWER `id`, of CLOCK `id`,
	 * `timeout_ms`, `left_ms`, `code_ms` and `stops`. */
	enum note_kind kind;
	uint64_t id, number;
	uint64_t at_ms;      /* since 1970; 0: not known */
	uint64_t timeout_ms; /* 0: none */
	uint64_t grace_ms;   /* from the first interrupt to the end; not decoded */
	uint64_t left_ms, code_ms;
	bool is_compiling;
	unsigned stops; /* FRAME_CLOCK_… */
	int set;
	bool offers_stdin;
	const char *by, *file;
	const char *code;
	size_t code_len;
	size_t code_cut; /* decoded: bytes that did not fit */
	struct cJSON *json;
};

/* Append the line, newline included; what is too much of the code is cut. TRM_ETOOBIG or TRM_ENOMEM. */
int kernel_note_put(struct buf *out, const struct kernel_note *note);
/* Decode a line (without its newline), which is changed in place. False: it is none of ours. */
bool kernel_note_decode(char *line, size_t n, struct kernel_note *ret);
void kernel_note_finish(struct kernel_note *note);

#endif
