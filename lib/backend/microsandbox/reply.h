/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_REPLY_H
#define TRM_BACKEND_MICROSANDBOX_REPLY_H

/* The meaning of an HTTP answer, without I/O. Servers of 0.2.x report errors in three forms: a JSON-RPC
 * error, an object {"error":text,"code":number}, and plain text. Proxies between us and the server use
 * any other form. Most hide the reason behind "Internal server error". */

#include <stdbool.h>

#include <cjson/cJSON.h>

#include <terrarium/error.h>

#include "loop/request.h"

struct reply_about {
	const char *what;  /* "start sandbox 'x'" */
	const char *url;   /* of the server, as displayed */
	const char *space; /* namespace */
	const char *key;   /* must never appear in a sentence; NULL: none was sent */
	/* The likely meaning of "Internal server error" here; NULL: nothing special. */
	const char *hidden;
	bool is_first; /* no answer has come from there yet */
};

/* 0: *ret is the answer's JSON-RPC result; delete it with *ret_root, its owner. Otherwise the code and a
 * whole sentence: TRM_EPERM the key; TRM_ENOENT; TRM_EINVAL our request; TRM_EBUSY; TRM_EPROTO the answer
 * is invalid; TRM_EIO the server's own error. */
int reply_read(const struct http_answer *answer, const struct reply_about *about, cJSON **ret_root,
		const cJSON **ret, struct trm_error *reterr);
/* Set the sentence for a missing answer: `failure` as of http_cb.done. Returns its code. */
int reply_missing(const struct trm_error *failure, const struct reply_about *about, struct trm_error *reterr);

#endif
