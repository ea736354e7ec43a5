/* SPDX-License-Identifier: MIT */
#include "agent/batch/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/batch/reading.h"
#include "base/clock.h"
#include "base/procstat.h"

extern char **environ;

enum {
	CONTROL = 3, /* the host's descriptor */
	FIRST_SPARE = 10,
	SPARE_END = 20,
	PACKET = 32 * 1024,
	TICK_MS = READING_TICK_MS,
	COPY_WAIT_MS = 5000,
	KILL_AFTER_MS = 1000, /* of an interrupt that the piece ignores */
	AGAIN_MS = 100,
};

#define TEXT_MAX (2u << 20)

/* ---- life ---- */

void keeper_init(struct keeper *k, const char *program)
{
	*k = (struct keeper){.control = -1};
	snprintf(k->program, sizeof k->program, "%s", program);
}

static void wait_for(pid_t pid, int *ret_status)
{
	while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
}

static void end_process(pid_t *pid)
{
	if (*pid > 0 && kill(*pid, SIGKILL) == 0)
		wait_for(*pid, NULL);
	*pid = 0;
}

void keeper_stop(struct keeper *k)
{
	end_process(&k->host);
	end_process(&k->copy);
	if (k->control >= 0)
		close(k->control);
	k->control = -1;
}

int keeper_start(struct keeper *k)
{
	int fds[2];
	char own[20];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	if (k->host)
		return 0;
	keeper_stop(k);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return errno;
	snprintf(own, sizeof own, "%d", (int)getpid());
	char *argv[] = {k->program, own, NULL};
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], CONTROL);
	for (int fd = FIRST_SPARE; fd < SPARE_END; fd++)
		posix_spawn_file_actions_adddup2(&actions, fd, fd);
	int error = posix_spawn(&k->host, k->program, &actions, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	close(fds[1]);
	k->control = fds[0];
	if (error) {
		k->host = 0;
		keeper_stop(k);
	}
	return error;
}

/* ---- packets ---- */

static bool send_packet(struct keeper *k, const char *packet, size_t n)
{
	return send(k->control, packet, n, MSG_NOSIGNAL) == (ssize_t)n;
}

/* Read the next packet, without its kind, and return the kind; '\0': none came in time. */
static char receive_packet(struct keeper *k, int timeout_ms, char text[PACKET + 1], size_t *ret_n)
{
	struct pollfd fd = {.fd = k->control, .events = POLLIN};
	if (poll(&fd, 1, timeout_ms) <= 0)
		return '\0';
	ssize_t n = recv(k->control, text, PACKET, MSG_DONTWAIT);
	if (n <= 0)
		return '\0';
	char kind = text[0];
	*ret_n = (size_t)n - 1;
	memmove(text, text + 1, *ret_n);
	text[*ret_n] = '\0';
	return kind;
}

static void handle_packet(struct keeper *k, struct keeper_result *r, char kind, const char *text, size_t n)
{
	const struct {
		char kind;
		struct buf *buf;
	} bufs[] = {{'V', &r->value}, {'E', &r->name}, {'M', &r->message}, {'T', &r->frames},
			{'Z', &r->sizes}};
	long long number = strtoll(text, NULL, 10);
	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		if (kind == bufs[i].kind)
			buf_append(bufs[i].buf, text, n);
	if (kind == 'T' || kind == 'Z')
		buf_append(kind == 'T' ? &r->frames : &r->sizes, "\n", 1);
	if (kind == 'S' && number > 1)
		k->copy = (pid_t)number;
	if (kind == 'C')
		r->lost_threads = (int)number;
	if (kind == 'N')
		r->no_copy = number > 0 ? (int)number : EAGAIN;
	if (kind == 'D') {
		r->is_done = true;
		r->cpu_us = number > 0 ? (uint64_t)number : 0;
	}
}

/* ---- running ---- */

/* False: the process is gone. */
static bool is_alive(struct keeper *k, struct keeper_result *r)
{
	pid_t pid = waitpid(k->host, &r->status, WNOHANG);
	if (pid == 0)
		return true;
	if (pid < 0)
		r->status = -1;
	return false;
}

/* An interrupt sends SIGINT repeatedly, and SIGKILL if the piece does not end. */
static void repeat_interrupt(struct keeper *k, uint64_t *since, uint64_t *last)
{
	uint64_t now = clock_ms();
	if (!*since)
		*since = now;
	if (now - *last < AGAIN_MS)
		return;
	*last = now;
	kill(k->host, now - *since < KILL_AFTER_MS ? SIGINT : SIGKILL);
}

