/* SPDX-License-Identifier: MIT */
#include "wire/control.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "wire/fields.h"

enum { MAX_TEXT = 4096, MAX_MOUNTS = 8192, MAX_ENV = 8192 };

/* ---- what a sandbox is to be -------------------------------------------------------- */

/* Up to the files, of which there are n_files. */
static const struct field spec_rows[] = {
		{TEXT(struct spec_msg, name, MAX_TEXT)},
		{TEXT(struct spec_msg, run_path, MAX_TEXT)},
		{TEXT(struct spec_msg, bwrap, MAX_TEXT)},
		{FIELD(struct spec_msg, mem_bytes)},
		{FIELD(struct spec_msg, disk_bytes)},
		{FIELD(struct spec_msg, file_bytes)},
		{FIELD(struct spec_msg, cpus)},
		{FIELD(struct spec_msg, procs)},
		{FIELD(struct spec_msg, open_files)},
		{FIELD(struct spec_msg, args_shared)},
		{FIELD(struct spec_msg, args_separate)},
		{FIELD(struct spec_msg, calls)},
		{FIELD(struct spec_msg, arguments)},
		{FIELD(struct spec_msg, calls_strict)},
		{FIELD(struct spec_msg, arguments_strict)},
		{FIELD(struct spec_msg, older)},
};
static const struct field spec_further_rows[] = {
		{FIELD(struct spec_msg, is_kept)},
		{FIELD(struct spec_msg, idle_timeout_ms)},
		{FIELD(struct spec_msg, max_lifetime_ms)},
		{FIELD(struct spec_msg, limits_lifetime)},
		{TEXT(struct spec_msg, cache, MAX_TEXT)},
		{TEXT(struct spec_msg, slirp, MAX_TEXT)},
		{FIELD(struct spec_msg, net_subnet)},
		{FIELD(struct spec_msg, net_open)},
		{FIELD(struct spec_msg, has_certs)},
		{TEXT(struct spec_msg, net_allow, MAX_TEXT)},
		{FIELD(struct spec_msg, n_mounts)},
		{FIELD(struct spec_msg, writable_mounts)},
		{TEXT(struct spec_msg, mounts, MAX_MOUNTS)},
		{TEXT(struct spec_msg, env, MAX_ENV)},
		{TEXT(struct spec_msg, workdir, MAX_TEXT)},
		{TEXT(struct spec_msg, group, MAX_TEXT)},
		{TEXT(struct spec_msg, engine, MAX_TEXT)},
		{TEXT(struct spec_msg, from, MAX_TEXT)},
		{ENUM(struct spec_msg, isolation, ISOLATION_NONE)},
		{TEXT(struct spec_msg, folder, MAX_TEXT)},
		{FIELD(struct spec_msg, environment)},
		{FIELD(struct spec_msg, rules)},
		{FIELD(struct spec_msg, landlock_abi)},
		{TEXT(struct spec_msg, net_hosts, MAX_TEXT)},
		{FIELD(struct spec_msg, shares_net)},
		{FIELD(struct spec_msg, has_plan)},
};
static const struct fields SPEC = FIELDS(spec_rows), SPEC_FURTHER = FIELDS(spec_further_rows);

int spec_msg_put(struct buf *out, const struct spec_msg *m)
{
	struct pack p = {.to = out};
	pack_u8(&p, CONTROL_SPEC);
	fields_pack(&p, &SPEC, m);
	pack_u32(&p, (uint32_t)m->n_files);
	for (size_t i = 0; i < m->n_files; i++)
		pack_bytes(&p, m->files[i].bytes, m->files[i].n);
	fields_pack(&p, &SPEC_FURTHER, m);
	return p.error;
}

void spec_msg_finish(struct spec_msg *m)
{
	fields_free(&SPEC, m);
	fields_free(&SPEC_FURTHER, m);
	*m = (struct spec_msg){0};
}

int spec_msg_get(const void *packet, size_t n, struct spec_msg *ret)
{
	struct unpack u = {.at = packet, .left = n};
	struct spec_msg m = {0};
	if (unpack_u8(&u) != CONTROL_SPEC)
		return TRM_EPROTO;
	fields_unpack(&u, &SPEC, &m);
	m.n_files = unpack_u32(&u);
	for (size_t i = 0; i < m.n_files && i < CONTROL_MAX_FILES; i++)
		m.files[i].bytes = unpack_bytes(&u, &m.files[i].n);
	fields_unpack(&u, &SPEC_FURTHER, &m);
	if (u.bad || m.n_files > CONTROL_MAX_FILES || m.n_mounts > CONTROL_MAX_MOUNTS) {
		spec_msg_finish(&m);
		return unpack_failure(&u);
	}
	*ret = m;
	return 0;
}

/* ---- what it has become ------------------------------------------------------------- */

