/* SPDX-License-Identifier: MIT */
/* The downloader: a sandbox with network in which no code of a package ever runs, since pip.py takes away
 * from itself the starting of programs, by which alone such code could come to life. So what lies in it is
 * what the index has sent, and may be shown to other sandboxes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "install/install.h"
#include "sandbox/sandbox.h"

struct fetch {
	struct trm_sandbox *sandbox;
	struct tool_opts *opts;
	const struct tool_cb *cb;
	void *user;
	struct tool *tool;
	struct harvest *harvest;
	struct take *take;
	bool is_unpacking;
	int exit_code;
	unsigned seen;
	struct trm_error why;
};

/* Wheels of a gigabyte are not rare; files are memory. It is used only as far as it is needed. */
static const uint64_t DISK_BYTES = 1536ull << 20, MEMORY_BYTES = 2048ull << 20;

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct fetch f = *(struct fetch *)user;
	(void)sandbox;
	free(user);
	if (f.exit_code < 0 && why->code != TRM_OK)
		f.why = *why;
	f.cb->done(f.user, f.exit_code, f.seen, &f.why);
}

static void on_output(void *user, int stream, const void *bytes, size_t n)
{
	struct fetch *f = user;
	f->cb->output(f->user, stream, bytes, n);
}

static void on_taken(void *user, const char *set, const struct trm_error *why)
{
	struct fetch *f = user;
	f->take = NULL;
	snprintf(f->opts->set, sizeof f->opts->set, "%s", set);
	if (why->code != TRM_OK) {
		f->exit_code = -1;
		f->why = *why;
	}
	trm_sandbox_close(f->sandbox);
}

/* The tool is done with what the set consists of. */
static void begin_take(struct fetch *f)
{
	if (take_start(f->sandbox, on_taken, f, &f->take, &f->why) == 0)
		return;
	f->exit_code = -1;
	trm_sandbox_close(f->sandbox);
}

static void on_tool_done(void *user, int exit_code, unsigned seen, const struct trm_error *why);

static int begin_tool(struct fetch *f, const char *verb, struct trm_error *reterr)
{
	static const struct tool_cb cb = {.output = on_output, .done = on_tool_done};
	f->is_unpacking = !strcmp(verb, "unpack");
	return tool_start(f->sandbox, verb, f->opts, &cb, f, &f->tool, reterr);
}

static void on_harvested(void *user, const char *group)
{
	struct fetch *f = user;
	f->harvest = NULL;
	snprintf(f->opts->group, sizeof f->opts->group, "%s", group);
	if (!f->opts->wants_set) {
		trm_sandbox_close(f->sandbox);
	} else if (begin_tool(f, "unpack", &f->why) < 0) {
		f->exit_code = -1;
		trm_sandbox_close(f->sandbox);
	}
}

static void on_tool_done(void *user, int exit_code, unsigned seen, const struct trm_error *why)
{
	struct fetch *f = user;
	struct trm_error failed = {0};
	f->tool = NULL;
	f->exit_code = exit_code;
	f->seen = seen;
	f->why = *why;
	const struct recipe *recipe = f->opts->recipe;
	if (exit_code == 0 && f->is_unpacking) {
		begin_take(f);
		return;
	}
	if (exit_code == 0 && harvest_start(f->sandbox, recipe, on_harvested, f, &f->harvest, &failed) == 0)
		return;
	if (failed.code)
		log_write(LOG_WARNING, "%s", failed.msg);
	trm_sandbox_close(f->sandbox);
}

int fetch_start(struct trm_sandbox *like, bool has_credentials, struct tool_opts *tool_opts,
		const struct tool_cb *cb, void *user, struct fetch **ret, struct trm_error *reterr)
{
	static const struct trm_sandbox_cb sandbox_cb = {.closed = on_closed};
	const struct trm_limits *limits = trm_sandbox_limits(like);
	struct trm_sandbox_opts opts;
	struct fetch *f = calloc(1, sizeof *f);
	if (!f)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*f = (struct fetch){.opts = tool_opts, .cb = cb, .user = user, .exit_code = -1};
	trm_sandbox_opts_default(&opts);
	opts.backend = trm_sandbox_backend(like);
	opts.isolation = trm_sandbox_isolation(like);
	opts.limits.mem_bytes = MEMORY_BYTES;
	opts.limits.disk_bytes = opts.limits.file_bytes = DISK_BYTES;
	opts.limits.net = true;
	memcpy(opts.limits.net_allow, limits->net_allow, sizeof opts.limits.net_allow);
	opts.net_credentials = has_credentials;
	int r = trm_sandbox_open(like->loop, &opts, &sandbox_cb, f, &f->sandbox, reterr);
	if (r < 0) {
		free(f);
		return r;
	}
	/* Without it there is only the end of the sandbox to wait for. */
	if (begin_tool(f, tool_opts->recipe->has_fetcher ? "fetch" : "unpack", &f->why) < 0)
		trm_sandbox_close(f->sandbox);
	*ret = f;
	return 0;
}

void fetch_interrupt(struct fetch *f)
{
	if (f->tool)
		tool_interrupt(f->tool);
	else if (f->take)
		take_stop(f->take);
	else
		trm_sandbox_close(f->sandbox);
}

void fetch_resize(struct fetch *f)
{
	if (f->tool)
		tool_resize(f->tool);
}
