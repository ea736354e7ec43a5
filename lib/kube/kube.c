/* SPDX-License-Identifier: MIT */
#include "kube/kube.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "kube/command.h"
#include "kube/pod_state.h"
#include "kube/request.h"
#include "kube/stream.h"

enum { INPUT_MAX = 8 << 20, WATCH_LINE_MAX = 2 << 20, FAILED = 1, UNDONE = -1 };

/* A command that is being done. */
struct doing {
	const struct kube_place *place;
	const struct kube_command *command;
	struct proxy_use use;
	char space[KUBE_NAME];
};

/* ---- failures -------------------------------------------------------------------------------------------
 */

/* In kubectl's words, which hints and other sentences are made for. */
static int tell_refusal(struct json_value status, const char *when)
{
	struct json_value value;
	char reason[64] = "", message[1024] = "";
	if (json_member(status, "reason", &value))
		json_value_text(value, reason, sizeof reason);
	if (json_member(status, "message", &value))
		json_value_text(value, message, sizeof message);
	fprintf(stderr, "Error from server (%s): %s%s\n", reason, when, message);
	return FAILED;
}

static int tell_failure(const char *what, int code)
{
	fprintf(stderr, "error: %s over kubectl proxy: %s\n", what, trm_strerror(code));
	return FAILED;
}

/* Whether the answer is one of the API that kubectl would not tell better. Credentials, and an API that
 * cannot be reached, are kubectl's own business. */
static bool is_final(const struct request_answer *answer, struct json_value *ret_status)
{
	return answer->status != 401 && request_is_refused(answer, ret_status);
}

/* ---- create -----------------------------------------------------------------------------------------------
 */

static bool read_input(struct buf *out)
{
	char bytes[16 << 10];
	ssize_t n;
	while ((n = read(0, bytes, sizeof bytes)) > 0)
		if (buf_append(out, bytes, (size_t)n) < 0)
			return false;
	return n == 0 && out->len;
}

static int create_object(const struct doing *d, struct json_value object, bool is_first)
{
	struct json_value value, status;
	struct request_answer answer;
	struct buf path;
	char kind[64] = "";
	buf_init(&path, 1024);
	if (json_member(object, "kind", &value))
		json_value_text(value, kind, sizeof kind);
	int r = kube_path_put(&path, d->space, kind, "");
	r = r == 0 ? buf_append(&path, "", 1) : r;
	if (r < 0) {
		buf_finish(&path);
		return is_first ? UNDONE : tell_failure("cannot create an object", r);
	}
	r = request_make(&d->use, "POST", buf_at(&path), object, &answer);
	int code = 0;
	if (is_first && (r < 0 || (answer.status >= 300 && !is_final(&answer, &status))))
		code = UNDONE; /* a server that cannot be reached, or credentials: kubectl tells it better */
	else if (r < 0)
		code = tell_failure("cannot create an object", r);
	else if (request_is_refused(&answer, &status))
		code = tell_refusal(status, "error when creating \"STDIN\": ");
	else if (answer.status >= 300)
		code = tell_failure("cannot create an object", TRM_EIO);
	else
		printf("%s created\n", kind); /* something has been made */
	fflush(stdout);
	buf_finish(&answer.body);
	buf_finish(&path);
	return code;
}

static int run_create(const struct doing *d)
{
	struct json_value list, items, item;
	struct buf in;
	int code = UNDONE;
	buf_init(&in, INPUT_MAX);
	if (read_input(&in) && json_scan(buf_at(&in), in.len, &list) && json_member(list, "items", &items)) {
		code = 0;
		for (bool is_first = true; code == 0 && json_item(&items, &item); is_first = false)
			code = create_object(d, item, is_first);
	}
	if (code == UNDONE)
		lseek(0, 0, SEEK_SET); /* kubectl reads it again */
	buf_finish(&in);
	return code;
}

/* ---- delete
 * ------------------------------------------------------------------------------------------------ */

static int delete_object(const struct doing *d, const char *target)
{
	char kind[32];
	struct request_answer answer;
	struct buf path;
	const char *slash = strchr(target, '/');
	if (!slash || slash - target >= (int)sizeof kind || !slash[1])
		return UNDONE;
	snprintf(kind, sizeof kind, "%.*s", (int)(slash - target), target);
	buf_init(&path, 1024);
	int code = UNDONE;
	if (kube_path_put(&path, d->space, kind, slash + 1) == 0 && buf_append(&path, "", 1) == 0) {
		int r = request_make(&d->use, "DELETE", buf_at(&path), (struct json_value){"", 0}, &answer);
		struct json_value status;
		bool is_gone = r == 0 && answer.status == 404 && request_is_refused(&answer, &status);
		code = r == 0 && (answer.status < 300 || is_gone) ? 0 : UNDONE;
		buf_finish(&answer.body);
	}
	buf_finish(&path);
	return code;
}

