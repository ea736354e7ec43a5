/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

struct seen {
	struct trm_loop *loop;
	struct trm_watch *watch[2];
	struct trm_timer *timer;
	int calls, last;
	uint32_t events;
	char order[16];
};

static int setup(void **state)
{
	struct trm_loop *loop;
	if (trm_loop_create(&loop, NULL) < 0)
		return -1;
	*state = loop;
	return 0;
}

static int teardown(void **state)
{
	trm_loop_destroy(*state);
	return 0;
}

static void note(void *user, int fd, uint32_t events)
{
	struct seen *s = user;
	(void)fd;
	s->calls++;
	s->events |= events;
}

static void a_descriptor_is_reported_when_ready(void **state)
{
	struct seen s = {0};
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(trm_loop_add_fd(*state, fds[0], TRM_READ, note, &s, &s.watch[0], NULL), 0);
	assert_int_equal(trm_loop_step(*state, 0), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(trm_loop_step(*state, -1), 1);
	assert_int_equal(s.events, TRM_READ);
	trm_watch_set_events(s.watch[0], 0);
	assert_int_equal(trm_loop_step(*state, 0), 0);
	close(fds[1]);
	assert_int_equal(trm_loop_step(*state, -1), 1); /* a hangup is always told */
	assert_true(s.events & TRM_HANGUP);
	trm_watch_remove(s.watch[0]);
	close(fds[0]);
}

static void remove_both(void *user, int fd, uint32_t events)
{
	struct seen *s = user;
	note(user, fd, events);
	trm_watch_remove(s->watch[0]);
	trm_watch_remove(s->watch[1]);
}

static void a_callback_may_remove_its_neighbors(void **state)
{
	struct seen s = {0};
	int a[2], b[2];
	assert_int_equal(pipe(a), 0);
	assert_int_equal(pipe(b), 0);
	trm_loop_add_fd(*state, a[0], TRM_READ, remove_both, &s, &s.watch[0], NULL);
	trm_loop_add_fd(*state, b[0], TRM_READ, remove_both, &s, &s.watch[1], NULL);
	assert_int_equal(write(a[1], "x", 1), 1);
	assert_int_equal(write(b[1], "x", 1), 1);
	assert_int_equal(trm_loop_step(*state, -1), 1);
	assert_int_equal(trm_loop_step(*state, 0), 0);
	assert_int_equal(s.calls, 1);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
}

static void many_descriptors_are_watched_from_the_start(void **state)
{
	enum { N = 20, REMOVED = 3, PAUSED = 5, LATER = 12 };
	struct seen s[N] = {{0}};
	int fds[N][2];
	for (int i = 0; i < N; i++) {
		assert_int_equal(pipe(fds[i]), 0);
		assert_int_equal(write(fds[i][1], "x", 1), 1);
		assert_int_equal(trm_loop_add_fd(*state, fds[i][0], TRM_READ, note, &s[i], &s[i].watch[0],
						 NULL),
				0);
		if (i == REMOVED)
			trm_watch_remove(s[REMOVED].watch[0]);
		if (i == PAUSED)
			trm_watch_set_events(s[PAUSED].watch[0], 0);
		if (i == LATER)
			assert_int_equal(trm_loop_step(*state, -1), LATER + 1 - 2);
	}
	assert_int_equal(trm_loop_step(*state, -1), N - 2);
	for (int i = 0; i < N; i++)
		assert_int_equal(s[i].calls, i == REMOVED || i == PAUSED ? 0 : i <= LATER ? 2 : 1);
	for (int i = 0; i < N; i++) {
		if (i != REMOVED)
			trm_watch_remove(s[i].watch[0]);
		close(fds[i][0]);
		close(fds[i][1]);
	}
}

static void a_descriptor_is_watched_once(void **state)
{
	struct trm_watch *w[10], *again;
	int fds[10][2];
	for (int i = 0; i < 10; i++) {
		assert_int_equal(pipe(fds[i]), 0);
		assert_int_equal(trm_loop_add_fd(*state, fds[i][0], TRM_READ, note, NULL, &w[i], NULL), 0);
		assert_true(trm_loop_add_fd(*state, fds[i][0], TRM_READ, note, NULL, &again, NULL) < 0);
	}
	for (int i = 0; i < 10; i++) {
		trm_watch_remove(w[i]);
		close(fds[i][0]);
		close(fds[i][1]);
	}
}

static void files_cannot_be_watched(void **state)
{
	struct seen s = {0};
	struct trm_watch *w;
	struct trm_error e;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(trm_loop_add_fd(*state, fds[0], TRM_READ, note, &s, &s.watch[0], NULL), 0);
	FILE *files[] = {tmpfile(), fopen("/dev/null", "r")};
	for (int i = 0; i < 2; i++) {
		assert_int_equal(trm_loop_add_fd(*state, fileno(files[i]), TRM_READ, note, NULL, &w, &e),
				TRM_ENOTSUP);
		assert_non_null(strstr(e.msg, "file"));
		fclose(files[i]);
	}
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(trm_loop_step(*state, -1), 1); /* what was watched before is yet */
	assert_int_equal(s.calls, 1);
	trm_watch_remove(s.watch[0]);
	close(fds[0]);
	close(fds[1]);
}

struct mark {
	struct seen *seen;
	char letter;
};

static void put_letter(void *user)
{
	struct mark *m = user;
	m->seen->order[m->seen->calls++] = m->letter;
}

static void timers_come_in_order_and_not_early(void **state)
{
	struct seen s = {0};
	struct mark m[3] = {{&s, 'a'}, {&s, 'b'}, {&s, 'c'}};
	struct trm_timer *t[3];
	for (int i = 0; i < 3; i++)
		assert_int_equal(trm_loop_add_timer(*state, put_letter, &m[i], &t[i], NULL), 0);
	trm_loop_step(*state, 0);
	uint64_t start_ns = trm_loop_now_ns(*state);
	trm_timer_start(t[0], 30, 0);
	trm_timer_start(t[1], 10, 0);
	trm_timer_start(t[2], 20, 0);
	assert_true(trm_timer_is_running(t[2]));
	while (s.calls < 3)
		trm_loop_step(*state, -1);
	assert_string_equal(s.order, "bca");
	assert_true(trm_loop_now_ns(*state) - start_ns >= 30000000);
	assert_false(trm_timer_is_running(t[0]));
	for (int i = 0; i < 3; i++)
		trm_timer_remove(t[i]);
}

static int late_fd;

/* Stopped in the midst of the wait for so long that the timer is due; meanwhile something has come. */
static void be_late(int signo)
{
	struct timespec now, first;
	(void)signo;
	clock_gettime(CLOCK_MONOTONIC, &first);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - first.tv_sec) * 1000000000 + now.tv_nsec - first.tv_nsec < 100000000);
	if (write(late_fd, "x", 1) != 1)
		abort();
}

