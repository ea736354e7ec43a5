/* SPDX-License-Identifier: MIT */
#include "wire/message.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/metrics.h>

#include "base/err.h"
#include "base/utf8.h"
#include "wire/fields.h"

enum { MAX_ARGS = 4096, MAX_KEY = 64, MAX_PATH = 4096, MAX_SENTENCE = 4096 };

static struct unpack reader(const struct frame *frame)
{
	return (struct unpack){.at = frame->payload, .left = frame->len};
}

/* ---- connecting --------------------------------------------------------------------- */

static const struct field hello_rows[] = {
		{FIELD(struct hello_msg, magic)},
		{FIELD(struct hello_msg, version)},
		{FIELD(struct hello_msg, nproc)},
		{FIELD(struct hello_msg, flags), LATER},
		{FIELD(struct hello_msg, pid), LATER},
};
static const struct fields HELLO = FIELDS(hello_rows);

int hello_msg_put(struct buf *out, uint32_t nproc, uint32_t flags, uint32_t pid)
{
	const struct hello_msg msg = {FRAME_MAGIC, FRAME_VERSION, nproc, flags, pid};
	return fields_put(out, 0, FRAME_HELLO, &HELLO, &msg);
}

int hello_msg_get(const struct frame *frame, struct hello_msg *ret)
{
	return fields_get(frame, &HELLO, NULL, ret, sizeof *ret);
}

static const struct field welcome_rows[] = {
		{FIELD(struct welcome_msg, version)},
		{FIELD(struct welcome_msg, agent)},
		{FIELD(struct welcome_msg, client)},
};
static const struct fields WELCOME = FIELDS(welcome_rows);

int welcome_msg_put(struct buf *out, const char *agent_version, uint32_t client, const char *report,
		size_t report_len)
{
	const struct welcome_msg msg = {.version = FRAME_VERSION,
			.agent = {agent_version, strlen(agent_version)},
			.client = client};
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, 0, FRAME_WELCOME, 0, &mark);
	if (r < 0)
		return r;
	fields_pack(&p, &WELCOME, &msg);
	if (report)
		pack_bytes(&p, report, report_len);
	return frame_close(out, mark, &p);
}

int welcome_msg_get(const struct frame *frame, struct welcome_msg *ret)
{
	struct unpack u = reader(frame);
	struct welcome_msg m = {0};
	fields_unpack(&u, &WELCOME, &m);
	m.report = u.left ? unpack_bytes(&u, &m.report_len) : NULL; /* only in containers */
	/* Another version may have other fields after its number. */
	if (frame->len < sizeof(uint32_t) || (m.version == FRAME_VERSION && (u.bad || !m.client)))
		return TRM_EPROTO;
	*ret = m;
	return 0;
}

/* ---- processes ---------------------------------------------------------------------- */

static const struct field spawn_rows[] = {
		{TEXT(struct spawn_msg, key, MAX_KEY)},
		{FIELD(struct spawn_msg, flags)},
		{FIELD(struct spawn_msg, rows)},
		{FIELD(struct spawn_msg, cols)},
		{FIELD(struct spawn_msg, spare_sets)},
		{FIELD(struct spawn_msg, window)},
		{FIELD_OF(struct spawn_msg, argv, FIELD_TEXTS, MAX_ARGS)},
		{FIELD_OF(struct spawn_msg, env, FIELD_TEXTS, MAX_ARGS)},
		{TEXT(struct spawn_msg, cwd, MAX_PATH)},
		{SLICE(struct spawn_msg, script, script_len)},
		{TEXT(struct spawn_msg, label, SPAWN_LABEL_MAX)},
		{TEXT(struct spawn_msg, by, ANNOUNCED_BY_MAX)},
};
static const struct fields SPAWN = FIELDS(spawn_rows);

static bool spawn_is_sound(const void *msg)
{
	const struct spawn_msg *m = msg;
	return (m->argv[0] || m->flags & SPAWN_ATTACH) && m->spare_sets <= SPARE_SETS_MAX;
}

int spawn_msg_put(struct buf *out, uint32_t stream, const struct spawn_msg *msg)
{
	return fields_put(out, stream, FRAME_SPAWN, &SPAWN, msg);
}

int spawn_msg_get(const struct frame *frame, struct spawn_msg *ret)
{
	return fields_get(frame, &SPAWN, spawn_is_sound, ret, sizeof *ret);
}

void spawn_msg_finish(struct spawn_msg *msg)
{
	fields_free(&SPAWN, msg);
	*msg = (struct spawn_msg){0};
}

