/* SPDX-License-Identifier: MIT */
#include "supervisor/container/exec_bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/text.h>

#include "wire/frame.h"
#include "wire/message.h"
#include "wire/pack.h"

static void drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void bridges_init(struct bridges *b, const struct step_facts *facts)
{
	b->facts = facts;
	b->n = 0;
	b->cpu_ns = 0;
	b->line_pid = 0;
	b->has_line = b->is_up = b->has_report = false;
	b->listen_fd = b->line_fd = b->err_fd = -1;
	b->words = (struct step_tail){.fd = -1};
	b->strange[0] = '\0';
	buf_init(&b->in, FRAME_HEADER + FRAME_MAX_PAYLOAD);
}

static pid_t spawn(const struct bridges *b, int fd)
{
	return step_spawn(b->facts, b->facts->plan->steps[PLAN_CONNECT], fd, fd, b->err_fd);
}

static bool open_words(struct bridges *b)
{
	int fd[2];
	if (b->err_fd >= 0)
		return true;
	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK) < 0) /* the commands must not block when we do not read */
		return false;
	b->words = (struct step_tail){.fd = fd[0]};
	b->err_fd = fd[1];
	return true;
}

static int put_watch(struct buf *out, uint32_t interval_ms)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, 0, FRAME_WATCH, 0, &mark);
	if (r < 0)
		return r;
	pack_u32(&p, interval_ms);
	pack_u8(&p, false);
	return p.error ? p.error : frame_end(out, mark);
}

static int send_hello(const struct bridges *b, uint32_t interval_ms)
{
	struct buf out;
	buf_init(&out, FRAME_HEADER + 256);
	int r = hello_msg_put(&out, 0, HELLO_OBSERVER, (uint32_t)getpid());
	if (r == 0 && interval_ms)
		r = put_watch(&out, interval_ms);
	if (r < 0)
		r = -ENOMEM; /* the buffer is large enough, so nothing else can fail */
	/* EPIPE: the command has ended already. read_line() then reads the end, and it is reported. */
	else if (send(b->line_fd, buf_at(&out), out.len, MSG_NOSIGNAL) < 0 && errno != EPIPE)
		r = -errno;
	buf_finish(&out);
	return r;
}

int bridges_begin(struct bridges *b, uint32_t interval_ms)
{
	int line[2];
	if (!open_words(b) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) < 0)
		return -errno;
	pid_t pid = spawn(b, line[1]);
	close(line[1]);
	if (pid < 0) {
		close(line[0]);
		return (int)pid;
	}
	fcntl(line[0], F_SETFL, O_NONBLOCK);
	buf_clear(&b->in);
	b->is_up = false;
	b->line_fd = line[0];
	b->line_pid = pid;
	b->has_line = true;
	return send_hello(b, interval_ms);
}

void bridges_serve(struct bridges *b, int listen_fd)
{
	fcntl(listen_fd, F_SETFL, O_NONBLOCK);
	b->listen_fd = listen_fd;
}

/* ---- hearing ------------------------------------------------------------------------- */

size_t bridges_poll(const struct bridges *b, struct pollfd *fds)
{
	/* While there is no room, clients stay in the listen queue. */
	fds[0] = (struct pollfd){.fd = b->n < BRIDGES_MAX ? b->listen_fd : -1, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = b->line_fd, .events = POLLIN};
	fds[2] = (struct pollfd){.fd = b->words.fd, .events = POLLIN};
	return BRIDGE_POLLS;
}

static pid_t who_is(int fd)
{
	struct ucred who;
	socklen_t n = sizeof who;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 ? who.pid : 0;
}

