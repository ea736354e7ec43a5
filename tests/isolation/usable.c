/* SPDX-License-Identifier: MIT */
/* While code inside does the worst that it is allowed to, somebody on the host who wants to run every few
 * milliseconds, and to write a little, gets to do so; and so does the program that has the sandbox. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "isolation/cases.h"
#include "isolation/inside.h"

#define MIB (1024ull * 1024)

/* Generous: machines that test are busy themselves. */
enum { PERIOD_MS = 5, QUIET_MS = 500, WORST_MS = 3000, MEAN_MS = 250 };

/* One sync() alone may take long where others write much. */
enum { BOMB_DEADLINE_MS = 3 * INSIDE_DEADLINE_MS };

static struct inside in;
static struct outcome o;

/* ---- somebody on the host ----------------------------------------------------------------- */

struct delays {
	double worst_ms, sum_ms; /* beyond the period that it has asked for */
	unsigned n;
};

static struct {
	pid_t pid;                      /* 0: there is none */
	volatile struct delays *delays; /* shared with it */
} probe;

/* A turn: sleep, start a process, write four KiB to a file of the host's. */
static void probe_turn(int fd, volatile struct delays *to)
{
	static const char block[4096];
	const struct timespec period = {.tv_nsec = PERIOD_MS * 1000000};
	double begun = host_now_ms();
	nanosleep(&period, NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid || pwrite(fd, block, sizeof block, 0) < 0)
		_exit(1);
	double delay = host_now_ms() - begun - PERIOD_MS;
	if (delay > to->worst_ms)
		to->worst_ms = delay;
	to->sum_ms += delay;
	to->n++;
}

