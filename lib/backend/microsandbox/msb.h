/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_MSB_H
#define TRM_BACKEND_MICROSANDBOX_MSB_H

/* Sandboxes on a microsandbox server: JSON-RPC 2.0 over HTTP, as its releases 0.2.x speak it.
 *
 * All layers above a carrier work unchanged, because the far end of the stream is a translator in our own
 * process. It turns frames of the agent's protocol and lines of the kernels' protocol into requests to
 * the server.
 *
 *   msb.c             the carrier: its life, the stream, the dispatch of frames
 *   settings.c        the options it was opened with
 *   call.c            one request and its answer        reply.c  the meaning of an answer (pure)
 *   box.c             one sandbox at the server: python's, and node's when it is first wanted
 *   proc.c            one process as the client sees it: output, credit, the end
 *   kernel.c          a process that speaks the kernels' protocol
 *   plain.c           runs and commands at a plain server
 *   is_complete.c     is a typed statement complete? (pure)
 *   feed.c            code for interpreters that are fed lines (pure)
 *   events.c          runs and commands at a server with our extension
 *   run_control.c     input, signals and questions at such a server
 *   traceback_parse.c the exception in a run's output (pure)
 *   list.c            the other sandboxes there
 *   metrics.c   guards.c   file.c
 *
 * Facts about the protocol come from its server's source at tag microsandbox-v0.2.6 (route.rs,
 * handler.rs, payload.rs, middleware.rs) and from its Python package 0.1.8. */

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
	MSB_HEALTH_MS = 10000,    /* for the server to answer at all */
	MSB_ERRAND_MS = 15000,    /* for quick requests: metrics */
	MSB_STOP_MS = 5000,       /* for the server to stop a sandbox at the end */
	MSB_RESULT_MAX = 8 << 20, /* bytes of an answer with output */
	MSB_ANSWER_MAX = 1 << 20, /* of any other */
	MSB_TAG_BYTES = 24,       /* of feed.h */
	MSB_OUT_MAX = 64 << 20,   /* output of a process that its client has not read yet */
};

/* Extensions of a server beyond 0.2.x: words of its header field Terrarium-Extensions
 * (<terrarium/server.h>). */
enum msb_extension {
	MSB_EVENTS = 1 << 0,    /* output as it comes */
	MSB_INPUT = 1 << 1,     /* input for runs and commands */
	MSB_INTERRUPT = 1 << 2, /* of a run */
	MSB_ASK = 1 << 3,       /* questions to interpreters */
	MSB_FILES = 1 << 4,
	MSB_TERMINAL = 1 << 5, /* terminals for commands */
};

struct msb;
struct msb_proc;

/* ---- settings.c ------------------------------------------------------------------------ */

struct msb_settings {
	char *url; /* as displayed: without a slash at its end */
	char *rpc_url, *health_url;
	char *key;           /* NULL: none */
	char *authorization; /* the header line with the key; NULL: none */
	char *ca_file;       /* NULL: the usual ones */
	char space[MSB_NAME_MAX + 1];
	enum trm_remote_join join;
	char *image;                   /* NULL: the caller named none */
	char workdir[TRM_INSIDE_PATH]; /* the client's idea of where processes start; nobody asked for it */
	cJSON *config;                 /* of sandbox.start, without image */
	uint32_t start_timeout_ms;
	double cpus;               /* as requested */
	unsigned is_complete_cpus; /* as the server gets them */
	uint64_t mem_bytes;
	bool wants_net;
};

/* TRM_EINVAL with a sentence. */
int msb_settings_init(
		struct msb_settings *settings, const struct trm_sandbox_opts *opts, struct trm_error *reterr);
void msb_settings_finish(struct msb_settings *settings); /* accepts a zeroed object */

/* ---- call.c ------------------------------------------------------------------------------ */

struct msb_call;

struct msb_request {
	const char *method;
	cJSON *params;       /* the call takes it, also when it fails */
	uint32_t timeout_ms; /* 0: none */
	size_t max_bytes;
	bool is_once; /* see loop/request.h */
	/* Its purpose in a sentence: "start sandbox 'x'". */
	char what[128];
};

/* `result` NULL: the call failed, and `why` is a whole sentence; otherwise borrowed. The call is freed
 * when this returns. */
typedef void msb_reply_fn(void *user, const cJSON *result, const struct trm_error *why);
int msb_call(struct msb *msb, const struct msb_request *request, msb_reply_fn *fn, void *user,
		struct msb_call **ret, struct trm_error *reterr);
void msb_call_cancel(struct msb_call *call); /* no reply follows; accepts NULL */
/* {"sandbox": name, "namespace": …}; NULL when out of memory. */
cJSON *msb_params(const struct msb *msb, const char *box_name);
/* Send any request to the RPC address, with key and content type, for requests that are no plain calls.
 * The body is `params` of `method` in an envelope. `accept` NULL: JSON. Borrows `params`. */
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
	char warning[256];      /* how the start differs from the request; reported before the first run */
	bool is_wanted;         /* while it stops: start it again */
	bool was_seen_running;  /* by metrics, since it was started */
	unsigned seen_stopped;  /* how often in a row metrics have not seen it after that */
	struct msb_call *call;  /* a look, a start or a stop */
	struct msb_call *early; /* a stop during the start */
};

