/* SPDX-License-Identifier: MIT */
/* libterrarium in a libuv loop (Node.js, neovim ...): a poll handle for its descriptor, a timer for its
 * timers.
 *
 *   cc embed_uv.c run_code.c $(pkg-config --cflags --libs terrarium libuv) && ./a.out local 'print(6 * 7)' */
#include <stdio.h>
#include <uv.h>

#include "run_code.h"

struct host {
	struct trm_loop *loop;
	struct run_code run;
	uv_poll_t poll;
	uv_timer_t timer;
	uv_prepare_t prepare;
	uv_timer_t ticker;
	unsigned ticks;
};

static void dispatch(struct host *h)
{
	trm_loop_dispatch(h->loop);
	if (h->run.is_closed)
		uv_stop(h->poll.loop);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	dispatch(poll->data);
}

static void on_time(uv_timer_t *timer)
{
	dispatch(timer->data);
}

/* Before each wait of libuv. */
static void on_prepare(uv_prepare_t *prepare)
{
	struct host *h = prepare->data;
	int timeout_ms = trm_loop_timeout_ms(h->loop);
	uv_update_time(prepare->loop);
	if (timeout_ms < 0)
		uv_timer_stop(&h->timer);
	else
		uv_timer_start(&h->timer, on_time, (uint64_t)timeout_ms, 0);
}

static void on_tick(uv_timer_t *ticker)
{
	((struct host *)ticker->data)->ticks++;
}

static void watch(struct host *h, uv_loop_t *uv)
{
	uv_poll_init(uv, &h->poll, trm_loop_fd(h->loop));
	uv_timer_init(uv, &h->timer);
	uv_prepare_init(uv, &h->prepare);
	uv_timer_init(uv, &h->ticker);
	h->poll.data = h->timer.data = h->prepare.data = h->ticker.data = h;
	uv_poll_start(&h->poll, UV_READABLE, on_ready);
	uv_prepare_start(&h->prepare, on_prepare);
	uv_timer_start(&h->ticker, on_tick, 20, 20);
}

static void unwatch(struct host *h, uv_loop_t *uv)
{
	uv_close((uv_handle_t *)&h->poll, NULL);
	uv_close((uv_handle_t *)&h->timer, NULL);
	uv_close((uv_handle_t *)&h->prepare, NULL);
	uv_close((uv_handle_t *)&h->ticker, NULL);
	uv_run(uv, UV_RUN_DEFAULT);
	uv_loop_close(uv);
}

int main(int argc, char **argv)
{
	uv_loop_t *uv = uv_default_loop();
	struct host h = {0};
	if (argc != 3 || trm_loop_create(&h.loop, NULL) < 0 || run_code(h.loop, argv[1], argv[2], &h.run) < 0)
		return 1;
	watch(&h, uv);
	uv_run(uv, UV_RUN_DEFAULT);
	unwatch(&h, uv);
	trm_loop_destroy(h.loop);
	printf("meanwhile %s\n", h.ticks ? "the timer ticked" : "nothing happened");
	return h.run.exit_code;
}
