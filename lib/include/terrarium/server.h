/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SERVER_H
#define TERRARIUM_SERVER_H

/* A server of sandboxes that speaks the protocol of the microsandbox server 0.2.x: JSON-RPC 2.0 at
 * /api/v1/rpc, /api/v1/health, /mcp. It runs in the caller's loop and needs libmicrohttpd, which is loaded
 * when the server is opened.
 *
 * Extension. All replies carry "Terrarium-Extensions: events, input, interrupt, ask, terminal, files". A
 * client that asks for none of these sees no change. With `Accept: text/event-stream`, `POST /api/v1/rpc`
 * answers sandbox.repl.run and sandbox.command.run with server-sent events once the run is accepted
 * (earlier failures get a plain reply with their status), and with the header `Terrarium-Run: ID`:
 *
 *   output    {"stream":"stdout|stderr","text":…}   as printed; may end within a line, not within a character
 *             {"stream":…,"base64":…}               bytes that are not UTF-8, or contain a NUL
 *   display   {"mime":…,"data":…,"bundle":n,"more":n}   as in struct trm_display
 *   input     {"prompt":…,"secret":bool}            the code waits for a line
 *   lost      {"bytes":n}                           output dropped while the run was being stopped
 *   result    as in trm_result_to_json(), without output and displays    (code)
 *   exited    {"exit_code":n,"signal":n,"user_us":n,"system_us":n,"max_rss_bytes":n,"reason":…}    (commands)
 *             reason: set if it was interrupted for printing too much, or failed at a limit of the sandbox
 *   response  the reply to a plain request; always the last event
 *
 * A comment is sent every 15 s if there is no event. A client that reads slowly slows the run down. These
 * requests have more params. For code: "stdin":bool (default false: reads see end of file), "file":text,
 * "args":[text], "echo":bool, "program":bool (is_program in struct trm_run_opts), "leave":bool
 * (trm_session_run_exit()). For commands: "stdin" and "terminal":{"rows":n,"cols":n}. There are further
 * methods, with "sandbox" and "namespace":
 *
 *   sandbox.run.input      {"run":ID,"text"|"base64":…,"eof":bool,"rows":n,"cols":n}
 *                          → {"accepted":bytes}, when the code has taken most of it
 *
 *   sandbox.run.interrupt  {"run":ID,"step":…,"hold":bool} → {}
 *                          step: interrupt, terminate, kill, pause, resume
 *                          hold: no further step follows automatically
 *
 *   sandbox.repl.ask       {"language":…,"question":…,"code":…,"cursor":n} → as in terrarium/session.h
 *                          question: complete, inspect, is_complete, variables, members, table, reset,
 * restart
 *
 *   sandbox.file.put       {"path":…,"base64":…,"mode":n,"append":bool} → {"bytes":n}
 *   sandbox.file.get       {"path":…,"offset":n,"size":n} → {"base64":…,"mode":n,"size":of the whole file}
 *                          a piece has at most 1 MiB
 *
 *   sandbox.metrics.get    {"full":true}: rows of running sandboxes have a "sample", as in struct trm_sample;
 *                          the row of a named sandbox has "processes", as in struct trm_process, from the
 *                          second request on
 *
 * The header `Terrarium-Reason: not-found` (or not-executable) marks a command that could not be started;
 * its status says the same. Any request for a sandbox that does not run gets not-running.
 *
 * The header `Terrarium-Network: on` (or off) of /api/v1/health says whether sandboxes have a network.
 *
 * If a client disconnects during a run, the run is interrupted by the session's steps; the next run does
 * not wait for it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/sandbox.h>

TRM_BEGIN_API

struct trm_error;
struct trm_policy;
struct trm_loop;
struct trm_server;

enum { TRM_SERVER_KEY = 33, TRM_SERVER_TOKEN = 4096 }; /* bytes of each, including the NUL */

