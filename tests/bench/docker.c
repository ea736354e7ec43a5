/* SPDX-License-Identifier: MIT */
/* Sandboxes in docker: against the local backend, against docker's own command line, and against llm-sandbox,
 * all on the same image of the same engine. ./run brings the engine up. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "bench/bench.h"

enum { TURNS = 7, OPENS = 7, COPIES = 5, BIG_MIB = 1024, SMALL_MIB = 16 };
#define IMAGE "localhost/tt:deb"
#define BOX "bench-docker"

/* ---- runs -------------------------------------------------------------------------------- */

/* The median of one turn. */
static bool one_turn(struct samples *medians, const char *backend)
{
	struct samples s = {0};
	struct trm_sandbox_opts opts;
	char why[512] = "";
	trm_sandbox_opts_default(&opts);
	opts.backend = backend;
	if (strcmp(backend, "docker") == 0)
		opts.container.image = IMAGE;
	bool is_good = warm_measure(&s, &opts, false, why, sizeof why);
	if (is_good)
		samples_add(medians, samples_at(&s, 0.5));
	else
		fprintf(stderr, "bench: %s: %s\n", backend, why[0] ? why : "a wrong answer");
	samples_free(&s);
	return is_good;
}

/* In turns: on a busy machine a round trip takes four times as long when the processes have to change their
 * processor, and stays so for some time. Returns that in docker, negative if it failed. */
static double bench_runs(void)
{
	struct samples local = {0}, docker = {0}, exec = {0};
	bool is_good = true;
	for (int i = 0; is_good && i < TURNS; i++) {
		is_good = one_turn(&local, "local") && one_turn(&docker, "docker");
		setenv("TERRARIUM_CARRIER_STREAM", "exec", 1);
		is_good = is_good && one_turn(&exec, "docker");
		unsetenv("TERRARIUM_CARRIER_STREAM");
	}
	double ms = samples_at(&docker, 0.5), reference = samples_at(&local, 0.5);
	if (is_good) {
		report("warm 1+1 in docker, against local", ms, "ms", reference, 2);
		report("the same, the quickest turn of each", samples_at(&docker, 0), "ms",
				samples_at(&local, 0), 2);
		report("through docker exec, for information", samples_at(&exec, 0.5), "ms", reference,
				INFINITY);
	} else {
		report_missing("warm 1+1 in docker", "it failed");
	}
	samples_free(&local);
	samples_free(&docker);
	samples_free(&exec);
	return is_good ? ms : -1;
}

/* ---- open and close ------------------------------------------------------------------------- */

struct opening {
	bool is_over, is_closed;
};

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *status, const struct trm_error *why)
{
	(void)proc;
	(void)why;
	if (status && status->exit_code == 0)
		((struct opening *)user)->is_over = true;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	(void)sandbox;
	(void)why;
	((struct opening *)user)->is_closed = true;
}

/* Until the first command has run; then until the container is gone. */
static bool measure_open(struct samples *open, struct samples *close)
{
	static const struct trm_sandbox_cb sandbox_cb = {.closed = on_closed};
	static const struct trm_proc_cb proc_cb = {.exited = on_exited};
	const struct trm_proc_opts command = {
			.size = sizeof(struct trm_proc_opts), .argv = (const char *const[]){"true", NULL}};
	struct trm_sandbox_opts opts;
	struct trm_sandbox *sandbox;
	struct trm_proc *proc;
	struct trm_loop *loop;
	struct opening o = {0};
	trm_sandbox_opts_default(&opts);
	opts.backend = "docker";
	opts.container.image = IMAGE;
	if (trm_loop_create(&loop, NULL) < 0)
		return false;
	uint64_t start_ns = now_ns();
	bool is_good = trm_sandbox_open(loop, &opts, &sandbox_cb, &o, &sandbox, NULL) == 0;
	if (is_good) {
		trm_proc_spawn(sandbox, &command, &proc_cb, &o, &proc, NULL);
		while (!o.is_over && !o.is_closed)
			trm_loop_step(loop, -1);
		is_good = o.is_over;
		samples_add(open, ms_since(start_ns));
		start_ns = now_ns();
		trm_sandbox_close(sandbox);
		while (!o.is_closed)
			trm_loop_step(loop, -1);
		samples_add(close, ms_since(start_ns));
	}
	trm_loop_destroy(loop);
	return is_good;
}

static double shell_ms(const char *command)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	return spawn_ms(argv, false);
}

static void bench_opening(double *ret_open, double *ret_close)
{
	struct samples open = {0}, close = {0}, docker = {0};
	bool is_good = true;
	for (int i = 0; is_good && i < OPENS; i++) {
		is_good = measure_open(&open, &close);
		double ms = shell_ms("docker run -d --name " BOX
				     "-peer --network none --memory 512m --pids-limit 128 " IMAGE
				     " sleep 1000 && docker exec " BOX "-peer true");
		is_good &= ms >= 0;
		samples_add(&docker, ms);
		shell_ms("docker rm -f " BOX "-peer");
	}
	*ret_open = samples_at(&open, 0.5);
	*ret_close = samples_at(&close, 0.5);
	if (is_good) {
		report("open in docker, against run -d and one exec", *ret_open, "ms",
				samples_at(&docker, 0.5), 1.3);
		report("close in docker", *ret_close, "ms", 0, 300);
	} else {
		report_missing("open in docker", "it failed");
	}
	samples_free(&open);
	samples_free(&close);
	samples_free(&docker);
}

