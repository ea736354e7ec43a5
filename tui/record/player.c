/* SPDX-License-Identifier: MIT */
#include "record/player.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/result.h>

#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/order.h"
#include "model/update.h"
#include "text/text.h"

#define CLOCK_BEGIN_NS 1000000000u /* keeps differences of times from falling below 0 */

uint64_t player_clock_ns(uint64_t at_us)
{
	return CLOCK_BEGIN_NS + at_us * 1000;
}

int player_init(struct player *p, const struct recording *recording)
{
	size_t runs = 0;

	*p = (struct player){.recording = recording};
	p->serials = calloc(recording->n_runs + 1, sizeof *p->serials);
	p->runs_us = calloc(recording->n_runs + 1, sizeof *p->runs_us);
	if (!p->serials || !p->runs_us) {
		player_finish(p);
		return TRM_ENOMEM;
	}
	for (size_t k = 0; k < recording->n; k++)
		if (recording->places[k].kind == REC_RUN)
			p->runs_us[runs++] = recording->places[k].t_us;
	return 0;
}

void player_finish(struct player *p)
{
	free(p->serials);
	free(p->runs_us);
	*p = (struct player){0};
}

/* When the next event is due; UINT64_MAX: never. */
static uint64_t player_next_us(const struct player *p)
{
	return p->next < p->recording->n ? p->recording->places[p->next].t_us : UINT64_MAX;
}

/* ---- events ---- */

struct feed {
	struct player *p;
	struct model *m;
	const struct rec_event *e;
	struct effects effects; /* discarded */
	struct effects *out;    /* only the effects that show something; may be NULL */
	uint64_t now_ns;
};

static void send_recorded(struct feed *f, struct msg msg)
{
	msg.now_ns = f->now_ns;
	update(f->m, &msg, &f->effects);
}

static void send_order(struct feed *f, const struct order order)
{
	send_recorded(f, (struct msg){.type = MSG_ORDER, .order = &order});
}

/* The run gets exactly these bytes. */
static void begin_run(struct feed *f)
{
	const struct rec_event *e = f->e;
	uint32_t before = f->m->out.runs.last;

	send_order(f, (struct order){.kind = ORDER_RUN, .lang = e->lang, .text = e->text, .len = e->len});
	if (f->m->out.runs.last != before)
		f->p->serials[e->run - 1] = f->m->out.runs.last;
}

/* A run of another program: no buffer contains its code. */
static void join_run(struct feed *f)
{
	const struct rec_event *e = f->e;
	uint32_t before = f->m->out.runs.last;

	send_recorded(f, (struct msg){.type = MSG_RUN_JOINED,
					 .run.joined.lang = e->lang,
					 .run.joined.code = e->text,
					 .run.joined.len = e->len,
					 .run.joined.by = e->by,
					 .run.joined.number = e->number,
					 .run.serial = before + 1});
	if (f->m->out.runs.last != before)
		f->p->serials[e->run - 1] = f->m->out.runs.last;
}

/* Type the recorded input into the input line of the current run. */
static void type_input(struct feed *f)
{
	const struct rec_event *e = f->e;
	const struct model *m = f->m;
	char *line = strndup(e->text ? e->text : "", e->text ? e->len : 0);

	if (line && m->run.state != RUN_NONE && m->run.serial == f->p->serials[e->run - 1]) {
		line[strcspn(line, "\n")] = '\0';
		send_order(f, (struct order){.kind = ORDER_INPUT, .text = e->kind == REC_EOF ? NULL : line});
	}
	free(line);
}

static void send_sandbox(struct feed *f)
{
	static const enum msg_type types[] = {[REC_STARTING] = MSG_SANDBOX_STARTING,
			[REC_READY] = MSG_SANDBOX_READY,
			[REC_CLOSED] = MSG_SANDBOX_CLOSED};
	const struct rec_event *e = f->e;
	struct msg msg = {.type = types[e->state]};

	if (e->state == REC_CLOSED)
		msg.text = e->text;
	else
		msg.sandbox = (struct msg_sandbox){.name = e->name,
				.backend = e->backend,
				.limits = e->has_limits ? &e->limits : NULL,
				.guards = e->guards,
				.n_guards = e->n_guards};
	send_recorded(f, msg);
}

static void send_sample(struct feed *f)
{
	struct trm_metrics metrics = *f->e->metrics;

	metrics.sample.time_ns = f->now_ns;
	send_recorded(f, (struct msg){.type = MSG_METRICS, .metrics = &metrics});
}

