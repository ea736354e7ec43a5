/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_FAKE_H
#define TRM_BACKEND_FAKE_H

/* The fake backend: an agent and kernels that live inside the calling process and run nothing. It speaks
 * the agent's protocol over a real socket. So all layers above a carrier can be tested as they are, on
 * machines without any sandbox, and with outcomes that do not vary.
 *
 * Its kernels understand one tiny language, whatever language was asked for. A statement is a line:
 *
 *   print TEXT         TEXT and a newline on stdout       write TEXT   without the newline
 *   err TEXT           on stderr                          value TEXT   the run's value
 *   set NAME VALUE     remember, one memory per language  get NAME     print it, or fail as NameError
 *   flood N            N lines of 100 bytes               sleep MS
 *   loop               until interrupted                  stubborn     loop, and ignore interrupts
 *   immortal           loop, and also ignore SIGTERM      deaf         loop; the first interrupt is lost
 *   ask PROMPT         ask for a line of input, print "got LINE"; fail as EOFError
 *   fail NAME MESSAGE  an exception with a traceback      exit N       end the run with that code
 *   compiled           says that the code begins: see kernel/kernel.h
 *   die SIGNAL         the signal kills the kernel        late MS TEXT print TEXT later, run or no run
 *   display MIME DATA
 *
 * Those that a shell starts (Java) do not say at their start that they tell "compiled", as old drivers.
 *
 * Commands (trm_proc_spawn without control pipes): true, false, echo ARG…, cat, sleep (for ever). Files
 * that were put are kept until the sandbox closes. Metrics are invented and the same at every start. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/loop.h>

#include "backend/backend.h"
#include "base/buf.h"
#include "wire/message.h"

enum { FAKE_PROCS = 32, FAKE_FILES = 16, FAKE_NAMES = 32, FAKE_LINE = 1024 };

struct fake;

struct fake_name {
	char name[64], value[256];
};

/* One process: a kernel, or a command. */
struct fake_proc {
	struct fake *fake;
	uint32_t stream; /* 0: this row is free */
	uint32_t pid;
	bool is_kernel;
	char command[128];
	/* output */
	struct buf out[2];  /* stdout and stderr of the current set that wait for credit */
	struct buf control; /* events, sent after earlier output */
	uint64_t credit;
	uint8_t set;
	bool will_exit; /* once everything is sent */
	struct exited_msg exit;
	/* input */
	struct buf in_control, in_stdin;
	bool stdin_is_open;
	/* the current run */
	char *code, *at; /* NULL: idle */
	char id[64];
	char value[FAKE_LINE];
	uint64_t flood_left;
	bool is_looping, is_stubborn, is_immortal, is_asking, is_deaf;
	struct trm_timer *sleep;
	/* output that comes later */
	struct trm_timer *late;
	char late_text[FAKE_LINE];
	uint8_t late_set;
	struct fake_name names[FAKE_NAMES];
};

struct fake_file {
	char *path;
	char *bytes;
	uint64_t n, size;
	uint32_t mode;
	uint32_t put_stream; /* the stream that writes it; 0: complete */
	bool is_tree;        /* that stream is a TREE_PUT */
};

struct fake {
	struct carrier base;
	struct trm_loop *loop;
	int host_fd, agent_fd;
	struct trm_watch *watch;
	struct trm_timer *soon; /* delivers `connected` and `closed` from the loop */
	struct trm_timer *metrics;
	bool is_connected, is_stopping, with_processes;
	bool prints_first;   /* FAKE_PRINTS in the environment: kernels print before they are ready */
	bool is_never_ready; /* FAKE_PRINTS=only: and never get ready */
	bool is_short;       /* out of memory: further output would be incomplete, so it hangs up */
	struct trm_error why;
	struct buf in, out;
	struct trm_limits limits;
	struct fake_proc procs[FAKE_PROCS];
	struct fake_file files[FAKE_FILES];
	uint32_t next_pid;
	uint64_t ticks;
};

/* fake.c: towards the client. */
void fake_send(struct fake *f); /* write what is in f->out */
void fake_broken(struct fake *f, const char *why);

/* fake_tree.c: TREE_GET, TREE_PUT, FILE_OP and ENTRY; and DATA, which returns false if the stream is no
 * tree's. */
void fake_tree(struct fake *f, const struct frame *frame);
bool fake_tree_data(struct fake *f, uint32_t stream, const char *bytes, size_t n);

/* fake_proc.c: processes, their output and credit. */
void fake_spawn(struct fake *f, uint32_t stream, const struct spawn_msg *msg);
struct fake_proc *fake_proc_find(struct fake *f, uint32_t stream);
bool fake_proc_print(struct fake_proc *p, int channel, const char *bytes, size_t n);
void fake_proc_event(struct fake_proc *p, const char *json);
void fake_proc_flush(struct fake_proc *p); /* send as much as credit allows; end the process if it is due */
void fake_proc_input(struct fake_proc *p, uint8_t channel, const char *bytes, size_t n);
void fake_proc_stdin(struct fake_proc *p, enum stdin_state state);
void fake_proc_signal(struct fake_proc *p, uint32_t signo);
void fake_proc_end(struct fake_proc *p, int exit_code, uint32_t signo);
void fake_proc_finish(struct fake_proc *p);

/* fake_kernel.c: the tiny language. */
void fake_kernel_start(struct fake_proc *p);
void fake_kernel_request(struct fake_proc *p, const char *line);
bool fake_kernel_can_step(const struct fake_proc *p);
void fake_kernel_step(struct fake_proc *p); /* run on until the end, or until it has to wait */
void fake_kernel_interrupt(struct fake_proc *p);

#endif
