/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_MSB_H
#define TRM_BACKEND_MICROSANDBOX_MSB_H

/* Sandboxes on a microsandbox server: JSON-RPC 2.0 over HTTP, as its releases 0.2.x speak it.
 *
 * Everything above a carrier works unchanged, for at the far end of the stream is a translator in our own
 * process: frames of the agent's protocol and lines of the kernels' protocol in, requests to the server out.
 *
 *   msb.c       the carrier: its life, the stream, who gets which frame
 *   settings.c  what it was opened with
 *   call.c      one request and its answer        reply.c  what an answer says (pure)
 *   box.c       one sandbox at the server: python's, and node's when it is first wanted
 *   proc.c      one process as the client sees it: output, credit, the end
 *   kernel.c    one that speaks the kernels' protocol
 *   plain.c     runs and commands as a plain server has them
 *   is_complete.c     is it all of a statement that was typed? (pure)
 *   feed.c      code for interpreters that are fed lines (pure)
 *   run_control.h     … and as one tells them that offers our extension
 *   traceback_parse.c     the exception in a run's output (pure)
 *   list.c      what else runs there
 *   metrics.c   guards.c   file.c
 *
 * Facts about the protocol: its server's source at tag microsandbox-v0.2.6 (route.rs, handler.rs, payload.rs,
 * middleware.rs) and its Python package 0.1.8. */

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include <terrarium/lang.h>
#include <terrarium/loop.h>
#include <terrarium/sandbox.h>

#include "backend/backend.h"
#include "base/buf.h"
#include "kernel/protocol.h"
#include "loop/request.h"
#include "wire/message.h"

enum {
	MSB_NAME_MAX = 63,        /* of sandboxes and namespaces, at the server */
	MSB_PROCS = 64,           /* processes of a sandbox at a time */
	MSB_HEALTH_MS = 10000,    /* that a server may take to say that it is there */
	MSB_ERRAND_MS = 15000,    /* for what is quick: metrics */
	MSB_STOP_MS = 5000,       /* that we wait at the end for the server to stop a sandbox */
	MSB_RESULT_MAX = 8 << 20, /* bytes of an answer with output */
	MSB_ANSWER_MAX = 1 << 20, /* of any other */
	MSB_TAG_BYTES = 24,       /* of feed.h */
	MSB_OUT_MAX = 64 << 20,   /* output of a process that its client has not taken yet */
};

/* What a server offers beyond 0.2.x: words of its header field Terrarium-Extensions (<terrarium/server.h>).
 */
enum msb_extension {
	MSB_EVENTS = 1 << 0,    /* output as it comes */
	MSB_INPUT = 1 << 1,     /* … and input for it */
	MSB_INTERRUPT = 1 << 2, /* of a run */
	MSB_ASK = 1 << 3,       /* questions to interpreters */
	MSB_FILES = 1 << 4,
	MSB_TERMINAL = 1 << 5, /* … of commands */
};

struct msb;
struct msb_proc;

/* ---- settings.c ------------------------------------------------------------------------ */

struct msb_settings {
	char *url; /* as it is shown: without a slash at its end */
	char *rpc_url, *health_url;
	char *key;           /* NULL: none */
	char *authorization; /* the header line with the key; NULL: none */
	char *ca_file;       /* NULL: the usual ones */
	char space[MSB_NAME_MAX + 1];
	enum trm_server_join join;
	char *image;                   /* NULL: none was named */
	char workdir[TRM_INSIDE_PATH]; /* what the client takes for where processes start: no wish of
					  anybody's */
	cJSON *config;                 /* of sandbox.start, without image */
	uint32_t start_timeout_ms;
	double cpus;               /* as asked for */
	unsigned is_complete_cpus; /* as the server gets them */
	uint64_t mem_bytes;
	bool wants_net;
};

/* TRM_EINVAL with a sentence. */
int msb_settings_init(
		struct msb_settings *settings, const struct trm_sandbox_opts *opts, struct trm_error *reterr);
void msb_settings_finish(struct msb_settings *settings); /* takes a zeroed object */

/* ---- call.c ------------------------------------------------------------------------------ */

struct msb_call;