/* Get the server key, which signs API keys: 32 letters and digits in a file that no other user can read. It
 * is created if it is missing, or replaced with `is_reset`. `path` NULL: terrarium/server.key in
 * $XDG_DATA_HOME, or in ~/.local/share. Errors: TRM_EPERM other users can read it, or it belongs to another
 * user; TRM_EINVAL it contains something else; file errors. */
int trm_server_key(const char *path, bool is_reset, char key[TRM_SERVER_KEY], struct trm_error *reterr);

/* Make an API key for one namespace ("*": for all), valid from now on: "msb_" and a JSON Web Token.
 * TRM_EINVAL: the name of the namespace; TRM_ENOTSUP: libgnutls is missing. */
int trm_server_token(const char *key, const char *name_space, uint64_t lifetime_s, char ret[TRM_SERVER_TOKEN],
		struct trm_error *reterr);

/* Sandboxes that the server keeps ready: terrarium/pool.h. */
struct trm_serve_pool {
	const char *image; /* as start requests name it: "python", "microsandbox/node" */
	unsigned n_idle;   /* from 1 to 1000 */
	/* Code in the image's language that each sandbox runs before it is given away (`setup` of
	 * trm_pool_opts); NULL: none. */
	const char *setup;
};

struct trm_serve_opts {
	size_t size; /* sizeof(struct trm_serve_opts), as TRM_SERVE_OPTS_INIT sets it */
	struct trm_container_opts
			container; /* for backends that are recipes: image, user … of every sandbox */
	const char *host;          /* address or name to listen at; NULL: 127.0.0.1 */
	uint16_t port;             /* 0: any free port */
	const char *key;           /* from trm_server_key(); NULL: developer mode without keys */
	/* allow developer mode on any host; otherwise the host must be this machine itself */
	bool is_forced;
	unsigned max_connections; /* 0: 1000 */
	/* Listen nowhere: only trm_server_mcp() reaches it. Host, port, key, is_forced and max_connections
	 * have no effect then. */
	bool has_no_listener;
	/* The files that survive the stop of a sandbox, in a folder for each namespace. NULL:
	 * terrarium/namespaces in $XDG_STATE_HOME, or in ~/.local/state. */
	const char *namespace_dir;
	const char *backend;          /* where the sandboxes run; NULL: local */
	enum trm_isolation isolation; /* for local sandboxes */
	const char *from; /* the snapshot that all sandboxes start from (terrarium/snapshot.h); NULL: none */
	/* For the backend "microsandbox": url, api_key and ca_file of the server to use, which must be
	 * another one. NULL: as if all were NULL. Borrowed until cb->closed. */
	const struct trm_remote_opts *server;
	unsigned max_sandboxes;    /* at the same time; 0: limited only by the machine */
	uint32_t idle_timeout_ms;  /* stop a sandbox after this long without requests; 0: never */
	struct trm_limits limits;  /* for a sandbox whose start request names none */
	uint32_t start_timeout_ms; /* for a sandbox; 0: 180 000 */
	/* Volumes with absolute host paths must be below these directories; others are refused.
	 * NULL-terminated; NULL: none. Volumes with relative paths are in the namespace's own folder.
	 */
	const char *const *volume_dirs;
	uint64_t files_keep_bytes; /* how much of a sandbox's files is saved when it stops; 0: 1 GiB */
	size_t output_keep_bytes;  /* how much of a run's output its reply keeps; 0: 16 MiB */
	/* interrupt a run or command that prints more, and say so in its result; 0: no limit */
	uint64_t output_max_bytes;
	bool forbids_libraries; /* refuse runs that name libraries, since these are fetched from an index */
	/* code that it refuses never runs (terrarium/policy.h); NULL: none. Borrowed */
	struct trm_policy *policy;
	/* A start request gets a sandbox of a pool, if one is ready, it names that image or one with the same
	 * languages, and nothing else in its config differs from the defaults. Borrowed. They are in addition
	 * to max_sandboxes. Not for the backend "microsandbox": TRM_ENOTSUP. */
	const struct trm_serve_pool *pools;
	size_t n_pools;
	/* Snapshots that a start request may name in its config (`from`); any other one is refused, except
	 * that of `from` above. NULL-terminated; NULL: none. Borrowed. */
	const char *const *snapshots;
	/* Sandboxes outlive the server: trm_server_close() leaves those that run, and so does a server that
	 * is killed. The next server of this user and host name that is opened with `adopts` within five
	 * minutes goes on with them, under their names and with all that runs in them. One that cannot be
	 * adopted is removed, at the latest when its agent ends after five minutes; its name says why.
	 * SIGTERM may reach all processes of the server at once, as in a unit of systemd. TRM_ENOTSUP:
	 * sandboxes of the backend end with their client. TRM_EINVAL with pools, whose sandboxes have no
	 * names of their own. */
	bool adopts;
};

