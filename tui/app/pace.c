/* SPDX-License-Identifier: MIT */
/* When to paint. A key is painted at once. Everything else has a credit of time: a frame
 * costs FRAME_NS, a few may be had at once, so that the result of a quick run is on the
 * screen as soon as it is there, and a flood is shown about 60 times a second. A terminal that
 * does not take what it is given is not given more: the loop never waits for it. */
#include <poll.h>
#include <unistd.h>

#include "app/inside.h"
#include "view/view.h"

#define FRAME_NS 16000000u
#define BURST_NS (4 * (uint64_t)FRAME_NS)
#define SLOW_TERMINAL_MS 5

static void count_credit(struct app *a, uint64_t now_ns)
{
	a->credit_ns += now_ns - a->credit_at_ns;
	a->credit_at_ns = now_ns;
	if (a->credit_ns > BURST_NS)
		a->credit_ns = BURST_NS;
}

static bool terminal_takes_more(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) != 0;
}

void app_paint(struct app *a)
{
	struct canvas *c = &a->canvas;

	if ((c->rows != a->model.rows || c->cols != a->model.cols) &&
			canvas_resize(c, a->model.rows, a->model.cols) < 0)
		return; /* tried again with the next frame */
	view(&a->model, c);
	term_paint(a->term, c, &a->theme);
	a->model.needs_draw = false;
	a->credit_ns = a->credit_ns > FRAME_NS ? a->credit_ns - FRAME_NS : 0;
}

bool app_frame_is_due(struct app *a, uint64_t now_ns)
{
	count_credit(a, now_ns);
	if (!a->model.needs_draw || (!a->had_input && a->credit_ns < FRAME_NS))
		return false;
	return terminal_takes_more();
}

int app_frame_wait_ms(struct app *a, uint64_t now_ns)
{
	if (!a->model.needs_draw)
		return -1;
	count_credit(a, now_ns);
	if (a->credit_ns >= FRAME_NS)
		return SLOW_TERMINAL_MS;
	return (int)((FRAME_NS - a->credit_ns) / 1000000u) + 1;
}