static const struct field started_rows[] = {
		{FIELD(struct started_msg, pid)},
		{FIELD(struct started_msg, was_there)},
		{FIELD(struct started_msg, has_turn)},
		{FIELD(struct started_msg, is_torn)},
		{FIELD(struct started_msg, pinned_bytes)},
		{FIELD(struct started_msg, replay_bytes)},
		{FIELD(struct started_msg, lost_bytes)},
		{FIELD(struct started_msg, position)},
		{SLICE(struct started_msg, greeting, greeting_len)},
};
static const struct fields STARTED = FIELDS(started_rows);

static bool started_is_sound(const void *msg)
{
	const struct started_msg *m = msg;
	return m->pinned_bytes <= m->replay_bytes && m->lost_bytes <= m->position
	       && m->greeting_len <= FRAME_GREETING_MAX;
}

int started_msg_put(struct buf *out, uint32_t stream, const struct started_msg *msg)
{
	return fields_put(out, stream, FRAME_STARTED, &STARTED, msg);
}

int started_msg_get(const struct frame *frame, struct started_msg *ret)
{
	return fields_get(frame, &STARTED, started_is_sound, ret, sizeof *ret);
}

static const struct field exited_rows[] = {
		{FIELD(struct exited_msg, exit_code)},
		{FIELD(struct exited_msg, signal)},
		{FIELD(struct exited_msg, user_us)},
		{FIELD(struct exited_msg, system_us)},
		{FIELD(struct exited_msg, max_rss_bytes)},
		{FIELD(struct exited_msg, by_client), LATER},
		{FIELD(struct exited_msg, by_pid), LATER},
		{FIELD(struct exited_msg, oom_kills), LATER},
		{FIELD(struct exited_msg, has_unread), LATER},
};
static const struct fields EXITED = FIELDS(exited_rows);

static bool exited_is_sound(const void *msg)
{
	const struct exited_msg *m = msg;
	return m->exit_code >= -1 && m->exit_code <= 255 && m->signal <= 64;
}

int exited_msg_put(struct buf *out, uint32_t stream, const struct exited_msg *msg)
{
	return fields_put(out, stream, FRAME_EXITED, &EXITED, msg);
}

int exited_msg_get(const struct frame *frame, struct exited_msg *ret)
{
	return fields_get(frame, &EXITED, exited_is_sound, ret, sizeof *ret);
}

static const struct field signal_pid_rows[] = {
		{FIELD(struct signal_pid_msg, pid)},
		{FIELD(struct signal_pid_msg, start)},
		{FIELD(struct signal_pid_msg, signo)},
		{FIELD(struct signal_pid_msg, has_tree)},
};
static const struct fields SIGNAL_PID = FIELDS(signal_pid_rows);

static bool signal_is_sound(const void *msg)
{
	const struct signal_pid_msg *m = msg;
	return m->pid <= INT32_MAX && m->signo >= 1 && m->signo <= 64;
}

int signal_pid_msg_put(struct buf *out, uint32_t stream, const struct signal_pid_msg *msg)
{
	return fields_put(out, stream, FRAME_SIGNAL_PID, &SIGNAL_PID, msg);
}

int signal_pid_msg_get(const struct frame *frame, struct signal_pid_msg *ret)
{
	return fields_get(frame, &SIGNAL_PID, signal_is_sound, ret, sizeof *ret);
}

/* ---- sharing ------------------------------------------------------------------------ */

int turn_msg_put(struct buf *out, uint32_t stream, enum turn_word word)
{
	const uint8_t byte = (uint8_t)word;
	return frame_put(out, stream, FRAME_TURN, 0, &byte, sizeof byte);
}

int turn_msg_get(const struct frame *frame, enum turn_word *ret)
{
	struct unpack u = reader(frame);
	uint8_t word = unpack_u8(&u);
	if (u.bad || word < TURN_WANT || (word > TURN_TAKE && word < TURN_YOURS) || word > TURN_TAKEN)
		return TRM_EPROTO;
	*ret = (enum turn_word)word;
	return 0;
}

int shared_msg_put(struct buf *out, const char *key)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, 0, FRAME_SHARED, 0, &mark);
	if (r < 0)
		return r;
	pack_str(&p, key);
	return frame_close(out, mark, &p);
}

int shared_msg_get(const struct frame *frame, char **ret_key)
{
	struct unpack u = reader(frame);
	char *key = unpack_str(&u, MAX_KEY);
	if (!key)
		return unpack_failure(&u);
	*ret_key = key;
	return 0;
}

