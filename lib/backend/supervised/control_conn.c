/* SPDX-License-Identifier: MIT */
#include "backend/supervised/control_conn.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/text.h>

#include "backend/host/machine.h"
#include "base/err.h"
#include "base/signame.h"

void control_conn_init(struct control_conn *control_conn)
{
	*control_conn = (struct control_conn){.fd = -1};
}

void control_conn_close(struct control_conn *control_conn)
{
	trm_watch_remove(control_conn->watch);
	control_finish(&control_conn->ready);
	control_finish(&control_conn->gone);
	if (control_conn->fd >= 0)
		close(control_conn->fd);
	control_conn_init(control_conn);
}

/* ---- hearing ------------------------------------------------------------------------ */

static void report_lost(const struct control_conn *control_conn, const char *words)
{
	struct trm_error why;
	trm_error_set(&why, TRM_EIO, "%s", words);
	control_conn->cb->lost(control_conn->user, &why);
}

static void dispatch_message(struct control_conn *control_conn, struct control_msg *msg)
{
	if (msg->type == CONTROL_READY && !control_conn->ready.type) {
		control_conn->ready = *msg;
		if (control_conn->cb->ready)
			control_conn->cb->ready(control_conn->user, &control_conn->ready.ready);
	} else if (msg->type == CONTROL_GONE && !control_conn->gone.type) {
		control_conn->gone = *msg;
	} else {
		if (msg->type == CONTROL_OOM)
			control_conn->oom_kills = msg->oom_kills;
		if (msg->type == CONTROL_REFUSED) {
			control_conn->n_refused = msg->n_refused;
			trm_text_clean_line(control_conn->refused, sizeof control_conn->refused, msg->refused,
					strlen(msg->refused));
		}
		if (msg->type == CONTROL_PROGRESS && control_conn->cb->progress)
			control_conn->cb->progress(control_conn->user, msg->progress);
		if (msg->type == CONTROL_LOST)
			report_lost(control_conn, msg->lost);
		control_finish(msg);
	}
}

/* Read the waiting packet of n bytes. False: it cannot be read. */
static bool read_packet(struct control_conn *control_conn, size_t n)
{
	struct control_msg msg;
	char none, *packet = malloc(n);
	ssize_t got = recv(control_conn->fd, packet ? packet : &none, packet ? n : 1, MSG_DONTWAIT);
	bool is_good = packet && got > 0 && control_get(packet, (size_t)got, &msg) == 0;
	free(packet);
	if (is_good)
		dispatch_message(control_conn, &msg);
	return is_good;
}

