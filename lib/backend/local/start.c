/* SPDX-License-Identifier: MIT */
#include "backend/local/start.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/sandbox.h>

#include "backend/host/filters.h"
#include "backend/host/machine.h"
#include "backend/host/mounts.h"
#include "backend/host/rundir.h"
#include "backend/host/spawn.h"
#include "backend/local/argv.h"
#include "backend/local/bare.h"
#include "backend/local/level.h"
#include "backend/local/netplan.h"
#include "backend/supervised/supervised_start.h"
#include "base/cachedir.h"
#include "base/err.h"
#include "base/log.h"
#include "embed/embed.h"
#include "store/store.h"
#include "wire/control.h"

/* ---- limits -------------------------------------------------------------------------- */

static int check_limits(const struct trm_limits *limits, struct trm_error *reterr)
{
	if (limits->file_bytes < 1 << 20)
		return trm_error_set(reterr, TRM_EINVAL,
				"a file size limit below 1 MiB leaves no room for the agent");
	if (limits->open_files < 32)
		return trm_error_set(reterr, TRM_EINVAL,
				"a limit below 32 open files leaves too few for the agent");
	if (limits->procs < 2)
		return trm_error_set(reterr, TRM_EINVAL,
				"a limit below 2 processes leaves none for code, because the agent is one");
	if (limits->mem_bytes < 8 << 20)
		return trm_error_set(reterr, TRM_EINVAL,
				"a memory limit below 8 MiB leaves too little for a program");
	return 0;
}

/* If files lie in memory, they must leave room under the memory limit: otherwise a full disk would cause
 * an out-of-memory kill instead of ENOSPC. */
static uint64_t disk_in_memory(const struct trm_limits *limits)
{
	uint64_t most = limits->mem_bytes / 4 * 3;
	return limits->disk_bytes < most ? limits->disk_bytes : most;
}

/* ---- the level -------------------------------------------------------------------------- */

/* How the sandbox is isolated, and what that requires on this machine. */
struct hold {
	enum isolation level;
	char bwrap[MACHINE_PATH]; /* with namespaces */
	char folder[BARE_FOLDER]; /* without */
	uint64_t disk_bytes;
};

static int choose_folder(const struct trm_sandbox_opts *opts, struct hold *hold, struct trm_error *reterr)
{
	int r = bare_check(opts, hold->level == ISOLATION_LANDLOCK, reterr);
	if (r == 0)
		r = bare_choose_folder(hold->disk_bytes, hold->folder, reterr);
	if (r == 0 && !bare_is_in_memory(hold->folder))
		hold->disk_bytes = opts->limits.disk_bytes;
	return r;
}

static int choose_hold(const struct trm_sandbox_opts *opts, struct hold *hold, struct trm_error *reterr)
{
	*hold = (struct hold){.disk_bytes = disk_in_memory(&opts->limits)};
	int r = level_choose(opts->isolation, &hold->level, reterr);
	if (r < 0)
		return r;
	return hold->level == ISOLATION_NAMESPACES ? machine_find_bwrap(hold->bwrap, reterr)
						   : choose_folder(opts, hold, reterr);
}

bool trm_disk_hint(const struct trm_sandbox_opts *opts, char *out, size_t cap)
{
	struct hold hold;
	const uint64_t wanted_mib = opts->limits.disk_bytes >> 20;
	if (disk_in_memory(&opts->limits) == opts->limits.disk_bytes || choose_hold(opts, &hold, NULL) < 0
			|| hold.disk_bytes == opts->limits.disk_bytes)
		return false;
	snprintf(out, cap,
			"files are kept in memory, so they can have %" PRIu64
			" MiB, three quarters of the memory limit; %" PRIu64
			" MiB of files need a limit of %" PRIu64 " MiB",
			hold.disk_bytes >> 20, wanted_mib, (wanted_mib * 4 + 2) / 3);
	return true;
}

/* ---- the description ------------------------------------------------------------------- */

