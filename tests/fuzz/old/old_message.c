/* SPDX-License-Identifier: MIT */
#include "fuzz/old/names.h"
#include "wire/message.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/metrics.h>

#include "base/err.h"
#include "base/utf8.h"

enum { MAX_ARGS = 4096, MAX_KEY = 64, MAX_PATH = 4096, MAX_SENTENCE = 4096 };

static struct unpack reader(const struct frame *frame)
{
	return (struct unpack){.at = frame->payload, .left = frame->len};
}

/* Close the frame that `p` was filling. On an error, the whole frame is removed. */
static int finish_message(struct buf *out, size_t mark, const struct pack *p)
{
	if (p->error) {
		out->len = mark;
		return p->error;
	}
	return frame_end(out, mark);
}

int hello_msg_put(struct buf *out, uint32_t nproc, uint32_t flags, uint32_t pid)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, 0, FRAME_HELLO, 0, &mark);
	if (r < 0)
		return r;
	pack_u32(&p, FRAME_MAGIC);
	pack_u32(&p, FRAME_VERSION);
	pack_u32(&p, nproc);
	pack_u32(&p, flags);
	pack_u32(&p, pid);
	return finish_message(out, mark, &p);
}

int hello_msg_get(const struct frame *frame, struct hello_msg *ret)
{
	struct unpack u = reader(frame);
	struct hello_msg m = {.magic = unpack_u32(&u)};
	m.version = unpack_u32(&u);
	m.nproc = unpack_u32(&u);
	m.flags = u.left ? unpack_u32(&u) : 0; /* an older client sends neither */
	m.pid = u.left ? unpack_u32(&u) : 0;
	if (u.bad)
		return TRM_EPROTO;
	*ret = m;
	return 0;
}

int welcome_msg_put(struct buf *out, const char *agent_version, uint32_t client, const char *report,
		size_t report_len)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, 0, FRAME_WELCOME, 0, &mark);
	if (r < 0)
		return r;
	pack_u32(&p, FRAME_VERSION);
	pack_str(&p, agent_version);
	pack_u32(&p, client);
	if (report)
		pack_bytes(&p, report, report_len);
	return finish_message(out, mark, &p);
}

int welcome_msg_get(const struct frame *frame, struct welcome_msg *ret)
{
	struct unpack u = reader(frame);
	struct welcome_msg m = {.version = unpack_u32(&u)};
	size_t n;
	unpack_bytes(&u, &n);
	m.client = unpack_u32(&u);
	m.report = u.left ? unpack_bytes(&u, &m.report_len) : NULL; /* only in containers */
	/* Another version may have other fields after its number. */
	if (frame->len < sizeof(uint32_t) || (m.version == FRAME_VERSION && (u.bad || !m.client)))
		return TRM_EPROTO;
	*ret = m;
	return 0;
}

static bool fits_reader(char *const *strv)
{
	size_t n = 0;
	while (strv && n <= MAX_ARGS && strv[n])
		n++;
	return n <= MAX_ARGS;
}

int spawn_msg_put(struct buf *out, uint32_t stream, const struct spawn_msg *msg)
{
	size_t mark;
	struct pack p = {.to = out};
	if (!fits_reader(msg->argv) || !fits_reader(msg->env) || (msg->cwd && strlen(msg->cwd) > MAX_PATH)
			|| (msg->label && strlen(msg->label) > SPAWN_LABEL_MAX))
		return TRM_ETOOBIG;
	int r = frame_begin(out, stream, FRAME_SPAWN, 0, &mark);
	if (r < 0)
		return r;
	pack_str(&p, msg->key);
	pack_u32(&p, msg->flags);
	pack_u16(&p, msg->rows);
	pack_u16(&p, msg->cols);
	pack_u32(&p, msg->spare_sets);
	pack_u32(&p, msg->window);
	pack_strv(&p, (const char *const *)msg->argv);
	pack_strv(&p, (const char *const *)msg->env);
	pack_str(&p, msg->cwd);
	pack_bytes(&p, msg->script, msg->script_len);
	pack_str(&p, msg->label);
	return finish_message(out, mark, &p);
}

