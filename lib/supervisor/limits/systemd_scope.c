/* SPDX-License-Identifier: MIT */
#include "supervisor/limits/systemd_scope.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sysfile.h"

/* ---- time and bytes -------------------------------------------------------------- */

struct line {
	int fd;
	uint64_t deadline_ms;
};

static bool wait_for(const struct line *line, short events)
{
	struct pollfd p = {.fd = line->fd, .events = events};
	uint64_t now_ms = clock_ms();
	return now_ms < line->deadline_ms && poll(&p, 1, (int)(line->deadline_ms - now_ms)) > 0;
}

static bool send_all(const struct line *line, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(line->fd, bytes, n, MSG_NOSIGNAL);
		if (sent > 0) {
			bytes += sent;
			n -= (size_t)sent;
		} else if (sent == 0 || errno != EAGAIN || !wait_for(line, POLLOUT)) {
			return false;
		}
	}
	return true;
}

static bool receive_all(const struct line *line, void *ret, size_t n)
{
	char *at = ret;
	while (n > 0) {
		ssize_t got = recv(line->fd, at, n, 0);
		if (got > 0) {
			at += got;
			n -= (size_t)got;
		} else if (got == 0 || errno != EAGAIN || !wait_for(line, POLLIN)) {
			return false;
		}
	}
	return true;
}

/* ---- messages -------------------------------------------------------------------- */

enum {
	CALL = 1,
	RETURN = 2,
	ERROR = 3,
	HEADER_BYTES = 16,
	OUR_SERIAL = 1,
	MOST_MESSAGES = 64, /* signals before the answer */
	MOST_BYTES = 1 << 20,
};

/* Numbers have the byte order of this machine, which the first byte of a message names. */
static char byte_order(void)
{
	const uint16_t one = 1;
	return *(const unsigned char *)&one ? 'l' : 'B';
}

/* A message under construction. It keeps the first error. */
struct maker {
	struct buf *to;
	int error;
};

static void put_bytes(struct maker *m, const void *bytes, size_t n)
{
	if (!m->error)
		m->error = buf_append(m->to, bytes, n);
}

static void align(struct maker *m, size_t to)
{
	static const char zeros[8];
	put_bytes(m, zeros, (to - m->to->len % to) % to);
}

static void put_number(struct maker *m, uint32_t value)
{
	align(m, 4);
	put_bytes(m, &value, sizeof value);
}

static void put_string(struct maker *m, const char *text)
{
	put_number(m, (uint32_t)strlen(text));
	put_bytes(m, text, strlen(text) + 1);
}

static void put_signature(struct maker *m, const char *text)
{
	const char n = (char)strlen(text);
	put_bytes(m, &n, 1);
	put_bytes(m, text, strlen(text) + 1);
}

/* Reserve a number that is filled in later. Returns its offset. */
static size_t leave_number(struct maker *m)
{
	put_number(m, 0);
	return m->to->len - 4;
}

static void fill_number(struct maker *m, size_t place, size_t value)
{
	const uint32_t number = (uint32_t)value;
	if (!m->error)
		memcpy((char *)buf_at(m->to) + place, &number, sizeof number);
}

static void put_field(struct maker *m, char code, const char *type, const char *value)
{
	align(m, 8);
	put_bytes(m, &code, 1);
	put_signature(m, type);
	if (*type == 'g')
		put_signature(m, value);
	else
		put_string(m, value);
}

/* Begin a property with its name and type. The value follows. */
static void begin_property(struct maker *m, const char *name, const char *type)
{
	align(m, 8);
	put_string(m, name);
	put_signature(m, type);
}

/* StartTransientUnit(name, mode, properties, other units). */
static void put_body(struct maker *m, pid_t pid)
{
	char name[64];
	snprintf(name, sizeof name, "terrarium-%d.scope", (int)pid);
	put_string(m, name);
	put_string(m, "fail");
	size_t length = leave_number(m);
	align(m, 8);
	size_t start = m->to->len;
	begin_property(m, "Description", "s");
	put_string(m, "Sandbox of terrarium");
	begin_property(m, "Delegate", "b");
	put_number(m, 1);
	begin_property(m, "CollectMode", "s");
	put_string(m, "inactive-or-failed");
	begin_property(m, "PIDs", "au");
	put_number(m, sizeof(uint32_t));
	put_number(m, (uint32_t)pid);
	fill_number(m, length, m->to->len - start);
	put_number(m, 0);
	align(m, 8);
}

