/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOOP_REQUEST_H
#define TRM_LOOP_REQUEST_H

/* HTTP requests on a loop, for other rooms. The implementation uses HTTP/1.1 by libcurl, whose header
 * stays private. A thread of libcurl resolves names, so nothing here waits. Connections are kept and
 * reused.
 *
 * Proxies come from the usual variables (http_proxy, https_proxy, ALL_PROXY, NO_PROXY). TLS certificates
 * are always verified, against the authorities of the system or a given file. Redirects are not followed,
 * because the key in a request is meant for one server. */

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
	uint32_t timeout_ms;         /* for the whole request; 0: none */
	size_t max_bytes;            /* of the gathered body; a larger body is TRM_ETOOBIG */
	/* Never send the request twice: when a kept connection turns out to be closed, the request fails
	 * instead of moving to another connection. */
	bool is_once;
};

struct http_answer {
	int status;               /* 0: no answer */
	const char *content_type; /* "" if the answer names none */
	const char *body;         /* NUL-terminated after its n bytes; untrusted, like everything here */
	size_t n;
};

/* Called only from turns of the loop. Every callback may cancel the request. */
struct http_cb {
	/* Status and header fields are complete. May be NULL. */
	void (*head)(void *user, struct http_request *request, int status, const char *content_type);
	/* The body in chunks of any size; `body` of the answer is then empty. NULL: the body is gathered. */
	void (*body)(void *user, struct http_request *request, const char *bytes, size_t n);
	/* The last call, exactly once unless the request is canceled. The request is freed when the
	 * callback returns. why->code is TRM_OK if a complete answer came, whatever its status. Otherwise
	 * `why` holds a sentence without subject ("connection refused by 127.0.0.1 port 5555") and one of
	 * these codes: TRM_ENOENT no such host, or nobody listens there; TRM_ECLOSED the connection was
	 * lost; TRM_ETIMEDOUT; TRM_EPERM a bad certificate, or no secure connection; TRM_ETOOBIG;
	 * TRM_EPROTO the answer is no HTTP; TRM_EIO other. */
	void (*done)(void *user, const struct http_answer *answer, const struct trm_error *why);
};

/* Copies `opts` with all its texts; borrows `cb`. Errors: TRM_ENOTSUP without libcurl; TRM_EINVAL for an
 * invalid URL; TRM_ENOMEM. */
int http_send(struct trm_loop *loop, const struct http_opts *opts, const struct http_cb *cb, void *user,
		struct http_request **ret, struct trm_error *reterr);
/* Cancel the request and close its connection; no callback follows. Takes NULL. */
void http_cancel(struct http_request *request);
/* From `head` on: copy the header field of this name to `out`, cut to fit. False: there is no such field. */
bool http_request_field(const struct http_request *request, const char *name, char *out, size_t cap);
/* Stop reading from the connection, or continue. */
void http_pause(struct http_request *request, bool is_paused);

#endif
