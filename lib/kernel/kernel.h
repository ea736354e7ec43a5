/* SPDX-License-Identifier: MIT */
#ifndef TRM_KERNEL_H
#define TRM_KERNEL_H

/* Kernels: resident interpreters that keep state across runs. One driver each
 * in its own language, standard library only, embedded in the library and
 * read by the interpreter from descriptor 5.
 *
 * docs/languages.md is the page for those who write a driver of their own; keep it in step.
 *
 * Descriptors of a kernel process: 0 1 2 belong to the user's code (pipes); 3: requests,
 * 4: events, one JSON object per line, UTF-8; 5: the driver's source, closed by it;
 * 10+2(k-1), 11+2(k-1): spare stdout/stderr pair k, k = 1 … KERNEL_SPARE_SETS.
 * The driver keeps 3, 4 and the spare ones from being inherited by children (close-on-exec).
 *
 * Requests ("id" is a string, echoed):
 *   {"op":"run","id":"7","code":"…","file":"<run 7>"}
 *   with "timeout_ms":n, for kernels that live on a server of their own: what the run may take
 *   with "echo":true Python shows values of expressions inside blocks too, not only the last one's, and has
 *   sys.ps1 and sys.ps2, as at its own prompt
 *   with "args":["…"] the arguments of the program, where the row has takes_args
 *   with "env":["NAME=value",…] and "cwd":"…" the run has these variables and this working directory, where
 * the row has takes_env. The variables that the run had before, and the directory, are put back when it has
 * ended with "program":true the code is a whole program, the file "file": it is run as the interpreter itself
 * would run that file, which the driver puts into the working directory unless a file of that name is there.
 * The interpreter may end with it, and its exit code is then the run's, in place of a `done`
 *   {"op":"complete","id":…,"code":"…","cursor":n}   cursor in code points
 *   {"op":"inspect","id":…,"code":"…","cursor":n}
 *   {"op":"is_complete","id":…,"code":"…"}
 *   {"op":"variables","id":…,"cursor":n}             1: names and types only
 *   {"op":"members","id":…,"code":"PATH","cursor":n} what a value consists of, from the n-th member on
 *   {"op":"table","id":…,"code":"PATH","row":n,"count":n,"column":n,"width":n} a page of a table; with
 * "sort":column,"down":true in that order, with "find":"…","from":row the next row with this text
 *   {"op":"reset","id":…}
 *   {"op":"leave","id":"8"}                          do what is left at the end of a program (timers,
 * threads, exit handlers), then exit with the code that came of it. There is no event for that.
 *
 * Events:
 *   {"ev":"ready","version":"3.11.2"}                 once, when requests are being read; "protocol":1 is the
 *     version of all this (KERNEL_PROTOCOL), and need not be said; "tells_compiled":true if "compiled" comes
 *   {"ev":"input","id":"7","prompt":"…","secret":false}  code is about to wait for a line on stdin
 *   {"ev":"display","id":"7","data":{"image/png":"base64…","text/plain":"…"}}
 *   {"ev":"compiled","id":"7"}                        of batch languages with several commands and
 *     of those with the trait tells_compiled: the code begins now, and so does its time limit. The line
 *     begins with these very bytes (FRAME_COMPILED_MARK)
 *   {"ev":"late","stream":"stdout","text":"…"}        output known to come from an earlier run
 *   {"ev":"done","id":"7","status":"ok|error|interrupted","exit_code":0,"value":"…","error":{"name":…,"message":…,
 *     "traceback":["line",…]},"set":k,"cpu_us":n,"compile_us":n}     optional but status: value, error, set,
 * exit_code, cpu_us, compile_us (the time until the code was compiled). The line begins with these very bytes
 * (FRAME_END_MARK in wire/frame.h). Written after all of the run's own output was flushed. Everything batched
 * in one line: a run's answer is one write.
 *   {"ev":"reply","id":…,"data":{…}}                  or "error":"sentence"; shapes in terrarium/session.h
 *
 *   {"ev":"fate","reason":"killed: …"}               why the interpreter ends next; of carriers whose
 * interpreters run elsewhere (BACKEND_TELLS_FATE), from others it is passed over
 *
 * Output sets. Output of background processes of run N that arrives during run
 * N+1 must not count as N+1's. When a run ends and children of it are still
 * alive (or it cannot be excluded), the driver moves its descriptors 1 and 2
 * to the next set k that no other process holds (cyclically through 0 … KERNEL_SPARE_SETS, set 0
 * being duplicates of the first 1 and 2; the very next if all are held) and says "set":k in `done`;
 * output in any other set is late from then on.
 *
 * Interrupt: SIGINT to the kernel's process group. It stops the code, keeps the
 * state and ends the run as "interrupted"; between runs it does nothing.
 * One that comes when a request has been written, but its code has not begun, belongs to that run.
 * exit(), sys.exit(3), process.exit(), `exit 3`: end the run ("error" if not 0, with exit_code),
 * not the kernel.
 *
 * Cut: a request whose client has died before it was whole ends with the byte 0x18 before its newline
 * (FRAME_CUT). It is forgotten, without an event, and so is an interrupt that came before. No whole request
 * contains that byte.
 *
 * EOF on descriptor 3: exit. */