/* ---- copies --------------------------------------------------------------------------------- */

static bool make_file(const char *path, int mib)
{
	static char block[1 << 20];
	int from = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	bool is_good = from >= 0 && read(from, block, sizeof block) == sizeof block;
	for (int i = 0; is_good && i < mib; i++)
		is_good = write(fd, block, sizeof block) == sizeof block;
	close(from);
	close(fd);
	return is_good;
}

struct copied {
	double in_ms, out_ms, their_in_ms, their_out_ms;
};

/* In turns with docker cp, into a folder of the same container. */
static bool measure_copies(const char *file, struct copied *ret)
{
	struct samples s[4] = {{0}};
	char command[4][256];
	snprintf(command[0], sizeof command[0], BENCH_PROGRAM " cp %s " BOX ":ours", file);
	snprintf(command[1], sizeof command[1], BENCH_PROGRAM " cp " BOX ":ours %s.out", file);
	snprintf(command[2], sizeof command[2],
			"docker cp -q %s $(docker ps -q --filter label=dev.terrarium.name=" BOX ")"
			":/workspace/theirs 2>&1",
			file);
	snprintf(command[3], sizeof command[3],
			"docker cp -q $(docker ps -q --filter label=dev.terrarium.name=" BOX ")"
			":/workspace/theirs %s.out",
			file);
	bool is_good = true;
	for (int i = 0; is_good && i < COPIES; i++)
		for (int k = 0; k < 4; k++) {
			int which = (k % 2 * 2 + k / 2) ^ (i % 2 * 2); /* in, in, out, out; either first */
			double ms = shell_ms(command[which]);
			is_good &= ms >= 0;
			samples_add(&s[which], ms);
		}
	*ret = (struct copied){samples_at(&s[0], 0.5), samples_at(&s[1], 0.5), samples_at(&s[2], 0.5),
			samples_at(&s[3], 0.5)};
	for (int i = 0; i < 4; i++)
		samples_free(&s[i]);
	return is_good;
}

static bool bench_copying(const char *dir, struct copied *ret_small)
{
	struct copied big = {0};
	char file[96];
	bool is_good = shell_ms(BENCH_PROGRAM " run --yes --backend docker --image " IMAGE
					      " --keep --name " BOX " --memory 2G --file-size 1200 -c 1")
		       >= 0;
	snprintf(file, sizeof file, "%s/small", dir);
	is_good = is_good && make_file(file, SMALL_MIB) && measure_copies(file, ret_small);
	snprintf(file, sizeof file, "%s/big", dir);
	is_good = is_good && make_file(file, BIG_MIB) && measure_copies(file, &big);
	shell_ms(BENCH_PROGRAM " stop " BOX " --yes");
	if (is_good) {
		report("1 GiB copied into docker, against docker cp", big.in_ms, "ms", big.their_in_ms,
				1 / 0.7);
		report("1 GiB copied out of it, for information", big.out_ms, "ms", big.their_out_ms,
				INFINITY);
	} else {
		report_missing("1 GiB copied into docker", "it failed");
	}
	return is_good;
}

/* ---- llm-sandbox ------------------------------------------------------------------------------- */

/* Its figures, printed as "NAME MS" by the program of the environment that install.sh has made. */
static void bench_llm_sandbox(
		const char *dir, double run, double open, double close, const struct copied *copied)
{
	const struct {
		const char *name, *title;
		double ours, target;
	} rows[] = {{"run", "run, against llm-sandbox", run, 1.0 / 200},
			{"open", "open, against llm-sandbox", open, 1},
			{"in", "16 MiB in, against llm-sandbox", copied->in_ms, 1},
			{"out", "16 MiB out, against llm-sandbox", copied->out_ms, 1},
			{"close", "close, against llm-sandbox", close, 1}};
	char command[512], name[16];
	double ms;
	size_t n = 0;
	snprintf(command, sizeof command, "%s/bin/python -B %s " IMAGE " %s/small", BENCH_LLM_SANDBOX,
			BENCH_SOURCE_DIR "/llm_sandbox_peer.py", dir);
	FILE *f = access(BENCH_LLM_SANDBOX "/installed", F_OK) == 0 ? popen(command, "r") : NULL;
	while (f && fscanf(f, "%15s %lf", name, &ms) == 2)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			if (strcmp(rows[i].name, name) == 0 && ++n)
				report(rows[i].title, rows[i].ours, "ms", ms, rows[i].target);
	if (f)
		pclose(f);
	if (n != sizeof rows / sizeof *rows)
		report_missing("llm-sandbox", "it is not installed, or failed");
}

void bench_docker(void)
{
	char dir[] = "/tmp/terrarium-bench-XXXXXX", command[64];
	double open = 0, close = 0;
	struct copied small = {0};
	if (!getenv("DOCKER_HOST") || !mkdtemp(dir)) {
		report_missing("docker", "no engine is up: see tests/bench/run");
		return;
	}
	setenv("XDG_RUNTIME_DIR", dir, 1);
	double run = bench_runs();
	bench_opening(&open, &close);
	if (bench_copying(dir, &small) && run > 0)
		bench_llm_sandbox(dir, run, open, close, &small);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	shell_ms(command);
}
