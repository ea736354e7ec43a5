/* SPDX-License-Identifier: MIT */
/* Theory of operation.
 *
 * A request is an easy handle in the loop's multi handle. curl's callbacks only gather data, because they
 * must not add handles to the multi handle or remove them. After curl has returned, the loop walks over
 * the requests and makes the caller's callbacks, which may therefore do anything. */
#include "loop/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/err.h"
#include "loop/http_internal.h"
#include "loop/loop.h"

enum { CONNECT_TIMEOUT_MS = 10000, HEAD_MAX = 64 * 1024, KEEPALIVE_S = 30, STATUS_FIRST_FINAL = 200 };

struct http_request {
	struct http_request *next;
	struct http *http;
	const struct http_cb *cb;
	void *user;
	CURL *easy; /* NULL after the end */
	struct curl_slist *headers;
	char *body; /* n_body bytes, of which curl has taken n_taken */
	size_t n_body, n_taken;
	size_t max_bytes;
	uint32_t timeout_ms;
	int status;
	struct buf head;             /* fields of the answer, each with its line end */
	struct buf bytes;            /* body bytes that are not yet delivered */
	bool has_head, has_reported; /* the fields are complete; `head` was called */
	bool is_too_big, is_over, is_dead;
	bool is_paused, is_full; /* paused by the caller; paused because too much is undelivered */
	CURLcode code;           /* valid with is_over */
	char words[CURL_ERROR_SIZE];
};

/* ---- curl's callbacks ------------------------------------------------------------------- */

static size_t on_header(char *line, size_t size, size_t n, void *user)
{
	struct http_request *r = user;
	(void)size;
	if (n > 5 && memcmp(line, "HTTP/", 5) == 0) {
		const char *blank = memchr(line, ' ', n);
		buf_clear(&r->head);
		r->status = blank && n - (size_t)(blank - line) > 3 ? atoi(blank + 1) : 0;
	} else if (n <= 2 && (line[0] == '\r' || line[0] == '\n')) {
		r->has_head = r->status >= STATUS_FIRST_FINAL;
	} else if (buf_append(&r->head, line, n) < 0) {
		r->is_too_big = true;
		return 0;
	}
	return n;
}