#include <stdbool.h>

#include <terrarium/lang.h>

#include "embed/embed.h"

enum { KERNEL_SPARE_SETS = 4, KERNEL_PROTOCOL = 1 };

/* Pieces of code in the language, by which the conformance test (conform/conform.h) tries a driver. */
enum kernel_sample {
	KERNEL_SAMPLE_PRINT,    /* prints the line "hello" */
	KERNEL_SAMPLE_COMPLAIN, /* prints it to standard error */
	KERNEL_SAMPLE_VALUE,    /* has the value 42 */
	KERNEL_SAMPLE_SET,      /* sets what "get" prints as the line "42" */
	KERNEL_SAMPLE_GET,
	KERNEL_SAMPLE_FAIL,  /* fails on its line 2 */
	KERNEL_SAMPLE_EXIT,  /* ends with exit code 3 */
	KERNEL_SAMPLE_READ,  /* prints a line of standard input */
	KERNEL_SAMPLE_LOOP,  /* prints the line "going", then runs for ever */
	KERNEL_SAMPLE_BYTES, /* prints the bytes ff fe and a newline */
	KERNEL_SAMPLE_LONG,  /* prints a line of a million x */
	KERNEL_SAMPLE_ARGS,  /* a whole program that prints its first argument as a line */
	KERNEL_SAMPLES,
};

struct kernel_spec {
	const char *const *argv; /* NULL-terminated */
	struct embed driver;     /* the source, for descriptor 5 */
	const char *const *env;  /* "NAME=value", NULL-terminated; NULL: nothing */
	/* An interrupt may get lost and is to be repeated: Bash does not notice one that arrives
	 * between its last look and the beginning of its wait for a child, which did not get it either. */
	bool loses_interrupts;
	/* One in many thousands gets lost, when the machine is busy: it is repeated once, after half of the
	 * grace, before the state is. */
	bool is_asked_twice;
	/* Its answers run no code of the user's and are quick: they are not to be interrupted when a run
	 * waits. */
	bool answers_quickly;
	/* Only a new process has forgotten everything: V8 keeps what `let` and `class` have declared. */
	bool resets_by_restart;
	/* It compiles before it runs, and says "compiled" in each run: see session/run_clock.c. Its greeting
	 * has to say so, too: the driver in a kept sandbox may be older than its row. */
	bool tells_compiled;
	/* What installs packages, which stand in place of the word {package}: NULL: trm_lang.install_command.
	 */
	const char *const *installer;
	bool fetches;                        /* the installer knows TERRARIUM_STEP: see lib/install/tool.c */
	const char *samples[KERNEL_SAMPLES]; /* NULL: the row has none of that name */
};

/* The name of a sample in a row: "print". */
const char *kernel_sample_name(enum kernel_sample sample);

/* How to start the kernel of a language. Never NULL. */
const struct kernel_spec *kernel_spec(const struct trm_lang *lang);
/* The script of a spec was copied: it need not stay in memory. */
void kernel_forget_scripts(void);

#endif
