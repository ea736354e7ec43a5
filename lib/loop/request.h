/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOOP_REQUEST_H
#define TRM_LOOP_REQUEST_H

/* HTTP requests on a loop, for the rooms above: HTTP/1.1 by libcurl, which stays behind this header. Names
 * are resolved in a thread of libcurl's, so nothing here waits. Connections are kept and used again.
 *
 * Proxies are taken from the usual variables (http_proxy, https_proxy, ALL_PROXY, NO_PROXY). TLS
 * certificates are always verified, against the system's authorities or a file of one's own. Redirects are
 * not followed: the key that a request carries was meant for one server. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

struct http_request;

struct http_opts {
	const char *url;             /* http or https */
	const char *const *headers;  /* "Name: value", NULL-terminated; may be NULL */
	const void *body;            /* NULL: GET, else POST */
	size_t body_len;             /* bytes */
	const char *ca_file;         /* PEM; NULL: CURL_CA_BUNDLE, SSL_CERT_FILE, else the system's */
	uint32_t connect_timeout_ms; /* 0: 10 000 */
	uint32_t timeout_ms;         /* from the beginning to the end; 0: none */
	size_t max_bytes;            /* of the answer's body, gathered: more of it is TRM_ETOOBIG */
	/* Never send the request twice: if the connection turns out to be closed, it is not sent again on
	 * another one. */
	bool is_once;
};

struct http_answer {
	int status;               /* 0: none came */
	const char *content_type; /* "" if it said none */
	const char *body;         /* NUL-terminated after its n bytes; untrusted, like everything here */
	size_t n;
};

/* From turns of the loop only. Every callback may cancel the request. */
struct http_cb {
	/* Status and header fields have come. May be NULL. */
	void (*head)(void *user, struct http_request *request, int status, const char *content_type);
	/* The body as it comes, of any size; the answer's own is then empty. NULL: it is gathered. */
	void (*body)(void *user, struct http_request *request, const char *bytes, size_t n);
	/* Last, exactly once, unless it is canceled; the request dies when this returns. why->code is TRM_OK
	 * if a whole answer came, whatever its status. Else a sentence without subject ("connection
	 * refused by 127.0.0.1 port 5555"), and the code: TRM_ENOENT no such host, or nobody listens
	 * there; TRM_ECLOSED the connection was lost; TRM_ETIMEDOUT; TRM_EPERM a certificate, or no secure
	 * connection; TRM_ETOOBIG; TRM_EPROTO what came is no HTTP; TRM_EIO other. */
	void (*done)(void *user, const struct http_answer *answer, const struct trm_error *why);
};

/* Copies `opts` with all its texts; borrows `cb`. Errors: TRM_ENOTSUP no libcurl; TRM_EINVAL a URL that is
 * none; TRM_ENOMEM. */
int http_send(struct trm_loop *loop, const struct http_opts *opts, const struct http_cb *cb, void *user,
		struct http_request **ret, struct trm_error *reterr);
/* Cancel the request and close its connection; no callback follows. Takes NULL. */
void http_cancel(struct http_request *request);
/* From `head` on: what the answer's header says under this name, into `out`, cut to fit; false: nothing. */
bool http_request_field(const struct http_request *request, const char *name, char *out, size_t cap);
/* The server has the whole request: it may have done what it was asked for. */
bool http_request_is_sent(const struct http_request *request);
/* Stop reading from the connection, or continue. */
void http_pause(struct http_request *request, bool is_paused);

#endif
