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
#include <terrarium/text.h>

#include "kube/doing.h"
#include "kube/pod_state.h"
#include "kube/request.h"
#include "kube/stream.h"
#include "kube/watch.h"

enum { INPUT_MAX = 8 << 20 };

/* ---- failures ---------------------------------------------------------------------------------- */

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
	return KUBE_FAILED;
}

static int tell_failure(const char *what, int code)
{
	fprintf(stderr, "error: %s over kubectl proxy: %s\n", what, trm_strerror(code));
	return KUBE_FAILED;
}

/* Whether the API itself has refused. Failures of credentials and of the connection are left to kubectl,
 * which explains them better. */
static bool is_final(const struct request_answer *answer, struct json_value *ret_status)
{
	return answer->status != 401 && request_is_refused(answer, ret_status);
}

/* ---- create ------------------------------------------------------------------------------------ */

static bool read_input(struct buf *out)
{
	char bytes[16 << 10];
	ssize_t n;
	while ((n = read(0, bytes, sizeof bytes)) > 0)
		if (buf_append(out, bytes, (size_t)n) < 0)
			return false;
	return n == 0 && out->len;
}

int kube_create_object(const struct doing *d, struct json_value object, bool is_first)
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
		return is_first ? KUBE_UNDONE : tell_failure("cannot create an object", r);
	}
	r = request_make(&d->use, "POST", buf_at(&path), object, &answer);
	int code = 0;
	if (is_first && (r < 0 || (answer.status >= 300 && !is_final(&answer, &status))))
		code = KUBE_UNDONE; /* a server that cannot be reached, or credentials: kubectl tells it
				       better */
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
	int code = KUBE_UNDONE;
	buf_init(&in, INPUT_MAX);
	if (read_input(&in) && json_scan(buf_at(&in), in.len, &list) && json_member(list, "items", &items)) {
		code = 0;
		for (bool is_first = true; code == 0 && json_item(&items, &item); is_first = false)
			code = kube_create_object(d, item, is_first);
	}
	if (code == KUBE_UNDONE)
		lseek(0, 0, SEEK_SET); /* kubectl reads it again */
	buf_finish(&in);
	return code;
}

/* ---- delete ------------------------------------------------------------------------------------ */

int kube_delete_object(const struct doing *d, const char *kind, const char *name)
{
	struct request_answer answer;
	struct buf path;
	buf_init(&path, 1024);
	int code = KUBE_UNDONE;
	if (*name && kube_path_put(&path, d->space, kind, name) == 0 && buf_append(&path, "", 1) == 0) {
		int r = request_make(&d->use, "DELETE", buf_at(&path), (struct json_value){"", 0}, &answer);
		struct json_value status;
		bool is_gone = r == 0 && answer.status == 404 && request_is_refused(&answer, &status);
		code = r == 0 && (answer.status < 300 || is_gone) ? KUBE_DONE : KUBE_UNDONE;
		buf_finish(&answer.body);
	}
	buf_finish(&path);
	return code;
}

/* A target is KIND/NAME. */
static int delete_target(const struct doing *d, const char *target)
{
	char kind[32];
	const char *slash = strchr(target, '/');
	if (!slash || slash - target >= (int)sizeof kind)
		return KUBE_UNDONE;
	snprintf(kind, sizeof kind, "%.*s", (int)(slash - target), target);
	return kube_delete_object(d, kind, slash + 1);
}

/* If one object fails, kubectl deletes them all again: it ignores those that are gone. */
static int run_delete(const struct doing *d)
{
	int code = 0;
	for (size_t i = 0; code == 0 && i < d->command->n_targets; i++)
		code = delete_target(d, d->command->targets[i]);
	return code;
}

/* ---- watch ------------------------------------------------------------------------------------- */

/* Returns false if nobody listens any more. */
static bool tell_event(struct json_value type, struct json_value pod, const char *container)
{
	char state[POD_STATE];
	if (json_is(type, "DELETED"))
		snprintf(state, sizeof state, "removing");
	else
		pod_state_format(pod, container, state);
	return printf("%s\n", state) > 0 && fflush(stdout) == 0;
}

/* Tell the states of the pod, one line each, until the API ends the watch. */
static void follow(struct watch *w, const char *container)
{
	struct json_value type, pod;
	do
		while (watch_next(w, &type, &pod))
			if (!tell_event(type, pod, container))
				return;
	while (watch_read(w));
}

/* The name of our container in a pod of ours; of others, as the command line says. */
static int run_watch(const struct doing *d, const char *container)
{
	struct watch w = {.fd = -1};
	struct buf path;
	int code = KUBE_UNDONE;
	buf_init(&path, 1024);
	if (kube_watch_path_put(&path, d->space, "pod", d->command->pod) == 0
			&& buf_append(&path, "", 1) == 0) {
		if (watch_begin(&w, &d->use, buf_at(&path))) {
			follow(&w, container);
			code = KUBE_DONE;
		}
		watch_end(&w);
	}
	buf_finish(&path);
	return code;
}

/* ---- list ------------------------------------------------------------------------------------- */

static void read_mark(struct json_value metadata, const char *group, const char *name, char *out, size_t cap)
{
	struct json_value marks, value;
	char text[256] = "";
	if (json_member(metadata, group, &marks) && json_member(marks, name, &value))
		json_value_text(value, text, sizeof text);
	trm_text_clean_line(out, cap, text, strlen(text));
}

