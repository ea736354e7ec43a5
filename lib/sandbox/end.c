/* SPDX-License-Identifier: MIT */
/* Ends a sandbox of another program, by name. */
#include <stdlib.h>

#include <terrarium/sandbox.h>

#include "base/err.h"
#include "base/opts.h"
#include "sandbox/sandbox.h"

struct errand {
	trm_done_fn *fn;
	void *user;
};

static void on_closed(void *user, const struct trm_error *why)
{
	struct errand errand = *(struct errand *)user;
	free(user);
	errand.fn(errand.user, why);
}

int trm_remote_stop(struct trm_loop *loop, const struct trm_sandbox_opts *opts, trm_done_fn *fn, void *user,
		struct trm_error *reterr)
{
	static const struct carrier_cb CB = {.closed = on_closed};
	const struct backend_ops *ops;
	struct carrier *carrier;
	struct trm_sandbox_opts own = TRM_SANDBOX_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	if (r == 0)
		r = backend_find(own.backend, &ops, reterr);
	if (r == 0 && !(ops->caps & BACKEND_END))
		r = trm_error_set(reterr, TRM_ENOTSUP,
				"sandboxes of the %s backend are not on a server, so they cannot be stopped there",
				ops->name);
	if (r < 0 || (r = trm_sandbox_name_check(own.name ? own.name : "", reterr)) < 0)
		return r;
	struct errand *errand = malloc(sizeof *errand);
	if (!errand)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*errand = (struct errand){fn, user};
	r = ops->end(loop, &own, &CB, errand, &carrier, reterr);
	if (r < 0)
		free(errand);
	return r;
}
