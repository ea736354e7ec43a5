/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/result.h>

#include "record/event.h"
#include "record/writer.h"

const char *const rec_kind_names[REC_KINDS] = {"sandbox", "run", "accepted", "started", "output", "display",
		"prompt", "input", "eof", "interrupt", "stopping", "done", "refused", "late", "sample",
		"sandboxes", "end"};
const char *const rec_sandbox_names[3] = {"starting", "ready", "closed"};
const char *const rec_strength_names[3] = {"enforced", "weak", "not enforced"};
const char *const rec_stop_names[4] = {"none", "interrupt", "terminate", "kill"};

#define WHOLE(bit, field) \
	{ \
		TRM_METRIC_##bit, #field, offsetof(struct trm_sample, field), false \
	}
#define DOUBLE(bit, field) \
	{ \
		TRM_METRIC_##bit, #field, offsetof(struct trm_sample, field), true \
	}
const struct rec_field rec_sample_fields[] = {
		DOUBLE(CPU_PERCENT, cpu_percent),
		WHOLE(CPU_TIME, cpu_ns),
		DOUBLE(CPU_LIMIT, cpu_limit),
		WHOLE(MEM, mem_bytes),
		WHOLE(MEM_PEAK, mem_peak_bytes),
		WHOLE(MEM_LIMIT, mem_limit_bytes),
		WHOLE(DISK, disk_bytes),
		WHOLE(DISK_LIMIT, disk_limit_bytes),
		WHOLE(PROCS, procs),
		WHOLE(PROCS_LIMIT, procs_limit),
		WHOLE(NET, net_rx_bytes),
		WHOLE(NET, net_tx_bytes),
		WHOLE(UPTIME, uptime_ms),
		WHOLE(OOM_KILLS, oom_kills),
		WHOLE(THROTTLE, cpu_periods),
		WHOLE(THROTTLE, cpu_throttled),
		WHOLE(THROTTLE, throttled_ns),
		DOUBLE(THROTTLED_PERCENT, throttled_percent),
		WHOLE(PROCS_REFUSED, procs_refused),
		DOUBLE(PRESSURE_CPU, pressure_cpu_percent),
		DOUBLE(PRESSURE_MEM, pressure_mem_percent),
		DOUBLE(PRESSURE_IO, pressure_io_percent),
};
const size_t rec_n_sample_fields = sizeof rec_sample_fields / sizeof *rec_sample_fields;

/* ---- members ---- */

static void put_number(struct writer *w, const char *key, uint64_t v)
{
	writer_print(w, ",\"%s\":%" PRIu64, key, v);
}

static void put_decimal(struct writer *w, const char *key, double v)
{
	writer_print(w, ",\"%s\":", key);
	writer_decimal(w, v, 6);
}

static void put_string(struct writer *w, const char *key, const char *text)
{
	if (!text)
		return;
	writer_print(w, ",\"%s\":", key);
	writer_json(w, text, strlen(text));
}

/* Bytes that must survive unchanged. */
static void put_bytes(struct writer *w, const char *bytes, size_t n)
{
	if (text_is_exact(bytes, n)) {
		writer_text(w, ",\"text\":");
		writer_json(w, bytes, n);
		return;
	}
	writer_text(w, ",\"b64\":\"");
	writer_base64(w, bytes, n);
	writer_text(w, "\"");
}

/* ---- events ---- */

