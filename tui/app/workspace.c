/* SPDX-License-Identifier: MIT */
/* Lists the files in the sandbox's /workspace with find(1), for the question about leaving. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/registry.h>

#include "app/app_internal.h"

enum { LIST_MAX = 65536 };

struct listing {
	struct app *app;
	size_t n;
	bool has_more;
	char bytes[LIST_MAX + 1];
};

static void on_workspace_output(
		void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct listing *l = user;
	size_t room = LIST_MAX - l->n;

	(void)proc;
	if (channel != TRM_STDOUT)
		return;
	l->has_more |= n > room;
	memcpy(l->bytes + l->n, bytes, n > room ? room : n);
	l->n += n > room ? room : n;
}

/* What is kept, as its supervisor says: another client may have changed it. */
static bool is_kept_now(const struct app *a)
{
	struct trm_entry entry;

	if (!a->sandbox || !trm_sandbox_is_attached(a->sandbox)
			|| trm_registry_find(trm_sandbox_name(a->sandbox), &entry, NULL) < 0
			|| !entry.has_state)
		return a->model.sandbox.is_kept;
	return entry.is_kept;
}

static void on_workspace_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *status, const struct trm_error *why)
{
	struct listing *l = user;

	(void)proc;
	(void)why;
	for (size_t i = 0; i < l->n; i++)
		if (!l->bytes[i])
			l->bytes[i] = '?';
	l->bytes[l->n] = '\0';
	app_send(l->app, &(struct msg){.type = MSG_FILES,
					 .files.lines = status && status->exit_code == 0 ? l->bytes : NULL,
					 .files.has_more = l->has_more,
					 .files.is_kept = is_kept_now(l->app)});
	free(l);
}

static const struct trm_proc_cb proc_cb = {.output = on_workspace_output, .exited = on_workspace_exited};

void app_list_files(struct app *a)
{
	static const char *const argv[] = {"find", ".", "-xdev", "-type", "f", "-printf", "%s\\t%P\\n", NULL};
	struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts),
			.argv = argv,
			.cwd = "/workspace",
			.label = "list of files"};
	struct listing *l = calloc(1, sizeof *l);
	struct trm_error err = {0};
	struct trm_proc *proc;

	if (l)
		l->app = a;
	if (l && a->sandbox && trm_proc_spawn(a->sandbox, &opts, &proc_cb, l, &proc, &err) == 0)
		return;
	free(l);
	app_send(a, &(struct msg){.type = MSG_FILES, .files.is_kept = is_kept_now(a)});
}