static void read_letter(void *user, int fd, uint32_t events)
{
	char byte;
	(void)events;
	assert_int_equal(read(fd, &byte, 1), 1);
	put_letter(user);
}

static void what_came_goes_before_timers_after_a_stop(void **state)
{
	struct seen s = {0};
	struct mark came = {&s, 'c'}, due = {&s, 't'};
	struct sigaction act = {.sa_handler = be_late}, old;
	const struct itimerval soon = {.it_value = {.tv_usec = 5000}};
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	late_fd = fds[1];
	assert_int_equal(trm_loop_add_fd(*state, fds[0], TRM_READ, read_letter, &came, &s.watch[0], NULL), 0);
	assert_int_equal(trm_loop_add_timer(*state, put_letter, &due, &s.timer, NULL), 0);
	sigaction(SIGALRM, &act, &old);
	trm_timer_start(s.timer, 50, 0);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (s.calls < 2)
		assert_true(trm_loop_step(*state, -1) >= 0);
	sigaction(SIGALRM, &old, NULL);
	trm_timer_remove(s.timer);
	trm_watch_remove(s.watch[0]);
	close(fds[0]);
	close(fds[1]);
	assert_string_equal(s.order, "ct");
}

static void note_due(void *user)
{
	((struct seen *)user)->calls++;
}

/* Reads a byte at a time; the last one stops the timer. */
static void read_one(void *user, int fd, uint32_t events)
{
	struct seen *s = user;
	char byte;
	(void)events;
	assert_int_equal(read(fd, &byte, 1), 1);
	s->calls++;
	if (byte == '.')
		trm_timer_stop(s->timer);
}

