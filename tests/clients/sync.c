/* SPDX-License-Identifier: MIT */
/* What the examples of the microsandbox SDK do, in C and without a loop of one's own: code that keeps its
 * state, an error, a command, metrics. Ctrl-C interrupts what runs.
 *
 *   cc sync.c $(pkg-config --cflags --libs terrarium) && ./a.out [local|microsandbox] */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include <terrarium/sync.h>
#include <terrarium/terrarium.h>

static volatile sig_atomic_t was_interrupted;

static void on_sigint(int signo)
{
	(void)signo;
	was_interrupted = 1;
}

static bool is_interrupted(void *user)
{
	(void)user;
	return was_interrupted;
}

static int run(struct trm_sync *sync, const char *code)
{
	struct trm_execution done;
	struct trm_error why;
	int r = trm_sync_run(sync, code, &done, &why);
	if (r < 0)
		fprintf(stderr, "sync: %s\n", why.msg);
	else
		printf("%s: %s%s%s\n", done.status, done.output, done.has_error ? " | " : "", done.error);
	trm_execution_finish(&done);
	return r;
}

static int command(struct trm_sync *sync)
{
	static const char *const args[] = {"-c", "echo $((6 * 7)); exit 3", NULL};
	struct trm_command_execution done;
	struct trm_error why;
	int r = trm_sync_command(sync, "bash", args, 10000, &done, &why);
	if (r < 0)
		fprintf(stderr, "sync: %s\n", why.msg);
	else
		printf("%s %s: %s, exit code %d\n", done.command, done.args[0], done.output, done.exit_code);
	trm_command_execution_finish(&done);
	return r;
}

static int measure(struct trm_sync *sync)
{
	struct trm_sync_metrics now;
	struct trm_error why;
	int r = trm_sync_metrics_all(sync, &now, &why);
	if (r < 0)
		fprintf(stderr, "sync: %s\n", why.msg);
	else if (now.has_memory)
		printf("running %d, memory %" PRIu64 " MiB\n", now.is_running, now.memory_mib);
	else
		printf("running %d, memory n/a\n", now.is_running);
	return r;
}

int main(int argc, char **argv)
{
	struct trm_sync_opts opts;
	struct trm_sync *sync;
	struct trm_error why;
	sigaction(SIGINT, &(struct sigaction){.sa_handler = on_sigint}, NULL);
	trm_sync_opts_default(&opts);
	opts.sandbox.backend = argc > 1 ? argv[1] : NULL;
	opts.is_interrupted = is_interrupted;
	if (trm_sync_create(&opts, &sync, &why) < 0) {
		fprintf(stderr, "sync: %s\n", why.msg);
		return 1;
	}
	bool is_good = trm_sync_start(sync, &why) == 0;
	if (!is_good)
		fprintf(stderr, "sync: %s\n", why.msg);
	else
		is_good = run(sync, "x = 40\nprint('one')") == 0 && run(sync, "x + 2") == 0
			  && run(sync, "nope") == 0 && command(sync) == 0 && measure(sync) == 0;
	trm_sync_destroy(sync);
	return is_good ? 0 : 1;
}