static void accept_clients(struct bridges *b)
{
	int fd;
	while (b->n < BRIDGES_MAX && (fd = accept4(b->listen_fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		const struct bridge bridge = {.client = who_is(fd), .pid = spawn(b, fd)};
		close(fd);
		if (bridge.pid > 0)
			b->of[b->n++] = bridge;
	}
}

static void handle_welcome(struct bridges *b, const struct frame *frame)
{
	struct welcome_msg welcome;
	if (welcome_msg_get(frame, &welcome) < 0)
		return;
	b->is_up = true;
	handoff_report_finish(&b->report);
	b->has_report = welcome.report
			&& handoff_report_get(welcome.report, welcome.report_len, &b->report) == 0;
}

/* METRICS begins with a mask of the known values, the CPU percentage and the CPU time. */
static void handle_metrics(struct bridges *b, const struct frame *frame)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	unpack_u32(&u);
	unpack_f64(&u);
	uint64_t cpu_ns = unpack_u64(&u);
	if (!u.bad)
		b->cpu_ns = cpu_ns;
}

/* Keep the start of an unexpected answer for the error message. It is mostly a login message of the shell. */
static bool note_strange_output(struct bridges *b)
{
	if (!b->is_up)
		trm_text_clean_line(b->strange, sizeof b->strange, buf_at(&b->in), b->in.len);
	return false;
}

/* An agent starts with WELCOME. After that only METRICS matters here. Returns false if this is no agent. */
static bool handle_output(struct bridges *b, const char *bytes, size_t n)
{
	struct frame frame;
	int r;
	if (buf_append(&b->in, bytes, n) < 0)
		return false;
	while ((r = frame_next(&b->in, &frame)) > 0) {
		if (!b->is_up && frame.type == FRAME_WELCOME)
			handle_welcome(b, &frame);
		else if (frame.type == FRAME_METRICS)
			handle_metrics(b, &frame);
		if (!b->is_up)
			return note_strange_output(b);
		frame_done(&b->in, &frame);
	}
	return r == 0 || note_strange_output(b);
}

static void read_line(struct bridges *b)
{
	char bytes[4096];
	ssize_t n;
	while ((n = recv(b->line_fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		if (!handle_output(b, bytes, (size_t)n))
			break;
	if (n >= 0 || (errno != EAGAIN && errno != EINTR))
		drop(&b->line_fd);
}

void bridges_handle(struct bridges *b, const struct pollfd *fds)
{
	if (fds[2].revents && b->words.fd >= 0)
		step_tail_read(&b->words, b->words_bytes, STEP_ERR_BYTES);
	if (fds[1].revents && b->line_fd >= 0)
		read_line(b);
	if (fds[0].revents && b->listen_fd >= 0)
		accept_clients(b);
}

/* ---- who has lost it ------------------------------------------------------------------ */

void bridges_note_end(struct bridges *b, pid_t pid, int status, uint64_t now_ms)
{
	if (pid == b->line_pid)
		b->line_pid = 0;
	for (size_t i = 0; i < b->n; i++) {
		if (b->of[i].pid != pid)
			continue;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			b->of[i] = b->of[--b->n];
		else
			b->of[i] = (struct bridge){
					.client = b->of[i].client, .due_ms = now_ms + BRIDGE_LOST_MS};
		return;
	}
}

uint64_t bridges_next_ms(const struct bridges *b)
{
	uint64_t next_ms = UINT64_MAX;
	if (b->has_line && !b->is_up) /* our own connection is being made again: perhaps all has ended */
		return next_ms;
	for (size_t i = 0; i < b->n; i++)
		if (!b->of[i].pid && b->of[i].due_ms < next_ms)
			next_ms = b->of[i].due_ms;
	return next_ms;
}

/* A client may have closed one connection and be using another. */
static bool has_another(const struct bridges *b, pid_t client)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->of[i].pid && b->of[i].client == client)
			return true;
	return false;
}

pid_t bridges_next_lost(struct bridges *b, uint64_t now_ms)
{
	for (size_t i = 0; i < b->n;) {
		pid_t client = b->of[i].client;
		if (b->of[i].pid || b->of[i].due_ms > now_ms) {
			i++;
			continue;
		}
		b->of[i] = b->of[--b->n];
		if (client > 0 && !has_another(b, client))
			return client;
	}
	return 0;
}

char *bridges_describe(struct bridges *b, const char *what, char *out, size_t cap)
{
	char said[400], command[96];
	step_describe(b->facts->plan->steps[PLAN_CONNECT], command, sizeof command);
	step_tail_read(&b->words, b->words_bytes, STEP_ERR_BYTES);
	step_clean_tail(b->words_bytes, b->words.n, said, sizeof said);
	b->words.n = 0; /* the next failure gets only its own messages */
	if (*b->strange)
		snprintf(out, cap,
				"%.40s: the step 'connect' %s: it must write only the agent's output, but "
				"its output begins with '%s' ('%s')",
				b->facts->plan->backend, what, b->strange, command);
	else
		snprintf(out, cap, "%.40s: the step 'connect' %s: %s ('%s')", b->facts->plan->backend, what,
				*said ? said : "it gives no reason", command);
	return out;
}

/* ---- end ---------------------------------------------------------------------------------- */

void bridges_shut_down(struct bridges *b)
{
	struct buf out;
	buf_init(&out, FRAME_HEADER);
	if (b->line_fd >= 0 && b->is_up && frame_put(&out, 0, FRAME_SHUTDOWN, 0, "", 0) == 0)
		send(b->line_fd, buf_at(&out), out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
	buf_finish(&out);
}

void bridges_finish(struct bridges *b)
{
	if (!b->facts)
		return;
	for (size_t i = 0; i < b->n; i++)
		if (b->of[i].pid)
			kill(-b->of[i].pid, SIGKILL);
	if (b->line_pid)
		kill(-b->line_pid, SIGKILL);
	drop(&b->line_fd);
	drop(&b->listen_fd);
	drop(&b->err_fd);
	drop(&b->words.fd);
	handoff_report_finish(&b->report);
	b->has_report = false;
	buf_finish(&b->in);
}