static const struct field announced_rows[] = {
		{ENUM(struct announced_msg, kind, ANNOUNCED_PRESENT)},
		{FIELD(struct announced_msg, id)},
		{FIELD(struct announced_msg, position)},
};
static const struct fields ANNOUNCED = FIELDS(announced_rows);

static const struct field begin_rows[] = {
		{FIELD(struct announced_msg, began_ms)},
		{FIELD(struct announced_msg, pid)},
		{SLICE(struct announced_msg, by, by_len)},
		{SLICE(struct announced_msg, words, words_len)},
};
static const struct field output_rows[] = {
		{FIELD(struct announced_msg, channel)},
		{SLICE(struct announced_msg, bytes, n_bytes)},
};
static const struct field end_rows[] = {
		{FIELD(struct announced_msg, exit_code)},
		{FIELD(struct announced_msg, signal)},
};
static const struct field present_rows[] = {
		{SLICE(struct announced_msg, by, by_len)},
};
static const struct fields ANNOUNCED_BY_KIND[] = {
		[ANNOUNCED_BEGIN] = FIELDS(begin_rows),
		[ANNOUNCED_OUTPUT] = FIELDS(output_rows),
		[ANNOUNCED_END] = FIELDS(end_rows),
		[ANNOUNCED_PRESENT] = FIELDS(present_rows),
};

int announced_msg_put(struct buf *out, const struct announced_msg *msg)
{
	size_t mark, before = out->len;
	struct pack p = {.to = out};
	int r = frame_begin(out, 0, FRAME_ANNOUNCED, 0, &mark);
	if (r < 0)
		return r;
	pack_u32(&p, msg->client);
	if (msg->kind != ANNOUNCED_GONE) {
		fields_pack(&p, &ANNOUNCED, msg);
		fields_pack(&p, &ANNOUNCED_BY_KIND[msg->kind], msg);
	}
	if (!p.error && out->len - before > FRAME_HEADER + FRAME_ANNOUNCE_MAX)
		p.error = TRM_ETOOBIG;
	return frame_close(out, mark, &p);
}

int announced_msg_get(const struct frame *frame, struct announced_msg *ret)
{
	struct unpack u = reader(frame);
	struct announced_msg msg = {.client = unpack_u32(&u)};
	bool is_gone = !u.bad && !u.left;
	if (!is_gone) {
		fields_unpack(&u, &ANNOUNCED, &msg);
		u.bad |= msg.kind == ANNOUNCED_GONE;
	}
	if (!u.bad)
		fields_unpack(&u, &ANNOUNCED_BY_KIND[msg.kind], &msg);
	if (u.bad || msg.channel > CHANNEL_STDERR)
		return TRM_EPROTO;
	*ret = msg;
	return 0;
}

/* ---- errors ------------------------------------------------------------------------- */

int error_msg_put(struct buf *out, uint32_t stream, int32_t code, const char *sentence)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, stream, FRAME_ERROR, 0, &mark);
	if (r < 0)
		return r;
	pack_u32(&p, (uint32_t)code);
	pack_str(&p, sentence);
	return frame_close(out, mark, &p);
}

static int known_code(int32_t code)
{
	switch (code) {
#define X(name, number, text) case TRM_##name:
		TRM_ERROR_MAP(X)
#undef X
		return code;
	}
	return TRM_EIO;
}

int error_msg_get(const struct frame *frame, struct trm_error *ret)
{
	struct unpack u = reader(frame);
	int32_t code = (int32_t)unpack_u32(&u);
	size_t n;
	const char *sentence = unpack_bytes(&u, &n);
	if (u.bad || n > MAX_SENTENCE)
		return TRM_EPROTO;
	ret->code = known_code(code);
	trm_text_clean_line(ret->msg, sizeof ret->msg, sentence, n);
	return 0;
}

/* ---- metrics ------------------------------------------------------------------------ */

static const struct field sample_rows[] = {
		{FIELD(struct trm_sample, known)},
		{FIELD(struct trm_sample, cpu_percent)},
		{FIELD(struct trm_sample, cpu_ns)},
		{FIELD(struct trm_sample, cpu_limit)},
		{FIELD(struct trm_sample, mem_bytes)},
		{FIELD(struct trm_sample, mem_peak_bytes)},
		{FIELD(struct trm_sample, mem_limit_bytes)},
		{FIELD(struct trm_sample, disk_bytes)},
		{FIELD(struct trm_sample, disk_limit_bytes)},
		{FIELD(struct trm_sample, procs)},
		{FIELD(struct trm_sample, procs_limit)},
		{FIELD(struct trm_sample, net_rx_bytes)},
		{FIELD(struct trm_sample, net_tx_bytes)},
		{FIELD(struct trm_sample, uptime_ms)},
		{FIELD(struct trm_sample, oom_kills)},
		{LINE(struct trm_sample, source)},
};
static const struct fields SAMPLE = FIELDS(sample_rows);

