/* SPDX-License-Identifier: MIT */
/* Decides when to paint. After a key, a frame is painted at once. Otherwise a frame is painted as soon as no
 * more input is waiting, so that a result appears at once. Such a frame costs credit, so that a program that
 * prints a line every millisecond does not cause a thousand frames per second. During a flood there are
 * about 60 frames per second. Nothing more is sent to a terminal that has not taken the last frame, because
 * the loop never waits for the terminal.
 *
 * After a key, a partial frame first shows only the line with the cursor; after a run, only the output. A
 * full frame follows when nothing more is waiting. Without partial frames a key in 100 000 colored lines
 * takes more than 1.5 times as long as in nano (./dev bench typing). */
#include <poll.h>
#include <unistd.h>

#include "app/app_internal.h"

#define FRAME_NS 16000000u /* between frames of a flood */
#define AWAY_NS 100000000u /* the same while the terminal has no focus */
#define PRICE_NS 3000000u  /* cost of a frame that is painted because nothing more is waiting */
#define BURST_NS (32 * (uint64_t)PRICE_NS)
#define SLOW_TERMINAL_MS 5
#define RESULT_MS 1 /* how long the frame that shows the start of a run waits for its result */

static uint64_t frame_ns(const struct app *a)
{
	return a->model.is_away ? AWAY_NS : FRAME_NS;
}

static void count_credit(struct app *a, uint64_t now_ns)
{
	a->credit_ns += now_ns - a->credit_at_ns;
	a->credit_at_ns = now_ns;
	if (a->credit_ns > BURST_NS)
		a->credit_ns = BURST_NS;
}

static bool terminal_takes_more(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) != 0;
}

bool app_wants_frame(const struct app *a)
{
	const struct model *m = &a->model;

	return (m->needs_draw || m->needs_editor_draw || m->needs_metrics_draw) && !a->editor;
}

/* Each partial frame is followed by a full one. Otherwise fast typing would prevent full frames. */
static bool draw_awaited(struct app *a)
{
	if (a->has_part_only)
		return false;
	if (a->model.needs_draw)
		return a->has_result && view_output(&a->model, &a->canvas);
	return a->had_input && a->model.needs_editor_draw
	       && view_editor_line(&a->model, &a->canvas, &a->glance);
}

static void draw_all(struct app *a)
{
	struct model *m = &a->model;

	if (m->needs_draw)
		view(m, &a->canvas);
	else if (m->needs_editor_draw)
		view_editor(m, &a->canvas);
	if (m->needs_metrics_draw && !m->needs_draw)
		view_metrics(m, &a->canvas);
	m->needs_draw = m->needs_editor_draw = m->needs_metrics_draw = false;
	a->glance = view_glance(m);
}

void app_paint(struct app *a)
{
	struct canvas *c = &a->canvas;

	bool is_resized = c->rows != a->model.rows || c->cols != a->model.cols;
	if (is_resized && canvas_resize(c, a->model.rows, a->model.cols) < 0)
		return; /* the next frame tries again */
	a->model.needs_draw |= is_resized;
	a->has_part_only = !is_resized && draw_awaited(a);
	if (!a->has_part_only)
		draw_all(a);
	term_paint(a->term, c, &a->theme);
	a->painted_ns = app_clock_ns();
}

void app_await_result(struct app *a)
{
	a->result_until_ns = app_clock_ns() + RESULT_MS * UINT64_C(1000000);
}

bool app_frame_is_due(struct app *a, uint64_t now_ns, bool is_quiet)
{
	if (!app_wants_frame(a))
		return false;
	count_credit(a, now_ns);
	if (a->runs && now_ns < a->result_until_ns)
		return false;
	a->has_result = a->result_until_ns;
	a->result_until_ns = 0;
	if (a->had_input || a->has_result || now_ns - a->painted_ns >= frame_ns(a))
		return terminal_takes_more();
	if (!is_quiet || a->model.is_away || a->credit_ns < PRICE_NS || !terminal_takes_more())
		return false;
	a->credit_ns -= PRICE_NS;
	return true;
}

int app_frame_wait_ms(const struct app *a, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - a->painted_ns;

	if (!app_wants_frame(a))
		return -1;
	if (a->result_until_ns)
		return RESULT_MS;
	if (since_ns >= frame_ns(a))
		/* The frame is due, but the terminal has not taken the last one. */
		return SLOW_TERMINAL_MS;
	return (int)((frame_ns(a) - since_ns) / 1000000u) + 1;
}
