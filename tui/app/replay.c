/* SPDX-License-Identifier: MIT */
/* A recording instead of a sandbox. The model's clock is that of the recording, which stops while the replay
 * is paused. */
#include <stdlib.h>

#include "app/app_internal.h"
#include "record/player.h"

#define FRAME_MS 33

struct app_replay {
	struct player player;
	struct trm_timer *timer;
	uint64_t from_us, from_ns; /* it started from this position in the recording at this time */
};

/* The current position in the recording. */
static uint64_t place_us(const struct app *a)
{
	const struct replay *r = &a->model.replay;
	uint64_t passed_us = (app_clock_ns() - a->replay->from_ns) / 1000;

	if (!r->is_playing)
		return a->replay->from_us;
	uint64_t at_us = a->replay->from_us + passed_us * r->speed_percent / 100;
	return at_us > r->end_us ? r->end_us : at_us;
}

uint64_t app_replay_clock_ns(const struct app *a)
{
	return player_clock_ns(place_us(a));
}

static void go_to_time(struct app *a, uint64_t at_us)
{
	int r = player_seek(&a->replay->player, &a->model, at_us, &a->effects);

	app_perform_all(a);
	if (r < 0) {
		app_notify(a, MSG_ERROR, "the recording cannot go on: out of memory");
		app_notify(a, MSG_REPLAY_END, NULL);
	}
}

static void set_timer(struct app *a)
{
	if (a->model.replay.is_playing)
		trm_timer_start(a->replay->timer, FRAME_MS, FRAME_MS);
	else
		trm_timer_stop(a->replay->timer);
}

static void on_frame(void *user)
{
	struct app *a = user;

	go_to_time(a, place_us(a));
	if (a->model.replay.at_us >= a->model.replay.end_us) {
		a->replay->from_us = a->model.replay.end_us;
		app_notify(a, MSG_REPLAY_END, NULL);
	}
	set_timer(a);
}

/* Also called when the replay starts, pauses, or changes its speed. */
void app_replay_seek(struct app *a, uint64_t at_us)
{
	if (!a->replay)
		return;
	a->replay->from_us = at_us;
	a->replay->from_ns = app_clock_ns();
	go_to_time(a, at_us);
	set_timer(a);
}

int app_replay_open(struct app *a, const struct recording *recording, struct trm_error *reterr)
{
	struct app_replay *replay = calloc(1, sizeof *replay);

	if (!replay || player_init(&replay->player, recording) < 0) {
		free(replay);
		return trm_error_set(reterr, TRM_ENOMEM, "the recording cannot be shown: out of memory");
	}
	replay->from_ns = app_clock_ns();
	a->replay = replay;
	replay_begin(&a->model, replay->player.runs_us, recording->n_runs, recording_length_us(recording),
			!recording->is_finished);
	return 0;
}

int app_replay_start(struct app *a, struct trm_error *reterr)
{
	int r = trm_loop_add_timer(a->loop, on_frame, a, &a->replay->timer, reterr);

	if (r == 0)
		app_replay_seek(a, 0);
	return r;
}

void app_replay_close(struct app *a)
{
	if (!a->replay)
		return;
	trm_timer_remove(a->replay->timer);
	player_finish(&a->replay->player);
	free(a->replay);
	a->replay = NULL;
}