static const struct field limits_rows[] = {
		{ENUM(struct ready_msg, kind, LIMITS_ENGINE)},
		{FIELD(struct ready_msg, limits)},
		{FIELD(struct ready_msg, is_shared)},
		{FIELD(struct ready_msg, uid)},
		{TEXT(struct ready_msg, mem_dir, MAX_TEXT)},
		{TEXT(struct ready_msg, pids_dir, MAX_TEXT)},
		{TEXT(struct ready_msg, cpuacct_dir, MAX_TEXT)},
		{TEXT(struct ready_msg, cpu_dir, MAX_TEXT)},
		{TEXT(struct ready_msg, pressure_dir, MAX_TEXT)},
		{FIELD(struct ready_msg, space_fd)},
		{FIELD(struct ready_msg, n_outer)},
};
static const struct fields LIMITS = FIELDS(limits_rows);

static const struct field origin_rows[] = {
		{ENUM(struct ready_msg, origin.way, WAY_PROXY)},
		{FIELD(struct ready_msg, origin.is_adopted)},
		{TEXT(struct ready_msg, origin.backend, MAX_TEXT)},
		{TEXT(struct ready_msg, origin.image, MAX_TEXT)},
		{TEXT(struct ready_msg, origin.where, MAX_TEXT)},
		{TEXT(struct ready_msg, origin.note, MAX_TEXT)},
		{TEXT(struct ready_msg, origin.user, MAX_TEXT)},
		{TEXT(struct ready_msg, origin.words, MAX_TEXT)},
		{FIELD(struct ready_msg, origin.asks)},
		{FIELD(struct ready_msg, origin.root_pid)},
};
static const struct fields ORIGIN = FIELDS(origin_rows);

static const struct field isolation_rows[] = {
		{ENUM(struct ready_msg, isolation, ISOLATION_NONE)},
		{FIELD(struct ready_msg, landlock_abi)},
		{TEXT(struct ready_msg, folder, MAX_TEXT)},
};
static const struct fields ISOLATION = FIELDS(isolation_rows);

/* Of a pod that a manifest has made (plan_msg.puts_text). */
static const struct field made_rows[] = {
		{FIELD(struct ready_msg, origin.version)},
		{FIELD(struct ready_msg, origin.net_seen)},
};
static const struct fields MADE = FIELDS(made_rows);

static const struct field stream_rows[] = {{TEXT(struct ready_msg, origin.stream, MAX_TEXT)}};
static const struct fields STREAM = FIELDS(stream_rows);

/* ---- messages to clients, and requests ---------------------------------------------- */

static const struct field ready_rows[] = {
		{PART(struct control_msg, ready, &LIMITS)},
		{PART(struct control_msg, ready, &ORIGIN)},
		{PART(struct control_msg, ready, &ISOLATION)},
		{PART(struct control_msg, ready, &MADE)},
		{PART(struct control_msg, ready, &STREAM)},
};
static const struct field oom_rows[] = {{FIELD(struct control_msg, oom_kills)}};
static const struct field gone_rows[] = {
		{ENUM(struct control_msg, gone.cause, GONE_CAUSES - 1)},
		{FIELD(struct control_msg, gone.pid)},
		{FIELD(struct control_msg, gone.after_ms)},
		{FIELD(struct control_msg, gone.status)},
		{FIELD(struct control_msg, gone.oom_kills)},
		{TEXT(struct control_msg, gone.words, MAX_TEXT)},
		{TEXT(struct control_msg, gone.command, MAX_TEXT)},
};
static const struct field keep_rows[] = {{FIELD(struct control_msg, is_kept)}};
static const struct field group_rows[] = {
		{FIELD_OF(struct control_msg, group, FIELD_NAME, STATE_GROUP - 1)},
};
static const struct field progress_rows[] = {{TEXT(struct control_msg, progress, MAX_TEXT)}};
static const struct field lost_rows[] = {{TEXT(struct control_msg, lost, MAX_TEXT)}};
static const struct field refused_rows[] = {
		{FIELD(struct control_msg, n_refused)},
		{TEXT(struct control_msg, refused, MAX_TEXT)},
};

enum { TO_CLIENT = 1, TO_SUPERVISOR };
static const struct control_row {
	int direction;
	struct fields fields;
} ROWS[CONTROL_TYPES] = {
		[CONTROL_READY] = {TO_CLIENT, FIELDS(ready_rows)},
		[CONTROL_OOM] = {TO_CLIENT, FIELDS(oom_rows)},
		[CONTROL_GONE] = {TO_CLIENT, FIELDS(gone_rows)},
		[CONTROL_PROGRESS] = {TO_CLIENT, FIELDS(progress_rows)},
		[CONTROL_LOST] = {TO_CLIENT, FIELDS(lost_rows)},
		[CONTROL_REFUSED] = {TO_CLIENT, FIELDS(refused_rows)},
		[CONTROL_KEEP] = {TO_SUPERVISOR, FIELDS(keep_rows)},
		[CONTROL_GROUP] = {TO_SUPERVISOR, FIELDS(group_rows)},
		[CONTROL_STOP] = {TO_SUPERVISOR, {NULL, 0}},
		[CONTROL_OBSERVE] = {TO_SUPERVISOR, {NULL, 0}},
};