/* Get the sandbox running. msb_box_is_up() of msb.c follows, or msb_box_failed(), after this has
 * returned. */
void msb_box_want(struct msb_box *box);
/* Stop the sandbox, whatever it does. A new one is started as soon as it is wanted. */
void msb_box_restart(struct msb_box *box);
/* Request the rows of all sandboxes of the namespace. False: the request cannot be made. */
bool msb_box_list(struct msb_box *box, uint32_t limit_ms, msb_reply_fn *fn);
/* A request that needs the sandbox was refused: if the sandbox no longer runs, report that and close. */
void msb_box_check(struct msb_box *box);
/* May this error mean that the sandbox does not exist? Servers report that in different ways: any refusal
 * except of the key may mean it. */
bool msb_means_absence(const struct trm_error *why);
/* At the end of everything: if there is something to stop, msb_box_is_down() follows. A sandbox that was
 * running before us stays, unless `with_found`. */
void msb_box_end(struct msb_box *box, bool with_found);

/* ---- dialects ------------------------------------------------------------------------------ */

/* How a server runs code. Every function may end the process (msb_proc_end, msb_proc_fail). */
struct msb_dialect {
	/* Begin with p->code in p->lang; ends with msb_kernel_done() or the end of the process. */
	void (*run)(struct msb_proc *p);
	/* Begin with p->argv; ends with the end of the process. */
	void (*command)(struct msb_proc *p);
	/* Bytes for stdin; msb_proc_taken() must follow. eof: the end of stdin; with is_reset, bytes that
	 * were not taken yet are discarded. */
	void (*input)(struct msb_proc *p, const char *bytes, size_t n);
	void (*eof)(struct msb_proc *p, bool is_reset);
	/* The terminal's size is now p->rows and p->cols. */
	void (*resize)(struct msb_proc *p);
	/* A signal for the current run or command. */
	void (*signal)(struct msb_proc *p, uint32_t signo);
	/* A question of kernel.h; msb_kernel_reply() answers it with the same id. */
	void (*ask)(struct msb_proc *p, const char *op, const char *id, const cJSON *request);
	/* Nobody wants the current run any more. */
	void (*drop)(struct msb_proc *p);
	/* Output has gone to the client. May be NULL. */
	void (*room)(struct msb_proc *p);
};

extern const struct msb_dialect msb_plain, msb_events;

/* Of plain.c: the params of a command. */
cJSON *msb_command_params(const struct msb_proc *p);

/* ---- proc.c ---------------------------------------------------------------------------------- */

struct msb_proc {
	struct msb *msb;
	uint32_t stream;             /* 0: this row is free */
	uint32_t pid;                /* invented: the server has none */
	const struct trm_lang *lang; /* of a kernel; NULL: a command */
	struct msb_box *box;
	bool is_waiting; /* for its box to come up */
	char label[128];
	/* Output and events in order: u8 channel, u32 n, then n bytes. The first piece has lost its head,
	 * and piece_left of its bytes remain. */
	struct buf pieces;
	uint8_t piece_channel;
	size_t piece_left;
	uint64_t credit;
	bool will_exit; /* once everything is sent */
	struct exited_msg exit;
	/* input */
	bool stdin_is_open, has_reported_stdin;
	/* a kernel's */
	struct kernel_lines requests;
	char run_id[32]; /* of the current run; "": none */
	char *code;
	size_t code_len;
	char tag[MSB_TAG_BYTES]; /* marks the end of its output on a plain server */
	uint64_t timeout_ms;     /* of the run; 0: none */
	uint64_t begun_ns;
	uint64_t n_runs;
	bool is_interrupted, has_reported_interrupt;
	bool is_leaving;      /* the current run is the end of the program (op "leave") */
	const cJSON *request; /* the run's, while it begins */
	/* a command's; NULL-terminated */
	char **argv, **env;
	char *cwd;
	bool has_terminal;
	uint16_t rows, cols;
	/* requests under way */
	struct msb_call *call;
	void *own; /* the dialect's */
};

void msb_spawn(struct msb *msb, uint32_t stream, const struct spawn_msg *msg);
struct msb_proc *msb_proc_find(struct msb *msb, uint32_t stream);
void msb_proc_begin(struct msb_proc *p); /* its box is up */
/* Queue output; n bytes on CHANNEL_STDOUT, CHANNEL_STDERR or CHANNEL_CONTROL. */
void msb_proc_print(struct msb_proc *p, uint8_t channel, const char *bytes, size_t n);
/* Print our own line on stderr: "terrarium: …". */
void msb_proc_say(struct msb_proc *p, const char *sentence);
void msb_proc_flush(struct msb_proc *p); /* send as much as credit allows; may end the process */
/* End the process once everything is sent. */
void msb_proc_end(struct msb_proc *p, int exit_code, uint32_t signo);
/* End the process now, without an exit status. */
void msb_proc_fail(struct msb_proc *p, const struct trm_error *why);
/* n bytes for stdin have been dealt with. */
void msb_proc_taken(struct msb_proc *p, size_t n);
void msb_proc_frame(struct msb_proc *p, const struct frame *frame); /* INPUT, STDIN, SIGNAL, CREDIT, CLOSE */
void msb_proc_finish(struct msb_proc *p);