int spawn_msg_get(const struct frame *frame, struct spawn_msg *ret)
{
	struct unpack u = reader(frame);
	struct spawn_msg m = {0};
	m.key = unpack_str(&u, MAX_KEY);
	m.flags = unpack_u32(&u);
	m.rows = unpack_u16(&u);
	m.cols = unpack_u16(&u);
	m.spare_sets = unpack_u32(&u);
	m.window = unpack_u32(&u);
	m.argv = unpack_strv(&u, MAX_ARGS, FRAME_MAX_PAYLOAD);
	m.env = unpack_strv(&u, MAX_ARGS, FRAME_MAX_PAYLOAD);
	m.cwd = unpack_str(&u, MAX_PATH);
	m.script = unpack_bytes(&u, &m.script_len);
	m.label = unpack_str(&u, SPAWN_LABEL_MAX);
	if (u.bad || (!m.argv[0] && !(m.flags & SPAWN_ATTACH)) || m.spare_sets > SPARE_SETS_MAX) {
		spawn_msg_finish(&m);
		return unpack_failure(&u);
	}
	*ret = m;
	return 0;
}

void spawn_msg_finish(struct spawn_msg *msg)
{
	free(msg->key);
	free(msg->argv);
	free(msg->env);
	free(msg->cwd);
	free(msg->label);
	*msg = (struct spawn_msg){0};
}

int started_msg_put(struct buf *out, uint32_t stream, const struct started_msg *msg)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, stream, FRAME_STARTED, 0, &mark);
	if (r < 0)
		return r;
	pack_u32(&p, msg->pid);
	pack_u8(&p, msg->was_there);
	pack_u8(&p, msg->has_turn);
	pack_u8(&p, msg->is_torn);
	pack_u32(&p, msg->pinned_bytes);
	pack_u32(&p, msg->replay_bytes);
	pack_u64(&p, msg->lost_bytes);
	pack_u64(&p, msg->position);
	pack_bytes(&p, msg->greeting, msg->greeting_len);
	return finish_message(out, mark, &p);
}

int started_msg_get(const struct frame *frame, struct started_msg *ret)
{
	struct unpack u = reader(frame);
	struct started_msg m = {.pid = unpack_u32(&u)};
	m.was_there = unpack_u8(&u) != 0;
	m.has_turn = unpack_u8(&u) != 0;
	m.is_torn = unpack_u8(&u) != 0;
	m.pinned_bytes = unpack_u32(&u);
	m.replay_bytes = unpack_u32(&u);
	m.lost_bytes = unpack_u64(&u);
	m.position = unpack_u64(&u);
	m.greeting = unpack_bytes(&u, &m.greeting_len);
	if (u.bad || m.pinned_bytes > m.replay_bytes || m.lost_bytes > m.position
			|| m.greeting_len > FRAME_GREETING_MAX)
		return TRM_EPROTO;
	*ret = m;
	return 0;
}

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
	return finish_message(out, mark, &p);
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

int announced_msg_put(struct buf *out, const struct announced_msg *msg)
{
	size_t mark, before = out->len;
	struct pack p = {.to = out};
	int r = frame_begin(out, 0, FRAME_ANNOUNCE, 0, &mark);
	if (r < 0)
		return r;
	pack_u8(&p, (uint8_t)msg->kind);
	pack_u32(&p, msg->id);
	pack_u64(&p, msg->position);
	if (msg->kind == ANNOUNCED_BEGIN) {
		pack_u64(&p, msg->began_ms);
		pack_u32(&p, msg->pid);
		pack_bytes(&p, msg->by, msg->by_len);
		pack_bytes(&p, msg->words, msg->words_len);
	} else if (msg->kind == ANNOUNCED_OUTPUT) {
		pack_u8(&p, msg->channel);
		pack_bytes(&p, msg->bytes, msg->n_bytes);
	} else if (msg->kind == ANNOUNCED_PRESENT) {
		pack_bytes(&p, msg->by, msg->by_len);
	} else {
		pack_u32(&p, (uint32_t)msg->exit_code);
		pack_u32(&p, msg->signal);
	}
	if (!p.error && out->len - before > FRAME_HEADER + FRAME_ANNOUNCE_MAX)
		p.error = TRM_ETOOBIG;
	return finish_message(out, mark, &p);
}

int announced_msg_get(const struct frame *frame, struct announced_msg *ret)
{
	struct unpack u = reader(frame);
	struct announced_msg msg = {.client = unpack_u32(&u)};
	bool is_gone = !u.bad && !u.left;
	if (!is_gone) {
		msg.kind = unpack_u8(&u);
		msg.id = unpack_u32(&u);
		msg.position = unpack_u64(&u);
	}
	switch (msg.kind) {
	case ANNOUNCED_GONE: break;
	case ANNOUNCED_BEGIN:
		msg.began_ms = unpack_u64(&u);
		msg.pid = unpack_u32(&u);
		msg.by = unpack_bytes(&u, &msg.by_len);
		msg.words = unpack_bytes(&u, &msg.words_len);
		break;
	case ANNOUNCED_OUTPUT:
		msg.channel = unpack_u8(&u);
		msg.bytes = unpack_bytes(&u, &msg.n_bytes);
		break;
	case ANNOUNCED_END:
		msg.exit_code = (int32_t)unpack_u32(&u);
		msg.signal = unpack_u32(&u);
		break;
	case ANNOUNCED_PRESENT: msg.by = unpack_bytes(&u, &msg.by_len); break;
	default: return TRM_EPROTO;
	}
	if (u.bad || (!is_gone && msg.kind == ANNOUNCED_GONE) || msg.channel > CHANNEL_STDERR)
		return TRM_EPROTO;
	*ret = msg;
	return 0;
}