static size_t on_body(char *bytes, size_t size, size_t n, void *user)
{
	struct http_request *r = user;
	(void)size;
	if (buf_append(&r->bytes, bytes, n) == 0)
		return n;
	if (r->cb->body) { /* the rest comes after the delivery of these bytes */
		r->is_full = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	r->is_too_big = true;
	return 0;
}

/* curl gets no rewind function: see is_once. */
static size_t on_send(char *out, size_t size, size_t n, void *user)
{
	struct http_request *r = user;
	size_t left = r->n_body - r->n_taken, room = size * n;
	if (left > room)
		left = room;
	memcpy(out, r->body + r->n_taken, left);
	r->n_taken += left;
	return left;
}

/* ---- start -------------------------------------------------------------------------------- */

static const char *ca_file(const struct http_opts *o)
{
	static const char *const variables[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE"};
	if (o->ca_file && *o->ca_file)
		return o->ca_file;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *path = getenv(variables[i]);
		if (path && *path)
			return path;
	}
	return NULL;
}

static void set_policy(struct http_request *r, const struct http_opts *o)
{
	__typeof__(r->http->curl_easy_setopt) set = r->http->curl_easy_setopt;
	const char *authorities = ca_file(o);
	uint32_t connect_ms = o->connect_timeout_ms ? o->connect_timeout_ms : CONNECT_TIMEOUT_MS;
	set(r->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	set(r->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	set(r->easy, CURLOPT_FOLLOWLOCATION, 0L);
	set(r->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	set(r->easy, CURLOPT_NOSIGNAL, 1L);
	set(r->easy, CURLOPT_QUICK_EXIT, 1L); /* canceling does not wait for name resolution */
	set(r->easy, CURLOPT_TCP_NODELAY, 1L);
	set(r->easy, CURLOPT_TCP_KEEPALIVE, 1L);
	set(r->easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_S);
	set(r->easy, CURLOPT_SSL_VERIFYPEER, 1L);
	set(r->easy, CURLOPT_SSL_VERIFYHOST, 2L);
	set(r->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
	set(r->easy, CURLOPT_TIMEOUT_MS, (long)o->timeout_ms);
	if (authorities)
		set(r->easy, CURLOPT_CAINFO, authorities);
}

static void set_body(struct http_request *r, const struct http_opts *o)
{
	__typeof__(r->http->curl_easy_setopt) set = r->http->curl_easy_setopt;
	if (!r->body)
		return;
	set(r->easy, CURLOPT_POST, 1L);
	set(r->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->n_body);
	if (o->is_once) {
		set(r->easy, CURLOPT_READFUNCTION, on_send);
		set(r->easy, CURLOPT_READDATA, (void *)r);
	} else {
		set(r->easy, CURLOPT_POSTFIELDS, r->body);
	}
}

static bool add_header(struct http_request *r, const char *line)
{
	struct curl_slist *longer = r->http->curl_slist_append(r->headers, line);
	if (longer)
		r->headers = longer;
	return longer;
}

static int set_all(struct http_request *r, const struct http_opts *o, struct trm_error *reterr)
{
	__typeof__(r->http->curl_easy_setopt) set = r->http->curl_easy_setopt;
	if (set(r->easy, CURLOPT_URL, o->url) != CURLE_OK)
		return trm_error_set(reterr, TRM_EINVAL, "'%.200s' is not a URL", o->url);
	/* do not wait for the server's consent before a large body */
	bool is_good = add_header(r, "Expect:");
	for (size_t i = 0; o->headers && o->headers[i]; i++)
		is_good = is_good && add_header(r, o->headers[i]);
	if (!is_good)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	set(r->easy, CURLOPT_HTTPHEADER, r->headers);
	set(r->easy, CURLOPT_ERRORBUFFER, r->words);
	set(r->easy, CURLOPT_HEADERFUNCTION, on_header);
	set(r->easy, CURLOPT_HEADERDATA, (void *)r);
	set(r->easy, CURLOPT_WRITEFUNCTION, on_body);
	set(r->easy, CURLOPT_WRITEDATA, (void *)r);
	set_policy(r, o);
	set_body(r, o);
	return 0;
}

static void request_free(struct http_request *r)
{
	if (r->easy)
		r->http->curl_easy_cleanup(r->easy);
	r->http->curl_slist_free_all(r->headers);
	buf_finish(&r->head);
	buf_finish(&r->bytes);
	if (r->body)
		explicit_bzero(r->body, r->n_body);
	free(r->body);
	free(r);
}

static int request_init(struct http_request *r, const struct http_opts *o, struct trm_error *reterr)
{
	r->max_bytes = o->max_bytes;
	r->timeout_ms = o->timeout_ms;
	buf_init(&r->head, HEAD_MAX);
	buf_init(&r->bytes, o->max_bytes + 1); /* includes the NUL */
	r->easy = r->http->curl_easy_init();
	r->body = o->body ? malloc(o->body_len + 1) : NULL;
	r->n_body = r->body ? o->body_len : 0;
	if (!r->easy || (o->body && !r->body))
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	if (r->n_body)
		memcpy(r->body, o->body, r->n_body);
	return set_all(r, o, reterr);
}

int http_send(struct trm_loop *loop, const struct http_opts *opts, const struct http_cb *cb, void *user,
		struct http_request **ret, struct trm_error *reterr)
{
	struct http *http;
	int code = http_of(loop, &http, reterr);
	if (code < 0)
		return code;
	struct http_request *r = calloc(1, sizeof *r);
	if (!r)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*r = (struct http_request){.http = http, .cb = cb, .user = user};
	code = request_init(r, opts, reterr);
	if (code == 0 && http->curl_multi_add_handle(http->multi, r->easy) != CURLM_OK)
		code = trm_error_set(reterr, TRM_EIO, "libcurl refuses the request");
	if (code < 0) {
		request_free(r);
		return code;
	}
	r->next = http->requests;
	http->requests = r;
	*ret = r;
	return 0;
}

/* ---- the end ------------------------------------------------------------------------------ */

static void sweep(struct http *http)
{
	struct http_request **at = &http->requests;
	while (*at) {
		struct http_request *r = *at;
		if (!r->is_dead) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		request_free(r);
	}
}

void http_cancel(struct http_request *r)
{
	if (!r || r->is_dead)
		return;
	if (!r->is_over)
		r->http->curl_multi_remove_handle(r->http->multi, r->easy);
	r->is_dead = true;
	if (!r->http->is_delivering)
		sweep(r->http);
}

bool requests_note_end(struct http *http, CURL *easy, CURLcode code)
{
	for (struct http_request *r = http->requests; r; r = r->next)
		if (r->easy == easy) {
			r->is_over = true;
			r->code = code;
			return true;
		}
	return false;
}

/* ---- reasons of failure ---------------------------------------------------------------------- */

static const struct {
	CURLcode code;
	int error;
	const char *words; /* NULL: curl's text */
} FAILURES[] = {
		{CURLE_COULDNT_RESOLVE_HOST, TRM_ENOENT, NULL},
		{CURLE_COULDNT_RESOLVE_PROXY, TRM_ENOENT, NULL},
		{CURLE_PROXY, TRM_ENOENT, NULL},
		{CURLE_GOT_NOTHING, TRM_ECLOSED, "the connection was closed without an answer"},
		{CURLE_SEND_FAIL_REWIND, TRM_ECLOSED, "the connection was closed without an answer"},
		{CURLE_RECV_ERROR, TRM_ECLOSED, "the connection was lost in the middle"},
		{CURLE_SEND_ERROR, TRM_ECLOSED, "the connection was lost in the middle"},
		{CURLE_PARTIAL_FILE, TRM_ECLOSED, "the connection was closed in the middle of the answer"},
		{CURLE_PEER_FAILED_VERIFICATION, TRM_EPERM, NULL},
		{CURLE_SSL_CONNECT_ERROR, TRM_EPERM, NULL},
		{CURLE_SSL_CACERT_BADFILE, TRM_EPERM, NULL},
		{CURLE_SSL_CIPHER, TRM_EPERM, NULL},
		{CURLE_UNSUPPORTED_PROTOCOL, TRM_EINVAL, NULL},
		{CURLE_URL_MALFORMAT, TRM_EINVAL, NULL},
		{CURLE_WEIRD_SERVER_REPLY, TRM_EPROTO, "the program that answers there does not speak HTTP"},
		{CURLE_OUT_OF_MEMORY, TRM_ENOMEM, "out of memory"},
};

/* Is this the host of the URL? Curl names the host that it connects to, which may be a proxy. */
static bool is_of_url(const struct http_request *r, const char *host, int port)
{
	char *url = NULL;
	size_t n = strlen(host);
	r->http->curl_easy_getinfo(r->easy, CURLINFO_EFFECTIVE_URL, &url);
	const char *at = url ? strstr(url, "://") : NULL;
	if (!at)
		return true;
	at += strlen("://");
	const char *user = memchr(at, '@', strcspn(at, "/?#"));
	at = user ? user + 1 : at;
	at += *at == '[';
	if (strncasecmp(at, host, n) != 0 || !strchr("]:/?#", at[n]))
		return false;
	at += n + (at[n] == ']');
	return port == (*at == ':' ? atoi(at + 1) : strncasecmp(url, "https", 5) == 0 ? 443 : 80);
}

static int tell_no_connection(struct http_request *r, struct trm_error *why)
{
	long saved = 0;
	char host[256] = "the server";
	int port = 0;
	r->http->curl_easy_getinfo(r->easy, CURLINFO_OS_ERRNO, &saved);
	if (sscanf(r->words, "Failed to connect to %255s port %d", host, &port) == 2 && saved)
		return trm_error_set(why, TRM_ENOENT, "no connection to %s%s port %d: %s",
				is_of_url(r, host, port) ? "" : "the proxy ", host, port,
				saved == ECONNREFUSED ? "connection refused" : strerror((int)saved));
	return trm_error_set(why, TRM_ENOENT, "%s", *r->words ? r->words : "no connection");
}

static int tell_timeout(struct http_request *r, struct trm_error *why)
{
	curl_off_t connected_us = 0;
	r->http->curl_easy_getinfo(r->easy, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
	if (!connected_us)
		return trm_error_set(why, TRM_ETIMEDOUT, "no connection in time: %s", r->words);
	return trm_error_set(why, TRM_ETIMEDOUT, "no %sanswer within %g s", r->has_head ? "complete " : "",
			r->timeout_ms / 1000.0);
}

/* The proxy refused a tunnel to the server. */
static bool describe_no_tunnel(struct http_request *r, struct trm_error *why)
{
	long status = 0;
	r->http->curl_easy_getinfo(r->easy, CURLINFO_HTTP_CONNECTCODE, &status);
	if (status == 407)
		trm_error_set(why, TRM_EPERM, "the proxy requires a name and password (HTTP 407)");
	else if (status >= 300)
		trm_error_set(why, TRM_EIO, "the proxy refuses to connect to the server (HTTP %ld)", status);
	else if (strncmp(r->words, "Proxy CONNECT", strlen("Proxy CONNECT")) == 0)
		trm_error_set(why, TRM_EIO,
				"the proxy ended the connection without an answer, or with an invalid one");
	else
		return false;
	return true;
}

static void report_done(struct http_request *r, struct trm_error *why)
{
	for (size_t n = strlen(r->words); n && r->words[n - 1] == ' '; n--)
		r->words[n - 1] = '\0';
	const char *words = *r->words ? r->words : r->http->curl_easy_strerror(r->code);
	*why = (struct trm_error){0};
	if (r->code == CURLE_OK)
		return;
	if (r->is_too_big) {
		trm_error_set(why, TRM_ETOOBIG, "the answer is bigger than %.3g MiB",
				(double)r->max_bytes / (1 << 20));
		return;
	}
	if (r->code == CURLE_UNSUPPORTED_PROTOCOL && strstr(r->words, "HTTP/0.9")) {
		trm_error_set(why, TRM_EPROTO, "the program that answers there does not speak HTTP");
		return;
	}
	if (describe_no_tunnel(r, why))
		return;
	if (r->code == CURLE_COULDNT_CONNECT) {
		tell_no_connection(r, why);
		return;
	}
	if (r->code == CURLE_OPERATION_TIMEDOUT) {
		tell_timeout(r, why);
		return;
	}
	for (size_t i = 0; i < sizeof FAILURES / sizeof *FAILURES; i++)
		if (FAILURES[i].code == r->code) {
			trm_error_set(why, FAILURES[i].error, "%s",
					FAILURES[i].words ? FAILURES[i].words : words);
			return;
		}
	trm_error_set(why, TRM_EIO, "%s", words);
}

/* ---- delivery ------------------------------------------------------------------------------- */

static const char *content_type(const struct http_request *r)
{
	char *type = NULL;
	r->http->curl_easy_getinfo(r->easy, CURLINFO_CONTENT_TYPE, &type);
	return type ? type : "";
}

static int deliver_head(struct http_request *r)
{
	if (!r->has_head || r->has_reported)
		return 0;
	r->has_reported = true;
	if (!r->cb->head)
		return 0;
	r->cb->head(r->user, r, r->status, content_type(r));
	return 1;
}

static void set_flow(struct http_request *r)
{
	if (!r->is_over && !r->is_dead)
		r->http->curl_easy_pause(
				r->easy, r->is_paused || r->is_full ? CURLPAUSE_RECV : CURLPAUSE_CONT);
}

static int deliver_body(struct http_request *r)
{
	if (!r->cb->body || !r->bytes.len || r->is_dead)
		return 0;
	r->cb->body(r->user, r, buf_at(&r->bytes), r->bytes.len);
	buf_clear(&r->bytes);
	if (r->is_full) {
		r->is_full = false;
		set_flow(r);
	}
	return 1;
}

static int deliver_end(struct http_request *r)
{
	struct trm_error why;
	if (!r->is_over || r->is_dead)
		return 0;
	report_done(r, &why);
	size_t n = r->bytes.len;
	char *end = buf_reserve(&r->bytes, 1);
	if (end)
		*end = '\0';
	const struct http_answer answer = {.status = r->has_head ? r->status : 0,
			.content_type = content_type(r),
			.body = end ? buf_at(&r->bytes) : "",
			.n = end ? n : 0};
	r->is_dead = true; /* callbacks can no longer cancel it */
	r->cb->done(r->user, &answer, &why);
	return 1;
}

int requests_deliver(struct http *http)
{
	int calls = 0;
	http->is_delivering = true;
	/* A callback may add requests: they go to the front of the list. */
	for (struct http_request *r = http->requests; r; r = r->next)
		if (!r->is_dead)
			calls += deliver_head(r) + deliver_body(r) + deliver_end(r);
	http->is_delivering = false;
	sweep(http);
	return calls;
}

/* ---- requests of the caller -------------------------------------------------------------------- */

bool http_request_field(const struct http_request *r, const char *name, char *out, size_t cap)
{
	const char *at = r->head.len ? buf_at(&r->head) : "", *end = at + r->head.len;
	size_t n = strlen(name);
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		if ((size_t)(stop - at) > n && at[n] == ':' && strncasecmp(at, name, n) == 0) {
			for (at += n + 1; at < stop && (*at == ' ' || *at == '\t'); at++)
				;
			while (stop > at && (stop[-1] == '\r' || stop[-1] == ' ' || stop[-1] == '\t'))
				stop--;
			snprintf(out, cap, "%.*s", (int)(stop - at), at);
			return true;
		}
		at = newline ? newline + 1 : end;
	}
	return false;
}

void http_pause(struct http_request *r, bool is_paused)
{
	r->is_paused = is_paused;
	set_flow(r);
}
