/* SPDX-License-Identifier: MIT */
/* Lists the sandboxes at a server. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/sandbox.h>

#include "base/err.h"
#include "base/opts.h"
#include "sandbox/sandbox.h"

struct listing {
	trm_remote_list_fn *fn;
	void *user;
	struct trm_remote_entry *entries; /* malloc'd */
	size_t n;
	struct trm_error why;
};

static void on_rows(void *user, const struct trm_remote_entry *entries, size_t n, const struct trm_error *why)
{
	struct listing *l = user;
	(void)why; /* there are rows, so there was no error */
	l->entries = malloc((n + 1) * sizeof *entries);
	if (!l->entries) {
		trm_error_set(&l->why, TRM_ENOMEM, "out of memory");
		return;
	}
	memcpy(l->entries, entries, n * sizeof *entries);
	l->n = n;
}

/* Report only now, because the caller may then end the loop. */
static void on_closed(void *user, const struct trm_error *why)
{
	struct listing *l = user;
	if (!l->why.code)
		l->why = *why;
	l->fn(l->user, l->entries, l->n, &l->why);
	free(l->entries);
	free(l);
}

int trm_remote_list(struct trm_loop *loop, const struct trm_sandbox_opts *opts, trm_remote_list_fn *fn,
		void *user, struct trm_error *reterr)
{
	static const struct carrier_cb CB = {.closed = on_closed};
	const struct backend_ops *ops;
	struct carrier *carrier;
	struct trm_sandbox_opts own = TRM_SANDBOX_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	if (r == 0)
		r = backend_find(own.backend, &ops, reterr);
	if (r == 0 && !(ops->caps & BACKEND_LIST))
		r = trm_error_set(reterr, TRM_ENOTSUP,
				"the backend %s has no server with a list of sandboxes", ops->name);
	if (r < 0)
		return r;
	struct listing *l = calloc(1, sizeof *l);
	if (!l)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*l = (struct listing){.fn = fn, .user = user};
	own.name = NULL;
	r = ops->list(loop, &own, on_rows, l, &CB, l, &carrier, reterr);
	if (r < 0)
		free(l);
	return r;
}