static void put_sandbox(struct writer *w, const struct rec_event *e)
{
	const struct trm_limits *l = &e->limits;

	put_string(w, "state", rec_sandbox_names[e->state]);
	put_string(w, "name", e->name);
	put_string(w, "backend", e->backend);
	if (e->has_limits) {
		writer_print(w, ",\"limits\":{\"mem_bytes\":%" PRIu64 ",\"procs\":%u,\"open_files\":%u",
				l->mem_bytes, l->procs, l->open_files);
		put_number(w, "disk_bytes", l->disk_bytes);
		put_number(w, "file_bytes", l->file_bytes);
		put_decimal(w, "cpus", l->cpus);
		writer_print(w, ",\"net\":%s", l->net ? "true" : "false");
		if (*l->net_allow)
			put_string(w, "net_allow", l->net_allow);
		writer_text(w, "}");
	}
	for (size_t i = 0; i < e->n_guards; i++) {
		writer_text(w, i ? ",{\"what\":" : ",\"guards\":[{\"what\":");
		writer_json_text(w, e->guards[i].what);
		put_string(w, "how", e->guards[i].how);
		put_string(w, "strength", rec_strength_names[e->guards[i].strength]);
		writer_text(w, "}");
	}
	if (e->n_guards)
		writer_text(w, "]");
	put_string(w, "reason", e->text);
}

static void put_error(struct writer *w, const struct trm_result *r)
{
	writer_text(w, ",\"error\":{\"name\":");
	writer_json_text(w, r->error_name);
	put_string(w, "message", r->error_message);
	writer_text(w, ",\"traceback\":[");
	for (char **line = r->traceback; line && *line; line++) {
		writer_text(w, line == r->traceback ? "" : ",");
		writer_json_text(w, *line);
	}
	writer_text(w, "]}");
}

static void put_result(struct writer *w, const struct trm_result *r)
{
	put_string(w, "status", trm_status_name(r->status));
	writer_print(w, ",\"exit_code\":%d", r->exit_code);
	if (r->state_lost)
		writer_text(w, ",\"state_lost\":true");
	put_string(w, "reason", r->reason);
	put_string(w, "hint", r->hint);
	put_string(w, "value", r->value);
	if (r->error_name)
		put_error(w, r);
	if (!r->is_wall_unknown)
		put_number(w, "wall_us", r->wall_us);
	if (r->has_install)
		put_number(w, "install_us", r->install_us);
	if (r->has_compile)
		put_number(w, "compile_us", r->compile_us);
	if (r->has_cpu)
		put_number(w, "cpu_us", r->cpu_us);
	if (r->has_mem_peak)
		put_number(w, "mem_peak_bytes", r->mem_peak_bytes);
	put_number(w, "stdout_bytes", r->stdout_bytes);
	put_number(w, "stderr_bytes", r->stderr_bytes);
}

static void put_processes(struct writer *w, const struct trm_metrics *m)
{
	writer_text(w, ",\"processes\":[");
	for (size_t i = 0; i < m->n_processes; i++) {
		const struct trm_process *p = &m->processes[i];
		writer_print(w, "%s[%u,%u,", i ? "," : "", p->pid, p->ppid);
		writer_json(w, &p->state, p->state ? 1 : 0);
		writer_text(w, ",");
		if (p->has_cpu)
			writer_decimal(w, p->cpu_percent, 3);
		else
			writer_text(w, "null");
		writer_print(w, ",%" PRIu64 ",", p->mem_bytes);
		writer_json_text(w, p->command);
		writer_print(w, ",%u,%" PRIu64 "]", p->threads, p->cpu_ns);
	}
	writer_text(w, "]");
}

static void put_sample(struct writer *w, const struct trm_sample *s)
{
	for (size_t i = 0; i < rec_n_sample_fields; i++) {
		const struct rec_field *f = &rec_sample_fields[i];
		const void *at = (const char *)s + f->offset;
		if (!(s->known & f->bit))
			continue;
		if (f->is_double)
			put_decimal(w, f->key, *(const double *)at);
		else
			put_number(w, f->key, *(const uint64_t *)at);
	}
	if (s->pressure_is_machine)
		writer_text(w, ",\"pressure_is_machine\":true");
	if (s->source[0])
		put_string(w, "source", s->source);
}

static void put_metrics(struct writer *w, const struct trm_metrics *m)
{
	put_sample(w, &m->sample);
	if (m->has_processes)
		put_processes(w, m);
}