int exited_msg_put(struct buf *out, uint32_t stream, const struct exited_msg *msg)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, stream, FRAME_EXITED, 0, &mark);
	if (r < 0)
		return r;
	pack_u32(&p, (uint32_t)msg->exit_code);
	pack_u32(&p, msg->signal);
	pack_u64(&p, msg->user_us);
	pack_u64(&p, msg->system_us);
	pack_u64(&p, msg->max_rss_bytes);
	pack_u32(&p, msg->by_client);
	pack_u32(&p, msg->by_pid);
	pack_u64(&p, msg->oom_kills);
	pack_u8(&p, msg->has_unread);
	return finish_message(out, mark, &p);
}

int exited_msg_get(const struct frame *frame, struct exited_msg *ret)
{
	struct unpack u = reader(frame);
	struct exited_msg m = {.exit_code = (int32_t)unpack_u32(&u)};
	m.signal = unpack_u32(&u);
	m.user_us = unpack_u64(&u);
	m.system_us = unpack_u64(&u);
	m.max_rss_bytes = unpack_u64(&u);
	m.by_client = u.left ? unpack_u32(&u) : 0; /* an older agent sends none of these */
	m.by_pid = u.left ? unpack_u32(&u) : 0;
	m.oom_kills = u.left ? unpack_u64(&u) : 0;
	m.has_unread = u.left && unpack_u8(&u);
	if (u.bad || m.exit_code < -1 || m.exit_code > 255 || m.signal > 64)
		return TRM_EPROTO;
	*ret = m;
	return 0;
}

int error_msg_put(struct buf *out, uint32_t stream, int32_t code, const char *sentence)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, stream, FRAME_ERROR, 0, &mark);
	if (r < 0)
		return r;
	pack_u32(&p, (uint32_t)code);
	pack_str(&p, sentence);
	return finish_message(out, mark, &p);
}

int signal_pid_msg_put(struct buf *out, uint32_t stream, const struct signal_pid_msg *msg)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, stream, FRAME_SIGNAL_PID, 0, &mark);
	if (r < 0)
		return r;
	pack_u32(&p, msg->pid);
	pack_u64(&p, msg->start);
	pack_u32(&p, msg->signo);
	pack_u8(&p, msg->has_tree);
	return finish_message(out, mark, &p);
}

