/* SPDX-License-Identifier: MIT */
#include "fuzz/old/names.h"
#include "wire/control.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "wire/pack.h"
#include "fuzz/old/old.h"

enum { MAX_TEXT = 4096, MAX_MOUNTS = 8192, MAX_ENV = 8192 };

static void pack_slice(struct pack *p, struct slice s)
{
	pack_bytes(p, s.bytes, s.n);
}

static struct slice unpack_slice(struct unpack *u)
{
	struct slice s;
	s.bytes = unpack_bytes(u, &s.n);
	return s;
}

int spec_msg_put(struct buf *out, const struct spec_msg *m)
{
	struct pack p = {.to = out};
	pack_u8(&p, CONTROL_SPEC);
	pack_str(&p, m->name);
	pack_str(&p, m->run_path);
	pack_str(&p, m->bwrap);
	pack_u64(&p, m->mem_bytes);
	pack_u64(&p, m->disk_bytes);
	pack_u64(&p, m->file_bytes);
	pack_f64(&p, m->cpus);
	pack_u32(&p, m->procs);
	pack_u32(&p, m->open_files);
	pack_slice(&p, m->args_shared);
	pack_slice(&p, m->args_separate);
	pack_slice(&p, m->calls);
	pack_slice(&p, m->arguments);
	pack_slice(&p, m->calls_strict);
	pack_slice(&p, m->arguments_strict);
	pack_u32(&p, (uint32_t)m->n_files);
	for (size_t i = 0; i < m->n_files; i++)
		pack_slice(&p, m->files[i]);
	pack_u8(&p, m->is_kept);
	pack_u64(&p, m->idle_timeout_ms);
	pack_u64(&p, m->max_lifetime_ms);
	pack_u8(&p, m->limits_lifetime);
	pack_str(&p, m->cache);
	pack_str(&p, m->slirp);
	pack_u32(&p, m->net_subnet);
	pack_slice(&p, m->net_open);
	pack_u8(&p, m->has_certs);
	pack_str(&p, m->net_allow);
	pack_u32(&p, m->n_mounts);
	pack_u32(&p, m->writable_mounts);
	pack_str(&p, m->mounts);
	pack_str(&p, m->env);
	pack_str(&p, m->workdir);
	pack_str(&p, m->group);
	pack_str(&p, m->engine);
	pack_str(&p, m->from);
	pack_u8(&p, (uint8_t)m->isolation);
	pack_str(&p, m->folder);
	pack_slice(&p, m->environment);
	pack_slice(&p, m->rules);
	pack_u32(&p, m->landlock_abi);
	pack_str(&p, m->net_hosts);
	pack_u8(&p, m->shares_net);
	pack_u8(&p, m->has_plan);
	return p.error;
}

void spec_msg_finish(struct spec_msg *m)
{
	const char *const texts[] = {m->name, m->run_path, m->bwrap, m->cache, m->slirp, m->net_allow,
			m->mounts, m->env, m->workdir, m->group, m->engine, m->folder, m->from, m->net_hosts};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free((char *)texts[i]);
	*m = (struct spec_msg){0};
}

int spec_msg_get(const void *packet, size_t n, struct spec_msg *ret)
{
	struct unpack u = {.at = packet, .left = n};
	struct spec_msg m = {0};
	if (unpack_u8(&u) != CONTROL_SPEC)
		return TRM_EPROTO;
	m.name = unpack_str(&u, MAX_TEXT);
	m.run_path = unpack_str(&u, MAX_TEXT);
	m.bwrap = unpack_str(&u, MAX_TEXT);
	m.mem_bytes = unpack_u64(&u);
	m.disk_bytes = unpack_u64(&u);
	m.file_bytes = unpack_u64(&u);
	m.cpus = unpack_f64(&u);
	m.procs = unpack_u32(&u);
	m.open_files = unpack_u32(&u);
	m.args_shared = unpack_slice(&u);
	m.args_separate = unpack_slice(&u);
	m.calls = unpack_slice(&u);
	m.arguments = unpack_slice(&u);
	m.calls_strict = unpack_slice(&u);
	m.arguments_strict = unpack_slice(&u);
	m.n_files = unpack_u32(&u);
	for (size_t i = 0; i < m.n_files && i < CONTROL_MAX_FILES; i++)
		m.files[i] = unpack_slice(&u);
	m.is_kept = unpack_u8(&u) != 0;
	m.idle_timeout_ms = unpack_u64(&u);
	m.max_lifetime_ms = unpack_u64(&u);
	m.limits_lifetime = unpack_u8(&u) != 0;
	m.cache = unpack_str(&u, MAX_TEXT);
	m.slirp = unpack_str(&u, MAX_TEXT);
	m.net_subnet = unpack_u32(&u);
	m.net_open = unpack_slice(&u);
	m.has_certs = unpack_u8(&u) != 0;
	m.net_allow = unpack_str(&u, MAX_TEXT);
	m.n_mounts = unpack_u32(&u);
	m.writable_mounts = unpack_u32(&u);
	m.mounts = unpack_str(&u, MAX_MOUNTS);
	m.env = unpack_str(&u, MAX_ENV);
	m.workdir = unpack_str(&u, MAX_TEXT);
	m.group = unpack_str(&u, MAX_TEXT);
	m.engine = unpack_str(&u, MAX_TEXT);
	m.from = unpack_str(&u, MAX_TEXT);
	m.isolation = unpack_u8(&u);
	m.folder = unpack_str(&u, MAX_TEXT);
	m.environment = unpack_slice(&u);
	m.rules = unpack_slice(&u);
	m.landlock_abi = unpack_u32(&u);
	m.net_hosts = unpack_str(&u, MAX_TEXT);
	m.shares_net = unpack_u8(&u) != 0;
	m.has_plan = unpack_u8(&u) != 0;
	if (u.bad || m.isolation > ISOLATION_NONE || m.n_files > CONTROL_MAX_FILES
			|| m.n_mounts > CONTROL_MAX_MOUNTS) {
		spec_msg_finish(&m);
		return unpack_failure(&u);
	}
	*ret = m;
	return 0;
}