struct msb_request {
	const char *method;
	cJSON *params;       /* owned by the call from now on, also when it fails */
	uint32_t timeout_ms; /* 0: none */
	size_t max_bytes;
	bool is_once; /* see loop/request.h */
	/* What it is for, in a sentence: "start sandbox 'x'". */
	char what[128];
};

/* `result` NULL: it failed, and `why` is a whole sentence; else borrowed. The call dies when it returns. */
typedef void msb_reply_fn(void *user, const cJSON *result, const struct trm_error *why);
int msb_call(struct msb *msb, const struct msb_request *request, msb_reply_fn *fn, void *user,
		struct msb_call **ret, struct trm_error *reterr);
void msb_call_cancel(struct msb_call *call); /* no reply follows; takes NULL */
/* {"sandbox": name, "namespace": …}; NULL when out of memory. */
cJSON *msb_params(const struct msb *msb, const char *box_name);
/* Send any request to the rpc address, with key and content type. `accept` NULL: JSON. For what is no
 * plain call: the body is `params` of `method` in an envelope. Borrows `params`. */
int msb_post(struct msb *msb, const struct msb_request *request, const char *accept, const struct http_cb *cb,
		void *user, struct http_request **ret, struct trm_error *reterr);
/* GET of the health address. */
int msb_get_health(struct msb *msb, const struct http_cb *cb, void *user, struct http_request **ret,
		struct trm_error *reterr);

/* ---- box.c --------------------------------------------------------------------------------- */

enum box_state { BOX_DOWN, BOX_LOOKING, BOX_STARTING, BOX_UP, BOX_STOPPING };

struct msb_box {
	struct msb *msb;
	char name[MSB_NAME_MAX + 1];
	const char *image; /* borrowed */
	enum box_state state;
	bool is_found;          /* it ran before us */
	char warning[256];      /* what the start was not as asked for, to be said before what runs first */
	bool is_wanted;         /* while it stops: to be started again */
	bool was_seen_running;  /* by metrics, since it was started */
	unsigned seen_stopped;  /* … and so often not, after that */
	struct msb_call *call;  /* of a look, a start or a stop */
	struct msb_call *early; /* of a stop while it starts */
};

/* Have it running: msb_box_is_up() of msb.c follows, or msb_box_failed(); not before this returns. */
void msb_box_want(struct msb_box *box);
/* Stop it, whatever it does; with `again` a new one is started as soon as one is wanted. */
void msb_box_restart(struct msb_box *box);
/* Ask for the rows of all sandboxes of the namespace. False: it cannot be asked. */
bool msb_box_list(struct msb_box *box, uint32_t limit_ms, msb_reply_fn *fn);
/* Something that needs it was refused: if it does not run any more, say so and close. */
void msb_box_check(struct msb_box *box);
/* Servers do not agree on how they say that they know of no such sandbox: any refusal but of the key may mean
 * it. */
bool msb_means_absence(const struct trm_error *why);
/* At the end of all: if there is anything to stop, msb_box_is_down() follows. One that was found running is
 * left so, unless `with_found`. */
void msb_box_end(struct msb_box *box, bool with_found);

/* ---- dialects ------------------------------------------------------------------------------ */

/* How a server runs things. Every function may end the process (msb_proc_end, msb_proc_fail). */
struct msb_dialect {
	/* Begin with p->code in p->lang; ends with msb_kernel_done() or the end of the process. */
	void (*run)(struct msb_proc *p);
	/* Begin with p->argv; ends with the end of the process. */
	void (*command)(struct msb_proc *p);
	/* Bytes for stdin: msb_proc_taken() is to follow. Its end; with is_reset what was not taken yet is
	 * thrown away. */
	void (*input)(struct msb_proc *p, const char *bytes, size_t n);
	void (*eof)(struct msb_proc *p, bool is_reset);
	/* Its terminal has p->rows and p->cols now. */
	void (*resize)(struct msb_proc *p);
	/* A signal for what runs: there is a run in hand, or it is a command. */
	void (*signal)(struct msb_proc *p, uint32_t signo);
	/* A question of kernel.h: answered by msb_kernel_reply() with the same id. */
	void (*ask)(struct msb_proc *p, const char *op, const char *id, const cJSON *request);
	/* Nobody wants to know of what is in hand any more. */
	void (*drop)(struct msb_proc *p);
	/* Some output has gone to the client. May be NULL. */
	void (*room)(struct msb_proc *p);
};

