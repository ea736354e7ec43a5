/* SPDX-License-Identifier: MIT */
/* Handles the events of an interpreter. They are untrusted: an event can affect only the interpreter's own
 * run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <terrarium/artifact.h>
#include <terrarium/text.h>

#include "base/err.h"
#include "session/session.h"

static struct trm_run *run_of(const struct kernel *k, const struct kernel_event *e)
{
	return k->run && e->id == k->run->id ? k->run : NULL;
}

static void on_ready(struct kernel *k, const struct kernel_event *e)
{
	if (k->is_ready)
		return;
	k->is_ready = true;
	k->tells_compiled = e->tells_compiled;
	if (!stop_is_under_way(k))
		trm_timer_stop(k->timer);
	if (run_own(k->run))
		run_begin(run_own(k->run));
	else if (k->question)
		trm_timer_start(k->timer, ANSWER_TIMEOUT_MS, 0);
	if (k->run && k->run->is_interrupted && !stop_is_under_way(k)) /* after its first output */
		stop_interrupt(k);
	session_due(k->session);
}

static void on_input(struct kernel *k, const struct kernel_event *e)
{
	struct trm_run *run = run_of(k, e);
	struct own_run *own = run_own(run);
	if (run)
		run->is_asked = true;
	if (run_peer(run))
		peer_run_on_input(run_peer(run), e->text, e->is_secret);
	if (!own || !run->offers_stdin || !run->cb->input)
		return;
	run->has_printed = true;
	if (own->waits_for_person)
		run_clock_stop(run, CLOCK_ASKED);
	run_announce(run);
	run->cb->input(run->user, run, e->text ? e->text : "", e->is_secret);
}

/* A form is named by its media type (RFC 6838, perhaps with parameters). Only printable characters are
 * allowed, because others could control a terminal. */
static bool is_form(const cJSON *item)
{
	enum { TYPE_MAX = 255 };
	const char *c = item->string;
	while (c && *c >= ' ' && *c <= '~')
		c++;
	return c && !*c && c > item->string && c - item->string <= TYPE_MAX && cJSON_IsString(item);
}

static void on_display(struct kernel *k, const struct kernel_event *e)
{
	const struct own_run *own = run_own(run_of(k, e));
	cJSON *item;
	size_t more = 0, n_plots = 0;
	cJSON_ArrayForEach(item, e->data)
	{
		more += is_form(item);
		n_plots += is_form(item)
			   && trm_display_is_figure(&(struct trm_display){
					   .mime = item->string, .data = item->valuestring});
	}
	if (n_plots && own && own->no_plots)
		return;
	cJSON_ArrayForEach(item, e->data)
	{
		/* look up the run again: the caller may have closed everything in the meantime */
		struct trm_run *run = run_of(k, e);
		if (!run || k->session->is_closed)
			return;
		if (!is_form(item))
			continue;
		struct trm_display shown = {.mime = item->string,
				.data = item->valuestring,
				.more = --more,
				.title = (char *)e->title,
				.source = e->is_saved ? TRM_DISPLAY_SAVED : TRM_DISPLAY_SHOWN};
		item->valuestring = NULL; /* the run has it now */
		run_display(run, &shown);
	}
}

static void on_late(struct kernel *k, const struct kernel_event *e)
{
	struct trm_session *s = k->session;
	const struct own_run *own = run_own(k->run);
	if (own && own->is_leave) /* this run exists only to wait for this answer */
		run_print(k->run, e->is_stderr ? TRM_STDERR : TRM_STDOUT, e->text, strlen(e->text));
	else if (s->cb->late && (!share_is_replaying(k) || s->opts.wants_recent))
		s->cb->late(s->user, k->lang, k->ended_run, e->is_stderr ? TRM_STDERR : TRM_STDOUT, e->text,
				strlen(e->text));
}

/* ---- done -------------------------------------------------------------------------------- */

/* Did the interrupt end this run? Interrupted code may also raise an error of its own or end normally, and
 * that result then counts. But if output is missing, the run always counts as interrupted. */
static bool ended_by_interrupt(struct trm_run *run, const struct kernel_event *e)
{
	const struct own_run *own = run_own(run);
	if (e->done == KERNEL_DONE_INTERRUPTED || (own && own->is_stopped_for_output))
		return true;
	return run->is_interrupted && e->done == KERNEL_DONE_ERROR
	       && (e->exit_code == 130 || (e->error_name && !strcmp(e->error_name, "KeyboardInterrupt")));
}

