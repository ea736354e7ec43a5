/* SPDX-License-Identifier: MIT */
/* When to paint. After a key: at once. Else as soon as nothing more is waiting to be read, so
 * that a result is on the screen when it is there; that costs credit, lest a program
 * that prints a line every millisecond makes us paint a thousand times a second. While more and
 * more comes in (a flood), about 60 times a second. A terminal that does not take what it is
 * given is not given more: the loop never waits for it. */
#include <poll.h>
#include <unistd.h>

#include "app/inside.h"

#define FRAME_NS 16000000u /* between frames of a flood */
#define PRICE_NS 3000000u  /* of a frame painted because nothing more was waiting */
#define BURST_NS (32 * (uint64_t)PRICE_NS)
#define SLOW_TERMINAL_MS 5
#define RESULT_MS 1 /* of a run, that the frame which shows its beginning waits for */

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

/* What a key has written is to be seen before anything else is done for it; but the rest may not be put off
 * for ever, while one key follows another. */
static bool paint_line_first(struct app *a)
{
	return a->had_input && !a->has_line_only && a->model.needs_editor_draw
	       && view_editor_line(&a->model, &a->canvas, &a->glance);
}

void app_paint(struct app *a)
{
	struct canvas *c = &a->canvas;

	bool is_resized = c->rows != a->model.rows || c->cols != a->model.cols;
	if (is_resized && canvas_resize(c, a->model.rows, a->model.cols) < 0)
		return; /* tried again with the next frame */
	bool is_whole = a->model.needs_draw || is_resized;
	a->has_line_only = !is_whole && paint_line_first(a);
	if (is_whole) {
		view(&a->model, c);
	} else if (!a->has_line_only) {
		if (a->model.needs_editor_draw)
			view_editor(&a->model, c);
		if (a->model.needs_metrics_draw)
			view_metrics(&a->model, c);
	}
	term_paint(a->term, c, &a->theme);
	a->painted_ns = app_clock_ns();
	if (a->has_line_only)
		return; /* the rest comes with the next frame */
	a->model.needs_draw = a->model.needs_editor_draw = a->model.needs_metrics_draw = false;
	a->glance = view_glance(&a->model);
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
	bool is_answer = a->had_input || a->result_until_ns;
	a->result_until_ns = 0;
	if (is_answer || now_ns - a->painted_ns >= FRAME_NS)
		return terminal_takes_more();
	if (!is_quiet || a->credit_ns < PRICE_NS || !terminal_takes_more())
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
	if (since_ns >= FRAME_NS)
		return SLOW_TERMINAL_MS; /* it was due, and the terminal did not take it */
	return (int)((FRAME_NS - since_ns) / 1000000u) + 1;
}
