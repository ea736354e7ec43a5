/* SPDX-License-Identifier: MIT */
/* The large events: end of a run, usage of the sandbox, and the page of all sandboxes. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>
#include <terrarium/result.h>
#include <terrarium/text.h>

#include "record/decode.h"
#include "record/json.h"

#define TRACEBACK_LINES 10000
#define PROCESSES_MAX 4096
#define ENTRIES_MAX 4096

/* ---- results ---- */

static char *copy_json_text(const cJSON *item)
{
	const char *text = json_text(item);
	return text ? strdup(text) : NULL;
}

static char **get_traceback(const cJSON *list)
{
	int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0, used = 0;
	const cJSON *item;

	if (n > TRACEBACK_LINES)
		n = TRACEBACK_LINES;
	char **lines = calloc((size_t)n + 1, sizeof *lines);
	cJSON_ArrayForEach(item, list) if (lines && used < n && (lines[used] = copy_json_text(item))) used++;
	return lines;
}

static void get_error(struct trm_result *r, const cJSON *error)
{
	if (!cJSON_IsObject(error))
		return;
	r->error_name = copy_json_text(json_get(error, "name"));
	r->error_message = copy_json_text(json_get(error, "message"));
	r->traceback = get_traceback(json_get(error, "traceback"));
	if (!r->error_message)
		r->error_message = strdup("");
}

int decode_done(struct decoder *d)
{
	struct trm_result *r = d->own->result = calloc(1, sizeof *r);
	const char *status = json_text(json_get(d->object, "status"));
	double code = 0;

	if (!r)
		return trm_error_set(d->err, TRM_ENOMEM, "out of memory");
	d->e->result = r;
	int value = TRM_STATUS_OK;
	while (status && value <= TRM_STATUS_LOST && strcmp(trm_status_name((enum trm_status)value), status))
		value++;
	if (!status || value > TRM_STATUS_LOST)
		return decode_wrong(d, "status");
	r->status = (enum trm_status)value;
	if (json_double(json_get(d->object, "exit_code"), &code) && code >= -256 && code <= 65535)
		r->exit_code = (int)code;
	r->state_lost = cJSON_IsTrue(json_get(d->object, "state_lost"));
	r->reason = copy_json_text(json_get(d->object, "reason"));
	r->hint = copy_json_text(json_get(d->object, "hint"));
	r->value = copy_json_text(json_get(d->object, "value"));
	get_error(r, json_get(d->object, "error"));
	r->lang = trm_lang_default(); /* the player sets the language from the run */
	r->is_wall_unknown = !json_whole(json_get(d->object, "wall_us"), &r->wall_us);
	r->has_install = json_whole(json_get(d->object, "install_us"), &r->install_us);
	r->has_compile = json_whole(json_get(d->object, "compile_us"), &r->compile_us);
	r->has_cpu = json_whole(json_get(d->object, "cpu_us"), &r->cpu_us);
	r->has_mem_peak = json_whole(json_get(d->object, "mem_peak_bytes"), &r->mem_peak_bytes);
	r->stdout_bytes = decode_number(d, "stdout_bytes");
	r->stderr_bytes = decode_number(d, "stderr_bytes");
	return 0;
}

/* ---- samples ---- */

static bool get_process(struct trm_process *p, const cJSON *row)
{
	uint64_t pid, ppid, threads;
	const char *state = json_text(cJSON_GetArrayItem(row, 2));
	const char *command = json_text(cJSON_GetArrayItem(row, 5));

	if (!cJSON_IsArray(row) || !json_whole(cJSON_GetArrayItem(row, 0), &pid)
			|| !json_whole(cJSON_GetArrayItem(row, 1), &ppid) || !state || !command)
		return false;
	p->pid = (uint32_t)pid;
	p->ppid = (uint32_t)ppid;
	p->state = state[0] >= 0x20 && state[0] < 0x7f ? state[0] : '?';
	p->has_cpu = json_double(cJSON_GetArrayItem(row, 3), &p->cpu_percent);
	json_whole(cJSON_GetArrayItem(row, 4), &p->mem_bytes);
	if (json_whole(cJSON_GetArrayItem(row, 6), &threads))
		p->threads = (uint32_t)threads;
	json_whole(cJSON_GetArrayItem(row, 7), &p->cpu_ns);
	snprintf(p->command, sizeof p->command, "%s", command);
	return true;
}

