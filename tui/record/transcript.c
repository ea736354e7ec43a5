/* SPDX-License-Identifier: MIT */
#include "record/transcript.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/result.h>

#include "output/runs.h"
#include "text/format.h"

#define PIECE_ROOM ((size_t)256 << 10) /* maximum size of one piece of output */

void transcript_init(struct transcript *s, size_t cap_bytes)
{
	*s = (struct transcript){.cap_bytes = cap_bytes ? cap_bytes : SIZE_MAX};
}

static void forget_pieces(struct transcript_run *run)
{
	for (size_t i = 0; i < run->n_pieces; i++) {
		free(run->pieces[i].mime);
		free(run->pieces[i].bytes);
	}
	free(run->pieces);
	run->pieces = NULL;
	run->n_pieces = run->cap_pieces = 0;
}

void transcript_finish(struct transcript *s)
{
	for (size_t i = 0; i < s->n_runs; i++) {
		struct transcript_run *run = s->runs[i];
		forget_pieces(run);
		trm_result_free(run->result);
		free(run->name);
		free(run->code);
		free(run->refusal);
		free(run);
	}
	free(s->runs);
	*s = (struct transcript){0};
}

struct transcript_run *transcript_run(const struct transcript *s, uint32_t id)
{
	return id && id <= s->n_runs ? s->runs[id - 1] : NULL;
}

/* ---- room ---- */

/* Drop the output of the oldest run that has output and is not `keep`. */
static bool give_up_oldest(struct transcript *s, const struct transcript_run *keep)
{
	for (size_t i = 0; i < s->n_runs; i++) {
		struct transcript_run *run = s->runs[i];
		size_t n = 0;
		if (run == keep || !run->n_pieces)
			continue;
		for (size_t k = 0; k < run->n_pieces; k++)
			n += run->pieces[k].n;
		s->bytes -= n;
		s->dropped_bytes += n;
		run->dropped_bytes += n;
		forget_pieces(run);
		return true;
	}
	return false;
}

static bool grow_transcript(struct transcript *s, const struct transcript_run *run, size_t n)
{
	while (n > s->cap_bytes - s->bytes)
		if (n > s->cap_bytes || !give_up_oldest(s, run))
			return false;
	s->bytes += n;
	return true;
}

static char *copy_event_text(const char *bytes, size_t n)
{
	char *out = malloc(n + 1);

	if (!out)
		return NULL;
	if (n)
		memcpy(out, bytes, n);
	out[n] = '\0';
	return out;
}

/* ---- runs ---- */

static void begin_run(struct transcript *s, const struct rec_event *e)
{
	if (e->run != s->n_runs + 1)
		return;
	if (s->n_runs == s->cap_runs) {
		size_t cap = s->cap_runs ? 2 * s->cap_runs : 16;
		struct transcript_run **runs = realloc(s->runs, cap * sizeof *runs);
		if (!runs) {
			s->is_incomplete = true;
			return;
		}
		s->runs = runs;
		s->cap_runs = cap;
	}
	struct transcript_run *run = calloc(1, sizeof *run);
	char *code = run && grow_transcript(s, NULL, e->len) ? copy_event_text(e->text, e->len) : NULL;
	if (!code) {
		free(run);
		s->is_incomplete = true;
		return;
	}
	*run = (struct transcript_run){.id = e->run,
			.lang = e->lang,
			.code = code,
			.code_len = e->len,
			.asked_us = e->t_us,
			.started_us = e->t_us,
			.name = e->name ? strdup(e->name) : NULL};
	s->runs[s->n_runs++] = run;
}

/* Append output to the last piece if the kind is the same, the piece began at most 20 ms ago, and the
 * piece stays small enough. */
static bool extend_part(struct transcript_run *run, enum transcript_kind kind, const struct rec_event *e)
{
	struct transcript_piece *p = run->n_pieces ? &run->pieces[run->n_pieces - 1] : NULL;

	if (!p || p->kind != kind || kind == TRANSCRIPT_DISPLAY || kind == TRANSCRIPT_INPUT
			|| p->n + e->len > PIECE_ROOM || e->t_us - p->t_us > 20000)
		return false;
	if (p->n + e->len >= p->cap) {
		size_t cap = 2 * (p->n + e->len) + 1;
		char *bytes = realloc(p->bytes, cap);
		if (!bytes)
			return false;
		p->bytes = bytes;
		p->cap = cap;
	}
	memcpy(p->bytes + p->n, e->text, e->len);
	p->n += e->len;
	p->bytes[p->n] = '\0';
	return true;
}

static bool append_part(struct transcript_run *run, enum transcript_kind kind, const struct rec_event *e)
{
	if (run->n_pieces == run->cap_pieces) {
		size_t cap = run->cap_pieces ? 2 * run->cap_pieces : 4;
		struct transcript_piece *pieces = realloc(run->pieces, cap * sizeof *pieces);
		if (!pieces)
			return false;
		run->pieces = pieces;
		run->cap_pieces = cap;
	}
	struct transcript_piece piece = {.kind = kind,
			.t_us = e->t_us,
			.n = e->len,
			.cap = e->len + 1,
			.bundle = e->bundle,
			.more = e->more};
	piece.bytes = copy_event_text(e->text, e->len);
	piece.mime = kind == TRANSCRIPT_DISPLAY ? strdup(e->name) : NULL;
	if (!piece.bytes || (kind == TRANSCRIPT_DISPLAY && !piece.mime)) {
		free(piece.bytes);
		free(piece.mime);
		return false;
	}
	run->pieces[run->n_pieces++] = piece;
	return true;
}

