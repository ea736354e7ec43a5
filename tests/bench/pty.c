/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

bool pty_start(struct pty *p, const char *const *argv, const char *const *env)
{
	struct winsize size = {.ws_row = 40, .ws_col = 120};
	memset(p, 0, sizeof *p);
	p->start_ns = p->last_read_ns = now_ns();
	p->pid = forkpty(&p->fd, NULL, NULL, &size);
	if (p->pid < 0)
		return false;
	if (p->pid == 0) {
		execve(argv[0], (char *const *)argv, (char *const *)env);
		_exit(127);
	}
	fcntl(p->fd, F_SETFL, O_NONBLOCK);
	return true;
}

/* Keep printable text only. States: 0 text, 1 after ESC, 2 in CSI, 3 in a string (OSC, DCS), 4 ESC inside
 * one, 5 one more byte of a character set designation. */
static void strip(struct pty *p, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];
		switch (p->escape) {
		case 0:
			if (c == 0x1B)
				p->escape = 1;
			else if (c >= 0x20) {
				if (p->tail_len == sizeof p->tail) {
					memmove(p->tail, p->tail + sizeof p->tail / 2, sizeof p->tail / 2);
					p->tail_len = sizeof p->tail / 2;
				}
				p->tail[p->tail_len++] = (char)c;
			}
			break;
		case 1:
			p->escape = c == '[' ? 2 : c == ']' || c == 'P' ? 3 : c == '(' || c == ')' ? 5 : 0;
			break;
		case 2:
			if (c >= 0x40 && c < 0x7F)
				p->escape = 0;
			break;
		case 3: p->escape = c == 7 ? 0 : c == 0x1B ? 4 : 3; break;
		default: p->escape = 0;
		}
	}
}

/* Answer what the program asks its terminal, as a plain xterm would. */
static void answer(struct pty *p, const char *bytes, size_t n)
{
	if (memmem(bytes, n, "\033[c", 3))
		pty_send(p, "\033[?62;22c", 9);
	/* Below the first row: there, a position looks like the key F3. */
	const char *end = bytes + n;
	for (const char *at = bytes; (at = memmem(at, (size_t)(end - at), "\033[6n", 4)); at += 4)
		pty_send(p, "\033[40;3R", 7);
}

/* One read; false when the program is gone. */
static bool take(struct pty *p)
{
	char bytes[65536];
	ssize_t n = read(p->fd, bytes, sizeof bytes);
	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	uint64_t now = now_ns();
	if (now - p->last_read_ns > p->largest_gap_ns)
		p->largest_gap_ns = now - p->last_read_ns;
	p->last_read_ns = now;
	p->bytes += (uint64_t)n;
	strip(p, bytes, (size_t)n);
	answer(p, bytes, (size_t)n);
	return true;
}

void pty_forget(struct pty *p)
{
	p->tail_len = 0;
}

double pty_wait(struct pty *p, const char *text, int timeout_ms)
{
	uint64_t start_ns = now_ns();
	for (;;) {
		if (memmem(p->tail, p->tail_len, text, strlen(text)))
			return ms_since(start_ns);
		int left = timeout_ms - (int)ms_since(start_ns);
		struct pollfd poll_fd = {.fd = p->fd, .events = POLLIN};
		if (left <= 0 || poll(&poll_fd, 1, left) <= 0 || !take(p))
			return memmem(p->tail, p->tail_len, text, strlen(text)) ? ms_since(start_ns) : -1;
	}
}

void pty_send(struct pty *p, const char *bytes, size_t n)
{
	while (n) {
		struct pollfd poll_fd = {.fd = p->fd, .events = POLLIN | POLLOUT};
		if (poll(&poll_fd, 1, 10000) <= 0)
			return;
		if (poll_fd.revents & POLLIN && !take(p))
			return;
		if (!(poll_fd.revents & POLLOUT))
			continue;
		ssize_t sent = write(p->fd, bytes, n);
		if (sent > 0) {
			bytes += sent;
			n -= (size_t)sent;
		}
	}
}

void pty_drain(struct pty *p, int quiet_ms)
{
	struct pollfd poll_fd = {.fd = p->fd, .events = POLLIN};
	while (poll(&poll_fd, 1, quiet_ms) > 0 && take(p))
		;
}

void pty_stop(struct pty *p)
{
	uint64_t start_ns = now_ns();
	while (ms_since(start_ns) < 3000) {
		pty_drain(p, 20);
		if (waitpid(p->pid, NULL, WNOHANG) == p->pid) {
			p->pid = 0;
			break;
		}
		kill(p->pid, SIGHUP);
	}
	if (p->pid) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	close(p->fd);
}