/* ---- kernel.c ---------------------------------------------------------------------------------- */

void msb_kernel_start(struct msb_proc *p);                             /* reports that it is ready */
void msb_kernel_feed(struct msb_proc *p, const char *bytes, size_t n); /* bytes of requests */
/* Answer a question. Takes `data`; NULL: `error` says why there is no answer. */
void msb_kernel_reply(struct msb_proc *p, const char *id, cJSON *data, const char *error);
/* The current run is over. `status`: "ok", "error", "interrupted"; exit_code -1: none. Takes `error`: an
 * object {name, message, traceback}, or NULL. */
void msb_kernel_done(struct msb_proc *p, const char *status, int exit_code, cJSON *error);
/* The current run is over; `done` is the event. Takes it. */
void msb_kernel_end(struct msb_proc *p, cJSON *done);
/* Any event of kernel.h with this name and the id of the current run. */
cJSON *msb_kernel_event(const struct msb_proc *p, const char *name);
void msb_kernel_send(struct msb_proc *p, cJSON *event); /* takes it; accepts NULL */

/* ---- list.c ------------------------------------------------------------------------------------ */

/* Ask what runs. list_fn follows unless the request fails, and the end follows in any case. */
void msb_list(struct msb *msb);
/* The carrier is over; closed() follows. In msb.c. */
void msb_end(struct msb *msb);

/* ---- metrics.c, guards.c, file.c ------------------------------------------------------------- */

void msb_metrics_watch(struct msb *msb, const struct frame *frame);
int msb_metrics_init(struct msb *msb, struct trm_error *reterr); /* the timer, removed by msb.c */
void msb_guards_fill(struct msb *msb);
/* Handle PUT, GET, DATA, TREE_…, FILE_OP, ENTRY, SIGNAL_PID, and CREDIT and CLOSE for such streams.
 * False: another frame. */
bool msb_file_frame(struct msb *msb, const struct frame *frame);
/* A file arrives faster than the server takes it. */
bool msb_files_are_full(const struct msb *msb);
/* Nobody wants the files any more: remove incomplete ones. msb_file_is_over() is called for each. */
void msb_files_give_up(struct msb *msb);
bool msb_files_are_given_up(const struct msb *msb); /* some were given up and are not over yet */
void msb_files_finish(struct msb *msb);

/* ---- msb.c ------------------------------------------------------------------------------------- */

enum { MSB_GUARDS_MAX = 10 };

/* The network of the server's sandboxes: its header field Terrarium-Network. */
enum msb_network { MSB_NETWORK_UNKNOWN, MSB_NETWORK_OFF, MSB_NETWORK_ON };

struct msb {
	struct carrier base;
	struct trm_loop *loop;
	struct msb_settings settings;
	char name[MSB_NAME_MAX + 1];
	unsigned extensions; /* enum msb_extension */
	enum msb_network network;
	bool has_reported_terminal; /* that the server has no terminals */
	const struct msb_dialect *dialect;
	struct msb_box boxes[2]; /* the sandbox itself, and node's */
	struct http_request *health;
	struct msb_call *calls;
	struct msb_file *files; /* copies in progress */
	uint64_t last_call;
	/* the stream */
	int host_fd, our_fd;
	struct trm_watch *watch;
	struct buf in, out;
	/* life */
	struct trm_timer *soon;    /* delivers `connected` and `closed` */
	struct trm_timer *at_last; /* limits the wait for the server's answer at the end */
	uint64_t begun_ns;
	bool is_errand;              /* only stops the sandbox, or lists sandboxes; `why` is the result */
	trm_remote_list_fn *list_fn; /* for a list, else NULL */
	void *list_user;
	bool is_up, is_connected, is_stopping, is_over;
	bool is_waiting; /* while it stops: for the server's answer */
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
/* Milliseconds that are left for the start. */
uint32_t msb_start_left_ms(const struct msb *msb);
/* Report a problem at the end, as a sentence. */
void msb_warn(struct msb *msb, const char *words);
/* The same for a sandbox that may still run; closed() reports it, too. */
void msb_stop_failed(struct msb *msb, const struct trm_error *why);
/* The sandbox no longer exists: closed() with `why` follows. */
void msb_fail(struct msb *msb, const struct trm_error *why);
/* Called by box.c. */
void msb_box_is_up(struct msb_box *box);
void msb_box_failed(struct msb_box *box, const struct trm_error *why);
void msb_box_is_down(struct msb_box *box);
void msb_file_is_over(struct msb *msb);
/* Did no server answer at all? */
bool msb_is_gone(const struct trm_error *why);
/* In metrics.c: the row of that name in the answer to sandbox.metrics.get; NULL: there is none. */
const cJSON *msb_metrics_row(const cJSON *result, const char *name);
/* Read a row into a zeroed sample. */
void msb_metrics_read(const struct msb *m, const cJSON *row, struct trm_sample *ret);

#endif