static void add_piece(struct transcript *s, struct transcript_run *run, enum transcript_kind kind,
		const struct rec_event *e)
{
	if (!run)
		return;
	if (!grow_transcript(s, run, e->len)) {
		run->dropped_bytes += e->len;
		s->dropped_bytes += e->len;
	} else if (!extend_part(run, kind, e) && !append_part(run, kind, e)) {
		s->bytes -= e->len;
		run->dropped_bytes += e->len;
		s->dropped_bytes += e->len;
	}
}

/* The newest run with this number in its session. Numbers start again with every sandbox, so several runs
 * can have it. */
static struct transcript_run *by_number(const struct transcript *s, uint64_t number)
{
	for (size_t i = s->n_runs; i > 0 && number; i--)
		if (s->runs[i - 1]->number == number)
			return s->runs[i - 1];
	return NULL;
}

static void end_run(struct transcript *s, struct transcript_run *run, const struct rec_event *e)
{
	if (!run || run->result)
		return;
	run->result = trm_result_copy(e->result);
	run->ended_us = e->t_us;
	if (!run->result)
		s->is_incomplete = true;
	else
		run->result->lang = run->lang;
}

static void know_sandbox(struct transcript *s, const struct rec_event *e)
{
	if (e->name)
		snprintf(s->sandbox, sizeof s->sandbox, "%s", e->name);
	if (e->backend)
		snprintf(s->backend, sizeof s->backend, "%s", e->backend);
}

void transcript_add(struct transcript *s, const struct rec_event *e)
{
	struct transcript_run *run = transcript_run(s, e->run);

	s->end_us = e->t_us;
	switch (e->kind) {
	case REC_SANDBOX: know_sandbox(s, e); break;
	case REC_RUN: begin_run(s, e); break;
	case REC_ACCEPTED:
		if (run)
			run->number = e->number;
		break;
	case REC_STARTED:
		if (run)
			run->started_us = e->t_us;
		break;
	case REC_OUTPUT:
		add_piece(s, run, e->stream == TRM_STDERR ? TRANSCRIPT_STDERR : TRANSCRIPT_STDOUT, e);
		break;
	case REC_DISPLAY: add_piece(s, run, TRANSCRIPT_DISPLAY, e); break;
	case REC_INPUT:
		if (!e->is_secret)
			add_piece(s, run, TRANSCRIPT_INPUT, e);
		break;
	case REC_LATE: add_piece(s, by_number(s, e->number), TRANSCRIPT_LATE, e); break;
	case REC_DONE: end_run(s, run, e); break;
	case REC_REFUSED:
		if (run && !run->refusal)
			run->refusal = copy_event_text(e->text, e->len);
		break;
	case REC_PROMPT:
	case REC_EOF:
	case REC_INTERRUPT:
	case REC_STOPPING:
	case REC_SAMPLE:
	case REC_SANDBOXES:
	case REC_END:
	case REC_KINDS: break;
	}
}

/* ---- reading ---- */

char *transcript_join(const struct transcript_run *run, size_t *at, size_t *ret_n)
{
	enum transcript_kind kind = run->pieces[*at].kind;
	size_t n = 0, end = *at;

	while (end < run->n_pieces && run->pieces[end].kind == kind)
		n += run->pieces[end++].n;
	char *out = malloc(n + 1);
	if (!out)
		return NULL;
	n = 0;
	for (; *at < end; n += run->pieces[(*at)++].n)
		memcpy(out + n, run->pieces[*at].bytes, run->pieces[*at].n);
	out[n] = '\0';
	*ret_n = n;
	return out;
}

size_t transcript_forms(const struct transcript_run *run, size_t at)
{
	const struct transcript_piece *first = &run->pieces[at];
	size_t n = 1;

	while (n <= first->more && at + n < run->n_pieces && run->pieces[at + n].kind == TRANSCRIPT_DISPLAY
			&& run->pieces[at + n].bundle == first->bundle)
		n++;
	return n;
}

char *transcript_outcome(const struct transcript_run *run, char out[160])
{
	const struct trm_result *r = run->result;
	char time[24];

	if (run->refusal || !r) {
		snprintf(out, 160, "%s", run->refusal ? "not run" : "has not ended");
		return out;
	}
	if (r->is_wall_unknown)
		snprintf(time, sizeof time, "time unknown");
	else
		format_duration(time, r->wall_us);
	if (r->status == TRM_STATUS_ERROR && !r->error_name)
		snprintf(out, 160, "exit %d, %s", r->exit_code, time);
	else
		snprintf(out, 160, "%s, %s", trm_status_name(r->status), time);
	return out;
}
