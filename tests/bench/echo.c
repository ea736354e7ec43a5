/* SPDX-License-Identifier: MIT */
/* The least that an HTTP server in C does: libmicrohttpd, with its own thread, gives back what it was sent,
 * and SERVED_FIGURE bytes to who sends nothing. And the least that one with an interpreter does: before that
 * it has a sum done, with nothing between. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/served.h"
#include "server/http/library.h"

enum { MHD_USE_INTERNAL_POLLING_THREAD = 8, MHD_OPTION_LISTEN_SOCKET = 12, BODY_MAX = 4096 };

static const char bare_python[] = "import os\n"
				  "while code := os.read(0, 4096):\n"
				  "    os.write(1, repr(eval(compile(code, '<run>', 'eval'))).encode())\n";

static int ask = -1, reported = -1; /* pipes of the interpreter, if there is one */

struct body {
	size_t n;
	char text[BODY_MAX];
};

static bool has_sum_done(void)
{
	char text[64];
	return write(ask, "1+1", 3) == 3 && read(reported, text, sizeof text) == 1 && text[0] == '2';
}

static int answer_figure(const struct mhd *mhd, struct MHD_Connection *connection)
{
	static char letters[SERVED_FIGURE];
	memset(letters, 'A', sizeof letters);
	struct MHD_Response *response =
			mhd->response_from_buffer(sizeof letters, letters, MHD_RESPMEM_PERSISTENT);
	int queued = mhd->queue_response(connection, 200, response);
	mhd->destroy_response(response);
	return queued;
}

static int answer(void *user, struct MHD_Connection *connection, const char *url, const char *method,
		const char *version, const char *upload, size_t *upload_len, void **request)
{
	const struct mhd *mhd = user;
	struct body *body = *request;
	(void)url, (void)version;
	if (!strcmp(method, "GET"))
		return answer_figure(mhd, connection);
	if (!body)
		return (*request = calloc(1, sizeof *body)) ? MHD_YES : MHD_NO;
	if (*upload_len) {
		size_t n = *upload_len < BODY_MAX - body->n ? *upload_len : BODY_MAX - body->n;
		memcpy(body->text + body->n, upload, n);
		body->n += n;
		*upload_len = 0;
		return MHD_YES;
	}
	char *copy = malloc(body->n + 1);
	if (!copy || (ask >= 0 && !has_sum_done()))
		return MHD_NO;
	memcpy(copy, body->text, body->n);
	struct MHD_Response *response = mhd->response_from_buffer(body->n, copy, MHD_RESPMEM_MUST_FREE);
	mhd->add_header(response, "Content-Type", "application/json");
	int queued = mhd->queue_response(connection, 200, response);
	mhd->destroy_response(response);
	free(body);
	*request = NULL;
	return queued;
}

static int listen_anywhere(uint16_t *ret_port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t n = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, 128) < 0
			|| getsockname(fd, (struct sockaddr *)&at, &n) < 0)
		return -1;
	*ret_port = ntohs(at.sin_port);
	return fd;
}

/* It ends with the server, whose end of its pipe is the only one. */
static bool start_interpreter(void)
{
	int in[2], out[2];
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl("/usr/bin/python3", "python3", "-c", bare_python, NULL);
		_exit(127);
	}
	ask = in[1];
	reported = out[0];
	close(in[0]);
	close(out[1]);
	return pid > 0;
}

bool echo_start(struct served *s, bool has_interpreter)
{
	static struct mhd mhd;
	*s = (struct served){0};
	int fd = listen_anywhere(&s->port);
	if (fd < 0 || mhd_load(&mhd, NULL) < 0 || (s->pid = fork()) < 0)
		return false;
	if (s->pid == 0) {
		if (has_interpreter && !start_interpreter())
			_exit(1);
		if (!mhd.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL, 0, NULL, NULL, answer,
				    &mhd, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_END))
			_exit(1);
		for (;;)
			pause();
	}
	close(fd);
	return true;
}

void echo_stop(struct served *s)
{
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	*s = (struct served){0};
}