extern const struct msb_dialect msb_plain, msb_events;

/* Of plain.c: the params of a command. */
cJSON *msb_command_params(const struct msb_proc *p);

/* ---- proc.c ---------------------------------------------------------------------------------- */

struct msb_proc {
	struct msb *msb;
	uint32_t stream;             /* 0: this row is free */
	uint32_t pid;                /* made up: the server tells none */
	const struct trm_lang *lang; /* of a kernel; NULL: a command */
	struct msb_box *box;
	bool is_waiting; /* for its box to come up */
	char label[128];
	/* Output and events, in their order: u8 channel, u32 n, then n bytes; of the first piece
	 * piece_left are still there, without its head. */
	struct buf pieces;
	uint8_t piece_channel;
	size_t piece_left;
	uint64_t credit;
	bool will_exit; /* when everything is sent */
	struct exited_msg exit;
	/* input */
	bool stdin_is_open, has_reported_stdin;
	/* a kernel's */
	struct kernel_lines requests;
	char run_id[32]; /* of the run in hand; "": none */
	char *code;
	size_t code_len;
	char tag[MSB_TAG_BYTES]; /* that ends its output on a plain server */
	uint64_t timeout_ms;     /* of the run; 0: none */
	uint64_t begun_ns;
	uint64_t n_runs;
	bool is_interrupted, has_reported_interrupt;
	bool is_leaving;      /* the run in hand is the end of the program (op "leave") */
	const cJSON *request; /* the run's, while it is begun */
	/* a command's; NULL-terminated */
	char **argv, **env;
	char *cwd;
	bool has_terminal;
	uint16_t rows, cols;
	/* what is under way for it */
	struct msb_call *call;
	void *own; /* the dialect's */
};

void msb_spawn(struct msb *msb, uint32_t stream, const struct spawn_msg *msg);
struct msb_proc *msb_proc_find(struct msb *msb, uint32_t stream);
void msb_proc_begin(struct msb_proc *p); /* its box is up */
/* Queue output; n bytes on CHANNEL_STDOUT, CHANNEL_STDERR or CHANNEL_CONTROL. */
void msb_proc_print(struct msb_proc *p, uint8_t channel, const char *bytes, size_t n);
/* A line of ours on stderr: "terrarium: …". */
void msb_proc_say(struct msb_proc *p, const char *sentence);
void msb_proc_flush(struct msb_proc *p); /* send what credit allows; may end the process */
/* The process ends when all has been sent. */
void msb_proc_end(struct msb_proc *p, int exit_code, uint32_t signo);
/* It ends now, and nobody knows how. */
void msb_proc_fail(struct msb_proc *p, const struct trm_error *why);
/* So many bytes for stdin are dealt with. */
void msb_proc_taken(struct msb_proc *p, size_t n);
void msb_proc_frame(struct msb_proc *p, const struct frame *frame); /* INPUT, STDIN, SIGNAL, CREDIT, CLOSE */
void msb_proc_finish(struct msb_proc *p);

/* ---- kernel.c ---------------------------------------------------------------------------------- */

void msb_kernel_start(struct msb_proc *p);                             /* says that it is ready */
void msb_kernel_feed(struct msb_proc *p, const char *bytes, size_t n); /* of requests */
/* The answer to a question: `data` is owned; NULL: `error` tells why there is none. */
void msb_kernel_reply(struct msb_proc *p, const char *id, cJSON *data, const char *error);
/* The run in hand is over. `status`: "ok", "error", "interrupted"; exit_code -1: none. `error`: an object
 * {name, message, traceback} or NULL, and `value`, owned. */
void msb_kernel_done(struct msb_proc *p, const char *status, int exit_code, cJSON *error);
/* … by an event of one's own; owned. */
void msb_kernel_end(struct msb_proc *p, cJSON *done);
/* Any event of kernel.h with this name and the id of the run in hand. */
cJSON *msb_kernel_event(const struct msb_proc *p, const char *name);
void msb_kernel_send(struct msb_proc *p, cJSON *event); /* owned; takes NULL */

/* ---- list.c ------------------------------------------------------------------------------------ */

