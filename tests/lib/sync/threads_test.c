/* SPDX-License-Identifier: MIT */
/* Several threads, each with a trm_sync of its own, as <terrarium/sync.h> allows it. ./dev tsan looks whether
 * they share anything. */
#include "cmocka_all.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

enum { WORKERS = 3, ROUNDS = 3 };

/* What one thread does. Nothing is asserted there: cmocka knows of one thread only. */
struct worker {
	pthread_t thread;
	pthread_barrier_t *together;
	const char *backend;
	int number;
	char code[64]; /* prints `number` */
	struct trm_sync *sync;
	int result;
	char output[64];
	struct trm_error why;
};

static int run_once(struct worker *w)
{
	struct trm_execution done = {0};
	w->result = trm_sync_run(w->sync, w->code, &done, &w->why);
	if (w->result == 0)
		snprintf(w->output, sizeof w->output, "%s%.20s", done.output, done.error);
	trm_execution_finish(&done);
	return w->result;
}

static int move_files(struct worker *w)
{
	char *back = NULL;
	size_t n = 0;
	w->result = trm_sync_put(w->sync, "a.txt", 0644, w->code, strlen(w->code), &w->why);
	if (w->result == 0)
		w->result = trm_sync_get(w->sync, "a.txt", 100, &back, &n, &w->why);
	if (w->result == 0 && (n != strlen(w->code) || memcmp(back, w->code, n) != 0))
		w->result = trm_error_set(&w->why, TRM_EPROTO, "the file came back changed");
	free(back);
	return w->result;
}

static void *work(void *user)
{
	struct worker *w = user;
	struct trm_sync_opts opts;
	trm_sync_opts_default(&opts);
	opts.sandbox.backend = w->backend;
	pthread_barrier_wait(w->together);
	w->result = trm_sync_create(&opts, &w->sync, &w->why);
	if (w->result < 0)
		return NULL;
	w->result = trm_sync_start(w->sync, &w->why);
	for (int i = 0; i < ROUNDS && w->result == 0; i++)
		if (run_once(w) == 0)
			move_files(w);
	trm_sync_destroy(w->sync);
	return NULL;
}

static void work_together(const char *backend, const char *format)
{
	struct worker workers[WORKERS] = {0};
	pthread_barrier_t together;
	char number[16];
	pthread_barrier_init(&together, NULL, WORKERS);
	for (int i = 0; i < WORKERS; i++) {
		workers[i] = (struct worker){.together = &together, .backend = backend, .number = 100 + i};
		snprintf(workers[i].code, sizeof workers[i].code, format, workers[i].number);
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			abort(); /* the others would wait at the barrier for ever */
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_barrier_destroy(&together);
	for (int i = 0; i < WORKERS; i++) {
		if (workers[i].result < 0)
			fail_msg("worker %d: %s", i, workers[i].why.msg);
		snprintf(number, sizeof number, "%d", workers[i].number);
		assert_string_equal(workers[i].output, number);
	}
}

static void fake_ones_are_independent(void **state)
{
	(void)state;
	work_together("fake", "print %d");
}

static bool has_local(void)
{
	struct trm_sync_opts opts;
	struct trm_sync *sync;
	struct trm_error why;
	trm_sync_opts_default(&opts);
	if (trm_sync_create(&opts, &sync, &why) < 0)
		return false;
	int r = trm_sync_start(sync, &why);
	if (r < 0)
		print_message("%s\n", why.msg);
	trm_sync_destroy(sync);
	return r == 0;
}

static void local_ones_are_independent(void **state)
{
	(void)state;
	if (!has_local())
		skip();
	work_together("local", "print(%d)");
}

static void *run_here(void *user)
{
	run_once(user);
	return NULL;
}

static void on_output(void *user, int stream, const void *bytes, size_t n)
{
	const uint64_t one = 1;
	(void)stream;
	(void)bytes;
	if (n && write(*(int *)user, &one, sizeof one) < 0)
		abort();
}

/* One is made here and used there; what runs there is interrupted from here once it has begun. */
static void one_may_change_hands_and_be_interrupted(void **state)
{
	int began = eventfd(0, EFD_CLOEXEC), stop = eventfd(0, EFD_CLOEXEC);
	struct worker w = {.code = "print begun\nloop"};
	struct trm_sync_opts opts;
	uint64_t count;
	const uint64_t one = 1;
	(void)state;
	trm_sync_opts_default(&opts);
	opts.sandbox.backend = "fake";
	opts.output = on_output;
	opts.user = &began;
	opts.interrupt_fd = stop;
	assert_int_equal(trm_sync_create(&opts, &w.sync, &w.why), 0);
	assert_int_equal(trm_sync_start(w.sync, &w.why), 0);
	assert_int_equal(pthread_create(&w.thread, NULL, run_here, &w), 0);
	assert_int_equal(read(began, &count, sizeof count), sizeof count);
	assert_int_equal(write(stop, &one, sizeof one), sizeof one);
	pthread_join(w.thread, NULL);
	assert_int_equal(w.result, 0);
	assert_memory_equal(w.output, "begun", 5);
	assert_int_equal(read(stop, &count, sizeof count), sizeof count);
	snprintf(w.code, sizeof w.code, "print on");
	assert_int_equal(run_once(&w), 0);
	assert_string_equal(w.output, "on");
	trm_sync_destroy(w.sync);
	close(began);
	close(stop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(fake_ones_are_independent),
			cmocka_unit_test(one_may_change_hands_and_be_interrupted),
			cmocka_unit_test(local_ones_are_independent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
