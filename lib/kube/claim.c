/* SPDX-License-Identifier: MIT */
/* Claims of agent-sandbox over the API. The scripts of the recipe `agent-sandbox` (recipes.json) do the same
 * with kubectl, where the proxy cannot be used: change both together. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kube/claim_state.h"
#include "kube/doing.h"
#include "kube/request.h"
#include "kube/watch.h"

enum { OBJECT_MAX = 8 << 10, LIST_MAX = 8 << 20 };

/* ---- create ------------------------------------------------------------------------------------ */

static int make_object(const struct doing *d, const char *kind, bool is_first)
{
	struct buf body;
	buf_init(&body, OBJECT_MAX);
	int code = KUBE_UNDONE;
	if (claim_object_put(&body, kind, d->command->operands) == 0)
		code = kube_create_object(d, (struct json_value){buf_at(&body), body.len}, is_first);
	buf_finish(&body);
	return code;
}

int claim_create(const struct doing *d)
{
	const char *kind = d->command->operands[CLAIM_KIND];
	const bool has_pool = strcmp(kind, "template") == 0;
	if (!has_pool && strcmp(kind, "pool") != 0)
		return KUBE_UNDONE; /* a claim that was suspended */
	/* Standard output must stay empty: the step's last line would be an id. */
	const int out_fd = dup(STDOUT_FILENO);
	if (out_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return KUBE_UNDONE;
	int code = has_pool ? make_object(d, "SandboxWarmPool", true) : KUBE_DONE;
	if (code == KUBE_DONE)
		code = make_object(d, "SandboxClaim", !has_pool);
	dup2(out_fd, STDOUT_FILENO);
	close(out_fd);
	return code;
}

/* ---- await ------------------------------------------------------------------------------------- */

/* A claim, and then its pod, too. */
struct awaited {
	const struct doing *d;
	struct watch claim, pod;
};

static bool begin_watch(const struct doing *d, struct watch *w, const char *kind, const char *name)
{
	struct buf path;
	buf_init(&path, 1024);
	bool is_good = kube_watch_path_put(&path, d->space, kind, name) == 0 && buf_append(&path, "", 1) == 0
		       && watch_begin(w, &d->use, buf_at(&path));
	buf_finish(&path);
	return is_good;
}

static bool say_state(const char *state)
{
	return !*state || (printf("%s\n", state) > 0 && fflush(stdout) == 0);
}

/* Returns false at the end. */
static bool take_claims(struct awaited *a)
{
	char state[POD_STATE], pod[KUBE_NAME];
	struct json_value type, claim;
	while (watch_next(&a->claim, &type, &claim)) {
		const bool has_pod = a->pod.fd >= 0;
		const char *kind = a->d->command->operands[AWAITED_KIND];
		claim_state_format(claim, json_is(type, "DELETED"), kind, has_pod, state);
		if (!say_state(state))
			return false;
		if (!has_pod && *claim_pod(claim, pod) && !begin_watch(a->d, &a->pod, "pod", pod))
			return false;
	}
	return true;
}

static bool take_pods(struct awaited *a)
{
	char state[POD_STATE];
	struct json_value type, pod;
	while (watch_next(&a->pod, &type, &pod)) {
		if (json_is(type, "DELETED"))
			snprintf(state, sizeof state, "removing");
		else
			claim_pod_state_format(pod, a->d->command->operands[AWAITED_CONFIGMAP], state);
		if (!say_state(state))
			return false;
	}
	return true;
}

/* Until one of the watches ends: then the step is run again. */
static void follow_both(struct awaited *a)
{
	while (take_claims(a) && take_pods(a) && a->claim.fd >= 0) {
		struct pollfd fds[] = {{a->claim.fd, POLLIN, 0}, {a->pod.fd, POLLIN, 0}};
		if (poll(fds, 2, -1) < 0 || (fds[0].revents && !watch_read(&a->claim))
				|| (fds[1].revents && !watch_read(&a->pod)))
			return;
	}
}

int claim_await(const struct doing *d)
{
	struct awaited a = {.d = d, .claim = {.fd = -1}, .pod = {.fd = -1}};
	int code = KUBE_UNDONE;
	char *const *operands = d->command->operands;
	if (strcmp(operands[AWAITED_KIND], "resume") == 0)
		return code;
	if (begin_watch(d, &a.claim, "sandboxclaim", operands[AWAITED_NAME])) {
		follow_both(&a);
		code = KUBE_DONE;
	}
	watch_end(&a.claim);
	watch_end(&a.pod);
	return code;
}

/* ---- release, list ------------------------------------------------------------------------------- */

#define SELECTED "labelSelector=dev.terrarium%3D1,%21dev.terrarium.suspended"

static int release_kind(const struct doing *d, const char *kind)
{
	struct buf query, found;
	buf_init(&query, 1024);
	buf_init(&found, LIST_MAX);
	static const char selected[] = "?" SELECTED "&fieldSelector=metadata.name%3D";
	bool is_good = buf_append(&query, selected, sizeof selected - 1) == 0
		       && buf_append(&query, d->command->name, strlen(d->command->name) + 1) == 0
		       && kube_list_kind(d, kind, buf_at(&query), false, &found);
	int code = !is_good    ? KUBE_UNDONE
		   : found.len ? kube_delete_object(d, kind, d->command->name)
			       : KUBE_DONE;
	buf_finish(&query);
	buf_finish(&found);
	return code;
}

int claim_release(const struct doing *d)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
	if (d->command->name[strspn(d->command->name, letters)])
		return KUBE_UNDONE;
	int code = release_kind(d, "sandboxclaim");
	return code == KUBE_DONE ? release_kind(d, "sandboxwarmpool") : code;
}

int claim_list(const struct doing *d)
{
	static const char query[] = "?" SELECTED;
	struct buf out;
	buf_init(&out, LIST_MAX);
	bool is_good = kube_list_kind(d, "sandboxclaim", query, false, &out)
		       && kube_list_kind(d, "sandboxwarmpool", query, false, &out);
	int code = !is_good                                                   ? KUBE_UNDONE
		   : request_write(STDOUT_FILENO, buf_at(&out), out.len) == 0 ? KUBE_DONE
									      : KUBE_FAILED;
	buf_finish(&out);
	return code;
}