/* As after a long stop: all that has come meanwhile is dealt with before a timer that is long due. */
static void all_that_came_goes_before_timers_that_are_long_due(void **state)
{
	struct seen s = {0}, due = {0};
	struct timespec now, end;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(trm_loop_add_fd(*state, fds[0], TRM_READ, read_one, &s, &s.watch[0], NULL), 0);
	assert_int_equal(trm_loop_add_timer(*state, note_due, &due, &s.timer, NULL), 0);
	for (int i = 0; i < 2; i++) {
		const char *bytes = i ? "abc" : "abc.";
		trm_timer_start(s.timer, 1, 0);
		clock_gettime(CLOCK_MONOTONIC, &end);
		end.tv_sec += 2;
		do
			clock_gettime(CLOCK_MONOTONIC, &now);
		while (now.tv_sec < end.tv_sec);
		assert_int_equal(write(fds[1], bytes, strlen(bytes)), (ssize_t)strlen(bytes));
		while (trm_timer_is_running(s.timer))
			trm_loop_step(*state, -1);
		assert_int_equal(s.calls, i ? 7 : 4);
		assert_int_equal(due.calls, i);
	}
	trm_timer_remove(s.timer);
	trm_watch_remove(s.watch[0]);
	close(fds[0]);
	close(fds[1]);
}

static void rearm(void *user)
{
	struct seen *s = user;
	s->calls++;
	trm_timer_start(s->timer, 0, 0);
}

static void a_timer_that_rearms_itself_starves_nobody(void **state)
{
	struct seen s = {0};
	trm_loop_add_timer(*state, rearm, &s, &s.timer, NULL);
	trm_timer_start(s.timer, 0, 0);
	for (int i = 1; i <= 5; i++) {
		trm_loop_step(*state, -1);
		assert_int_equal(s.calls, i);
	}
	trm_timer_remove(s.timer);
}

static void tick(void *user)
{
	struct seen *s = user;
	if (++s->calls == 3)
		trm_timer_stop(s->timer);
}

static void a_repeating_timer_repeats_until_stopped(void **state)
{
	struct seen s = {0};
	trm_loop_add_timer(*state, tick, &s, &s.timer, NULL);
	trm_timer_start(s.timer, 1, 1);
	while (trm_timer_is_running(s.timer))
		trm_loop_step(*state, -1);
	assert_int_equal(s.calls, 3);
	assert_int_equal(trm_loop_step(*state, 5), 0);
	trm_timer_remove(s.timer);
}

static void a_delay_without_measure_never_passes(void **state)
{
	const uint64_t delays[] = {UINT64_MAX, INT64_MAX, UINT64_MAX / 1000000, UINT64_MAX / 1000000 + 1};
	struct seen s = {0};
	trm_loop_add_timer(*state, tick, &s, &s.timer, NULL);
	for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
		trm_timer_start(s.timer, delays[i], 0);
		assert_int_equal(trm_loop_step(*state, 1), 0);
		assert_true(trm_timer_is_running(s.timer));
	}
	trm_timer_start(s.timer, 0, UINT64_MAX);
	assert_int_equal(trm_loop_step(*state, -1), 1);
	assert_int_equal(trm_loop_step(*state, 1), 0);
	trm_timer_remove(s.timer);
}

static void a_thousand_timers_keep_their_order(void **state)
{
	struct seen s = {0};
	struct trm_timer *t[1000];
	for (int i = 0; i < 1000; i++) {
		trm_loop_add_timer(*state, tick, &s, &t[i], NULL);
		trm_timer_start(t[i], 100000 + (uint64_t)(i * 7919 % 1000), 0);
	}
	for (int i = 0; i < 1000; i += 2)
		trm_timer_stop(t[i]);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(trm_timer_is_running(t[i]), i % 2);
		trm_timer_remove(t[i]);
	}
	assert_int_equal(trm_loop_step(*state, 0), 0);
}

static void on_signal(void *user, int signo)
{
	struct seen *s = user;
	s->calls++;
	s->last = signo;
}

static bool is_blocked(int signo)
{
	sigset_t now;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, signo) == 1;
}

static void signals_arrive_in_the_loop(void **state)
{
	struct seen s = {0};
	struct trm_signal *sig;
	sigset_t now;
	assert_int_equal(trm_loop_add_signal(*state, SIGUSR1, on_signal, &s, &sig, NULL), 0);
	kill(getpid(), SIGUSR1);
	assert_int_equal(s.calls, 0);
	assert_int_equal(trm_loop_step(*state, -1), 1);
	assert_int_equal(s.last, SIGUSR1);
	trm_signal_remove(sig);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGUSR1), 0);
	assert_int_equal(trm_loop_add_signal(*state, 4711, on_signal, &s, &sig, NULL), TRM_EINVAL);
}