static void fill_spec(struct spec_msg *spec, const struct trm_sandbox_opts *opts,
		const struct rundir_entry *entry, const struct hold *hold)
{
	const struct trm_limits *limits = &opts->limits;
	const uint32_t abi = hold->level == ISOLATION_LANDLOCK ? level_landlock_abi() : 0;
	const struct filters filters = hold->level == ISOLATION_LANDLOCK
						       ? filters_of_landlock(limits->net, abi)
						       : filters_of_namespaces();
	*spec = (struct spec_msg){
			.name = entry->name,
			.run_path = entry->path,
			.bwrap = hold->bwrap,
			.isolation = hold->level,
			.folder = hold->folder,
			.landlock_abi = abi,
			.shares_net = hold->level == ISOLATION_NONE
				      || (hold->level == ISOLATION_LANDLOCK && limits->net),
			.mem_bytes = limits->mem_bytes,
			.disk_bytes = hold->disk_bytes,
			.file_bytes = limits->file_bytes,
			.cpus = limits->cpus,
			.procs = limits->procs,
			.open_files = limits->open_files,
			.net_allow = limits->net_allow,
			.net_hosts = limits->net_allow_host,
			.calls = filters.calls,
			.arguments = filters.arguments,
			.calls_strict = filters.calls_strict,
			.arguments_strict = filters.arguments_strict,
			.older = filters.older,
			.is_kept = opts->keep,
			.idle_timeout_ms = opts->idle_timeout_ms,
			.max_lifetime_ms = opts->max_lifetime_ms,
			.limits_lifetime = opts->limits_lifetime,
			.workdir = opts->workdir ? opts->workdir : "/workspace",
			.group = opts->group,
			.engine = "",
			.from = opts->from ? opts->from : "",
	};
	if (hold->level == ISOLATION_NAMESPACES)
		spec->n_files = argv_files(spec->files, CONTROL_MAX_FILES);
}

/* Append the packet of a sandbox without namespaces. */
static int put_bare(struct buf *out, struct spec_msg *spec, const struct trm_sandbox_opts *opts,
		const struct argv_net *net)
{
	const struct argv_request request = {
			opts->mounts, opts->n_mounts, opts->env, opts->n_env, opts->workdir};
	char prepared[CACHEDIR_PATH] = "";
	struct bare_places places = {.folder = spec->folder, .cache = spec->cache, .prepared = prepared};
	struct buf environment, rules;
	/* Where nothing keeps code from changing it, it would not stay what it is. */
	if (spec->isolation != ISOLATION_LANDLOCK || !cachedir_has("compilers", prepared))
		prepared[0] = '\0';
	buf_init(&environment, CONTROL_MAX_BYTES / 3);
	buf_init(&rules, CONTROL_MAX_BYTES / 3);
	int r = bare_environment(&environment, &places, net, !spec->shares_net, &request);
	if (r == 0 && spec->isolation == ISOLATION_LANDLOCK)
		r = bare_rules(&rules, &places, net);
	if (r == 0) {
		spec->environment = (struct slice){buf_at(&environment), environment.len};
		spec->rules = (struct slice){buf_at(&rules), rules.len};
		r = spec_msg_put(out, spec);
	}
	buf_finish(&environment);
	buf_finish(&rules);
	return r;
}

/* Append the packet: the filled-in fields, with bubblewrap's arguments in both forms. */
static int put_spec(struct buf *out, struct spec_msg *spec, const struct trm_sandbox_opts *opts,
		const struct argv_net *net)
{
	struct argv_facts facts;
	struct buf shared, separate;
	buf_init(&shared, CONTROL_MAX_BYTES / 3);
	buf_init(&separate, CONTROL_MAX_BYTES / 3);
	argv_facts_find(&facts);
	facts.net = net;
	facts.has_cache = *spec->cache;
	facts.request = (struct argv_request){
			opts->mounts, opts->n_mounts, opts->env, opts->n_env, opts->workdir};
	int r = argv_build(&shared, &facts, true, spec->disk_bytes);
	if (r == 0)
		r = argv_build(&separate, &facts, false, spec->disk_bytes);
	if (r == 0) {
		spec->args_shared = (struct slice){buf_at(&shared), shared.len};
		spec->args_separate = (struct slice){buf_at(&separate), separate.len};
		r = spec_msg_put(out, spec);
	}
	buf_finish(&shared);
	buf_finish(&separate);
	return r;
}

static int put_packet(struct buf *packet, struct spec_msg *spec, const struct trm_sandbox_opts *opts,
		const struct argv_net *net, struct trm_error *reterr)
{
	int r = spec->isolation == ISOLATION_NAMESPACES ? put_spec(packet, spec, opts, net)
							: put_bare(packet, spec, opts, net);
	if (r < 0)
		trm_error_set(reterr, r, "the sandbox's description cannot be made: %s", trm_strerror(r));
	return r;
}

/* ---- descriptors -------------------------------------------------------------------------- */

static int open_parts(struct supervised_request *request, const struct buf *certs, struct trm_error *reterr)
{
	struct embed agent = embed_agent();
	request->agent_fd = spawn_memfd("terrarium-agent", agent.bytes, agent.n, reterr);
	if (request->agent_fd < 0 || !certs->len)
		return request->agent_fd < 0 ? request->agent_fd : 0;
	request->certs_fd = spawn_memfd("certificates", buf_at(certs), certs->len, reterr);
	return request->certs_fd < 0 ? request->certs_fd : 0;
}

