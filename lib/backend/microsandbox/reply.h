/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_REPLY_H
#define TRM_BACKEND_MICROSANDBOX_REPLY_H

/* What an HTTP answer says, without I/O. Servers of 0.2.x answer errors in three forms (a JSON-RPC error, an
 * object {"error":text,"code":number}, plain text), and what is between us and them in any other; most hide
 * the reason behind "Internal server error". */

#include <stdbool.h>

#include <cjson/cJSON.h>

#include <terrarium/error.h>

#include "loop/request.h"

struct reply_about {
	const char *what;  /* "start sandbox 'x'" */
	const char *url;   /* of the server, as it is shown */
	const char *space; /* namespace */
	const char *key;   /* never to be seen in a sentence; NULL: none was sent */
	/* What "Internal server error" may mean here; NULL: nothing special. */
	const char *hidden;
	bool is_first; /* nothing has been heard from there yet */
};

/* 0: the answer's JSON-RPC result is in *ret, to be deleted with *ret_root, its owner. Else the code and a
 * whole sentence: TRM_EPERM the key; TRM_ENOENT; TRM_EINVAL what we asked for; TRM_EBUSY; TRM_EPROTO the
 * answer is none; TRM_EIO what the server says. */
int reply_read(const struct http_answer *answer, const struct reply_about *about, cJSON **ret_root,
		const cJSON **ret, struct trm_error *reterr);
/* The sentence for an answer that did not come: `failure` as of http_cb.done. Returns its code. */
int reply_missing(const struct trm_error *failure, const struct reply_about *about, struct trm_error *reterr);

#endif
