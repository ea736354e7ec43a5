/* SPDX-License-Identifier: MIT */
/* The kernels' protocol (kernel/kernel.h), spoken by us. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/microsandbox/msb.h"
#include "base/err.h"

/* ---- events ------------------------------------------------------------------------------------- */

cJSON *msb_kernel_event(const struct msb_proc *p, const char *name)
{
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "ev", name);
	if (p->run_id[0])
		cJSON_AddStringToObject(event, "id", p->run_id);
	return event;
}

void msb_kernel_send(struct msb_proc *p, cJSON *event)
{
	char *text = event ? cJSON_PrintUnformatted(event) : NULL;
	cJSON_Delete(event);
	if (!text)
		return;
	size_t n = strlen(text);
	char *line = malloc(n + 1);
	if (line) {
		memcpy(line, text, n);
		line[n] = '\n';
		msb_proc_print(p, CHANNEL_CONTROL, line, n + 1);
	}
	free(line);
	cJSON_free(text);
	msb_proc_flush(p);
}

void msb_kernel_start(struct msb_proc *p)
{
	cJSON *event = msb_kernel_event(p, "ready");
	cJSON_AddStringToObject(event, "version", "microsandbox");
	msb_kernel_send(p, event);
	if (p->stream)
		msb_kernel_feed(p, "", 0); /* requests that came before */
}

void msb_kernel_reply(struct msb_proc *p, const char *id, cJSON *data, const char *error)
{
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "ev", "reply");
	cJSON_AddStringToObject(event, "id", id);
	if (data)
		cJSON_AddItemToObject(event, "data", data);
	else
		cJSON_AddStringToObject(event, "error", error);
	msb_kernel_send(p, event);
}

void msb_kernel_done(struct msb_proc *p, const char *status, int exit_code, cJSON *error)
{
	cJSON *event = msb_kernel_event(p, "done");
	cJSON_AddStringToObject(event, "status", status);
	if (exit_code >= 0)
		cJSON_AddNumberToObject(event, "exit_code", exit_code);
	if (error)
		cJSON_AddItemToObject(event, "error", error);
	msb_kernel_end(p, event);
}

void msb_kernel_end(struct msb_proc *p, cJSON *event)
{
	p->run_id[0] = '\0';
	free(p->code);
	p->code = NULL;
	msb_kernel_send(p, event);
	if (p->stream)
		msb_kernel_feed(p, "", 0); /* requests that waited for the end */
}

/* ---- requests -------------------------------------------------------------------------------------- */

static void begin_run(struct msb_proc *p, const char *id, const cJSON *request)
{
	const char *code = kernel_json_text(request, "code");
	double timeout_ms = 0;
	kernel_json_number(request, "timeout_ms", 1e12, &timeout_ms);
	snprintf(p->run_id, sizeof p->run_id, "%s", id);
	free(p->code);
	p->code = strdup(code ? code : "");
	p->code_len = p->code ? strlen(p->code) : 0;
	p->timeout_ms = (uint64_t)timeout_ms;
	p->begun_ns = trm_loop_now_ns(p->msb->loop);
	p->is_interrupted = p->has_reported_interrupt = p->has_reported_stdin = false;
	p->n_runs++;
	p->request = request;
	if (p->code)
		p->msb->dialect->run(p);
	p->request = NULL;
}

/* Run the work that is left at the end of a program. Only a server with our extension can do this. If
 * nothing has run in the interpreter, because the image lacks the language or the last run ended it,
 * there is no such work. */
static void end_program(struct msb_proc *p, const char *id, const cJSON *request)
{
	if (!(p->msb->extensions & MSB_EVENTS) || !p->n_runs) {
		msb_proc_end(p, 0, 0);
		return;
	}
	p->is_leaving = true;
	begin_run(p, id, request);
}

static void take_request(struct msb_proc *p, const cJSON *request)
{
	const char *op = kernel_json_text(request, "op"), *id = kernel_json_text(request, "id");
	if (!op || !id || strlen(id) >= sizeof p->run_id)
		return;
	if (strcmp(op, "run") == 0)
		begin_run(p, id, request);
	else if (strcmp(op, "leave") == 0)
		end_program(p, id, request);
	else
		p->msb->dialect->ask(p, op, id, request);
}

void msb_kernel_feed(struct msb_proc *p, const char *bytes, size_t n)
{
	char *line;
	size_t len;
	if (n && kernel_lines_feed(&p->requests, bytes, n) < 0) {
		struct trm_error why;
		trm_error_set(&why, TRM_ETOOBIG, "the code is too long");
		msb_proc_fail(p, &why);
		return;
	}
	while (p->stream && !p->is_waiting && !p->will_exit && !p->run_id[0]
			&& (line = kernel_lines_next(&p->requests, &len))) {
		cJSON *request = kernel_json_parse(line, len, NULL);
		kernel_lines_done(&p->requests, len);
		take_request(p, request);
		cJSON_Delete(request);
	}
}