/* Defaults: 127.0.0.1, port 5555. */
#define TRM_SERVE_OPTS_INIT \
	{ \
		.size = sizeof(struct trm_serve_opts), .host = "127.0.0.1", .port = 5555, \
		.limits = TRM_LIMITS_INIT \
	}
void trm_serve_opts_init(struct trm_serve_opts *opts, size_t size);
#define trm_serve_opts_default(opts) trm_serve_opts_init(opts, sizeof *(opts))

/* A request, for logs, without body and key. Strings from clients may contain any bytes. */
struct trm_server_request {
	const char *verb, *path;
	const char *note; /* the method and sandbox: "sandbox.start default/box"; "" if unknown */
	int status;       /* 0: the client disconnected before the reply */
	uint64_t took_ns;
};

struct trm_server_cb {
	/* A request has ended. May be NULL. */
	void (*request)(void *user, const struct trm_server_request *request);
	/* The last callback, exactly once: all sandboxes are gone, and the handle becomes invalid when this
	 * returns. */
	void (*closed)(void *user, struct trm_server *server);
};

/* Check the section "server_images" of the config file `config_path` (as in trm_config_load()). TRM_EINVAL:
 * an image has no languages, or an unknown one (the sentence says where); file errors. */
int trm_server_check(const char *config_path, struct trm_error *reterr);

/* Open a server. It answers from now on.
 * Owns:   copies `opts`; borrows `loop`, `cb`, and the strings and lists of `opts`, until cb->closed.
 * Errors: TRM_ENOTSUP libmicrohttpd is missing; TRM_EBUSY the port, or namespace_dir, is used by another
 *         server; TRM_EINVAL, TRM_EPERM the address. */
int trm_server_open(struct trm_loop *loop, const struct trm_serve_opts *opts, const struct trm_server_cb *cb,
		void *user, struct trm_server **ret_server, struct trm_error *reterr);
/* Close the server. It accepts no new connections; current runs are ended and answered, then cb->closed
 * follows. */
void trm_server_close(struct trm_server *server);

/* Answer a message of the Model Context Protocol that did not come by HTTP (or a batch of them): JSON of at
 * most 2 MiB, which is copied. All namespaces are open to it. Exactly one `fn` follows, perhaps before this
 * returns; `reply` is JSON on one line, borrowed, and NULL if there is nothing to reply.
 * Errors, without `fn`: TRM_ETOOBIG, TRM_ECLOSED, TRM_ENOMEM. */
typedef void trm_server_reply_fn(void *user, const char *reply, size_t n);
int trm_server_mcp(struct trm_server *server, const char *message, size_t n, trm_server_reply_fn *fn,
		void *user, struct trm_error *reterr);

/* The number of sandboxes that have not stopped yet. */
unsigned trm_server_sandboxes(const struct trm_server *server);
uint16_t trm_server_port(const struct trm_server *server); /* 0: it listens nowhere */

TRM_END_API

#endif
