/* SPDX-License-Identifier: MIT */
/* Starts the supervisor: its description, the descriptors that it inherits. */
#include "backend/recipe/box.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/host/rundir.h"
#include "backend/recipe/agentfile.h"
#include "backend/recipe/engine_args.h"
#include "backend/supervised/supervised_start.h"
#include "base/err.h"
#include "store/store.h"
#include "wire/control.h"

/* ---- the description -------------------------------------------------------------------------- */

static int put_spec(struct buf *out, const struct box *box, struct trm_error *reterr)
{
	const struct trm_sandbox_opts *opts = &box->container_spec.opts;
	const struct trm_limits *limits = &opts->limits;
	char env[TRM_ENV_BYTES];
	char engine[TRM_ENGINE_ARGS_BYTES];
	rundir_list_env(opts->env, opts->n_env, env);
	engine_args_list(&opts->container, engine);
	size_t n = strlen(engine); /* empty for a pod, except for what its manifest changes */
	snprintf(engine + n, sizeof engine - n, "%s", box->changes);
	const struct spec_msg spec = {
			.name = box->entry.name,
			.run_path = box->entry.path,
			.bwrap = "",
			.cache = "",
			.slirp = "",
			.has_plan = true,
			.mem_bytes = limits->mem_bytes,
			.disk_bytes = limits->disk_bytes,
			.file_bytes = limits->file_bytes,
			.cpus = limits->cpus,
			.procs = limits->procs,
			.open_files = limits->open_files,
			.is_kept = opts->keep,
			.idle_timeout_ms = opts->idle_timeout_ms,
			.max_lifetime_ms = opts->max_lifetime_ms,
			.limits_lifetime = opts->limits_lifetime,
			.net_allow = "",
			.net_hosts = "",
			.mounts = box->container_spec.mounts.text,
			.env = env,
			.workdir = opts->workdir ? opts->workdir : "/workspace",
			.group = opts->group ? opts->group : "",
			.engine = engine,
			.from = opts->from ? opts->from : "",
	};
	int r = spec_msg_put(out, &spec);
	if (r < 0)
		trm_error_set(reterr, r, "the sandbox's description cannot be made: %s", trm_strerror(r));
	return r;
}

/* ---- descriptors --------------------------------------------------------------------------------- */

static int open_put(const struct box *box, struct trm_error *reterr)
{
	if (box_is_pod(box))
		return pod_file_open(box, box_user(box), reterr);
	return agentfile_put_fd(recipe_put_reads(box->recipe) == RECIPE_PUT_TAR, reterr);
}

static int open_parts(struct supervised_request *request, const struct box *box, struct trm_error *reterr)
{
	/* Locked, so that its image is not removed meanwhile. */
	const char *from = box->container_spec.opts.from;
	struct store_about about;
	if ((request->plan_fd = box_plan_open(box, &box->entry, reterr)) < 0)
		return request->plan_fd;
	if ((request->agent_fd = open_put(box, reterr)) < 0)
		return request->agent_fd;
	return from ? snapstore_open(from, &about, &request->snapshot_fd, reterr) : 0;
}

int launch_supervisor(const struct box *box, struct started *ret, struct trm_error *reterr)
{
	struct buf spec;
	buf_init(&spec, CONTROL_MAX_BYTES);
	struct supervised_request request = {.entry = &box->entry,
			.spec = &spec,
			SUPERVISED_REQUEST_INIT,
			.disk_bytes = box->container_spec.opts.limits.disk_bytes};
	int r = open_parts(&request, box, reterr);
	if (r == 0)
		r = put_spec(&spec, box, reterr);
	if (r == 0)
		r = supervised_start(&request, ret, reterr);
	supervised_request_close(&request);
	buf_finish(&spec);
	return r;
}