int signal_pid_msg_get(const struct frame *frame, struct signal_pid_msg *ret)
{
	struct unpack u = reader(frame);
	struct signal_pid_msg m = {.pid = unpack_u32(&u)};
	m.start = unpack_u64(&u);
	m.signo = unpack_u32(&u);
	m.has_tree = unpack_u8(&u) != 0;
	if (u.bad || m.pid > INT32_MAX || m.signo < 1 || m.signo > 64)
		return TRM_EPROTO;
	*ret = m;
	return 0;
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

static void put_sample(struct pack *p, const struct trm_sample *s)
{
	pack_u32(p, s->known);
	pack_f64(p, s->cpu_percent);
	pack_u64(p, s->cpu_ns);
	pack_f64(p, s->cpu_limit);
	const uint64_t counts[] = {s->mem_bytes, s->mem_peak_bytes, s->mem_limit_bytes, s->disk_bytes,
			s->disk_limit_bytes, s->procs, s->procs_limit, s->net_rx_bytes, s->net_tx_bytes,
			s->uptime_ms, s->oom_kills};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		pack_u64(p, counts[i]);
	pack_str(p, s->source);
}

/* Fields that were added to the format later come after all others. */
static void put_later(struct pack *p, const struct trm_sample *s, const struct trm_process *rows, size_t n)
{
	pack_u64(p, s->cpu_periods);
	pack_u64(p, s->cpu_throttled);
	pack_u64(p, s->throttled_ns);
	pack_u64(p, s->procs_refused);
	pack_f64(p, s->throttled_percent);
	pack_f64(p, s->pressure_cpu_percent);
	pack_f64(p, s->pressure_mem_percent);
	pack_f64(p, s->pressure_io_percent);
	pack_u8(p, s->pressure_is_machine);
	for (size_t i = 0; i < n; i++) {
		pack_u32(p, rows[i].threads);
		pack_u64(p, rows[i].cpu_ns);
		pack_u64(p, rows[i].start);
	}
}

int metrics_msg_put(struct buf *out, const struct trm_metrics *metrics)
{
	const struct trm_sample *s = &metrics->sample;
	size_t mark, n = metrics->has_processes ? metrics->n_processes : 0;
	struct pack p = {.to = out};
	int r = frame_begin(out, 0, FRAME_METRICS, 0, &mark);
	if (r < 0)
		return r;
	if (n > METRICS_MAX_PROCESSES)
		n = METRICS_MAX_PROCESSES;
	put_sample(&p, s);
	pack_u8(&p, metrics->has_processes);
	pack_u32(&p, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		const struct trm_process *row = &metrics->processes[i];
		pack_u32(&p, row->pid);
		pack_u32(&p, row->ppid);
		pack_u8(&p, (uint8_t)row->state);
		pack_u8(&p, row->has_cpu);
		pack_f64(&p, row->cpu_percent);
		pack_u64(&p, row->mem_bytes);
		pack_str(&p, row->command);
	}
	put_later(&p, s, metrics->processes, n);
	return finish_message(out, mark, &p);
}

static void get_process(struct unpack *u, struct trm_process *row)
{
	size_t n;
	row->pid = unpack_u32(u);
	row->ppid = unpack_u32(u);
	char state = (char)unpack_u8(u);
	row->state = state >= 'A' && state <= 'z' ? state : '?';
	row->has_cpu = unpack_u8(u) != 0;
	row->cpu_percent = unpack_f64(u);
	if (row->cpu_percent < 0)
		u->bad = true;
	row->mem_bytes = unpack_u64(u);
	const char *command = unpack_bytes(u, &n);
	trm_text_clean_line(row->command, sizeof row->command, command, n);
}

static bool is_percent(double value)
{
	return value >= 0 && value <= 1e6;
}

static void get_later(struct unpack *u, struct trm_sample *s, struct trm_process *table, uint32_t n)
{
	s->cpu_periods = unpack_u64(u);
	s->cpu_throttled = unpack_u64(u);
	s->throttled_ns = unpack_u64(u);
	s->procs_refused = unpack_u64(u);
	s->throttled_percent = unpack_f64(u);
	s->pressure_cpu_percent = unpack_f64(u);
	s->pressure_mem_percent = unpack_f64(u);
	s->pressure_io_percent = unpack_f64(u);
	s->pressure_is_machine = unpack_u8(u) != 0;
	if (!is_percent(s->throttled_percent) || !is_percent(s->pressure_cpu_percent)
			|| !is_percent(s->pressure_mem_percent) || !is_percent(s->pressure_io_percent))
		u->bad = true;
	for (uint32_t i = 0; i < n && !u->bad; i++) {
		table[i].threads = unpack_u32(u);
		table[i].cpu_ns = unpack_u64(u);
		table[i].start = unpack_u64(u);
	}
}

int metrics_msg_get(const struct frame *frame, struct trm_metrics *ret, struct trm_process *table)
{
	struct unpack u = reader(frame);
	struct trm_metrics m = {0};
	struct trm_sample *s = &m.sample;
	size_t n;
	s->known = unpack_u32(&u);
	s->cpu_percent = unpack_f64(&u);
	s->cpu_ns = unpack_u64(&u);
	s->cpu_limit = unpack_f64(&u);
	uint64_t *const counts[] = {&s->mem_bytes, &s->mem_peak_bytes, &s->mem_limit_bytes, &s->disk_bytes,
			&s->disk_limit_bytes, &s->procs, &s->procs_limit, &s->net_rx_bytes, &s->net_tx_bytes,
			&s->uptime_ms, &s->oom_kills};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] = unpack_u64(&u);
	const char *source = unpack_bytes(&u, &n);
	trm_text_clean_line(s->source, sizeof s->source, source, n);
	m.has_processes = unpack_u8(&u) != 0;
	uint32_t rows = unpack_u32(&u);
	if (u.bad || s->cpu_percent < 0 || s->cpu_limit < 0 || rows > METRICS_MAX_PROCESSES)
		return TRM_EPROTO;
	for (uint32_t i = 0; i < rows && !u.bad; i++)
		get_process(&u, &table[i]);
	get_later(&u, s, table, rows);
	if (u.bad)
		return TRM_EPROTO;
	m.processes = table;
	m.n_processes = rows;
	*ret = m;
	return 0;
}