static void probe_begin(void)
{
	char path[] = "/tmp/terrarium-isolation-probe-XXXXXX";
	probe.delays = mmap(NULL, sizeof *probe.delays, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	int fd = mkstemp(path);
	assert_true(fd >= 0 && probe.delays != MAP_FAILED);
	unlink(path);
	probe.pid = fork();
	assert_true(probe.pid >= 0);
	if (probe.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			probe_turn(fd, probe.delays);
	}
	close(fd);
}

static void probe_kill(void)
{
	if (probe.pid > 0) {
		kill(probe.pid, SIGKILL);
		waitpid(probe.pid, NULL, 0);
		munmap((void *)probe.delays, sizeof *probe.delays);
	}
	probe.pid = 0;
}

static struct delays probe_end(void)
{
	struct delays delays = *probe.delays;
	assert_int_equal(waitpid(probe.pid, NULL, WNOHANG), 0); /* it could go on */
	probe_kill();
	return delays;
}

static double mean_ms(const struct delays *d)
{
	return d->n ? d->sum_ms / d->n : QUIET_MS;
}

/* ---- what goes off inside ------------------------------------------------------------------- */

#define GOES_OFF "it goes off\n"
#define BEGIN \
	"import os, time\nend = time.monotonic() + 3\ndef goes_on(): return time.monotonic() < end\n" \
	"T = os.environ['TMPDIR']\n" \
	"os.write(1, b'it goes off\\n')\n"
#define CROWD(n) /* from here on there are several, each with a number; the first waits for the others */ \
	"pids = []; me = 0\n" \
	"for i in range(1, " #n "):\n" \
	"  try: pid = os.fork()\n" \
	"  except OSError: break\n" \
	"  if not pid: me = i; pids = []; break\n" \
	"  pids.append(pid)\n"
#define END \
	"if me: os._exit(0)\n" \
	"for p in pids: os.waitpid(p, 0)\n"

static const struct bomb {
	const char *name, *code;
} BOMBS[] = {
		{"fork", BEGIN "while goes_on():\n"
			       "  try: os.fork()\n"
			       "  except OSError: pass\n"},
		{"memory", BEGIN "while goes_on():\n"
				 "  try: pid = os.fork()\n"
				 "  except OSError: continue\n"
				 "  if not pid: b = bytearray(b'x') * (300 << 20); os._exit(0)\n"
				 "  os.wait()\n"},
		{"processor", BEGIN CROWD(20) "import threading\n"
					      "def spin():\n"
					      "  while goes_on(): pass\n"
					      "try: threading.Thread(target=spin).start()\n"
					      "except RuntimeError: pass\n"
					      "spin()\n" END},
		{"disk", BEGIN CROWD(4) "block = os.urandom(1 << 16)\n"
					"fd = os.open(f'flood{me}', os.O_CREAT | os.O_RDWR)\n"
					"while goes_on():\n"
					"  try: os.write(fd, block)\n"
					"  except OSError: os.ftruncate(fd, 0); os.lseek(fd, 0, 0)\n"
					"os.close(fd); os.unlink(f'flood{me}')\n" END},
		{"fsync", BEGIN CROWD(4) "fd = os.open(f'{T}/sync{me}', os.O_CREAT | os.O_RDWR)\n"
					 "while goes_on():\n"
					 "  os.pwrite(fd, b'x' * 4096, 0); os.fsync(fd); os.sync()\n"
					 "os.close(fd); os.unlink(f'{T}/sync{me}')\n" END},
		{"inodes", BEGIN CROWD(4) "n = 0\n"
					  "while goes_on():\n"
					  "  try: os.close(os.open(f'{T}/{me}.{n}', os.O_CREAT)); n += 1\n"
					  "  except OSError:\n"
					  "    for i in range(n): os.unlink(f'{T}/{me}.{i}')\n"
					  "    n = 0\n"
					  "for i in range(n): os.unlink(f'{T}/{me}.{i}')\n" END},
		{"sockets", BEGIN CROWD(12) "import socket\n"
					    "door = socket.create_server(('127.0.0.1', 0))\n"
					    "while goes_on():\n"
					    "  kept = []\n"
					    "  try:\n"
					    "    while goes_on():\n"
					    "      a = socket.create_connection(door.getsockname())\n"
					    "      b = door.accept()[0]; kept += [a, b]\n"
					    "      for i in range(20): a.sendall(b'x' * 9000); b.recv(9000)\n"
					    "      a.setblocking(False)\n"
					    "      try:\n"
					    "        for i in range(9): a.send(b'x' * 9000)\n"
					    "      except BlockingIOError: pass\n"
					    "  except OSError: pass\n"
					    "  for s in kept: s.close()\n" END},
		{"datagrams", BEGIN CROWD(8) "import socket\n"
					     "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
					     "s.bind(('127.0.0.1', 0)); s.setblocking(False)\n"
					     "while goes_on():\n"
					     "  for i in range(50):\n"
					     "    try: s.sendto(b'x' * 1000, s.getsockname())\n"
					     "    except OSError: pass\n" END},
		{"open files", BEGIN CROWD(20) "while goes_on():\n"
					       "  kept = []\n"
					       "  try:\n"
					       "    while goes_on(): kept += os.pipe()\n"
					       "  except OSError: pass\n"
					       "  for fd in kept: os.close(fd)\n" END},
		{"output", BEGIN "block = b'some line of text\\n' * 4000\n"
				 "while goes_on(): os.write(1, block)\n"},
};

static bool takes_loopback(const struct bomb *bomb)
{
	return !strcmp(bomb->name, "sockets") || !strcmp(bomb->name, "datagrams");
}

/* Until it is over; how long the loop was away at most. */
static double try_bomb(const struct bomb *bomb, double deadline)
{
	const char *argv[] = {"/usr/bin/python3", "-c", bomb->code, NULL};
	double worst = 0, before = host_now_ms();
	inside_start(&in, argv, &o);
	while (!o.is_over && host_now_ms() < deadline) {
		trm_loop_step(in.loop, PERIOD_MS);
		double now = host_now_ms();
		worst = now - before > worst ? now - before : worst;
		before = now;
	}
	return worst;
}

static bool has_gone_off(void)
{
	return o.is_over && strstr(o.text, GOES_OFF) && (o.exit.exit_code == 0 || o.exit.signal == SIGKILL);
}

/* What is left of the bomb before may be in its way for a moment: processes that end, files that are counted.
 */
static double let_off(const struct bomb *bomb)
{
	double worst = 0, deadline = host_now_ms() + BOMB_DEADLINE_MS;
	do {
		double one = try_bomb(bomb, deadline);
		worst = one > worst ? one : worst;
	} while (!has_gone_off() && !in.is_closed && host_now_ms() < deadline);
	if (!has_gone_off() && !in.is_closed)
		fail_msg("%s: it did not go off: over %d, exit code %d, signal %d: %s %s", bomb->name,
				o.is_over, o.exit.exit_code, o.exit.signal, o.why.msg, o.text);
	return worst;
}

static int open_one(void **state)
{
	struct trm_limits limits;
	(void)state;
	trm_limits_default(&limits);
	limits.mem_bytes = 128 * MIB;
	limits.disk_bytes = 32 * MIB;
	limits.file_bytes = 16 * MIB;
	/* Without a user or groups of its own the limit counts whatever else the user runs meanwhile. */
	limits.procs = inside_isolation == TRM_ISOLATION_LANDLOCK && geteuid() != 0 ? 100 : 24;
	limits.open_files = 128;
	inside_open(&in, &limits);
	return 0;
}

/* Where files are counted now and then, code can write again only when the removed ones were noticed; and
 * the sandbox may be ended for too many of them, even after the code that wrote them. */
static bool can_write(void)
{
	const char *argv[] = {"/bin/sh", "-c", "echo x > probe", NULL};
	if (in.is_closed)
		return false;
	inside_run(&in, argv, &o);
	return o.is_over && o.exit.exit_code == 0;
}

/* It lives on, or was ended for too many files, where no file system of its own holds them. */
static void expect_life(void)
{
	double deadline = host_now_ms() + INSIDE_DEADLINE_MS;
	while (!can_write() && !in.is_closed && host_now_ms() < deadline)
		trm_loop_step(in.loop, PERIOD_MS);
	if (!in.is_closed) {
		assert_int_equal(o.exit.exit_code, 0);
		return;
	}
	printf("  it was ended: %s\n", in.why.msg);
	assert_int_not_equal(inside_isolation, TRM_ISOLATION_NAMESPACES);
	assert_int_equal(in.why.code, TRM_ETOOBIG);
	inside_wait_closed(&in);
	open_one(NULL);
}

static void the_host_stays_usable(void **state)
{
	const struct timespec quiet_time = {.tv_nsec = QUIET_MS * 1000000};
	(void)state;
	probe_begin();
	nanosleep(&quiet_time, NULL);
	struct delays quiet = probe_end();
	printf("quiet: a delay of %.1f ms, %.1f at most\n", mean_ms(&quiet), quiet.worst_ms);
	for (size_t i = 0; i < sizeof BOMBS / sizeof *BOMBS; i++) {
		if (takes_loopback(&BOMBS[i]) && inside_isolation != TRM_ISOLATION_NAMESPACES)
			continue; /* it has no sockets but pairs */
		probe_begin();
		double own = let_off(&BOMBS[i]);
		struct delays d = probe_end();
		printf("%s: a delay of %.1f ms, %.1f at most; the sandbox's program %.1f\n", BOMBS[i].name,
				mean_ms(&d), d.worst_ms, own);
		assert_true(d.n > 0);
		assert_true(d.worst_ms < WORST_MS && own < WORST_MS);
		assert_true(mean_ms(&d) < mean_ms(&quiet) + MEAN_MS);
		expect_life();
	}
}

static int close_it(void **state)
{
	(void)state;
	probe_kill(); /* a case that has failed leaves it */
	inside_close(&in);
	return 0;
}

int cases_usable(void)
{
	const struct CMUnitTest cases[] = {
			cmocka_unit_test(the_host_stays_usable),
	};
	return cmocka_run_group_tests_name("the host", cases, open_one, close_it);
}
