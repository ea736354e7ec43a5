/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SERVER_H
#define TERRARIUM_SERVER_H

/* A server of sandboxes that speaks as the microsandbox server 0.2.x did: JSON-RPC 2.0 at /api/v1/rpc,
 * /api/v1/health, /mcp. It runs in the caller's loop and needs libmicrohttpd, which is loaded when it is
 * opened.
 *
 * Extension. All replies carry "Terrarium-Extensions: events, input, interrupt, ask, terminal, files"; a
 * client that does not ask for any of it sees no change. `POST /api/v1/rpc` with `Accept: text/event-stream`
 * and sandbox.repl.run or sandbox.command.run is answered by server-sent events, once the run is taken on
 * (what fails before has a plain reply, with its status), and by the header `Terrarium-Run: ID`:
 *
 *   output    {"stream":"stdout|stderr","text":…}   as printed; may end within a line, not within a character
 *             {"stream":…,"base64":…}               bytes that are no UTF-8, or hold a NUL
 *   display   {"mime":…,"data":…,"bundle":n,"more":n}   as struct trm_display
 *   input     {"prompt":…,"secret":bool}            the code waits for a line
 *   lost      {"bytes":n}                           of output, too many while the run was being stopped
 *   result    as trm_result_to_json(), its output and displays empty    (code)
 *   exited    {"exit_code":n,"signal":n,"user_us":n,"system_us":n,"max_rss_bytes":n,"reason":…}    (commands)
 *             reason: if it was interrupted for printing too much, or has failed for a limit of the sandbox
 *   response  the object that a plain request would have got; always the last event
 *
 * and a comment every 15 s when there is nothing else. A client that reads slowly holds the run up. More
 * params then: "stdin":bool (default false: reads find the end), "file":text, "echo":bool,
 * "program":bool (is_program in struct trm_run_opts), "leave":bool (trm_session_leave()) of code; "stdin" and
 * "terminal":{"rows":n,"cols":n} of commands. Further methods, with "sandbox" and "namespace":
 *
 *   sandbox.run.input      {"run":ID,"text"|"base64":…,"eof":bool,"rows":n,"cols":n}
 *                          → {"accepted":bytes}, when the code has taken most of it
 *
 *   sandbox.run.interrupt  {"run":ID,"step":…,"hold":bool} → {}
 *                          step: interrupt, terminate, kill, pause, resume
 *                          hold: no further step follows by itself
 *
 *   sandbox.repl.ask       {"language":…,"question":…,"code":…,"cursor":n} → as in terrarium/session.h
 *                          question: complete, inspect, is_complete, variables, reset, restart
 *
 *   sandbox.file.put       {"path":…,"base64":…,"mode":n,"append":bool} → {"bytes":n}
 *   sandbox.file.get       {"path":…,"offset":n,"size":n} → {"base64":…,"mode":n,"size":of the whole file}
 *                          a piece has at most 1 MiB
 *
 *   sandbox.metrics.get    {"full":true}: rows of running sandboxes have a "sample", as struct trm_sample;
 *                          that of one that is named has "processes", as struct trm_process, from the
 *                          second request on
 *
 * A command that could not be started says so with its status and the header `Terrarium-Reason: not-found`
 * (not-executable); whatever is asked of a sandbox that does not run, with not-running.
 *
 * The reply of /api/v1/health says by the header `Terrarium-Network: on` (off) whether sandboxes have one.
 *
 * A client that leaves during a run has it interrupted, by the session's steps; the next one does not wait
 * for it. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/sandbox.h>

struct trm_error;
struct trm_policy;
struct trm_loop;
struct trm_server;

enum { TRM_SERVER_KEY = 33, TRM_SERVER_TOKEN = 4096 }; /* bytes of either, NUL and all */

/* The server key, by which API keys are signed: 32 letters and digits in a file that nobody else can read,
 * made if it is not there, or anew. `path` NULL: terrarium/server.key in $XDG_DATA_HOME, or in
 * ~/.local/share. Errors: TRM_EPERM others can read it, or it is another user's; TRM_EINVAL it holds
 * something else; those of files. */
