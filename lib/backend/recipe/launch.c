/* SPDX-License-Identifier: MIT */
/* Starts the supervisor: its description, the descriptors that it inherits. */
#include "backend/recipe/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/host/program.h"
#include "backend/host/rundir.h"
#include "backend/host/spawn.h"
#include "backend/recipe/agentfile.h"
#include "backend/recipe/engine_args.h"
#include "base/err.h"
#include "embed/embed.h"
#include "store/store.h"
#include "wire/control.h"

/* ---- the description -------------------------------------------------------------------------- */

static int send_spec(int control_fd, const struct box *box, const struct rundir_entry *entry,
		struct trm_error *reterr)
{
	const struct trm_sandbox_opts *opts = &box->container_spec.opts;
	const struct trm_limits *limits = &opts->limits;
	char env[TRM_ENV_BYTES];
	struct buf packet;
	char engine[TRM_ENGINE_ARGS_BYTES];
	rundir_list_env(opts->env, opts->n_env, env);
	engine_args_list(&opts->container, engine);
	size_t n = strlen(engine); /* empty for a pod, except for what its manifest changes */
	snprintf(engine + n, sizeof engine - n, "%s", box->changes);
	const struct spec_msg spec = {
			.name = entry->name,
			.run_path = entry->path,
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
	buf_init(&packet, CONTROL_MAX_BYTES);
	int r = spec_msg_put(&packet, &spec);
	if (r < 0)
		trm_error_set(reterr, r, "the sandbox's description cannot be made: %s", trm_strerror(r));
	else if (send(control_fd, buf_at(&packet), packet.len, MSG_NOSIGNAL) < 0)
		r = trm_error_set_errno(reterr, errno, "cannot tell the supervisor what to start");
	buf_finish(&packet);
	return r;
}

/* ---- descriptors --------------------------------------------------------------------------------- */

/* All descriptors of a start; -1: not open yet. The last two are for the caller. */
enum part {
	NULL_FD,
	SUPERVISOR,
	PUT,
	PLAN,
	LISTEN,
	CONTROL,
	FAR,
	SNAPSHOT,
	THEIRS,
	STREAM = THEIRS,
	NEAR,
	PARTS
};

static int make_parts(int p[PARTS], const struct box *box, const struct rundir_entry *entry,
		struct trm_error *reterr)
{
	int line[2];
	struct embed supervisor = embed_supervisor();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) < 0)
		return trm_error_set_errno(reterr, errno, "cannot make a connection to the supervisor");
	p[NEAR] = line[0];
	p[FAR] = line[1];
	if ((p[NULL_FD] = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0)
		return trm_error_set_errno(reterr, errno, "cannot open /dev/null");
	if ((p[SUPERVISOR] = program_open(entry->run_fd, supervisor.bytes, supervisor.n, reterr)) < 0)
		return p[SUPERVISOR];
	if ((p[PLAN] = box_plan_open(box, entry, reterr)) < 0)
		return p[PLAN];
	p[PUT] = box_is_pod(box) ? pod_file_open(box, box_user(box), reterr)
				 : agentfile_put_fd(recipe_put_reads(box->recipe) == RECIPE_PUT_TAR, reterr);
	if (p[PUT] < 0)
		return p[PUT];
	/* Locked, so that its image is not removed meanwhile. */
	const char *from = box->container_spec.opts.from;
	struct store_about about;
	int r = from ? snapstore_open(from, &about, &p[SNAPSHOT], reterr) : 0;
	return r < 0 ? r : rundir_listen(entry, &p[LISTEN], &p[CONTROL], &p[STREAM], reterr);
}

static pid_t spawn_supervisor(const int p[PARTS], const struct rundir_entry *entry, struct trm_error *reterr)
{
	const int fds[SUPERVISOR_FD_END] = {
			[0] = p[NULL_FD],
			[1] = p[NULL_FD],
			[2] = p[NULL_FD],
			[SUPERVISOR_CLIENT] = p[FAR],
			[SUPERVISOR_RUN_DIR] = entry->run_fd,
			[SUPERVISOR_ENTRY_DIR] = entry->entry_fd,
			[SUPERVISOR_LISTEN] = p[LISTEN],
			[SUPERVISOR_CONTROL] = p[CONTROL],
			[SUPERVISOR_AGENT] = p[PUT],
			[SUPERVISOR_CERTS] = p[NULL_FD],
			[SUPERVISOR_PLAN] = p[PLAN],
			[SUPERVISOR_SNAPSHOT] = p[SNAPSHOT] < 0 ? p[NULL_FD] : p[SNAPSHOT],
	};
	return spawn_program(p[SUPERVISOR], "terrarium-supervisor", fds, SUPERVISOR_FD_END, reterr);
}

int launch_supervisor(const struct box *box, struct started *ret, struct trm_error *reterr)
{
	const struct rundir_entry *entry = &box->entry;
	int p[PARTS], r;
	pid_t pid = -1;
	for (size_t i = 0; i < PARTS; i++)
		p[i] = -1;
	r = make_parts(p, box, entry, reterr);
	if (r == 0)
		r = send_spec(p[NEAR], box, entry, reterr);
	if (r == 0)
		r = pid = spawn_supervisor(p, entry, reterr);
	for (size_t i = 0; i < (r < 0 ? PARTS : THEIRS); i++)
		if (p[i] >= 0)
			close(p[i]);
	if (r < 0)
		return r;
	*ret = (struct started){p[STREAM], p[NEAR], pid, box->container_spec.opts.limits.disk_bytes};
	return 0;
}