static void put_ready(struct pack *p, const struct ready_msg *m)
{
	pack_u8(p, (uint8_t)m->kind);
	pack_u32(p, m->limits);
	pack_u8(p, m->is_shared);
	pack_u32(p, m->uid);
	pack_str(p, m->mem_dir);
	pack_str(p, m->pids_dir);
	pack_str(p, m->cpuacct_dir);
	pack_str(p, m->cpu_dir);
	pack_str(p, m->pressure_dir);
	pack_u32(p, (uint32_t)m->space_fd);
	pack_u32(p, m->n_outer);
}

static void put_origin(struct pack *p, const struct origin_msg *m)
{
	pack_u8(p, (uint8_t)m->way);
	pack_u8(p, m->is_adopted);
	pack_str(p, m->backend);
	pack_str(p, m->image);
	pack_str(p, m->where);
	pack_str(p, m->note);
	pack_str(p, m->user);
	pack_str(p, m->words);
	pack_u32(p, m->asks);
	pack_u32(p, (uint32_t)m->root_pid);
}

/* Of a sandbox that a text has made (plan_msg.puts_text). */
static void put_made(struct pack *p, const struct origin_msg *m)
{
	pack_u8(p, m->version);
	pack_u8(p, m->net_seen);
}

static void put_isolation(struct pack *p, const struct ready_msg *m)
{
	pack_u8(p, (uint8_t)m->isolation);
	pack_u32(p, m->landlock_abi);
	pack_str(p, m->folder);
}

int ready_msg_put(struct buf *out, const struct ready_msg *m)
{
	struct pack p = {.to = out};
	pack_u8(&p, CONTROL_READY);
	put_ready(&p, m);
	put_origin(&p, &m->origin);
	put_isolation(&p, m);
	put_made(&p, &m->origin);
	return p.error;
}

int info_msg_put(struct buf *out, const struct info_msg *m)
{
	struct pack p = {.to = out};
	pack_u8(&p, CONTROL_INFO);
	pack_u32(&p, (uint32_t)m->supervisor);
	pack_u32(&p, (uint32_t)m->client);
	pack_u64(&p, m->supervisor_start);
	pack_str(&p, m->command);
	pack_u64(&p, m->started_ms);
	pack_u64(&p, m->mem_bytes);
	pack_u64(&p, m->disk_bytes);
	pack_u64(&p, m->file_bytes);
	pack_f64(&p, m->cpus);
	pack_u32(&p, m->procs);
	pack_u32(&p, m->open_files);
	put_ready(&p, &m->ready);
	pack_u64(&p, m->idle_timeout_ms);
	pack_u64(&p, m->max_lifetime_ms);
	pack_str(&p, m->boot_id);
	pack_u8(&p, m->has_net);
	pack_str(&p, m->net_allow);
	pack_str(&p, m->group);
	pack_str(&p, m->workdir);
	pack_str(&p, m->mounts);
	pack_str(&p, m->env);
	put_origin(&p, &m->ready.origin);
	put_isolation(&p, &m->ready);
	pack_str(&p, m->engine);
	pack_str(&p, m->from);
	pack_str(&p, m->net_hosts);
	put_made(&p, &m->ready.origin);
	return p.error;
}

int state_msg_put(struct buf *out, const struct state_msg *m)
{
	struct pack p = {.to = out};
	pack_u8(&p, CONTROL_STATE);
	pack_u8(&p, m->is_kept);
	pack_u32(&p, m->n_clients);
	pack_u64(&p, m->active_ms);
	return p.error;
}

