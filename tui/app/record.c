/* SPDX-License-Identifier: MIT */
/* Adds events to the transcript of the session, from which exports are made, and to a recording in progress.
 * Both get the same events: messages before update(), effects before they are carried out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "app/app_internal.h"
#include "record/export.h"
#include "record/writer.h"

/* ---- events ---- */

uint32_t app_story_id(const struct app *a, uint64_t serial)
{
	for (size_t i = a->transcript.n_runs; i > 0; i--)
		if (a->transcript_serials[i - 1] == serial)
			return (uint32_t)i;
	return 0;
}

/* Note an event of a run of the transcript. A recording counts its runs from its own start. */
static void note_event(struct app *a, struct rec_event *e, uint64_t now_ns)
{
	uint32_t run = e->run;

	e->t_us = (now_ns - a->begun_ns) / 1000;
	transcript_add(&a->transcript, e);
	bool is_kept = e->kind != REC_RUN
		       || a->transcript.n_runs == run; /* otherwise there was no room for its code */
	if (!recorder_is_open(&a->recorder) || !is_kept || (run && run <= a->recorded_from))
		return;
	e->run = run ? run - a->recorded_from : 0;
	recorder_add(&a->recorder, e, now_ns);
}

static void note_sandbox(struct app *a, const struct msg *msg, enum rec_sandbox state)
{
	struct rec_event e = {.kind = REC_SANDBOX, .state = state};

	if (a->is_quitting)
		return; /* the end of the recording reports the error */
	if (state == REC_CLOSED) {
		e.text = msg->text;
	} else {
		e.name = msg->sandbox.name;
		e.backend = msg->sandbox.backend;
		e.has_limits = msg->sandbox.limits != NULL;
		if (msg->sandbox.limits)
			e.limits = *msg->sandbox.limits;
		e.guards = msg->sandbox.guards;
		e.n_guards = msg->sandbox.n_guards < REC_GUARDS ? msg->sandbox.n_guards : REC_GUARDS;
	}
	note_event(a, &e, msg->now_ns);
}

/* Note a message about a run. */
static void note_run(struct app *a, const struct msg *msg, struct rec_event *e)
{
	e->run = app_story_id(a, msg->run.serial);
	if (e->run)
		note_event(a, e, msg->now_ns);
}

static void note_display(struct app *a, const struct msg *msg)
{
	const struct trm_display *d = msg->run.display;

	struct rec_event e = {.kind = REC_DISPLAY,
			.name = d->mime,
			.bundle = d->bundle,
			.more = d->more,
			.text = d->data,
			.len = d->n};

	note_run(a, msg, &e);
}

static bool grow_serials(struct app *a)
{
	if (a->transcript.n_runs < a->transcript_cap)
		return true;
	size_t cap = a->transcript_cap ? 2 * a->transcript_cap : 64;
	uint32_t *serials = realloc(a->transcript_serials, cap * sizeof *serials);
	if (!serials)
		return false;
	a->transcript_serials = serials;
	a->transcript_cap = cap;
	return true;
}

/* Note a run of another client. */
static void note_joined(struct app *a, const struct msg *msg)
{
	struct rec_event e = {.kind = REC_RUN,
			.run = (uint32_t)a->transcript.n_runs + 1,
			.number = msg->run.joined.number,
			.lang = msg->run.joined.lang,
			.by = msg->run.joined.by && *msg->run.joined.by ? msg->run.joined.by
									: "another program",
			.text = msg->run.joined.code,
			.len = msg->run.joined.len};

	if (!grow_serials(a))
		return;
	a->transcript_serials[a->transcript.n_runs] = msg->run.serial;
	note_event(a, &e, msg->now_ns);
}

void app_note_msg(struct app *a, const struct msg *msg)
{
	struct rec_event e = {0};

	switch (msg->type) {
	case MSG_SANDBOX_STARTING: note_sandbox(a, msg, REC_STARTING); return;
	case MSG_SANDBOX_READY: note_sandbox(a, msg, REC_READY); return;
	case MSG_SANDBOX_CLOSED: note_sandbox(a, msg, REC_CLOSED); return;
	case MSG_RUN_DISPLAY: note_display(a, msg); return;
	case MSG_LATE:
		e = (struct rec_event){.kind = REC_LATE,
				.text = msg->late.bytes,
				.len = msg->late.len,
				.stream = msg->late.stream,
				.number = msg->late.number};
		note_event(a, &e, msg->now_ns);
		return;
	case MSG_METRICS:
		e = (struct rec_event){.kind = REC_SAMPLE, .metrics = msg->metrics};
		note_event(a, &e, msg->now_ns);
		return;
	case MSG_SANDBOXES:
		e = (struct rec_event){.kind = REC_SANDBOXES,
				.is_shown = true,
				.entries = msg->sandboxes.entries,
				.n_entries = msg->sandboxes.n};
		note_event(a, &e, msg->now_ns);
		return;
	case MSG_RUN_JOINED: note_joined(a, msg); return;
	case MSG_RUN_ACCEPTED:
		e.kind = REC_ACCEPTED;
		e.number = msg->run.number;
		break;
	case MSG_RUN_STARTED: e.kind = REC_STARTED; break;
	case MSG_RUN_OUTPUT:
		e.kind = REC_OUTPUT;
		e.text = msg->run.output.bytes;
		e.len = msg->run.output.len;
		e.stream = msg->run.output.stream;
		break;
	case MSG_RUN_STOPPING:
		e.kind = REC_STOPPING;
		e.stopping = *msg->run.stopping;
		break;
	case MSG_RUN_INPUT:
		e.kind = REC_PROMPT;
		e.text = msg->run.input.prompt ? msg->run.input.prompt : "";
		e.len = strlen(e.text);
		e.is_secret = a->input_is_secret = msg->run.input.is_secret;
		break;
	case MSG_RUN_REFUSED:
		e.kind = REC_REFUSED;
		e.text = msg->run.why;
		e.len = strlen(e.text);
		break;
	case MSG_RUN_DONE:
		e.kind = REC_DONE;
		e.result = msg->run.result;
		a->input_is_secret = false;
		break;
	default: return;
	}
	note_run(a, msg, &e);
}