int scope_put_call(struct buf *out, pid_t pid)
{
	static const struct {
		char code;
		const char *type, *value;
	} fields[] = {
			{1, "o", "/org/freedesktop/systemd1"},
			{2, "s", "org.freedesktop.systemd1.Manager"},
			{3, "s", "StartTransientUnit"},
			{6, "s", "org.freedesktop.systemd1"},
			{8, "g", "ssa(sv)a(sa(sv))"},
	};
	struct maker m = {.to = out};
	const char head[4] = {byte_order(), CALL, 0, 1};
	put_bytes(&m, head, sizeof head);
	size_t body_length = leave_number(&m);
	put_number(&m, OUR_SERIAL);
	size_t fields_length = leave_number(&m);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		put_field(&m, fields[i].code, fields[i].type, fields[i].value);
	fill_number(&m, fields_length, out->len - HEADER_BYTES);
	align(&m, 8);
	size_t start = out->len;
	put_body(&m, pid);
	fill_number(&m, body_length, out->len - start);
	return m.error;
}

static bool skip(const struct line *line, size_t n)
{
	char bytes[512];
	bool is_good = n <= MOST_BYTES;
	for (size_t take; is_good && n > 0; n -= take) {
		take = n < sizeof bytes ? n : sizeof bytes;
		is_good = receive_all(line, bytes, take);
	}
	return is_good;
}

/* We have made only one call, so any reply is the reply to it. */
static bool read_reply(const struct line *line)
{
	for (unsigned i = 0; i < MOST_MESSAGES; i++) {
		unsigned char head[HEADER_BYTES];
		uint32_t body, fields;
		if (!receive_all(line, head, sizeof head) || head[0] != (unsigned char)byte_order())
			return false;
		memcpy(&body, head + 4, sizeof body);
		memcpy(&fields, head + 12, sizeof fields);
		if (head[1] == RETURN || head[1] == ERROR)
			return head[1] == RETURN;
		if (fields > MOST_BYTES || body > MOST_BYTES
				|| !skip(line, ((size_t)fields + 7) / 8 * 8 + body))
			return false;
	}
	return false;
}

/* ---- the conversation -------------------------------------------------------------- */

/* The kernel vouches for our uid, sent as decimal digits, each of them in hexadecimal. */
static bool sign_in(const struct line *line)
{
	char uid[16], words[96] = "AUTH EXTERNAL ", answer[128];
	size_t n = strlen(words), heard = 0;
	snprintf(uid, sizeof uid, "%u", (unsigned)geteuid());
	for (const char *at = uid; *at; at++)
		n += (size_t)snprintf(words + n, sizeof words - n, "%02x", (unsigned)(unsigned char)*at);
	n += (size_t)snprintf(words + n, sizeof words - n, "\r\n");
	if (!send_all(line, "", 1) || !send_all(line, words, n))
		return false;
	do {
		if (heard == sizeof answer || !receive_all(line, answer + heard, 1))
			return false;
	} while (answer[heard++] != '\n');
	return heard > 3 && !memcmp(answer, "OK ", 3) && send_all(line, "BEGIN\r\n", 7);
}

static bool call(const struct line *line, pid_t pid)
{
	struct buf message;
	buf_init(&message, 4096);
	bool is_started = scope_put_call(&message, pid) == 0 && sign_in(line)
			  && send_all(line, buf_at(&message), message.len) && read_reply(line);
	buf_finish(&message);
	return is_started;
}

static int reach(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int n = snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
	int fd = n < 0 || (size_t)n >= sizeof to.sun_path
				 ? -1
				 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

bool scope_ask(const char *socket_path, pid_t pid, bool (*is_moved)(pid_t pid), unsigned timeout_ms)
{
	const struct timespec nap = {.tv_nsec = 1000 * 1000};
	const struct line line = {.fd = reach(socket_path), .deadline_ms = clock_ms() + timeout_ms};
	if (line.fd < 0)
		return false;
	bool is_in = false, is_started = call(&line, pid);
	/* The reply only says that the move has been queued. */
	while (is_started && !(is_in = is_moved(pid)) && clock_ms() < line.deadline_ms)
		nanosleep(&nap, NULL);
	close(line.fd);
	return is_in;
}

/* ---- this process ------------------------------------------------------------------ */

static bool is_in_scope(pid_t pid)
{
	char self[4096], name[64];
	snprintf(name, sizeof name, "/terrarium-%d.scope\n", (int)pid);
	sysfile_read("/proc/self/cgroup", self, sizeof self);
	return strstr(self, name) != NULL;
}

bool scope_enter(const char *root)
{
	char path[128], words[256];
	snprintf(path, sizeof path, "%s/cgroup.controllers", root);
	if (sysfile_read(path, words, sizeof words) <= 0 || !text_has_word(words, "memory"))
		return false;
	/* The path that systemd(1) uses. XDG_RUNTIME_DIR does not change it. */
	if (geteuid())
		snprintf(path, sizeof path, "/run/user/%u/systemd/private", (unsigned)geteuid());
	else
		snprintf(path, sizeof path, "/run/systemd/private");
	return scope_ask(path, getpid(), is_in_scope, SCOPE_TIMEOUT_MS);
}