int oom_msg_put(struct buf *out, uint64_t oom_kills)
{
	struct pack p = {.to = out};
	pack_u8(&p, CONTROL_OOM);
	pack_u64(&p, oom_kills);
	return p.error;
}

int refused_msg_put(struct buf *out, uint64_t n_refused, const char *words)
{
	struct pack p = {.to = out};
	pack_u8(&p, CONTROL_REFUSED);
	pack_u64(&p, n_refused);
	pack_str(&p, words);
	return p.error;
}

int gone_msg_put(struct buf *out, const struct gone_msg *m)
{
	struct pack p = {.to = out};
	pack_u8(&p, CONTROL_GONE);
	pack_u8(&p, (uint8_t)m->cause);
	pack_u32(&p, (uint32_t)m->pid);
	pack_u64(&p, m->after_ms);
	pack_u32(&p, (uint32_t)m->status);
	pack_u64(&p, m->oom_kills);
	pack_str(&p, m->words);
	pack_str(&p, m->command);
	return p.error;
}

static int words_put(struct buf *out, enum control_type type, const char *words)
{
	struct pack p = {.to = out};
	pack_u8(&p, type);
	pack_str(&p, words);
	return p.error;
}

int progress_msg_put(struct buf *out, const char *words)
{
	return words_put(out, CONTROL_PROGRESS, words);
}

int lost_msg_put(struct buf *out, const char *words)
{
	return words_put(out, CONTROL_LOST, words);
}

static void get_origin(struct unpack *u, struct origin_msg *m)
{
	m->way = unpack_u8(u);
	m->is_adopted = unpack_u8(u) != 0;
	m->backend = unpack_str(u, MAX_TEXT);
	m->image = unpack_str(u, MAX_TEXT);
	m->where = unpack_str(u, MAX_TEXT);
	m->note = unpack_str(u, MAX_TEXT);
	m->user = unpack_str(u, MAX_TEXT);
	m->words = unpack_str(u, MAX_TEXT);
	m->asks = unpack_u32(u);
	m->root_pid = (int32_t)unpack_u32(u);
	u->bad |= m->way > WAY_EXEC || m->root_pid < 0;
}

static void get_made(struct unpack *u, struct origin_msg *m)
{
	m->version = unpack_u8(u);
	m->net_seen = unpack_u8(u);
}

static void no_origin(struct unpack *u, struct origin_msg *m)
{
	char **const texts[] = {&m->backend, &m->image, &m->where, &m->note, &m->user, &m->words};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = unpack_nothing(u);
}

static void get_ready(struct unpack *u, struct ready_msg *m)
{
	m->kind = unpack_u8(u);
	m->limits = unpack_u32(u);
	m->is_shared = unpack_u8(u) != 0;
	m->uid = unpack_u32(u);
	m->mem_dir = unpack_str(u, MAX_TEXT);
	m->pids_dir = unpack_str(u, MAX_TEXT);
	m->cpuacct_dir = unpack_str(u, MAX_TEXT);
	m->cpu_dir = unpack_str(u, MAX_TEXT);
	m->pressure_dir = unpack_str(u, MAX_TEXT);
	m->space_fd = (int32_t)unpack_u32(u);
	m->n_outer = unpack_u32(u);
}

static void get_isolation(struct unpack *u, struct ready_msg *m)
{
	m->isolation = unpack_u8(u);
	m->landlock_abi = unpack_u32(u);
	m->folder = unpack_str(u, MAX_TEXT);
	u->bad |= m->isolation > ISOLATION_NONE;
}

static void get_gone(struct unpack *u, struct gone_msg *m)
{
	m->cause = unpack_u8(u);
	m->pid = (int32_t)unpack_u32(u);
	m->after_ms = unpack_u64(u);
	m->status = (int32_t)unpack_u32(u);
	m->oom_kills = unpack_u64(u);
	m->words = unpack_str(u, MAX_TEXT);
	m->command = unpack_str(u, MAX_TEXT);
	u->bad |= m->cause >= GONE_CAUSES;
}

int control_get(const void *packet, size_t n, struct control_msg *ret)
{
	struct unpack u = {.at = packet, .left = n};
	struct control_msg m = {.type = unpack_u8(&u)};
	switch (m.type) {
	case CONTROL_READY:
		get_ready(&u, &m.ready);
		get_origin(&u, &m.ready.origin);
		get_isolation(&u, &m.ready);
		get_made(&u, &m.ready.origin);
		break;
	case CONTROL_OOM: m.oom_kills = unpack_u64(&u); break;
	case CONTROL_GONE: get_gone(&u, &m.gone); break;
	case CONTROL_PROGRESS: m.progress = unpack_str(&u, MAX_TEXT); break;
	case CONTROL_REFUSED:
		m.n_refused = unpack_u64(&u);
		m.refused = unpack_str(&u, MAX_TEXT);
		break;
	case CONTROL_LOST: m.lost = unpack_str(&u, MAX_TEXT); break;
	default: u.bad = true; break;
	}
	if (u.bad) {
		control_finish(&m);
		return unpack_failure(&u);
	}
	*ret = m;
	return 0;
}