void control_conn_receive_refused(struct control_conn *control_conn)
{
	unsigned char type;
	while (control_conn->fd >= 0 && recv(control_conn->fd, &type, 1, MSG_PEEK | MSG_DONTWAIT) == 1
			&& type == CONTROL_REFUSED) {
		ssize_t n = recv(control_conn->fd, NULL, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
		if (n <= 0 || !read_packet(control_conn, (size_t)n))
			return;
	}
}

void control_conn_receive(struct control_conn *control_conn)
{
	ssize_t n = -1;
	errno = EAGAIN;
	while (control_conn->watch
			&& (n = recv(control_conn->fd, NULL, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT)) > 0)
		if (!read_packet(control_conn, (size_t)n) && !control_conn->ready.type) {
			/* It may have been READY, without which nobody would ever know of the start. */
			control_conn->is_garbled = true;
			break;
		}
	if (!control_conn->watch || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	trm_watch_remove(control_conn->watch);
	control_conn->watch = NULL;
	control_conn->cb->ended(control_conn->user);
}

static void on_line(void *user, int fd, uint32_t events)
{
	(void)fd;
	(void)events;
	control_conn_receive(user);
}

int control_conn_open(struct control_conn *control_conn, struct trm_loop *loop, int fd,
		const struct control_conn_cb *cb, void *user, struct trm_error *reterr)
{
	control_conn_init(control_conn);
	control_conn->fd = fd;
	control_conn->cb = cb;
	control_conn->user = user;
	int r = trm_loop_add_fd(loop, fd, TRM_READ, on_line, control_conn, &control_conn->watch, reterr);
	if (r < 0)
		control_conn_close(control_conn);
	return r;
}

/* ---- asking ----------------------------------------------------------------------------- */

/* Requests are a few bytes on the stack, because stopping a sandbox must work without any memory. */
static int send_request(struct control_conn *control_conn, const struct control_msg *request,
		struct trm_error *reterr)
{
	char bytes[REQUEST_MAX_BYTES];
	struct buf packet = {.mem = bytes, .cap = sizeof bytes, .max = sizeof bytes};
	int r = control_put(&packet, request);
	if (r < 0)
		return trm_error_set(reterr, r, "the request is too long");
	if (control_conn->fd < 0
			|| send(control_conn->fd, buf_at(&packet), packet.len, MSG_NOSIGNAL | MSG_DONTWAIT)
					   < 0)
		return trm_error_set(reterr, TRM_ECLOSED, "the sandbox has ended");
	return 0;
}

int control_conn_keep(struct control_conn *control_conn, bool is_kept, struct trm_error *reterr)
{
	return send_request(control_conn, &(struct control_msg){.type = CONTROL_KEEP, .is_kept = is_kept},
			reterr);
}

int control_conn_set_group(struct control_conn *control_conn, const char *group, struct trm_error *reterr)
{
	struct control_msg request = {.type = CONTROL_GROUP};
	snprintf(request.group, sizeof request.group, "%s", group);
	return send_request(control_conn, &request, reterr);
}

void control_conn_observe(struct control_conn *control_conn)
{
	send_request(control_conn, &(struct control_msg){.type = CONTROL_OBSERVE}, NULL);
}

void control_conn_leave(struct control_conn *control_conn)
{
	if (control_conn->fd >= 0)
		shutdown(control_conn->fd, SHUT_WR);
}

void control_conn_stop(struct control_conn *control_conn)
{
	/* if there is no supervisor, the sandbox has ended */
	send_request(control_conn, &(struct control_msg){.type = CONTROL_STOP}, NULL);
}

/* ---- why --------------------------------------------------------------------------------- */

static int line_length(const char *text)
{
	size_t n = strlen(text);
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	return (int)n;
}

/* Bubblewrap's message when the working directory cannot be entered. */
#define NO_CHDIR "Can't chdir to "

static int tell_words(const char *words, struct trm_error *why)
{
	if (!strncmp(words, NET_FAILED, strlen(NET_FAILED)))
		return trm_error_set(why, TRM_ENOTSUP, "%.*s", line_length(words), words);
	if (!strncmp(words, MOUNT_FAILED, strlen(MOUNT_FAILED)))
		return trm_error_set(why, TRM_EPERM, "%.*s", line_length(words), words);
	if (!strncmp(words, SNAPSHOT_FAILED, strlen(SNAPSHOT_FAILED)))
		return trm_error_set(why, TRM_EIO, "%.*s", line_length(words), words);
	const char *chdir = strstr(words, NO_CHDIR);
	if (chdir)
		return trm_error_set(why, TRM_EINVAL, "the sandbox cannot start in %.*s",
				line_length(chdir + strlen(NO_CHDIR)), chdir + strlen(NO_CHDIR));
	bool is_userns = strstr(words, "namespace") || strstr(words, "uid map");
	const struct machine_switch *off = is_userns ? machine_userns_switch() : NULL;
	if (off)
		return trm_error_set(why, TRM_ENOTSUP, "bubblewrap cannot make user namespaces: %s: %s",
				off->reason, off->cure);
	return trm_error_set(why, TRM_EIO, "%s cannot start: %.*s",
			strncmp(words, "bwrap: ", 7) == 0 ? "bubblewrap" : "the sandbox", line_length(words),
			words);
}

static int tell_status(const struct gone_msg *gone, struct trm_error *why)
{
	/* Bubblewrap ends with 128 + n when its child was killed by signal n. */
	int status = gone->status;
	int signo = WIFSIGNALED(status)         ? WTERMSIG(status)
		    : WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128
						: 0;
	if (signo == SIGKILL && gone->oom_kills)
		return trm_error_set(why, TRM_ECLOSED, "the sandbox was killed: out of memory");
	if (signo)
		return trm_error_set(why, TRM_ECLOSED, "the sandbox's agent was killed by signal %d (%s)",
				signo, signal_text(signo));
	return trm_error_set(why, TRM_ECLOSED, "the sandbox's agent ended with exit status %d",
			WEXITSTATUS(status));
}

static const char *format_timeout(uint64_t ms, char *out, size_t cap)
{
	static const struct {
		uint64_t ms;
		const char *unit;
	} units[] = {{86400000, "days"}, {3600000, "h"}, {60000, "min"}, {1000, "s"}, {1, "ms"}};
	size_t i = 0;
	while (units[i].ms > 1 && (ms < 2 * units[i].ms || ms % units[i].ms))
		i++;
	snprintf(out, cap, "%llu %s", (unsigned long long)(ms / units[i].ms), units[i].unit);
	return out;
}

/* The command without the directories of its program. */
static const char *short_command(const char *command)
{
	const char *at = command, *end = command + strcspn(command, " ");

	for (const char *p = command; p < end; p++)
		if (*p == '/' && p + 1 < end)
			at = p + 1;
	return at;
}

int control_conn_end_reason(const struct control_conn *control_conn, struct trm_error *why)
{
	const struct gone_msg *gone = &control_conn->gone.gone;
	char by[160] = "a signal", time[32];
	if (control_conn->is_garbled)
		return trm_error_set(
				why, TRM_ENOMEM, "cannot read from the sandbox's supervisor: out of memory");
	if (control_conn->gone.type != CONTROL_GONE)
		return trm_error_set(why, TRM_EIO,
				"the sandbox's supervisor was killed from outside, and the sandbox with it");
	if (gone->pid > 0)
		snprintf(by, sizeof by, "process %d%s%.100s%s", (int)gone->pid, *gone->command ? " (" : "",
				short_command(gone->command), *gone->command ? ")" : "");
	switch (gone->cause) {
	case GONE_STOPPED:
	case GONE_SIGNAL: return trm_error_set(why, TRM_ECLOSED, "the sandbox was stopped by %s", by);
	case GONE_OWNER:
		return trm_error_set(why, TRM_ECLOSED,
				"the sandbox was not kept, and the program that it belonged to has ended or stopped it: %s",
				by);
	case GONE_IDLE:
		return trm_error_set(why, TRM_ECLOSED,
				"the sandbox's idle timeout is over: no client was attached for %s",
				format_timeout(gone->after_ms, time, sizeof time));
	case GONE_LIFETIME:
		return trm_error_set(why, TRM_ECLOSED, "the sandbox's lifetime of %s is over",
				format_timeout(gone->after_ms, time, sizeof time));
	case GONE_FULL:
		return trm_error_set(why, TRM_EBUSY,
				"too many clients are already attached to the sandbox: detach one of them");
	case GONE_REASON:
		return trm_error_set(why, gone->status, "%.*s", line_length(gone->words), gone->words);
	case GONE_BY_ITSELF:
	case GONE_CAUSES: break;
	}
	return *gone->words ? tell_words(gone->words, why) : tell_status(gone, why);
}