static void judge(struct trm_run *run, const struct kernel_event *e, struct trm_result *result)
{
	if (run->is_timed_out) {
		result->status = TRM_STATUS_TIMEOUT;
		result->exit_code = 124;
	} else if (ended_by_interrupt(run, e)) {
		result->status = TRM_STATUS_INTERRUPTED;
		result->exit_code = 130;
	} else if (e->done == KERNEL_DONE_ERROR || e->exit_code > 0) {
		result->status = TRM_STATUS_ERROR;
		result->exit_code = e->exit_code > 0 ? e->exit_code : 1;
	}
}

/* The lines of a traceback as a vector that borrows them; NULL if there are none. */
static char **borrow_lines(const cJSON *array)
{
	char **lines = array ? calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *lines) : NULL;
	const cJSON *item;
	size_t n = 0;
	if (lines)
		cJSON_ArrayForEach(item, array) if (cJSON_IsString(item)) lines[n++] = item->valuestring;
	return lines;
}

static void on_done(struct kernel *k, const struct kernel_event *e)
{
	struct trm_run *run = run_of(k, e);
	char reason[96];
	if (e->set >= 0)
		k->set = e->set;
	if (e->done == KERNEL_DONE_LOST && run_peer(k->run) && share_is_replaying(k)) {
		run_finish_with(k->run, TRM_STATUS_LOST, 125, "its end was missed");
		return;
	}
	if (!run)
		return;
	if (!k->is_ready)
		on_ready(k, e);
	char *no_lines[] = {NULL};
	char **lines = borrow_lines(e->traceback);
	struct trm_result result = {
			.value = (char *)e->value,
			.error_name = (char *)e->error_name,
			.error_message = (char *)e->error_message,
			.traceback = lines           ? lines
				     : e->error_name ? no_lines
						     : NULL,
			.has_cpu = e->has_cpu,
			.cpu_us = e->cpu_us,
			.has_compile = e->has_compile,
			.compile_us = e->compile_us,
	};
	judge(run, e, &result);
	if (result.status == TRM_STATUS_TIMEOUT) {
		run_clock_describe(run, reason, sizeof reason);
		result.reason = reason;
	} else if (result.status == TRM_STATUS_INTERRUPTED
			&& diagnose_interrupt(run, reason, sizeof reason)) {
		result.reason = reason;
	}
	k->set_runs[k->set] = k->ended_run = run->number;
	bool was_stopped = stop_is_under_way(k);
	stop_reset(k);
	if (was_stopped && !kernel_spec(k->lang)->loses_interrupts && question_drain_interrupt(k)) {
		k->is_clearing = true;
		trm_timer_start(k->timer, ANSWER_TIMEOUT_MS, 0);
	}
	run_finish(run, &result);
	free(lines);
}

static void on_reply(struct kernel *k, const struct kernel_event *e)
{
	struct question *question = k->question;
	struct trm_error why = {0};
	if (!question || e->id != question->id)
		return;
	k->question = NULL;
	stop_reset(k);
	k->is_clearing = k->hurries > 0;
	k->is_awaited = false;
	k->hurries = 0;
	if (k->is_clearing)
		trm_timer_start(k->timer,
				question_drain_interrupt(k) ? ANSWER_TIMEOUT_MS : INTERRUPT_ARRIVAL_MS, 0);
	char *json = e->text ? NULL : cJSON_PrintUnformatted(e->data);
	if (!json)
		trm_error_set(&why, TRM_EIO, "%s", e->text ? e->text : "out of memory");
	question_answer(question, json, &why);
	cJSON_free(json);
	session_due(k->session);
}

static void on_fate(struct kernel *k, const struct kernel_event *e)
{
	if (sandbox_reports_fate(k->session->sandbox))
		trm_text_clean_line(k->fate, sizeof k->fate, e->text, strlen(e->text));
}

static void on_compiled(struct kernel *k, const struct kernel_event *e)
{
	if (run_own(run_of(k, e)))
		run_clock_begin_code(k->run);
}

void event_handle(struct kernel *k, const struct kernel_event *event)
{
	static void (*const HANDLERS[])(struct kernel *, const struct kernel_event *) = {
			[KERNEL_EVENT_READY] = on_ready,
			[KERNEL_EVENT_INPUT] = on_input,
			[KERNEL_EVENT_DISPLAY] = on_display,
			[KERNEL_EVENT_LATE] = on_late,
			[KERNEL_EVENT_DONE] = on_done,
			[KERNEL_EVENT_REPLY] = on_reply,
			[KERNEL_EVENT_FATE] = on_fate,
			[KERNEL_EVENT_COMPILED] = on_compiled,
	};
	if (HANDLERS[event->type])
		HANDLERS[event->type](k, event);
}
