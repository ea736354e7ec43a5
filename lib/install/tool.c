/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "install/install.h"
#include "sandbox/sandbox.h"

struct tool {
	struct trm_sandbox *sandbox;
	const struct tool_opts *opts;
	const struct tool_cb *cb;
	void *user;
	const char *verb;
	struct trm_proc *proc;
	char tail[TOOL_TAIL_BYTES]; /* end of the output: a phrase may come in two pieces */
	size_t tail_len;
	struct stall stall;
	unsigned n_interrupts;
	unsigned seen;
};

/* Words of pip and npm that we have something to add to. */
static const char *const phrases[] = {
		[TOOL_WANTS_BUILD] = "what fetches packages runs no programs", /* pip.py */
		[TOOL_NOT_REACHED] = "Could not fetch URL",
		[TOOL_NO_ANSWER] = "after connection broken by",
		[TOOL_NOT_FOUND] = "No matching distribution found",
		[TOOL_NO_SPACE] = "No space left on device",
		[TOOL_NO_SPACE_NPM] = "ENOSPC",
};

static void look_for_phrases(struct tool *t, const char *bytes, size_t n)
{
	char text[2 * TOOL_TAIL_BYTES];
	while (n) {
		size_t part = n < TOOL_TAIL_BYTES ? n : TOOL_TAIL_BYTES, len = t->tail_len + part;
		memcpy(text, t->tail, t->tail_len);
		memcpy(text + t->tail_len, bytes, part);
		for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
			if (memmem(text, len, phrases[i], strlen(phrases[i])))
				t->seen |= 1u << i;
		t->tail_len = len < TOOL_TAIL_BYTES ? len : TOOL_TAIL_BYTES;
		memcpy(t->tail, text + len - t->tail_len, t->tail_len);
		bytes += part;
		n -= part;
	}
}

static void end(struct tool *t, int exit_code, const struct trm_error *why)
{
	const struct tool_cb *cb = t->cb;
	void *user = t->user;
	unsigned seen = t->seen;
	stall_end(&t->stall);
	free(t);
	cb->done(user, exit_code, seen, why);
}

static void on_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct tool *t = user;
	(void)proc;
	look_for_phrases(t, bytes, n);
	t->cb->output(t->user, (int)channel, bytes, n);
}

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct tool *t = user;
	(void)proc;
	if (!exit && t->seen & 1u << TOOL_STALLED) /* killed for it */
		end(t, 128 + SIGKILL, why);
	else
		end(t, !exit ? -1 : exit->signal ? 128 + exit->signal : exit->exit_code, why);
}

enum { ARGV_MAX = ARGUMENTS_MAX + 33 };

/* A row's command knows by TERRARIUM_STEP what to do: the downloader fetches into the folder
 * TERRARIUM_FETCHED, a sandbox without network uses what is there. Without these it does both. */
static const char fetches[] =
		"set=${TERRARIUM_WORKSPACE:-/workspace}/.terrarium-set\n"
		"export TERRARIUM_STEP=fetch TERRARIUM_FETCHED=\"$set/files\"\n"
		"mkdir -p \"$TERRARIUM_FETCHED\" && \"$@\" || exit\n"
		"cd \"$TERRARIUM_FETCHED\" && find . -type f -exec sha256sum {} + | sort | sha256sum | cut -c -32 "
		">\"$set/name\"\n";
static const char uses[] = "export TERRARIUM_STEP=use TERRARIUM_FETCHED=\"${TERRARIUM_CACHE:-" CACHEDIR_INSIDE
			   "}/sets/$0\"\n"
			   "exec \"$@\"\n";

static void put_row_words(const struct tool *t, const char *argv[ARGV_MAX + 1])
{
	size_t n = 0;
	bool is_fetch = !strcmp(t->verb, "unpack");
	if (is_fetch || !strcmp(t->verb, "use")) {
		argv[n++] = "/bin/sh";
		argv[n++] = "-c";
		argv[n++] = is_fetch ? fetches : uses;
		argv[n++] = is_fetch ? "fetch" : t->opts->set;
	}
	for (const char *const *word = recipe_command(t->opts->lang); *word && n < ARGV_MAX; word++)
		if (strcmp(*word, "{package}") != 0)
			argv[n++] = *word;
		else
			for (size_t i = 0; i < t->opts->n_packages && n < ARGV_MAX; i++)
				argv[n++] = t->opts->packages[i];
}

