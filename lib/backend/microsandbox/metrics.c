/* SPDX-License-Identifier: MIT */
/* The server's account of what a sandbox uses. A plain server measures the CPU over microseconds and
 * always answers 0.0; that is not passed on as a fact. */
#include <stdio.h>
#include <string.h>

#include "backend/microsandbox/msb.h"
#include "base/err.h"
#include "rpc/names.h"
#include "rpc/processes.h"
#include "rpc/sample.h"

enum { FAILURES_MAX = 3, STOPPED_MAX = 2 };

const cJSON *msb_metrics_row(const cJSON *result, const char *name)
{
	const cJSON *rows = cJSON_GetObjectItemCaseSensitive(result, "sandboxes"), *row;
	cJSON_ArrayForEach(row, rows)
	{
		const char *own = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "name"));
		if (own && strcmp(own, name) == 0)
			return row;
	}
	return NULL;
}

static bool read_figure(const cJSON *row, const char *name, double *ret)
{
	return kernel_json_number(row, name, 1e18, ret);
}

void msb_metrics_read(const struct msb *m, const cJSON *row, struct trm_sample *s)
{
	double cpu, mem, disk;
	snprintf(s->source, sizeof s->source, "server");
	if (read_figure(row, "cpu_usage", &cpu) && (cpu > 0 || m->extensions)) {
		s->cpu_percent = cpu;
		s->known |= TRM_METRIC_CPU_PERCENT;
	}
	if (read_figure(row, "memory_usage", &mem) && mem < 1e12) {
		s->mem_bytes = (uint64_t)mem << 20;
		s->known |= TRM_METRIC_MEM;
	}
	if (read_figure(row, "disk_usage", &disk)) {
		s->disk_bytes = (uint64_t)disk;
		s->known |= TRM_METRIC_DISK;
	}
	rpc_sample_read(cJSON_GetObjectItemCaseSensitive(row, "sample"), s);
}

/* Limits that we requested ourselves are known without the server. */
static void fill_known(const struct msb *m, const cJSON *row, struct trm_sample *s)
{
	if (!m->boxes[MSB_BOX_MAIN].is_found) {
		s->cpu_limit = m->settings.is_complete_cpus;
		s->mem_limit_bytes = m->settings.mem_bytes;
		s->uptime_ms = (trm_loop_now_ns(m->loop) - m->up_ns) / 1000000;
		s->known = TRM_METRIC_CPU_LIMIT | TRM_METRIC_MEM_LIMIT | TRM_METRIC_UPTIME;
	}
	msb_metrics_read(m, row, s);
}

/* The sandbox ran before, no longer runs, and we did not stop it. */
static bool was_stopped(struct msb *m, const cJSON *row)
{
	struct msb_box *box = &m->boxes[MSB_BOX_MAIN];
	const cJSON *running = cJSON_GetObjectItemCaseSensitive(row, "running");
	if (box->state != BOX_UP || !cJSON_IsBool(running))
		return false;
	if (cJSON_IsTrue(running)) {
		box->was_seen_running = true;
		box->seen_stopped = 0;
	} else if (box->was_seen_running) {
		box->seen_stopped++;
	}
	return box->seen_stopped >= STOPPED_MAX;
}

static void on_metrics(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb *m = user;
	struct trm_metrics metrics = {0};
	const cJSON *row = msb_metrics_row(result, m->name);
	const cJSON *processes = cJSON_GetObjectItemCaseSensitive(row, "processes");
	struct trm_process table[METRICS_MAX_PROCESSES];
	m->metrics_call = NULL;
	m->metrics_failures = !result && msb_is_gone(why) ? m->metrics_failures + 1 : 0;
	m->metrics_refusals = !result && msb_means_absence(why) ? m->metrics_refusals + 1 : 0;
	if (m->metrics_failures >= FAILURES_MAX) {
		msb_fail(m, why);
		return;
	}
	if (was_stopped(m, row)) {
		struct trm_error ended;
		trm_error_set(&ended, TRM_ECLOSED, "sandbox '%s' was stopped at the server %s", m->name,
				m->settings.url);
		msb_fail(m, &ended);
		return;
	}
	if (m->metrics_refusals >= STOPPED_MAX)
		msb_box_check(&m->boxes[MSB_BOX_MAIN]);
	fill_known(m, row, &metrics.sample);
	metrics.has_processes = m->wants_processes && cJSON_IsArray(processes);
	metrics.n_processes = rpc_processes_read(processes, table, METRICS_MAX_PROCESSES);
	metrics.processes = table;
	metrics_msg_put(&m->out, &metrics);
	msb_send(m);
}

static void request_metrics(void *user)
{
	struct msb *m = user;
	struct msb_request request = {
			.method = RPC_METRICS, .params = msb_params(m, m->name), .timeout_ms = MSB_ERRAND_MS};
	if (m->metrics_call || m->is_over || m->is_stopping) {
		cJSON_Delete(request.params);
		return;
	}
	if (m->extensions)
		cJSON_AddTrueToObject(request.params, "full");
	snprintf(request.what, sizeof request.what, "measure sandbox '%s'", m->name);
	msb_call(m, &request, on_metrics, m, &m->metrics_call, NULL);
}

void msb_metrics_watch(struct msb *m, const struct frame *frame)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	uint32_t interval_ms = unpack_u32(&u);
	m->wants_processes = unpack_u8(&u);
	trm_timer_stop(m->metrics);
	if (!interval_ms)
		return;
	request_metrics(m);
	trm_timer_start(m->metrics, interval_ms, interval_ms);
}

static void on_check(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_box *box = user;
	const cJSON *row = msb_metrics_row(result, box->name);
	struct trm_error ended;
	box->call = NULL;
	/* The namespace itself may not exist either. */
	if (box->state != BOX_UP || (!result && why->code != TRM_EINVAL)
			|| (row && !cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(row, "running"))))
		return;
	trm_error_set(&ended, TRM_ECLOSED, "sandbox '%s' no longer runs at the server %s", box->name,
			box->msb->settings.url);
	box->state = BOX_DOWN;
	if (box == &box->msb->boxes[MSB_BOX_MAIN])
		msb_fail(box->msb, &ended);
}

/* Asks for all sandboxes of the namespace, because the answer about a single one that the server no
 * longer knows is unclear. */
void msb_box_check(struct msb_box *box)
{
	if (box->call || box->state != BOX_UP || box->msb->is_stopping)
		return;
	msb_box_list(box, MSB_ERRAND_MS, on_check);
}

int msb_metrics_init(struct msb *m, struct trm_error *reterr)
{
	return trm_loop_add_timer(m->loop, request_metrics, m, &m->metrics, reterr);
}
