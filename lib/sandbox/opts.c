/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/sandbox.h>
#include <terrarium/text.h>

#include "base/err.h"
#include "base/mount.h"
#include "base/opts.h"
#include "sandbox/sandbox.h"

static int check_pair(const struct trm_mount *a, const struct trm_mount *b, struct trm_error *reterr)
{
	if (!strcmp(a->guest, b->guest))
		return trm_error_set(reterr, TRM_EINVAL, "two mounts at the same place: %s", a->guest);
	/* Its mount point would have to be made, or found, in a directory of the host. */
	if (mount_is_below(a->guest, b->guest))
		return trm_error_set(reterr, TRM_EINVAL, "a mount cannot be within another one: %s in %s",
				a->guest, b->guest);
	return 0;
}

static int check_mounts(const struct trm_sandbox_opts *opts, struct trm_error *reterr)
{
	size_t bytes = 0;
	if (opts->n_mounts > TRM_MOUNTS_MAX)
		return trm_error_set(reterr, TRM_EINVAL, "a sandbox has at most %d mounts, not %zu",
				TRM_MOUNTS_MAX, opts->n_mounts);
	for (size_t i = 0; i < opts->n_mounts; i++) {
		const struct trm_mount *m = &opts->mounts[i];
		int r = mount_check_host(m->host, reterr);
		if (r == 0)
			r = mount_check_guest(m->guest, reterr);
		for (size_t k = 0; k < i && r == 0; k++)
			if ((r = check_pair(m, &opts->mounts[k], reterr)) == 0)
				r = check_pair(&opts->mounts[k], m, reterr);
		if (r < 0)
			return r;
		bytes += strlen(m->host) + strlen(m->guest) + sizeof "::rw";
	}
	return bytes < TRM_MOUNTS_BYTES
			       ? 0
			       : trm_error_set(reterr, TRM_ETOOBIG,
					       "the mounts' paths are too long: %zu bytes of at most %d",
					       bytes, TRM_MOUNTS_BYTES - 1);
}

const char *trm_remote_format_options(const struct trm_remote_opts *s, char *out, size_t cap)
{
	bool has_space = s->space && *s->space && strcmp(s->space, "default") != 0;
	bool has_url = s->url && *s->url && strcmp(s->url, "http://127.0.0.1:5555") != 0;
	snprintf(out, cap, "--backend microsandbox %s%s%s%s%s%s", has_space ? "--namespace " : "",
			has_space ? s->space : "", has_space ? " " : "", has_url ? "--server-url " : "",
			has_url ? s->url : "", has_url ? " " : "");
	return out;
}

static int check_env(const struct trm_sandbox_opts *opts, struct trm_error *reterr)
{
	size_t bytes = 0;
	if (opts->n_env > TRM_ENV_MAX)
		return trm_error_set(reterr, TRM_EINVAL, "a sandbox takes at most %d variables, not %zu",
				TRM_ENV_MAX, opts->n_env);
	for (size_t i = 0; i < opts->n_env; i++) {
		int r = mount_check_env(opts->env[i], false, reterr);
		if (r < 0)
			return r;
		bytes += strlen(opts->env[i]) + 1;
	}
	return bytes <= TRM_ENV_BYTES ? 0
				      : trm_error_set(reterr, TRM_ETOOBIG,
						      "the variables are too long: %zu bytes of at most %d",
						      bytes, TRM_ENV_BYTES);
}

int opts_check_group(const char *group, struct trm_error *reterr)
{
	char clean[TRM_GROUP_BYTES];
	size_t n = strlen(group);
	trm_text_clean_line(clean, sizeof clean, group, n);
	if (strcmp(clean, group))
		return trm_error_set(reterr, TRM_EINVAL,
				"a group is one line of at most %d bytes without control characters",
				TRM_GROUP_BYTES - 1);
	return 0;
}

int trm_sandbox_opts_check(const struct trm_sandbox_opts *opts, struct trm_error *reterr)
{
	struct trm_sandbox_opts own = TRM_SANDBOX_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	opts = &own;
	if (r == 0)
		r = check_mounts(opts, reterr);
	if (r == 0)
		r = check_env(opts, reterr);
	if (r == 0 && opts->workdir)
		r = mount_check_path("the working directory", opts->workdir, reterr);
	return r == 0 && opts->group ? opts_check_group(opts->group, reterr) : r;
}