static void note_code(struct app *a, const struct effect *effect)
{
	const struct buffer *b = buffers_find(&a->model.buffers, effect->run.buffer);
	struct rec_event e = {.kind = REC_RUN,
			.run = (uint32_t)a->transcript.n_runs + 1,
			.lang = effect->run.lang,
			.name = b ? b->editor.path : NULL,
			.text = effect->run.code,
			.len = effect->run.len};

	if (!grow_serials(a))
		return;
	a->transcript_serials[a->transcript.n_runs] = effect->run.serial;
	note_event(a, &e, app_clock_ns());
}

void app_note_effect(struct app *a, const struct effect *effect)
{
	struct rec_event e = {0};

	switch (effect->type) {
	case EFFECT_RUN: note_code(a, effect); return;
	case EFFECT_INTERRUPT:
	case EFFECT_STDIN_EOF:
		e.kind = effect->type == EFFECT_STDIN_EOF ? REC_EOF : REC_INTERRUPT;
		e.run = app_story_id(a, effect->serial);
		break;
	case EFFECT_STDIN:
		e = (struct rec_event){.kind = REC_INPUT,
				.run = app_story_id(a, effect->input.serial),
				.text = effect->input.bytes,
				.len = effect->input.len,
				.is_secret = a->input_is_secret};
		break;
	case EFFECT_SANDBOXES_END: e.kind = REC_SANDBOXES; break;
	default: return;
	}
	if (e.run || e.kind == REC_SANDBOXES)
		note_event(a, &e, app_clock_ns());
}

/* ---- recording ---- */

static void report_recording(struct app *a, bool goes_on, const char *error)
{
	app_send(a, &(struct msg){.type = MSG_RECORDING,
				    .recording.path = a->recording,
				    .recording.goes_on = goes_on,
				    .recording.error = error});
}

/* A recording begins with the current state. */
static void note_present(struct app *a)
{
	static const enum rec_sandbox states[] = {[SANDBOX_STARTING] = REC_STARTING,
			[SANDBOX_READY] = REC_READY,
			[SANDBOX_DEAD] = REC_CLOSED};
	const struct sandbox_info *s = &a->model.sandbox;
	struct rec_event e = {.kind = REC_SANDBOX,
			.state = states[s->state],
			.name = s->name,
			.backend = s->backend,
			.has_limits = true,
			.limits = s->limits,
			.guards = s->guards,
			.n_guards = s->n_guards < REC_GUARDS ? s->n_guards : REC_GUARDS};

	if (s->name[0])
		recorder_add(&a->recorder, &e, app_clock_ns());
}

void app_record(struct app *a, const char *typed)
{
	struct trm_error why = {0};

	if (recorder_is_open(&a->recorder)) {
		report_recording(a, true, "this is being recorded already");
		return;
	}
	app_expand_path(typed, a->recording);
	a->recorded_from = (uint32_t)a->transcript.n_runs;
	if (recorder_open(&a->recorder, a->recording, app_clock_ns(), a->model.rows, a->model.cols, &why)
			< 0) {
		report_recording(a, false, why.msg);
		return;
	}
	note_present(a);
	report_recording(a, true, NULL);
}

void app_record_stop(struct app *a)
{
	recorder_close(&a->recorder, app_clock_ns());
	report_recording(a, false, NULL);
}

void app_flush_recording(struct app *a)
{
	struct trm_error why = {0};

	if (recorder_is_open(&a->recorder) && recorder_flush(&a->recorder, &why) < 0)
		report_recording(a, false, why.msg);
}

/* ---- export ---- */

static void make(struct app *a, const struct export_format *format, const char *path, struct msg *msg,
		struct trm_error *why)
{
	struct writer w;

	writer_init(&w, WRITER_MAX);
	format->write(&a->transcript, &w);
	int r = w.error ? trm_error_set(why, w.error, "%s cannot be written: %s", path, trm_strerror(w.error))
			: file_write(path, w.bytes, w.n, why);
	if (r < 0)
		msg->exported.error = why->msg;
	writer_finish(&w);
}

void app_export(struct app *a, const struct effect *effect)
{
	const struct export_format *format = export_guess(effect->path);
	struct trm_error why = {0};
	char path[4096];
	struct stat st;
	struct msg msg = {
			.type = MSG_EXPORTED, .exported.path = path, .exported.n_runs = a->transcript.n_runs};

	app_expand_path(effect->path, path);
	if (!format || !format->write)
		msg.exported.error =
				"what this shall become is not known: let it end with .ipynb, .md, .html, .py, .js or .sh";
	else if (effect->type == EFFECT_EXPORT && stat(path, &st) == 0 && S_ISREG(st.st_mode))
		msg.exported.exists = true;
	else
		make(a, format, path, &msg, &why);
	app_send(a, &msg);
}

/* ---- start and end ---- */

void app_open_story(struct app *a)
{
	time_t now = time(NULL);
	struct tm utc;

	a->begun_ns = app_clock_ns();
	transcript_init(&a->transcript, TRANSCRIPT_DEFAULT_CAP);
	if (gmtime_r(&now, &utc))
		strftime(a->transcript.started, sizeof a->transcript.started, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void app_close_story(struct app *a)
{
	recorder_close(&a->recorder, app_clock_ns());
	transcript_finish(&a->transcript);
	free(a->transcript_serials);
}
