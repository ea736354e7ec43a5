/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_REMOTE_H
#define TERRARIUM_REMOTE_H

/* Sandboxes that live on a server, for the backend "microsandbox". */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/api.h>
#include <terrarium/error.h>
#include <terrarium/metrics.h>

TRM_BEGIN_API

struct trm_loop;
struct trm_sandbox_opts;

enum {
	TRM_REMOTE_LIST_MAX = 32,   /* maximum number of volumes, of ports and of scripts */
	TRM_REMOTE_URL_BYTES = 512, /* including the NUL, like the next two */
	TRM_API_KEY_BYTES = 4096,
	TRM_REMOTE_SPACE_BYTES = 64,
};

struct trm_script {
	const char *name, *text;
};

/* What to do if a sandbox of that name already runs at the server. */
enum trm_remote_join {
	TRM_REMOTE_START,         /* take it over: it stops when we close it, as with any of its clients */
	TRM_REMOTE_JOIN_OR_START, /* use it and leave it running; if there is none, start one as above */
	/* use it and leave it running; if there is none, `closed` reports TRM_ENOENT */
	TRM_REMOTE_JOIN,
};

/* For the backend "microsandbox", whose sandboxes live on a server. Other backends ignore it. A zeroed
 * struct is valid. */
struct trm_remote_opts {
	enum trm_remote_join join;
	const char *url; /* NULL: the environment's MSB_SERVER_URL, else "http://127.0.0.1:5555" */
	/* NULL: the environment's MSB_API_KEY, else no key is sent; "": no key is sent */
	const char *api_key;
	const char *space; /* namespace; NULL: "default" */
	/* PEM; NULL: CURL_CA_BUNDLE, SSL_CERT_FILE, else the system's certificate authorities */
	const char *ca_file;
	const char *image; /* NULL: microsandbox/python, and for JavaScript microsandbox/node */
	const char *shell; /* NULL: the image's own */
	/* "HOST:GUEST": a path on the server's machine, and the path inside */
	const char *const *volumes;
	size_t n_volumes;
	const char *const *ports; /* "HOST:GUEST", or "PORT" for both */
	size_t n_ports;
	const struct trm_script *scripts; /* files in /.sandbox/scripts */
	size_t n_scripts;
};

/* The options that a command line needs before the name of a sandbox at this server, followed by a space:
 * "--backend microsandbox ", and --namespace and --server-url if they are not the defaults. Returns `out`. */
enum { TRM_REMOTE_OPTIONS_BYTES = 640 };
const char *trm_remote_format_options(const struct trm_remote_opts *server, char *out, size_t cap);

/* Stop a sandbox on a server without opening it: opts->name, with opts->server and backend. It is no error
 * if the sandbox has already stopped. Exactly one `fn` follows, if this returns 0. TRM_ENOTSUP: the backend
 * has no server. */
int trm_remote_stop(struct trm_loop *loop, const struct trm_sandbox_opts *opts, trm_done_fn *fn, void *user,
		struct trm_error *reterr);

/* List the sandboxes of opts->server.space at a server ("*": of all namespaces, if the key is for all).
 * Exactly one `fn` follows, if this returns 0. It gets the rows (borrowed; clean text, but otherwise
 * hostile), or why->code. TRM_ENOTSUP: the backend has no server. */
struct trm_remote_entry {
	char space[TRM_REMOTE_SPACE_BYTES], name[TRM_REMOTE_SPACE_BYTES];
	bool is_running;
	struct trm_sample sample;
};
typedef void trm_remote_list_fn(
		void *user, const struct trm_remote_entry *entries, size_t n, const struct trm_error *why);
int trm_remote_list(struct trm_loop *loop, const struct trm_sandbox_opts *opts, trm_remote_list_fn *fn,
		void *user, struct trm_error *reterr);

TRM_END_API

#endif