static int get_processes(struct decoder *d, const cJSON *list)
{
	struct trm_metrics *m = &d->own->metrics;
	const cJSON *row;
	int n = cJSON_GetArraySize(list);

	m->has_processes = true;
	if (n > PROCESSES_MAX)
		return decode_wrong(d, "processes");
	d->own->processes = calloc((size_t)n + 1, sizeof *d->own->processes);
	if (!d->own->processes)
		return trm_error_set(d->err, TRM_ENOMEM, "out of memory");
	cJSON_ArrayForEach(row, list)
	{
		if (!get_process(&d->own->processes[m->n_processes], row))
			return decode_wrong(d, "processes");
		m->n_processes++;
	}
	m->processes = d->own->processes;
	return 0;
}

static void get_sample(const cJSON *object, struct trm_sample *s)
{
	const char *source = json_text(json_get(object, "source"));

	for (size_t i = 0; i < rec_n_sample_fields; i++) {
		const struct rec_field *f = &rec_sample_fields[i];
		void *at = (char *)s + f->offset;
		const cJSON *item = json_get(object, f->key);
		if (f->is_double ? json_double(item, at) : json_whole(item, at))
			s->known |= f->bit;
	}
	s->pressure_is_machine = cJSON_IsTrue(json_get(object, "pressure_is_machine"));
	snprintf(s->source, sizeof s->source, "%s", source ? source : "");
}

int decode_sample(struct decoder *d)
{
	struct trm_metrics *m = &d->own->metrics;

	get_sample(d->object, &m->sample);
	d->e->metrics = m;
	const cJSON *list = json_get(d->object, "processes");
	return cJSON_IsArray(list) ? get_processes(d, list) : 0;
}

/* ---- the page of all sandboxes ---- */

static void get_line(const cJSON *object, const char *key, char *out, size_t cap)
{
	const char *text = json_text(json_get(object, key));

	if (text)
		trm_text_clean_line(out, cap, text, strlen(text));
}

static void get_entry(const cJSON *object, struct trm_entry *entry)
{
	uint64_t clients = 0;

	get_line(object, "name", entry->name, sizeof entry->name);
	get_line(object, "backend", entry->backend, sizeof entry->backend);
	get_line(object, "group", entry->group, sizeof entry->group);
	get_line(object, "client", entry->client, sizeof entry->client);
	entry->has_client = cJSON_IsTrue(json_get(object, "has_client"));
	entry->is_stale = cJSON_IsTrue(json_get(object, "is_stale"));
	entry->has_state = json_whole(json_get(object, "clients"), &clients);
	entry->clients = (uint32_t)clients;
	entry->is_kept = cJSON_IsTrue(json_get(object, "is_kept"));
	get_sample(object, &entry->sample);
}

int decode_sandboxes(struct decoder *d)
{
	const cJSON *item, *list = json_get(d->object, "list");
	int n = cJSON_GetArraySize(list);

	d->e->is_shown = cJSON_IsArray(list);
	if (n > ENTRIES_MAX)
		return decode_wrong(d, "list");
	d->own->entries = calloc((size_t)n + 1, sizeof *d->own->entries);
	if (!d->own->entries)
		return trm_error_set(d->err, TRM_ENOMEM, "out of memory");
	cJSON_ArrayForEach(item, list)
	{
		struct trm_entry *entry = &d->own->entries[d->e->n_entries++];
		get_entry(item, entry);
		entry->supervisor_pid = (uint32_t)d->e->n_entries; /* only has to be unique */
	}
	d->e->entries = d->own->entries;
	return 0;
}