static void signals_that_nobody_can_catch_are_refused(void **state)
{
	const int some[] = {SIGUSR1, SIGKILL}, nothings[] = {0, -1, SIGRTMAX + 1, 32, 33};
	struct seen s = {0};
	struct trm_signal *sig = NULL;
	struct trm_error why = {0};
	assert_int_equal(trm_loop_add_signal(*state, SIGSTOP, on_signal, &s, &sig, &why), TRM_EINVAL);
	assert_string_equal(why.msg, "SIGSTOP cannot be caught");
	assert_int_equal(trm_loop_add_signals(*state, some, 2, on_signal, &s, &sig, &why), TRM_EINVAL);
	assert_string_equal(why.msg, "SIGKILL cannot be caught");
	assert_false(is_blocked(SIGUSR1));
	for (size_t i = 0; i < sizeof nothings / sizeof *nothings; i++)
		assert_int_equal(trm_loop_add_signal(*state, nothings[i], on_signal, &s, &sig, &why),
				TRM_EINVAL);
	assert_null(sig);
}

static void a_signal_is_blocked_for_as_long_as_somebody_wants_it(void **state)
{
	const int both[] = {SIGUSR1, SIGUSR2};
	struct seen s = {0};
	struct trm_signal *first, *second;
	assert_int_equal(trm_loop_add_signals(*state, both, 2, on_signal, &s, &first, NULL), 0);
	assert_int_equal(trm_loop_add_signal(*state, SIGUSR1, on_signal, &s, &second, NULL), 0);
	trm_signal_remove(first);
	assert_true(is_blocked(SIGUSR1));
	assert_false(is_blocked(SIGUSR2));
	kill(getpid(), SIGUSR1);
	assert_int_equal(trm_loop_step(*state, -1), 1);
	assert_int_equal(s.last, SIGUSR1);
	trm_signal_remove(second);
	assert_false(is_blocked(SIGUSR1));
}

static void loops_of_one_thread_share_its_signals(void **state)
{
	struct seen s = {0};
	struct trm_loop *other;
	struct trm_signal *here, *there;
	assert_int_equal(trm_loop_create(&other, NULL), 0);
	assert_int_equal(trm_loop_add_signal(*state, SIGUSR1, on_signal, &s, &here, NULL), 0);
	assert_int_equal(trm_loop_add_signal(other, SIGUSR1, on_signal, &s, &there, NULL), 0);
	trm_signal_remove(here);
	assert_true(is_blocked(SIGUSR1));
	kill(getpid(), SIGUSR1);
	assert_int_equal(trm_loop_step(other, -1), 1);
	assert_int_equal(s.last, SIGUSR1);
	trm_signal_remove(there);
	assert_false(is_blocked(SIGUSR1));
	trm_loop_destroy(other);
}

/* A thread has its own mask: what another one blocks is none of its business. */
static void *add_and_remove(void *user)
{
	struct trm_loop *loop;
	struct trm_signal *sig;
	sigset_t usr1;
	(void)user;
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
	bool is_right = trm_loop_create(&loop, NULL) == 0
			&& trm_loop_add_signal(loop, SIGUSR1, on_signal, NULL, &sig, NULL) == 0
			&& is_blocked(SIGUSR1);
	if (is_right) {
		trm_signal_remove(sig);
		trm_loop_destroy(loop);
	}
	return is_right && !is_blocked(SIGUSR1) ? user : NULL;
}

static void threads_do_not_share_their_signals(void **state)
{
	struct trm_signal *sig;
	pthread_t thread;
	void *end = NULL;
	assert_int_equal(trm_loop_add_signal(*state, SIGUSR1, on_signal, NULL, &sig, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, add_and_remove, &sig), 0);
	pthread_join(thread, &end);
	assert_ptr_equal(end, &sig);
	assert_true(is_blocked(SIGUSR1));
	trm_signal_remove(sig);
	assert_false(is_blocked(SIGUSR1));
}

static void on_child(void *user, pid_t pid, int wait_status)
{
	struct seen *s = user;
	s->calls++;
	s->last = wait_status;
	s->order[0] = pid > 0;
}

