/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_USE_H
#define TRM_SERVER_METHODS_USE_H

/* A call that uses a sandbox: reads the params, waits for the sandbox, and holds it until the call ends.
 * The struct of a method begins with a struct use. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/error.h>

#include "rpc/fault.h"
#include "server/methods/target.h"

struct call;
struct served;
struct use;

/* The parts that differ by method. If `read` or `begin` fails, the call ends. */
struct use_kind {
	size_t size;                                       /* of the method's struct, which is zeroed first */
	enum rpc_fault_id wrong_params;                    /* the fault for invalid params */
	int (*read)(struct use *u, struct trm_error *why); /* reads the params of the call */
	int (*begin)(struct use *u, struct trm_error *why); /* use->served is set */
	void (*gone)(struct use *u);   /* the client left after `begin`; may end the call */
	void (*finish)(struct use *u); /* frees what the method's struct owns; NULL: nothing */
};

struct use {
	const struct use_kind *kind;
	struct call *call;
	struct target target;
	struct served *served;
};

void use_begin(struct call *call, const struct use_kind *kind);
/* The call has ended: free the method's struct. */
void use_end(struct use *u);
/* End the call with a failure, and the use. */
void use_fail(struct use *u, const struct trm_error *why);

#endif