int state_msg_get(const void *bytes, size_t n, struct state_msg *ret)
{
	struct unpack u = {.at = bytes, .left = n};
	if (unpack_u8(&u) != CONTROL_STATE)
		return TRM_EPROTO;
	struct state_msg m = {.is_kept = unpack_u8(&u) != 0};
	m.n_clients = unpack_u32(&u);
	m.active_ms = unpack_u64(&u);
	if (u.bad)
		return TRM_EPROTO;
	*ret = m;
	return 0;
}

int info_msg_get(const void *bytes, size_t n, struct info_msg *ret)
{
	struct unpack u = {.at = bytes, .left = n};
	struct info_msg m = {0};
	if (unpack_u8(&u) != CONTROL_INFO)
		return TRM_EPROTO;
	m.supervisor = (int32_t)unpack_u32(&u);
	m.client = (int32_t)unpack_u32(&u);
	m.supervisor_start = unpack_u64(&u);
	m.command = unpack_str(&u, MAX_TEXT);
	m.started_ms = unpack_u64(&u);
	m.mem_bytes = unpack_u64(&u);
	m.disk_bytes = unpack_u64(&u);
	m.file_bytes = unpack_u64(&u);
	m.cpus = unpack_f64(&u);
	m.procs = unpack_u32(&u);
	m.open_files = unpack_u32(&u);
	get_ready(&u, &m.ready);
	m.idle_timeout_ms = unpack_u64(&u);
	m.max_lifetime_ms = unpack_u64(&u);
	m.boot_id = unpack_str(&u, BOOT_ID_BYTES);
	m.has_net = unpack_u8(&u) != 0;
	m.net_allow = unpack_str(&u, MAX_TEXT);
	bool is_older = !u.left; /* an older supervisor does not write these fields */
	m.group = is_older ? unpack_nothing(&u) : unpack_str(&u, MAX_TEXT);
	m.workdir = is_older ? unpack_nothing(&u) : unpack_str(&u, MAX_TEXT);
	m.mounts = is_older ? unpack_nothing(&u) : unpack_str(&u, MAX_MOUNTS);
	m.env = is_older ? unpack_nothing(&u) : unpack_str(&u, MAX_ENV);
	if (u.left)
		get_origin(&u, &m.ready.origin);
	else /* a supervisor that is older than recipes wrote this */
		no_origin(&u, &m.ready.origin);
	if (u.left)
		get_isolation(&u, &m.ready);
	else /* a supervisor that is older than isolation levels wrote this: it used namespaces */
		m.ready.folder = unpack_nothing(&u);
	m.engine = u.left ? unpack_str(&u, MAX_TEXT) : unpack_nothing(&u);
	m.from = u.left ? unpack_str(&u, MAX_TEXT) : unpack_nothing(&u);
	m.net_hosts = u.left ? unpack_str(&u, MAX_TEXT) : unpack_nothing(&u);
	if (u.left)
		get_made(&u, &m.ready.origin);
	if (u.bad || m.supervisor <= 1 || m.ready.kind > LIMITS_ENGINE) {
		info_msg_finish(&m);
		return unpack_failure(&u);
	}
	*ret = m;
	return 0;
}

static void finish_ready(struct ready_msg *m)
{
	free(m->mem_dir);
	free(m->pids_dir);
	free(m->cpuacct_dir);
	free(m->cpu_dir);
	free(m->pressure_dir);
	free(m->origin.backend);
	free(m->origin.image);
	free(m->origin.where);
	free(m->origin.note);
	free(m->origin.user);
	free(m->origin.words);
	free(m->folder);
}

void info_msg_finish(struct info_msg *m)
{
	free(m->command);
	free(m->boot_id);
	free(m->net_allow);
	free(m->group);
	free(m->workdir);
	free(m->mounts);
	free(m->env);
	free(m->engine);
	free(m->from);
	free(m->net_hosts);
	finish_ready(&m->ready);
	*m = (struct info_msg){0};
}

void control_finish(struct control_msg *m)
{
	finish_ready(&m->ready);
	free(m->gone.words);
	free(m->gone.command);
	free((char *)m->progress);
	free((char *)m->refused);
	free((char *)m->lost);
	*m = (struct control_msg){0};
}