/* Ask what runs; list_fn follows unless it fails, and in any case the end. */
void msb_list(struct msb *msb);
/* It is over; closed() follows. Of msb.c. */
void msb_end(struct msb *msb);

/* ---- metrics.c, guards.c, file.c ------------------------------------------------------------- */

void msb_metrics_watch(struct msb *msb, const struct frame *frame);
int msb_metrics_init(struct msb *msb, struct trm_error *reterr); /* the timer, removed by msb.c */
void msb_guards_fill(struct msb *msb);
/* PUT, GET, DATA, TREE_…, FILE_OP, ENTRY, SIGNAL_PID; CREDIT and CLOSE of such. False: it is none of these.
 */
bool msb_file_frame(struct msb *msb, const struct frame *frame);
/* One that is copied comes quicker than the server takes it. */
bool msb_files_are_full(const struct msb *msb);
/* Nobody wants any of them: what is half made is removed, and msb_file_is_over() told of each. */
void msb_files_give_up(struct msb *msb);
bool msb_files_are_given_up(const struct msb *msb); /* some are, and not over yet */
void msb_files_finish(struct msb *msb);

/* ---- msb.c ------------------------------------------------------------------------------------- */

enum { MSB_GUARDS_MAX = 10 };

/* What the server's sandboxes have: its header field Terrarium-Network. */
enum msb_network { MSB_NETWORK_UNKNOWN, MSB_NETWORK_OFF, MSB_NETWORK_ON };

struct msb {
	struct carrier base;
	struct trm_loop *loop;
	struct msb_settings settings;
	char name[MSB_NAME_MAX + 1];
	unsigned extensions; /* enum msb_extension */
	enum msb_network network;
	bool has_reported_terminal; /* that there is none */
	const struct msb_dialect *dialect;
	struct msb_box boxes[2]; /* the sandbox itself, and node's */
	struct http_request *health;
	struct msb_call *calls;
	struct msb_file *files; /* copies under way */
	uint64_t last_call;
	/* the stream */
	int host_fd, our_fd;
	struct trm_watch *watch;
	struct buf in, out;
	/* life */
	struct trm_timer *soon;    /* delivers `connected` and `closed` */
	struct trm_timer *at_last; /* ends the wait for the server's word at the end */
	uint64_t begun_ns;
	bool is_errand; /* only to stop it, or to list what there is: `why` tells how that went */
	trm_server_list_fn *list_fn; /* of a list; NULL: it is none */
	void *list_user;
	bool is_up, is_connected, is_stopping, is_over;
	bool is_waiting; /* while it stops, for the server's word */
	struct trm_error why;
	uint32_t next_pid;
	struct msb_proc procs[MSB_PROCS];
	/* metrics */
	struct trm_timer *metrics;
	struct msb_call *metrics_call;
	bool wants_processes;
	unsigned metrics_failures; /* in a row, for want of a server */
	unsigned metrics_refusals; /* in a row, by the server */
	uint64_t up_ns;
	struct trm_guard guards[MSB_GUARDS_MAX];
	size_t n_guards;
};

enum { MSB_BOX_MAIN, MSB_BOX_NODE };

void msb_send(struct msb *msb); /* write what is in msb->out */
/* Milliseconds that a start may still take. */
uint32_t msb_start_left_ms(const struct msb *msb);
/* A sentence of what went wrong at the end. */
void msb_warn(struct msb *msb, const char *words);
/* The same of a sandbox that may still run: closed() tells it, too. */
void msb_stop_failed(struct msb *msb, const struct trm_error *why);
/* The sandbox is no more: closed() with `why` follows. */
void msb_fail(struct msb *msb, const struct trm_error *why);
/* Of boxes. */
void msb_box_is_up(struct msb_box *box);
void msb_box_failed(struct msb_box *box, const struct trm_error *why);
void msb_box_is_down(struct msb_box *box);
void msb_file_is_over(struct msb *msb);
/* The server has answered nothing at all: nobody is there. */
bool msb_is_gone(const struct trm_error *why);
/* Of metrics.c: the row of that name in the answer to sandbox.metrics.get; NULL: there is none. */
const cJSON *msb_metrics_row(const cJSON *result, const char *name);
/* What a row tells, into a sample that is zeroed. */
void msb_metrics_read(const struct msb *m, const cJSON *row, struct trm_sample *ret);

#endif
