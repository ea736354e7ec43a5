/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_USE_H
#define TRM_SERVER_METHODS_USE_H

/* A call that works in a sandbox: whose it is and its params are read, the sandbox is waited for, and used
 * until the call is over. A method's own struct begins with a struct use. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/error.h>

#include "rpc/fault.h"
#include "server/methods/target.h"

struct call;
struct served;
struct use;

/* What differs by method. A failure of `read` or `begin` ends the call. */
struct use_kind {
	size_t size;                    /* of the method's struct, which is zeroed at first */
	enum rpc_fault_id wrong_params; /* what wrong params are told as */
	int (*read)(struct use *u, struct trm_error *why);  /* the call's params */
	int (*begin)(struct use *u, struct trm_error *why); /* use->served is there */
	void (*gone)(struct use *u);   /* the client has left since the beginning; may end the call */
	void (*finish)(struct use *u); /* what the method's struct owns; NULL: nothing */
};

struct use {
	const struct use_kind *kind;
	struct call *call;
	struct target target;
	struct served *served;
};

void use_begin(struct call *call, const struct use_kind *kind);
/* The call has been ended: frees the method's struct. */
void use_end(struct use *u);
/* Ends the call with a failure, and the use. */
void use_fail(struct use *u, const struct trm_error *why);

#endif
