/* SPDX-License-Identifier: MIT */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>
#include <terrarium/result.h>
#include <terrarium/text.h>

#include "record/decode.h"
#include "record/event.h"
#include "record/json.h"
#include "record/writer.h"

int decode_wrong(const struct decoder *d, const char *what)
{
	return trm_error_set(d->err, TRM_EPROTO, "\"%s\" is missing or wrong", what);
}

uint64_t decode_number(const struct decoder *d, const char *key)
{
	uint64_t v = 0;

	json_whole(json_get(d->object, key), &v);
	return v;
}

/* Index of a word in a list; -1: not in the list. */
static int decode_word(const cJSON *item, const char *const *words, int n)
{
	const char *text = json_text(item);

	for (int i = 0; text && i < n; i++)
		if (strcmp(text, words[i]) == 0)
			return i;
	return -1;
}

/* ---- parts ---- */

/* Bytes come as "text" or as "b64". */
static int get_bytes(struct decoder *d)
{
	const char *text = json_text(json_get(d->object, "text"));
	const char *coded = json_text(json_get(d->object, "b64"));

	if (text) {
		d->e->text = text;
		d->e->len = strlen(text);
		return 0;
	}
	if (!coded || !(d->own->bytes = base64_read(coded, strlen(coded), &d->e->len)))
		return decode_wrong(d, coded ? "b64" : "text");
	d->e->text = d->own->bytes;
	return 0;
}

static int get_run(struct decoder *d)
{
	const char *name = json_text(json_get(d->object, "language"));

	if (!name || trm_lang_find(name, &d->e->lang, NULL) < 0)
		return decode_wrong(d, "language");
	d->e->name = json_text(json_get(d->object, "name"));
	d->e->by = json_text(json_get(d->object, "by"));
	d->e->number = decode_number(d, "number");
	return get_bytes(d);
}

static int get_stream(struct decoder *d)
{
	static const char *const streams[] = {"stdout", "stderr"};
	int stream = decode_word(json_get(d->object, "stream"), streams, 2);

	if (stream < 0)
		return decode_wrong(d, "stream");
	d->e->stream = stream ? TRM_STDERR : TRM_STDOUT;
	return get_bytes(d);
}

static int get_late(struct decoder *d)
{
	d->e->number = decode_number(d, "number");
	return get_stream(d);
}

static int get_accepted(struct decoder *d)
{
	d->e->number = decode_number(d, "number");
	return d->e->number ? 0 : decode_wrong(d, "number");
}

static int get_display(struct decoder *d)
{
	d->e->name = json_text(json_get(d->object, "mime"));
	d->e->bundle = (size_t)decode_number(d, "bundle");
	d->e->more = (size_t)decode_number(d, "more");
	return d->e->name ? get_bytes(d) : decode_wrong(d, "mime");
}

static int get_stopping(struct decoder *d)
{
	int step = decode_word(json_get(d->object, "step"), rec_stop_names, 4);
	int next = decode_word(json_get(d->object, "next"), rec_stop_names, 4);
	double next_ms;

	if (step < 0 || next < 0)
		return decode_wrong(d, step < 0 ? "step" : "next");
	if (!json_double(json_get(d->object, "next_ms"), &next_ms) || next_ms < -1 || next_ms > 1e9)
		return decode_wrong(d, "next_ms");
	d->e->stopping = (struct trm_stopping){(enum trm_stop)step, (enum trm_stop)next, (int64_t)next_ms};
	return 0;
}

static int get_prompt(struct decoder *d)
{
	d->e->is_secret = cJSON_IsTrue(json_get(d->object, "secret"));
	return get_bytes(d);
}

static int get_input(struct decoder *d)
{
	d->e->is_secret = cJSON_IsTrue(json_get(d->object, "secret"));
	return d->e->is_secret ? 0 : get_bytes(d);
}

static void get_guards(struct decoder *d)
{
	const cJSON *item, *list = json_get(d->object, "guards");

	cJSON_ArrayForEach(item, list)
	{
		struct trm_guard *g = &d->own->guards[d->e->n_guards];
		const char *what = json_text(json_get(item, "what")), *how = json_text(json_get(item, "how"));
		int strength = decode_word(json_get(item, "strength"), rec_strength_names, 3);
		if (!what || strength < 0 || d->e->n_guards == REC_GUARDS)
			continue;
		snprintf(g->what, sizeof g->what, "%s", what);
		snprintf(g->how, sizeof g->how, "%s", how ? how : "");
		g->strength = (enum trm_strength)strength;
		d->e->n_guards++;
	}
	d->e->guards = d->own->guards;
}

static void get_limits(struct decoder *d, const cJSON *limits)
{
	struct decoder part = {d->e, d->own, limits, d->err};
	struct trm_limits *l = &d->e->limits;

	d->e->has_limits = cJSON_IsObject(limits);
	l->mem_bytes = decode_number(&part, "mem_bytes");
	l->procs = (uint32_t)decode_number(&part, "procs");
	l->disk_bytes = decode_number(&part, "disk_bytes");
	l->file_bytes = decode_number(&part, "file_bytes");
	l->open_files = (uint32_t)decode_number(&part, "open_files");
	json_double(json_get(limits, "cpus"), &l->cpus);
	l->net = cJSON_IsTrue(json_get(limits, "net"));
	const cJSON *allow = json_get(limits, "net_allow");
	if (cJSON_IsString(allow))
		trm_text_clean_line(l->net_allow, sizeof l->net_allow, allow->valuestring,
				strlen(allow->valuestring));
}