int trm_server_key(const char *path, bool is_reset, char key[TRM_SERVER_KEY], struct trm_error *reterr);

/* An API key for one namespace ("*": for all) from now on: "msb_" and a JSON Web Token. TRM_EINVAL the
 * namespace's name; TRM_ENOTSUP: libgnutls is missing. */
int trm_server_token(const char *key, const char *name_space, uint64_t lifetime_s, char ret[TRM_SERVER_TOKEN],
		struct trm_error *reterr);

struct trm_serve_opts {
	struct trm_container_opts
			container; /* of backends that are recipes: image, user … of every sandbox */
	const char *host;          /* address or name to listen at; NULL: 127.0.0.1 */
	uint16_t port;             /* 0: any that is free */
	const char *key; /* from trm_server_key(); NULL: developers' mode, everybody may do everything, … */
	bool is_forced;  /* … from elsewhere too: else the host must be this machine itself */
	unsigned max_connections; /* 0: 1000 */
	/* What survives the stop of a sandbox, a folder for each namespace; NULL: terrarium/namespaces in
	 * $XDG_STATE_HOME, or in ~/.local/state. */
	const char *namespace_dir;
	const char *backend;          /* where the sandboxes live; NULL: local */
	enum trm_isolation isolation; /* of local ones */
	/* Of the backend "microsandbox": url, api_key and ca_file of the server that is asked, which must be
	 * another one. NULL: as if all were NULL. Borrowed until cb->closed. */
	const struct trm_server_opts *server;
	unsigned max_sandboxes;    /* at a time; 0: no limit but the machine's */
	uint32_t idle_timeout_ms;  /* a sandbox without requests is stopped after so long; 0: never */
	struct trm_limits limits;  /* of a sandbox whose start names none */
	uint32_t start_timeout_ms; /* of a sandbox; 0: 180 000 */
	/* Volumes with full host paths may lie below these directories; others are refused. NULL-terminated;
	 * NULL: none. Those with relative paths lie in the namespace's own folder. */
	const char *const *volume_dirs;
	uint64_t files_keep_bytes; /* the most that is saved of a sandbox's files when it stops; 0: 1 GiB */
	size_t output_keep_bytes;  /* of one run's output, in its reply; 0: 16 MiB */
	uint64_t output_max_bytes; /* what prints more is interrupted, and its result says so; 0: nothing is
				    */
	struct trm_policy *policy; /* what it refuses never runs (terrarium/policy.h); NULL: none. Borrowed */
};

/* 127.0.0.1, port 5555. */
void trm_serve_opts_default(struct trm_serve_opts *opts);

/* For logs: neither body nor key. What clients sent may hold any bytes. */
struct trm_server_request {
	const char *verb, *path;
	const char *note; /* of which method and sandbox: "sandbox.start default/box"; "" when it is not known
			   */
	int status;       /* 0: the client left before the answer */
	uint64_t took_ns;
};

struct trm_server_cb {
	/* A request is over. May be NULL. */
	void (*request)(void *user, const struct trm_server_request *request);
	/* Last callback, exactly once: all sandboxes are gone, and the handle dies when this returns. */
	void (*closed)(void *user, struct trm_server *server);
};

/* Open a server: from now on it answers.
 * Owns:   copies `opts`; borrows `loop`, `cb`, and the texts and lists of `opts`, until cb->closed.
 * Errors: TRM_ENOTSUP libmicrohttpd is missing; TRM_EBUSY the port is in use, or namespace_dir by another
 * server; TRM_EINVAL, TRM_EPERM the address. */
int trm_server_open(struct trm_loop *loop, const struct trm_serve_opts *opts, const struct trm_server_cb *cb,
		void *user, struct trm_server **ret_server, struct trm_error *reterr);
/* No new connections; what runs is ended and answered, then cb->closed. */
void trm_server_close(struct trm_server *server);

/* How many sandboxes are not stopped yet. */
unsigned trm_server_sandboxes(const struct trm_server *server);
uint16_t trm_server_port(const struct trm_server *server);

#endif
