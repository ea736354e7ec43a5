/* SPDX-License-Identifier: MIT */
/* libterrarium in a program whose event loop is poll(): here one that counts the ticks of a timer.
 *
 *   cc embed_poll.c run_code.c $(pkg-config --cflags --libs terrarium) && ./a.out local 'print(6 * 7)' */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "run_code.h"

int main(int argc, char **argv)
{
	const struct itimerspec every = {{0, 20000000}, {0, 20000000}};
	struct trm_loop *loop;
	struct run_code run;
	uint64_t ticks = 0, n;
	if (argc != 3 || trm_loop_create(&loop, NULL) < 0 || run_code(loop, argv[1], argv[2], &run) < 0)
		return 1;
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	timerfd_settime(timer, 0, &every, NULL);
	while (!run.is_closed) {
		struct pollfd fds[] = {{trm_loop_fd(loop), POLLIN, 0}, {timer, POLLIN, 0}};
		poll(fds, 2, trm_loop_timeout_ms(loop));
		if (read(timer, &n, sizeof n) == sizeof n)
			ticks += n;
		if (fds[0].revents || trm_loop_timeout_ms(loop) == 0)
			trm_loop_dispatch(loop);
	}
	close(timer);
	trm_loop_destroy(loop);
	printf("meanwhile %s\n", ticks ? "the timer ticked" : "nothing happened");
	return run.exit_code;
}