/* ---- start ---------------------------------------------------------------------------------- */

/* Packages that were fetched once for all; without it they are fetched anew. */
static void find_cache(const struct trm_sandbox_opts *opts, char path[CACHEDIR_PATH], struct spec_msg *spec)
{
	struct trm_error why;
	spec->cache = "";
	/* A snapshot may refer to it. */
	if (opts->hides_packages && !opts->limits.net && !*opts->limits.net_allow_host && !opts->from)
		return;
	int fd = cachedir_open("packages", path, &why);
	if (fd < 0)
		log_write(LOG_WARNING, "%s", why.msg);
	else
		close(fd);
	spec->cache = fd < 0 ? "" : path;
}

/* Its files must fit, and find what they refer to. */
static int open_snapshot(const char *tag, const struct spec_msg *spec, int *ret_fd, struct trm_error *reterr)
{
	struct store_about about;
	int r = snapstore_open(tag, &about, ret_fd, reterr);
	if (r < 0)
		return r;
	bool is_bare = spec->isolation != ISOLATION_NAMESPACES;
	if (about.info.bytes > spec->disk_bytes)
		return trm_error_set(reterr, TRM_ETOOBIG,
				"the snapshot '%s' has %llu MiB of files, and the sandbox may have %llu: give it more (disk, "
				"memory)",
				tag, (unsigned long long)(about.info.bytes >> 20) + 1,
				(unsigned long long)spec->disk_bytes >> 20);
	if (about.n_sets && !*spec->cache)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"the snapshot '%s' needs packages of the cache, which this sandbox may not see",
				tag);
	if (about.n_sets && about.is_bare != is_bare)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"the snapshot '%s' was made %s namespaces, and its packages are found only so: make it anew",
				tag, about.is_bare ? "without" : "with");
	return 0;
}

static int launch(const struct trm_sandbox_opts *opts, const struct rundir_entry *entry,
		const struct mounts *mounts, struct spec_msg *spec, struct started *ret,
		struct trm_error *reterr)
{
	struct netplan plan = {0};
	struct buf packet;
	char env[TRM_ENV_BYTES], cache[CACHEDIR_PATH];
	struct supervised_request request = {.entry = entry,
			.spec = &packet,
			SUPERVISED_REQUEST_INIT,
			.mount_fds = mounts->fds,
			.n_mounts = mounts->n,
			.disk_bytes = spec->disk_bytes};
	buf_init(&packet, CONTROL_MAX_BYTES);
	rundir_list_env(opts->env, opts->n_env, env);
	spec->env = env;
	spec->mounts = mounts->text;
	spec->n_mounts = (uint32_t)mounts->n;
	spec->writable_mounts = mounts->writable;
	find_cache(opts, cache, spec);
	bool has_net = opts->limits.net || *opts->limits.net_allow_host;
	int r = opts->from ? open_snapshot(opts->from, spec, &request.snapshot_fd, reterr) : 0;
	if (r == 0 && has_net)
		r = netplan_make(&plan, opts, spec, reterr);
	if (r == 0)
		r = open_parts(&request, &plan.argv.env.certs, reterr);
	if (r == 0)
		r = put_packet(&packet, spec, opts, has_net ? &plan.argv : NULL, reterr);
	netplan_finish(&plan);
	if (r == 0)
		r = supervised_start(&request, ret, reterr);
	supervised_request_close(&request);
	buf_finish(&packet);
	return r;
}

static int start_in(const struct trm_sandbox_opts *opts, const struct rundir_entry *entry,
		const struct hold *hold, struct started *ret, struct trm_error *reterr)
{
	struct mounts mounts;
	struct spec_msg spec;
	fill_spec(&spec, opts, entry, hold);
	int r = mounts_open(&mounts, opts, entry->path, reterr);
	if (r == 0)
		r = launch(opts, entry, &mounts, &spec, ret, reterr);
	mounts_close(&mounts);
	return r;
}

int start_supervisor(const struct trm_sandbox_opts *opts, struct started *ret, struct trm_error *reterr)
{
	struct hold hold;
	struct rundir_entry entry = {0};
	int r;
	if ((r = check_limits(&opts->limits, reterr)) < 0 || (r = choose_hold(opts, &hold, reterr)) < 0
			|| (r = rundir_entry_make(&entry, opts->name, reterr)) < 0)
		return r;
	r = start_in(opts, &entry, &hold, ret, reterr);
	if (r < 0)
		rundir_entry_remove(&entry);
	else
		rundir_entry_leave(&entry);
	return r;
}