static void a_child_is_reaped_and_reported_once(void **state)
{
	struct seen s = {0};
	struct trm_child *child;
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (self < 0 && errno == ENOSYS)
		skip(); /* valgrind knows no such call */
	close(self);
	pid_t pid = fork();
	if (pid == 0)
		_exit(7);
	assert_int_equal(trm_loop_add_child(*state, pid, on_child, &s, &child, NULL), 0);
	while (!s.calls)
		trm_loop_step(*state, -1);
	assert_true(WIFEXITED(s.last));
	assert_int_equal(WEXITSTATUS(s.last), 7);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
}

static void *wake(void *loop)
{
	trm_loop_wakeup(loop);
	return NULL;
}

static void another_thread_can_wake_the_loop(void **state)
{
	pthread_t thread;
	pthread_create(&thread, NULL, wake, *state);
	assert_int_equal(trm_loop_step(*state, -1), 1); /* hangs for ever if it does not */
	pthread_join(thread, NULL);
}

static void no_loop_without_descriptors(void **state)
{
	struct trm_loop *loop;
	struct trm_error why = {0};
	struct rlimit before, none;
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	int r = trm_loop_create(&loop, &why);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_true(r < 0);
	assert_non_null(strstr(why.msg, "cannot make an event loop: "));
}

static bool is_due(struct trm_loop *loop, int timeout_ms)
{
	return poll(&(struct pollfd){.fd = trm_loop_fd(loop), .events = POLLIN}, 1, timeout_ms) == 1;
}

static void note_time(void *user)
{
	((struct seen *)user)->calls++;
}

static void a_foreign_loop_can_wait_for_it(void **state)
{
	struct seen s = {0};
	int fds[2];
	assert_int_equal(trm_loop_timeout_ms(*state), -1);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(trm_loop_add_fd(*state, fds[0], TRM_READ, note, &s, &s.watch[0], NULL), 0);
	assert_false(is_due(*state, 0));
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_true(is_due(*state, 0));
	assert_int_equal(trm_loop_dispatch(*state), 1);
	assert_int_equal(s.calls, 1);
	assert_true(is_due(*state, 0)); /* nobody has read it */
	trm_watch_remove(s.watch[0]);
	assert_false(is_due(*state, 0));
	trm_loop_wakeup(*state);
	assert_true(is_due(*state, 0));
	assert_int_equal(trm_loop_dispatch(*state), 1);
	assert_false(is_due(*state, 0));
	close(fds[0]);
	close(fds[1]);
}

static void a_foreign_loop_knows_how_long_to_wait(void **state)
{
	struct seen s = {0};
	assert_int_equal(trm_loop_add_timer(*state, note_time, &s, &s.timer, NULL), 0);
	trm_timer_start(s.timer, 60000, 0);
	assert_in_range(trm_loop_timeout_ms(*state), 1, 60000);
	trm_timer_start(s.timer, 2, 0);
	assert_false(is_due(*state, trm_loop_timeout_ms(*state)));
	while (trm_loop_timeout_ms(*state) > 0)
		is_due(*state, trm_loop_timeout_ms(*state));
	assert_int_equal(trm_loop_dispatch(*state), 1);
	assert_int_equal(s.calls, 1);
	assert_int_equal(trm_loop_timeout_ms(*state), -1);
	trm_timer_remove(s.timer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(a_descriptor_is_reported_when_ready),
			TEST(a_callback_may_remove_its_neighbors),
			TEST(many_descriptors_are_watched_from_the_start),
			TEST(a_descriptor_is_watched_once),
			TEST(files_cannot_be_watched),
			TEST(timers_come_in_order_and_not_early),
			TEST(what_came_goes_before_timers_after_a_stop),
			TEST(all_that_came_goes_before_timers_that_are_long_due),
			TEST(a_timer_that_rearms_itself_starves_nobody),
			TEST(a_repeating_timer_repeats_until_stopped),
			TEST(a_delay_without_measure_never_passes),
			TEST(a_thousand_timers_keep_their_order),
			TEST(signals_arrive_in_the_loop),
			TEST(signals_that_nobody_can_catch_are_refused),
			TEST(a_signal_is_blocked_for_as_long_as_somebody_wants_it),
			TEST(loops_of_one_thread_share_its_signals),
			TEST(threads_do_not_share_their_signals),
			TEST(a_foreign_loop_can_wait_for_it),
			TEST(a_foreign_loop_knows_how_long_to_wait),
			cmocka_unit_test(no_loop_without_descriptors),
			TEST(a_child_is_reaped_and_reported_once),
			TEST(another_thread_can_wake_the_loop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
