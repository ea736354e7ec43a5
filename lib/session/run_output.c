/* SPDX-License-Identifier: MIT */
/* What a run prints and shows: kept for its result, and reported as it comes. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/artifact.h>

#include "session/session.h"

void trm_run_follow(struct trm_run *run, const struct trm_run_cb *cb, void *user)
{
	if (run->kind == RUN_OWN || run->output)
		return;
	run->cb = cb;
	run->user = user;
	run->output = calloc(1, sizeof *run->output);
	if (run->output)
		output_init(run->output, run->session->opts.output_keep_bytes);
}

void run_announce(struct trm_run *run)
{
	if (run->owes_answered) {
		run->owes_answered = false;
		if (run->cb->answered)
			run->cb->answered(run->user, run);
		return; /* it was asked, and so is announced */
	}
	if (run->is_announced || !run->kernel)
		return;
	run->is_announced = true;
	if (run->cb->started)
		run->cb->started(run->user, run);
}

/* Returns how many of the n bytes the caller may see. A run that prints more than the limit is interrupted.
 */
static size_t limit_output(struct own_run *own, size_t n)
{
	struct trm_run *run = &own->run;
	uint64_t max = run->session->opts.output_max_bytes, left = max - own->printed_bytes;
	if (!max)
		return n;
	if (n > left) {
		n = (size_t)left;
		if (!own->is_stopped_for_output && !run->is_interrupted && !run->is_timed_out) {
			own->is_stopped_for_output = true;
			trm_run_interrupt(run);
		}
	}
	own->printed_bytes += n;
	return n;
}

void run_print(struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct trm_session *s = run->session;
	struct own_run *own = run_own(run);
	struct peer_run *peer = run_peer(run);
	run->has_printed = true;
	run->is_asked = false;
	if (peer)
		peer->awaits_input = peer->is_asking = false;
	if (own)
		n = limit_output(own, n);
	if (!n)
		return;
	if (run->output)
		output_append(run->output, stream, bytes, n);
	if (stream == TRM_STDERR)
		said_note(&run->last_words, bytes, n);
	run_announce(run);
	if (run->cb->output && !s->is_closed)
		run->cb->output(run->user, run, stream, bytes, n);
}

void run_output(struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct kernel *k = run->kernel;
	struct own_run *own = run_own(run);
	if (own && own->has_manual_credit && !stop_is_under_way(k))
		own->unconsumed += n;
	else
		trm_proc_consumed(k->proc, n);
	run_print(run, stream, bytes, n);
}

void trm_run_consumed(struct trm_run *run, size_t n)
{
	struct own_run *own = run_own(run);
	if (!own)
		return;
	if (n > own->unconsumed)
		n = own->unconsumed;
	own->unconsumed -= n;
	if (n && run->kernel && run->kernel->proc)
		trm_proc_consumed(run->kernel->proc, n);
	if (!own->unconsumed && run->kernel && share_is_detached(run->kernel))
		session_due(run->session);
}

void run_release_credit(struct trm_run *run)
{
	if (run_own(run))
		trm_run_consumed(run, run_own(run)->unconsumed);
}

bool run_holds_credit(struct trm_run *run)
{
	return run_own(run) && run_own(run)->unconsumed;
}

/* ---- displays ------------------------------------------------------------------------ */

void run_free_displays(struct run_displays *shown)
{
	for (size_t i = 0; i < shown->n; i++) {
		free(shown->of[i].mime);
		free(shown->of[i].data);
		free(shown->of[i].title);
	}
	free(shown->of);
}

/* Takes the data over. Returns NULL, and has not, if there is no memory or the run has shown more than is
 * kept. */
static struct trm_display *keep_display(struct trm_run *run, const struct trm_display *shown)
{
	size_t n = strlen(shown->data);
	if (run->shown.n == DISPLAYS_MAX || n > DISPLAY_BYTES_MAX - run->shown.bytes)
		return NULL;
	struct trm_display *all = realloc(run->shown.of, (run->shown.n + 1) * sizeof *all);
	if (!all)
		return NULL;
	run->shown.of = all;
	struct trm_display *display = &all[run->shown.n];
	*display = *shown;
	display->mime = strdup(shown->mime);
	display->title = shown->title ? strdup(shown->title) : NULL;
	display->n = n;
	display->bundle = run->shown.n_bundles;
	display->run = run->number;
	if (!display->mime || (shown->title && !display->title)) {
		free(display->mime);
		free(display->title);
		return NULL;
	}
	trm_display_measure(display);
	run->shown.n++;
	run->shown.bytes += n;
	return display;
}

void run_display(struct trm_run *run, const struct trm_display *shown)
{
	run->has_printed = true;
	const struct trm_display *display = keep_display(run, shown);
	if (!display)
		free(shown->data);
	run->shown.dropped += !display;
	run->shown.n_bundles += shown->more == 0;
	run_announce(run);
	if (display && run->cb->display && !run->session->is_closed)
		run->cb->display(run->user, run, display);
}