static int get_sandbox(struct decoder *d)
{
	int state = decode_word(json_get(d->object, "state"), rec_sandbox_names, 3);

	if (state < 0)
		return decode_wrong(d, "state");
	d->e->state = (enum rec_sandbox)state;
	d->e->name = json_text(json_get(d->object, "name"));
	d->e->backend = json_text(json_get(d->object, "backend"));
	d->e->text = json_text(json_get(d->object, "reason"));
	d->e->len = d->e->text ? strlen(d->e->text) : 0;
	get_limits(d, json_get(d->object, "limits"));
	get_guards(d);
	return 0;
}

/* ---- lines ---- */

static int get_nothing(struct decoder *d)
{
	(void)d;
	return 0;
}

static const struct {
	int (*get)(struct decoder *d);
	bool needs_run;
} kinds[REC_KINDS] = {
		[REC_SANDBOX] = {get_sandbox, false},
		[REC_RUN] = {get_run, true},
		[REC_ACCEPTED] = {get_accepted, true},
		[REC_STARTED] = {get_nothing, true},
		[REC_OUTPUT] = {get_stream, true},
		[REC_DISPLAY] = {get_display, true},
		[REC_PROMPT] = {get_prompt, true},
		[REC_INPUT] = {get_input, true},
		[REC_EOF] = {get_nothing, true},
		[REC_INTERRUPT] = {get_nothing, true},
		[REC_STOPPING] = {get_stopping, true},
		[REC_DONE] = {decode_done, true},
		[REC_REFUSED] = {get_bytes, true},
		[REC_LATE] = {get_late, false},
		[REC_SAMPLE] = {decode_sample, false},
		[REC_SANDBOXES] = {decode_sandboxes, false},
		[REC_END] = {get_nothing, false},
};

static int decode_members(struct decoder *d)
{
	double seconds;
	uint64_t run = 0;

	if (!json_double(json_get(d->object, "t"), &seconds) || seconds < 0 || seconds > 1e9)
		return decode_wrong(d, "t");
	if (!json_text(json_get(d->object, "e")))
		return decode_wrong(d, "e");
	int kind = decode_word(json_get(d->object, "e"), rec_kind_names, REC_KINDS);
	if (kind < 0)
		return 1;
	d->e->kind = (enum rec_kind)kind;
	d->e->t_us = (uint64_t)(seconds * 1e6 + 0.5);
	json_whole(json_get(d->object, "run"), &run);
	d->e->run = run < UINT32_MAX ? (uint32_t)run : 0;
	if (kinds[kind].needs_run && !d->e->run)
		return decode_wrong(d, "run");
	return kinds[kind].get(d);
}

int rec_event_decode(const char *line, size_t n, struct rec_event *ret, struct trm_error *reterr)
{
	struct rec_event e = {0};
	struct decoder d = {&e, calloc(1, sizeof *d.own), NULL, reterr};

	e.own = d.own;
	if (!d.own)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	d.object = d.own->tree = cJSON_ParseWithLengthOpts(line, n, NULL, 0);
	int r = cJSON_IsObject(d.object) ? decode_members(&d)
					 : trm_error_set(reterr, TRM_EPROTO, "it is not a JSON object");
	if (r == 0)
		*ret = e;
	else
		rec_event_finish(&e);
	return r;
}

void rec_event_finish(struct rec_event *e)
{
	struct holder *own = e->own;

	if (own) {
		cJSON_Delete(own->tree);
		free(own->bytes);
		free(own->processes);
		free(own->entries);
		trm_result_free(own->result);
		free(own);
	}
	*e = (struct rec_event){0};
}

int rec_header_decode(const char *line, size_t n, struct rec_header *ret, struct trm_error *reterr)
{
	cJSON *tree = cJSON_ParseWithLengthOpts(line, n, NULL, 0);
	const char *what = json_text(json_get(tree, "terrarium"));
	const char *started = json_text(json_get(tree, "started"));
	const char *program = json_text(json_get(tree, "program"));
	uint64_t version = 0, rows = 0, cols = 0;
	int r = 0;

	json_whole(json_get(tree, "version"), &version);
	json_whole(json_get(tree, "rows"), &rows);
	json_whole(json_get(tree, "cols"), &cols);
	if (!what || strcmp(what, "recording") != 0)
		r = trm_error_set(reterr, TRM_EPROTO, "not a terrarium recording");
	else if (version != RECORDING_VERSION)
		r = trm_error_set(reterr, TRM_ENOTSUP,
				"it is a recording of version %llu, and this program reads version %d",
				(unsigned long long)version, RECORDING_VERSION);
	else {
		*ret = (struct rec_header){.version = (int)version,
				.rows = rows <= 1000 ? (int)rows : 0,
				.cols = cols <= 1000 ? (int)cols : 0};
		snprintf(ret->started, sizeof ret->started, "%s", started ? started : "");
		snprintf(ret->program, sizeof ret->program, "%s", program ? program : "");
	}
	cJSON_Delete(tree);
	return r;
}