/* What is deleted already does no harm, so kubectl may do the rest. */
static int run_delete(const struct doing *d)
{
	int code = 0;
	for (size_t i = 0; code == 0 && i < d->command->n_targets; i++)
		code = delete_object(d, d->command->targets[i]);
	return code;
}

/* ---- watch
 * -------------------------------------------------------------------------------------------------- */

/* Returns false at the end. */
static bool tell_event(const char *line, size_t n, const char *container)
{
	struct json_value event, type, pod;
	char state[POD_STATE];
	if (!json_scan(line, n, &event) || !json_member(event, "type", &type) || json_is(type, "ERROR")
			|| !json_member(event, "object", &pod))
		return false;
	if (json_is(type, "DELETED"))
		snprintf(state, sizeof state, "removing");
	else if (!json_is(type, "BOOKMARK"))
		pod_state_format(pod, container, state);
	else
		return true;
	return printf("%s\n", state) > 0 && fflush(stdout) == 0;
}

/* Tell the states of the pod, one line each, until the API ends the watch. */
static int follow(int fd, struct buf *in, const char *container)
{
	for (;;) {
		const char *newline = in->len ? memchr(buf_at(in), '\n', in->len) : NULL;
		if (newline) {
			const size_t n = (size_t)(newline - buf_at(in)) + 1;
			if (!tell_event(buf_at(in), n, container))
				return 0;
			buf_take(in, n);
			continue;
		}
		char bytes[16 << 10];
		ssize_t got = read(fd, bytes, sizeof bytes);
		if (got <= 0 || buf_append(in, bytes, (size_t)got) < 0)
			return 0;
	}
}

/* The name of our container in a pod of ours; of others, as the command line says. */
static int run_watch(const struct doing *d, const char *container)
{
	static const char tail[] = "?watch=true&fieldSelector=metadata.name%3D";
	struct buf path, in;
	int status = 0, code = UNDONE;
	buf_init(&path, 1024);
	buf_init(&in, WATCH_LINE_MAX);
	int r = kube_path_put(&path, d->space, "pod", "");
	r = r == 0 ? buf_append(&path, tail, sizeof tail - 1) : r;
	r = r == 0 ? buf_append(&path, d->command->pod, strlen(d->command->pod) + 1) : r;
	int fd = r == 0 ? request_begin(&d->use, buf_at(&path), &status, &in) : r;
	if (fd >= 0 && status == 200)
		code = follow(fd, &in, container);
	if (fd >= 0)
		close(fd);
	buf_finish(&path);
	buf_finish(&in);
	return code;
}

/* ---- one command
 * -------------------------------------------------------------------------------------------- */

/* Of a pod that a server runs in: see "in-cluster" in the documentation of kubectl. */
static bool read_own_space(char *out, size_t cap)
{
	int fd = open("/var/run/secrets/kubernetes.io/serviceaccount/namespace", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, cap - 1);
	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Without a name kubectl takes that of the context, which the recipe has asked for: there is none. */
static bool find_space(struct doing *d)
{
	if (d->command->space)
		return snprintf(d->space, sizeof d->space, "%s", d->command->space) < (int)sizeof d->space;
	if (!d->command->context)
		return read_own_space(d->space, sizeof d->space);
	snprintf(d->space, sizeof d->space, "default");
	return true;
}

static void report_way(const struct kube_place *place, bool is_proxied, const char *why)
{
	if (!place->report)
		return;
	place->report->is_proxied = is_proxied;
	snprintf(place->report->why, sizeof place->report->why, "%s", why);
}

int kube_run(const struct kube_place *place, char *const *argv)
{
	struct kube_command command;
	struct doing d = {.place = place, .command = &command};
	char why[PROXY_WORDS];
	kube_command_read(argv, &command);
	if (command.verb == KUBE_NONE || !find_space(&d))
		return UNDONE;
	signal(SIGPIPE, SIG_IGN);
	if (proxy_join(place->dir, command.program, command.context, place->env, &d.use, why) < 0) {
		report_way(place, false, why);
		return UNDONE;
	}
	report_way(place, true, "");
	int code = UNDONE;
	switch (command.verb) {
	case KUBE_CREATE: code = run_create(&d); break;
	case KUBE_DELETE: code = run_delete(&d); break;
	case KUBE_WATCH: code = run_watch(&d, command.container ? command.container : KUBE_MAIN); break;
	case KUBE_EXEC: code = kube_stream(&d.use, d.space, &command, place->waits, why); break;
	case KUBE_NONE: break;
	}
	if (code == UNDONE && command.verb == KUBE_EXEC)
		report_way(place, false, why);
	if (code == UNDONE)
		close(d.use.keeper_fd);
	return code;
}