static void put_entries(struct writer *w, const struct rec_event *e)
{
	writer_text(w, ",\"list\":[");
	for (size_t i = 0; i < e->n_entries; i++) {
		const struct trm_entry *entry = &e->entries[i];
		writer_text(w, i ? ",{\"name\":" : "{\"name\":");
		writer_json_text(w, entry->name);
		put_string(w, "backend", entry->backend);
		put_string(w, "group", entry->group);
		put_string(w, "client", entry->client);
		writer_print(w, ",\"has_client\":%s,\"is_stale\":%s", entry->has_client ? "true" : "false",
				entry->is_stale ? "true" : "false");
		if (entry->has_state)
			writer_print(w, ",\"is_kept\":%s,\"clients\":%u", entry->is_kept ? "true" : "false",
					entry->clients);
		put_sample(w, &entry->sample);
		writer_text(w, "}");
	}
	writer_text(w, "]");
}

static void put_stream(struct writer *w, const struct rec_event *e)
{
	put_string(w, "stream", e->stream == TRM_STDERR ? "stderr" : "stdout");
	put_bytes(w, e->text, e->len);
}

static void put_members(struct writer *w, const struct rec_event *e)
{
	switch (e->kind) {
	case REC_SANDBOX: put_sandbox(w, e); break;
	case REC_RUN:
		put_string(w, "language", e->lang->name);
		if (e->by)
			put_string(w, "by", e->by);
		if (e->by)
			put_number(w, "number", e->number);
		put_string(w, "name", e->name);
		put_bytes(w, e->text, e->len);
		break;
	case REC_ACCEPTED: put_number(w, "number", e->number); break;
	case REC_OUTPUT: put_stream(w, e); break;
	case REC_LATE:
		put_number(w, "number", e->number);
		put_stream(w, e);
		break;
	case REC_DISPLAY:
		put_string(w, "mime", e->name);
		if (e->bundle || e->more)
			writer_print(w, ",\"bundle\":%zu,\"more\":%zu", e->bundle, e->more);
		put_bytes(w, e->text, e->len);
		break;
	case REC_PROMPT:
	case REC_INPUT:
		if (e->is_secret)
			writer_text(w, ",\"secret\":true");
		if (e->kind == REC_PROMPT || !e->is_secret)
			put_bytes(w, e->text, e->len);
		break;
	case REC_REFUSED: put_bytes(w, e->text, e->len); break;
	case REC_DONE: put_result(w, e->result); break;
	case REC_SAMPLE: put_metrics(w, e->metrics); break;
	case REC_SANDBOXES:
		if (e->is_shown)
			put_entries(w, e);
		break;
	case REC_STOPPING:
		put_string(w, "step", rec_stop_names[e->stopping.step]);
		put_string(w, "next", rec_stop_names[e->stopping.next]);
		writer_print(w, ",\"next_ms\":%" PRId64, e->stopping.next_ms);
		break;
	case REC_STARTED:
	case REC_EOF:
	case REC_INTERRUPT:
	case REC_END:
	case REC_KINDS: break;
	}
}

void rec_event_encode(const struct rec_event *e, struct writer *w)
{
	writer_print(w, "{\"t\":%" PRIu64 ".%06u,\"e\":\"%s\"", e->t_us / 1000000,
			(unsigned)(e->t_us % 1000000), rec_kind_names[e->kind]);
	if (e->run)
		put_number(w, "run", e->run);
	put_members(w, e);
	writer_text(w, "}\n");
}

void rec_header_encode(const struct rec_header *h, struct writer *w)
{
	writer_print(w, "{\"terrarium\":\"recording\",\"version\":%d", RECORDING_VERSION);
	put_string(w, "program", h->program);
	put_string(w, "started", h->started);
	writer_print(w, ",\"rows\":%d,\"cols\":%d}\n", h->rows, h->cols);
}