static const struct field process_rows[] = {
		{FIELD(struct trm_process, pid)},
		{FIELD(struct trm_process, ppid)},
		{FIELD_OF(struct trm_process, state, FIELD_U8, 0)},
		{FIELD(struct trm_process, has_cpu)},
		{FIELD(struct trm_process, cpu_percent)},
		{FIELD(struct trm_process, mem_bytes)},
		{LINE(struct trm_process, command)},
};
static const struct fields PROCESS = FIELDS(process_rows);

/* Fields that were added to the format later come after all others: of the sample, then of each process. */
static const struct field sample_later_rows[] = {
		{FIELD(struct trm_sample, cpu_periods)},
		{FIELD(struct trm_sample, cpu_throttled)},
		{FIELD(struct trm_sample, throttled_ns)},
		{FIELD(struct trm_sample, procs_refused)},
		{FIELD(struct trm_sample, throttled_percent)},
		{FIELD(struct trm_sample, pressure_cpu_percent)},
		{FIELD(struct trm_sample, pressure_mem_percent)},
		{FIELD(struct trm_sample, pressure_io_percent)},
		{FIELD(struct trm_sample, pressure_is_machine)},
};
static const struct fields SAMPLE_LATER = FIELDS(sample_later_rows);

static const struct field process_later_rows[] = {
		{FIELD(struct trm_process, threads)},
		{FIELD(struct trm_process, cpu_ns)},
		{FIELD(struct trm_process, start)},
};
static const struct fields PROCESS_LATER = FIELDS(process_later_rows);

int metrics_msg_put(struct buf *out, const struct trm_metrics *metrics)
{
	size_t mark, n = metrics->has_processes ? metrics->n_processes : 0;
	struct pack p = {.to = out};
	int r = frame_begin(out, 0, FRAME_METRICS, 0, &mark);
	if (r < 0)
		return r;
	if (n > METRICS_MAX_PROCESSES)
		n = METRICS_MAX_PROCESSES;
	fields_pack(&p, &SAMPLE, &metrics->sample);
	pack_u8(&p, metrics->has_processes);
	pack_u32(&p, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		fields_pack(&p, &PROCESS, &metrics->processes[i]);
	fields_pack(&p, &SAMPLE_LATER, &metrics->sample);
	for (size_t i = 0; i < n; i++)
		fields_pack(&p, &PROCESS_LATER, &metrics->processes[i]);
	return frame_close(out, mark, &p);
}

static bool is_percent(double value)
{
	return value >= 0 && value <= 1e6;
}

static bool sample_is_sound(const struct trm_sample *s)
{
	return s->cpu_percent >= 0 && s->cpu_limit >= 0 && is_percent(s->throttled_percent)
	       && is_percent(s->pressure_cpu_percent) && is_percent(s->pressure_mem_percent)
	       && is_percent(s->pressure_io_percent);
}

static void get_process(struct unpack *u, struct trm_process *row)
{
	fields_unpack(u, &PROCESS, row);
	if (row->state < 'A' || row->state > 'z')
		row->state = '?';
	u->bad |= row->cpu_percent < 0;
}

int metrics_msg_get(const struct frame *frame, struct trm_metrics *ret, struct trm_process *table)
{
	struct unpack u = reader(frame);
	struct trm_metrics m = {.processes = table};
	fields_unpack(&u, &SAMPLE, &m.sample);
	m.has_processes = unpack_u8(&u) != 0;
	m.n_processes = unpack_u32(&u);
	u.bad |= m.n_processes > METRICS_MAX_PROCESSES;
	for (size_t i = 0; i < m.n_processes && !u.bad; i++)
		get_process(&u, &table[i]);
	fields_unpack(&u, &SAMPLE_LATER, &m.sample);
	for (size_t i = 0; i < m.n_processes && !u.bad; i++)
		fields_unpack(&u, &PROCESS_LATER, &table[i]);
	if (u.bad || !sample_is_sound(&m.sample))
		return TRM_EPROTO;
	*ret = m;
	return 0;
}