static bool has_ended(struct json_value object)
{
	struct json_value status, phase;
	return json_member(object, "status", &status) && json_member(status, "phase", &phase)
	       && (json_is(phase, "Failed") || json_is(phase, "Succeeded"));
}

/* Is the object a pod, or does it belong to one of those that were listed before? */
static bool has_pod(struct json_value object, const char *name, const struct buf *listed)
{
	const char *at = buf_at(listed), *end = at + listed->len;
	const size_t n = strlen(name);
	struct json_value status;
	if (json_member(object, "status", &status))
		return true;
	for (; at < end; at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1)
		if ((size_t)(end - at) > n && !memcmp(at, name, n) && at[n] == '\t')
			return true;
	return false;
}

/* Those that wait for another server have a state of their own: sweep/owner.h. What has lost its pod waits
 * for nobody. */
static const char *state_of(struct json_value object, struct json_value metadata, const char *name,
		const struct buf *listed)
{
	char mark[8];
	if (has_ended(object))
		return "ended";
	read_mark(metadata, "labels", "dev.terrarium.adoptable", mark, sizeof mark);
	return *mark && has_pod(object, name, listed) ? "adoptable" : "running";
}

/* One line as a step LIST prints it: id, supervisor, state, name, the sandbox's name, its owner. */
static int put_listed(struct buf *out, struct json_value object)
{
	struct json_value metadata, value;
	char name[KUBE_NAME] = "", supervisor[256], sandbox[128], owner[64], line[1024];
	if (!json_member(object, "metadata", &metadata) || !json_member(metadata, "name", &value))
		return 0;
	json_value_text(value, name, sizeof name);
	read_mark(metadata, "annotations", "dev.terrarium.supervisor", supervisor, sizeof supervisor);
	read_mark(metadata, "annotations", "dev.terrarium.name", sandbox, sizeof sandbox);
	read_mark(metadata, "labels", "dev.terrarium.owner", owner, sizeof owner);
	int n = snprintf(line, sizeof line, "%s\t%s\t%s\t%s\t%s\t%s\t\n", name, supervisor,
			state_of(object, metadata, name, out), name, sandbox, owner);
	return buf_append(out, line, (size_t)n);
}

static bool list_path(const struct doing *d, const char *path, bool has_contents, struct buf *out)
{
	struct request_answer answer;
	struct json_value list, items, item;
	int r = has_contents ? request_make(&d->use, "GET", path, (struct json_value){"", 0}, &answer)
			     : request_metadata(&d->use, path, &answer);
	bool is_good = r == 0 && answer.status == 200
		       && json_scan(buf_at(&answer.body), answer.body.len, &list)
		       && json_member(list, "items", &items);
	while (is_good && json_item(&items, &item))
		is_good = put_listed(out, item) == 0;
	buf_finish(&answer.body);
	return is_good;
}

bool kube_list_kind(const struct doing *d, const char *kind, const char *query, bool has_contents,
		struct buf *out)
{
	struct buf path;
	buf_init(&path, 1024);
	bool is_good = kube_path_put(&path, d->space, kind, "") == 0
		       && buf_append(&path, query, strlen(query) + 1) == 0
		       && list_path(d, buf_at(&path), has_contents, out);
	buf_finish(&path);
	return is_good;
}

static int run_list(const struct doing *d)
{
	static const char query[] = "?labelSelector=dev.terrarium%3D1";
	struct buf out;
	buf_init(&out, INPUT_MAX);
	bool is_good = kube_list_kind(d, "pod", query, true, &out)
		       && kube_list_kind(d, "configmap", query, false, &out);
	int code = !is_good                                                   ? KUBE_UNDONE
		   : request_write(STDOUT_FILENO, buf_at(&out), out.len) == 0 ? 0
									      : KUBE_FAILED;
	buf_finish(&out);
	return code;
}

/* ---- one command ------------------------------------------------------------------------------- */

/* The namespace of the pod that we run in, if any: see "in-cluster" in the documentation of kubectl. */
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
		return KUBE_UNDONE;
	signal(SIGPIPE, SIG_IGN);
	if (proxy_join(place->dir, command.program, command.context, place->env, &d.use, why) < 0) {
		report_way(place, false, why);
		return KUBE_UNDONE;
	}
	report_way(place, true, "");
	int code = KUBE_UNDONE;
	switch (command.verb) {
	case KUBE_CREATE: code = run_create(&d); break;
	case KUBE_DELETE: code = run_delete(&d); break;
	case KUBE_WATCH: code = run_watch(&d, command.container ? command.container : KUBE_MAIN); break;
	case KUBE_EXEC: code = kube_stream(&d.use, d.space, &command, place->waits, why); break;
	case KUBE_LIST: code = run_list(&d); break;
	case KUBE_CLAIM: code = claim_create(&d); break;
	case KUBE_AWAIT_CLAIM: code = claim_await(&d); break;
	case KUBE_RELEASE: code = claim_release(&d); break;
	case KUBE_LIST_CLAIMS: code = claim_list(&d); break;
	case KUBE_NONE: break;
	}
	if (code == KUBE_UNDONE && command.verb == KUBE_EXEC)
		report_way(place, false, why);
	if (code == KUBE_UNDONE)
		close(d.use.keeper_fd);
	return code;
}
