/* SPDX-License-Identifier: MIT */
/* Sends the host's network settings to the agent of a container, for its programs: proxies, package
 * indexes, certificates. */
#include <stdlib.h>
#include <string.h>

#include "backend/host/netenv.h"
#include "sandbox/sandbox.h"

enum { PIECE_BYTES = 64 * 1024, VARS_MAX = 256 };

static int put_certs(struct buf *out, const struct buf *certs)
{
	int r = 0;
	for (size_t at = 0; at < certs->len && r == 0; at += PIECE_BYTES) {
		size_t left = certs->len - at;
		r = frame_put(out, 0, FRAME_CERTS, 0, buf_at(certs) + at,
				left < PIECE_BYTES ? left : PIECE_BYTES);
	}
	return r;
}

/* Variables whose value is the file of certificates go to `names`, without a value. */
static int put_vars(struct buf *out, const struct buf *vars)
{
	const char *pairs[VARS_MAX + 1] = {0}, *names[VARS_MAX + 1] = {0};
	size_t n_pairs = 0, n_names = 0, mark;
	const char *at = buf_at(vars), *end = at + vars->len;
	/* "NAME" NUL "value" becomes "NAME=value". */
	char *copy = malloc(vars->len + 1), *to = copy;
	if (!copy)
		return TRM_ENOMEM;
	while (at < end && n_pairs < VARS_MAX && n_names < VARS_MAX) {
		const size_t n = strlen(at);
		const char *value = at + n + 1;
		const bool is_certs = !strcmp(value, NETENV_CERTS);
		memcpy(to, at, n + 1 + strlen(value) + 1);
		if (!is_certs)
			to[n] = '=';
		*(is_certs ? &names[n_names++] : &pairs[n_pairs++]) = to;
		to += n + 1 + strlen(value) + 1;
		at = value + strlen(value) + 1;
	}
	struct pack p = {.to = out};
	int r = frame_begin(out, 0, FRAME_ENVIRON, 0, &mark);
	if (r == 0) {
		pack_strv(&p, pairs);
		pack_strv(&p, names);
		r = p.error ? p.error : frame_end(out, mark);
	}
	free(copy);
	return r;
}

int proxy_env_send(const struct trm_sandbox *s, struct buf *out)
{
	const struct netenv *env = s->ops->surroundings ? s->ops->surroundings(s->carrier) : NULL;
	if (!env || !env->vars.len)
		return 0;
	int r = put_certs(out, &env->certs);
	return r < 0 ? r : put_vars(out, &env->vars);
}
