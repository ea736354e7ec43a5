/* SPDX-License-Identifier: MIT */
/* What is known of a sandbox. */
#include "sandbox/sandbox.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "wire/folder.h"

const char *trm_sandbox_name(const struct trm_sandbox *sandbox)
{
	return sandbox->name;
}

const char *trm_sandbox_backend(const struct trm_sandbox *sandbox)
{
	return sandbox->backend;
}

const char *sandbox_program(const struct trm_sandbox *sandbox, const char *path)
{
	const char *name = strrchr(path, '/');
	return name && sandbox_is_made(sandbox) ? name + 1 : path;
}

const char *trm_sandbox_origin(const struct trm_sandbox *sandbox)
{
	bool is_known = sandbox->ops->origin && sandbox->carrier;
	return is_known ? sandbox->ops->origin(sandbox->carrier) : "";
}

bool trm_sandbox_is_adopted(const struct trm_sandbox *sandbox)
{
	bool is_known = sandbox->ops->is_adopted && sandbox->carrier;
	return is_known && sandbox->ops->is_adopted(sandbox->carrier);
}

enum trm_isolation trm_sandbox_isolation(const struct trm_sandbox *sandbox)
{
	const struct trm_sandbox *s = sandbox;
	return s->carrier && s->ops->isolation ? s->ops->isolation(s->carrier) : TRM_ISOLATION_AUTO;
}

const char *sandbox_place(const struct trm_sandbox *s, const char *path, char *out, size_t cap)
{
	const char *folder = s->carrier && s->ops->folder ? s->ops->folder(s->carrier) : "";
	return *folder && folder_path(folder, path, out, cap) ? out : path;
}

const char *trm_sandbox_workdir(const struct trm_sandbox *sandbox)
{
	return sandbox->workdir;
}

size_t trm_sandbox_mounts(const struct trm_sandbox *sandbox, const struct trm_mount **ret_mounts)
{
	*ret_mounts = sandbox->opts.mounts;
	return sandbox->opts.n_mounts;
}

const char *trm_sandbox_group(const struct trm_sandbox *sandbox)
{
	return sandbox->group;
}

int trm_sandbox_set_group(struct trm_sandbox *sandbox, const char *group, struct trm_error *reterr)
{
	int r = opts_check_group(group, reterr);
	if (r == 0 && (!sandbox_is_open(sandbox) || sandbox->state != SANDBOX_READY))
		r = trm_error_set(reterr, TRM_ECLOSED, "sandbox '%s' is not ready", sandbox->name);
	if (r == 0 && sandbox->ops->set_group)
		r = sandbox->ops->set_group(sandbox->carrier, group, reterr);
	if (r == 0)
		snprintf(sandbox->group, sizeof sandbox->group, "%s", group);
	return r;
}

const struct trm_limits *trm_sandbox_limits(const struct trm_sandbox *sandbox)
{
	return &sandbox->opts.limits;
}

bool trm_sandbox_is_ready(const struct trm_sandbox *sandbox)
{
	return sandbox->state == SANDBOX_READY;
}

bool trm_sandbox_is_kept(const struct trm_sandbox *sandbox)
{
	return sandbox->is_kept;
}

bool trm_sandbox_is_attached(const struct trm_sandbox *sandbox)
{
	return sandbox->ops == &backend_attached;
}

bool trm_sandbox_is_joined(const struct trm_sandbox *sandbox)
{
	return sandbox->ops->caps & BACKEND_JOIN && sandbox->carrier
	       && sandbox->ops->is_joined(sandbox->carrier);
}

bool trm_sandbox_survives_close(const struct trm_sandbox *sandbox)
{
	return trm_sandbox_is_joined(sandbox)
	       || (sandbox->leaves && (sandbox->is_kept || trm_sandbox_is_attached(sandbox)));
}

size_t trm_sandbox_guards(const struct trm_sandbox *sandbox, const struct trm_guard **ret_guards)
{
	if (sandbox->carrier && sandbox->state != SANDBOX_STARTING)
		return sandbox->ops->guards(sandbox->carrier, ret_guards);
	*ret_guards = NULL;
	return 0;
}