static void put_words(const struct tool *t, const char *argv[ARGV_MAX + 1])
{
	const struct recipe *recipe = t->opts->recipe;
	size_t n = 0;
	argv[n++] = sandbox_program(t->sandbox, recipe->program);
	argv[n++] = recipe->option;
	argv[n++] = recipe->script().bytes;
	argv[n++] = t->verb;
	if (!strcmp(t->verb, "put"))
		argv[n++] = t->opts->group;
	else if (!strcmp(t->verb, "use"))
		argv[n++] = t->opts->set;
	bool installs = !strcmp(t->verb, "put") || !strcmp(t->verb, "build");
	if (t->opts->upgrades && installs && !strcmp(recipe->tool, "pip"))
		argv[n++] = "--upgrade";
	if (t->opts->requirements) {
		argv[n++] = "-r";
		argv[n++] = REQUIREMENTS_INSIDE;
	}
	argv[n++] = "--";
	for (size_t i = 0; i < t->opts->n_packages; i++)
		argv[n++] = t->opts->packages[i];
}

static void on_stalled(void *user)
{
	struct tool *t = user;
	t->seen |= 1u << TOOL_STALLED;
	tool_interrupt(t);
}

static int spawn(struct tool *t, struct trm_error *reterr)
{
	static const struct trm_proc_cb cb = {.output = on_output, .exited = on_exited};
	const char *argv[ARGV_MAX + 1] = {NULL};
	if (t->opts->recipe->is_of_row)
		put_row_words(t, argv);
	else
		put_words(t, argv);
	const struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts),
			.argv = argv,
			.env = (const char *const *)t->opts->env,
			.label = t->opts->lang->package_manager,
			.pty = t->opts->has_terminal,
			.rows = t->opts->rows,
			.cols = t->opts->cols};
	int r = trm_proc_spawn(t->sandbox, &opts, &cb, t, &t->proc, reterr);
	if (r == 0)
		stall_begin(&t->stall, t->sandbox, on_stalled, t);
	return r;
}

static void on_put(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct tool *t = user;
	struct trm_error failed = *why;
	(void)size;
	(void)mode;
	if (failed.code == TRM_OK && t->n_interrupts)
		trm_error_set(&failed, TRM_ECANCELED, "interrupted");
	if (failed.code != TRM_OK || spawn(t, &failed) < 0)
		end(t, -1, &failed);
}

int tool_start(struct trm_sandbox *sandbox, const char *verb, const struct tool_opts *opts,
		const struct tool_cb *cb, void *user, struct tool **ret, struct trm_error *reterr)
{
	static const struct trm_transfer_cb put_cb = {.done = on_put};
	struct tool *t = calloc(1, sizeof *t);
	if (!t)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*t = (struct tool){.sandbox = sandbox, .opts = opts, .cb = cb, .user = user, .verb = verb};
	int r = opts->requirements ? trm_file_put(sandbox, REQUIREMENTS_INSIDE, 0644, opts->requirements,
				opts->requirements_len, &put_cb, t, reterr)
				   : spawn(t, reterr);
	if (r < 0) {
		free(t);
		return r;
	}
	*ret = t;
	return 0;
}

void tool_interrupt(struct tool *t)
{
	if (t->n_interrupts++ == 0 && t->proc)
		trm_proc_signal(t->proc, SIGINT, TRM_SIGNAL_GROUP);
	else if (t->proc)
		trm_proc_close(t->proc);
}

void tool_resize(struct tool *t)
{
	if (t->proc && t->opts->has_terminal)
		trm_proc_resize(t->proc, t->opts->rows, t->opts->cols);
}