static void send_sandboxes(struct feed *f)
{
	const struct rec_event *e = f->e;

	send_order(f, (struct order){.kind = ORDER_SHOW_LIST, .number = e->is_shown});
	if (e->is_shown)
		send_recorded(f, (struct msg){.type = MSG_SANDBOXES,
						 .sandboxes.entries = e->entries,
						 .sandboxes.n = e->n_entries});
}

static void send_display(struct feed *f, uint32_t serial)
{
	const struct rec_event *e = f->e;
	struct trm_display display = {.mime = (char *)e->name,
			.data = (char *)e->text,
			.n = e->len,
			.bundle = e->bundle,
			.more = e->more};

	send_recorded(f,
			(struct msg){.type = MSG_RUN_DISPLAY, .run.serial = serial, .run.display = &display});
}

static void send_done(struct feed *f, uint32_t serial)
{
	const struct run_info *info = runs_find(&f->m->out.runs, serial);
	struct trm_result result = *f->e->result;

	if (info) {
		result.lang = info->lang;
		result.number = info->number;
	}
	send_recorded(f, (struct msg){.type = MSG_RUN_DONE, .run.serial = serial, .run.result = &result});
}

/* Send a message about a run that the model knows. */
static void send_run(struct feed *f)
{
	const struct rec_event *e = f->e;
	struct msg msg = {.run.serial = f->p->serials[e->run - 1]};

	switch (e->kind) {
	case REC_ACCEPTED:
		msg.type = MSG_RUN_ACCEPTED;
		msg.run.number = e->number;
		break;
	case REC_STARTED: msg.type = MSG_RUN_STARTED; break;
	case REC_OUTPUT:
		msg.type = MSG_RUN_OUTPUT;
		msg.run.output.stream = e->stream;
		msg.run.output.bytes = e->text;
		msg.run.output.len = e->len;
		break;
	case REC_PROMPT:
		msg.type = MSG_RUN_INPUT;
		msg.run.input.prompt = e->text;
		msg.run.input.is_secret = e->is_secret;
		break;
	case REC_STOPPING:
		msg.type = MSG_RUN_STOPPING;
		msg.run.stopping = &e->stopping;
		break;
	case REC_REFUSED:
		msg.type = MSG_RUN_REFUSED;
		msg.run.why = e->text;
		break;
	case REC_DISPLAY: send_display(f, msg.run.serial); return;
	case REC_DONE: send_done(f, msg.run.serial); return;
	case REC_INPUT:
	case REC_EOF: type_input(f); return;
	default: return;
	}
	send_recorded(f, msg);
}

static void pass_on(struct feed *f)
{
	for (size_t i = 0; i < f->effects.n && f->out; i++) {
		enum effect_type type = f->effects.items[i].type;
		if (type == EFFECT_DRAW_FIGURE)
			effect_figure(f->out, type, f->effects.items[i].figure);
		else if (type == EFFECT_ASK_TERMINAL)
			effect_plain(f->out, type);
	}
}

static void feed_event(struct feed *f)
{
	const struct rec_event *e = f->e;

	switch (e->kind) {
	case REC_SANDBOX: send_sandbox(f); break;
	case REC_SAMPLE: send_sample(f); break;
	case REC_SANDBOXES: send_sandboxes(f); break;
	case REC_RUN:
		if (e->by)
			join_run(f);
		else
			begin_run(f);
		break;
	case REC_LATE:
		send_recorded(f, (struct msg){.type = MSG_LATE,
						 .late.number = e->number,
						 .late.stream = e->stream,
						 .late.bytes = e->text,
						 .late.len = e->len});
		break;
	default:
		if (e->run && f->p->serials[e->run - 1])
			send_run(f);
	}
	pass_on(f);
	effects_clear(&f->effects);
}

/* ---- seeking ---- */

int player_seek(struct player *p, struct model *m, uint64_t at_us, struct effects *out)
{
	struct feed f = {.p = p, .m = m, .out = out};
	struct rec_event e;

	if (at_us < p->at_us) {
		f.now_ns = player_clock_ns(0);
		send_order(&f, (struct order){.kind = ORDER_REWIND});
		if (!m->buffers.n)
			return TRM_ENOMEM;
		memset(p->serials, 0, p->recording->n_runs * sizeof *p->serials);
		p->next = 0;
	}
	while (player_next_us(p) <= at_us) {
		if (!recording_event(p->recording, p->next, &e))
			return TRM_ENOMEM;
		f.e = &e;
		f.now_ns = player_clock_ns(e.t_us);
		feed_event(&f);
		rec_event_finish(&e);
		p->next++;
	}
	p->at_us = at_us;
	f.now_ns = player_clock_ns(at_us);
	send_order(&f, (struct order){.kind = ORDER_POSITION, .number = at_us});
	effects_finish(&f.effects);
	return 0;
}