int control_put(struct buf *out, const struct control_msg *msg)
{
	struct pack p = {.to = out};
	pack_u8(&p, (uint8_t)msg->type);
	fields_pack(&p, &ROWS[msg->type].fields, msg);
	return p.error;
}

static int get_message(const void *packet, size_t n, int direction, struct control_msg *ret)
{
	struct unpack u = {.at = packet, .left = n};
	struct control_msg m = {.type = unpack_u8(&u)};
	if (m.type >= CONTROL_TYPES || ROWS[m.type].direction != direction)
		return TRM_EPROTO;
	fields_unpack(&u, &ROWS[m.type].fields, &m);
	if (u.bad || m.ready.origin.root_pid < 0) {
		control_finish(&m);
		return unpack_failure(&u);
	}
	*ret = m;
	return 0;
}

int control_get(const void *packet, size_t n, struct control_msg *ret)
{
	return get_message(packet, n, TO_CLIENT, ret);
}

int request_get(const void *packet, size_t n, struct control_msg *ret)
{
	return get_message(packet, n, TO_SUPERVISOR, ret);
}

void control_finish(struct control_msg *m)
{
	fields_free(&ROWS[m->type].fields, m);
	*m = (struct control_msg){0};
}

/* ---- files -------------------------------------------------------------------------- */

static const struct field state_rows[] = {
		{FIELD(struct state_msg, is_kept)},
		{FIELD(struct state_msg, n_clients)},
		{FIELD(struct state_msg, active_ms)},
		{FIELD_OF(struct state_msg, group, FIELD_NAME, STATE_GROUP - 1), LATER},
};
static const struct fields STATE = FIELDS(state_rows);

static const struct field info_rows[] = {
		{FIELD(struct info_msg, supervisor)},
		{FIELD(struct info_msg, client)},
		{FIELD(struct info_msg, supervisor_start)},
		{TEXT(struct info_msg, command, MAX_TEXT)},
		{FIELD(struct info_msg, started_ms)},
		{FIELD(struct info_msg, mem_bytes)},
		{FIELD(struct info_msg, disk_bytes)},
		{FIELD(struct info_msg, file_bytes)},
		{FIELD(struct info_msg, cpus)},
		{FIELD(struct info_msg, procs)},
		{FIELD(struct info_msg, open_files)},
		{PART(struct info_msg, ready, &LIMITS)},
		{FIELD(struct info_msg, idle_timeout_ms)},
		{FIELD(struct info_msg, max_lifetime_ms)},
		{TEXT(struct info_msg, boot_id, BOOT_ID_BYTES)},
		{FIELD(struct info_msg, has_net)},
		{TEXT(struct info_msg, net_allow, MAX_TEXT)},
		{TEXT(struct info_msg, group, MAX_TEXT), LATER},
		{TEXT(struct info_msg, workdir, MAX_TEXT)},
		{TEXT(struct info_msg, mounts, MAX_MOUNTS)},
		{TEXT(struct info_msg, env, MAX_ENV)},
		{PART(struct info_msg, ready, &ORIGIN), LATER},
		{PART(struct info_msg, ready, &ISOLATION), LATER},
		{TEXT(struct info_msg, engine, MAX_TEXT), LATER},
		{TEXT(struct info_msg, from, MAX_TEXT), LATER},
		{TEXT(struct info_msg, net_hosts, MAX_TEXT), LATER},
		{PART(struct info_msg, ready, &MADE), LATER},
		{PART(struct info_msg, ready, &STREAM), LATER},
};
static const struct fields INFO = FIELDS(info_rows);

static int put_file(struct buf *out, enum control_type type, const struct fields *fields, const void *msg)
{
	struct pack p = {.to = out};
	pack_u8(&p, (uint8_t)type);
	fields_pack(&p, fields, msg);
	return p.error;
}

int state_msg_put(struct buf *out, const struct state_msg *m)
{
	return put_file(out, CONTROL_STATE, &STATE, m);
}

int info_msg_put(struct buf *out, const struct info_msg *m)
{
	return put_file(out, CONTROL_INFO, &INFO, m);
}

int state_msg_get(const void *bytes, size_t n, struct state_msg *ret)
{
	struct unpack u = {.at = bytes, .left = n};
	struct state_msg m = {0};
	if (unpack_u8(&u) != CONTROL_STATE)
		return TRM_EPROTO;
	fields_unpack(&u, &STATE, &m);
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
	fields_unpack(&u, &INFO, &m);
	if (u.bad || m.supervisor <= 1 || m.ready.origin.root_pid < 0) {
		info_msg_finish(&m);
		return unpack_failure(&u);
	}
	*ret = m;
	return 0;
}

void info_msg_finish(struct info_msg *m)
{
	fields_free(&INFO, m);
	*m = (struct info_msg){0};
}