/* The copy continues with the state before the piece. */
static void fall_back(struct keeper *k, struct keeper_result *r)
{
	char text[PACKET + 1];
	size_t n;
	char kind;
	uint64_t deadline = clock_ms() + COPY_WAIT_MS;
	while ((kind = receive_packet(k, 0, text, &n)))
		handle_packet(k, r, kind, text, n);
	while (!k->copy && !r->no_copy && clock_ms() < deadline)
		if ((kind = receive_packet(k, TICK_MS, text, &n)))
			handle_packet(k, r, kind, text, n);
	r->is_done = false;
	k->host = k->copy;
	k->copy = 0;
	r->has_lost_all = !k->host || kill(k->host, SIGUSR1) < 0;
	if (r->has_lost_all)
		keeper_stop(k);
}

static void init_result(struct keeper_result *r)
{
	*r = (struct keeper_result){0};
	buf_init(&r->value, TEXT_MAX);
	buf_init(&r->name, TEXT_MAX);
	buf_init(&r->message, TEXT_MAX);
	buf_init(&r->frames, TEXT_MAX);
	buf_init(&r->sizes, TEXT_MAX);
}

void keeper_result_finish(struct keeper_result *r)
{
	buf_finish(&r->value);
	buf_finish(&r->name);
	buf_finish(&r->message);
	buf_finish(&r->frames);
	buf_finish(&r->sizes);
}

void keeper_run(struct keeper *k, int set, const char *path, bool (*interrupts)(void),
		struct reading *reading, struct keeper_result *ret)
{
	char text[PACKET + 1];
	size_t n = (size_t)snprintf(text, sizeof text, "R%d%s", set, path);
	uint64_t since = 0, last = 0;
	init_result(ret);
	bool is_running = send_packet(k, text, n);
	while (is_running && !ret->is_done && !ret->no_copy) {
		char kind = receive_packet(k, TICK_MS, text, &n);
		if (kind) {
			handle_packet(k, ret, kind, text, n);
			continue;
		}
		is_running = is_alive(k, ret);
		if (is_running && interrupts())
			repeat_interrupt(k, &since, &last);
		else if (is_running)
			reading_poll(reading, k->host);
	}
	uint64_t deadline = clock_ms() + COPY_WAIT_MS;
	while (ret->is_done && !k->copy && clock_ms() < deadline) {
		char kind = receive_packet(k, TICK_MS, text, &n);
		if (kind)
			handle_packet(k, ret, kind, text, n);
	}
	if (ret->is_done)
		end_process(&k->copy);
	else if (!ret->no_copy)
		fall_back(k, ret);
}

/* ---- questions ---- */

void keeper_ask(struct keeper *k, const char *name, bool is_whole, struct buf *out)
{
	char text[PACKET + 1];
	size_t n = (size_t)snprintf(text, sizeof text, "%c%s", is_whole ? 'A' : 'B', name);
	int status;
	if (!k->host || !send_packet(k, text, n))
		return;
	for (char kind = 0; kind != 'D';) {
		kind = receive_packet(k, TICK_MS, text, &n);
		if (kind == 'v' || kind == 't' || kind == 'V')
			buf_append(out, text, n + 1);
		if (!kind && waitpid(k->host, &status, WNOHANG)) {
			k->host = 0;
			break;
		}
	}
}

/* Does a process have children other than these? True if unknown. */
static bool has_children(pid_t pid, const pid_t besides[3])
{
	pid_t children[4]; /* one of four is another than these three */
	ssize_t n = procstat_children(pid, pid, children, 4);
	for (ssize_t i = 0; i < n; i++)
		if (children[i] != besides[0] && children[i] != besides[1] && children[i] != besides[2])
			return true;
	return n < 0;
}

bool keeper_has_left(const struct keeper *k, pid_t other)
{
	const pid_t besides[] = {k->host, k->copy, other}, none[3] = {0};
	for (pid_t pid = 1; pid > 0;) { /* do not count those that have ended */
		siginfo_t info = {0};
		pid = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid : 0;
		if (pid == k->host || pid == k->copy || pid == other)
			break;
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return has_children(getpid(), besides) || (k->host && has_children(k->host, none));
}

int keeper_leave(struct keeper *k)
{
	int status = 0;
	if (!k->host || !send_packet(k, "L", 1))
		return 0;
	wait_for(k->host, &status);
	k->host = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
