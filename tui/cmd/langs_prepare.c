/* SPDX-License-Identifier: MIT */
#include "cmd/langs_prepare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "stream/cli_session.h"

#define PREPARE_MEMORY (UINT64_C(3) << 30) /* compilers need this much, and the files are in memory */
#define PREPARE_DISK (UINT64_C(1) << 30)

enum { PREPARE_PROCS = 512 };

/* A new sandbox runs only the preparation. Then its files are copied out. */
struct preparation {
	struct cli_session cli_session;
	const struct trm_lang *lang;
	/* On this machine: the final folder, and the folder that is being written. */
	char folder[1100], fresh[1120];
	struct trm_proc *proc;
	struct trm_copy *copy;
	int exit_code;
	struct trm_error why;
};

static void on_said(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	(void)user, (void)proc, (void)channel;
	for (const char *at = bytes, *end = at + n; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);
		char line[400];
		trm_text_clean_line(line, sizeof line, at, len);
		fprintf(stderr, "%s\n", line);
		at += len + (newline != NULL);
	}
}

static void on_prepared(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct preparation *p = user;
	(void)proc;
	p->proc = NULL;
	p->exit_code = exit ? exit->exit_code : CMD_NOT_FOUND;
	if (!exit)
		p->why = *why;
}

static void on_prepare_copied(
		void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct preparation *p = user;
	(void)progress;
	p->copy = NULL;
	p->why = *why;
}

static void on_prepare_interrupt(void *user)
{
	struct preparation *p = user;
	cli_session_close(&p->cli_session);
}

static void on_prepare_closed(void *user, const struct trm_error *why)
{
	struct preparation *p = user;
	if (why->code && !p->why.code)
		p->why = *why;
}

static int perform_command(struct preparation *p)
{
	static const struct trm_proc_cb cb = {.output = on_said, .exited = on_prepared};
	/* Drivers have these descriptors, and may be tried out. */
	struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts),
			.argv = p->lang->prepare,
			.control = true,
			.spare_channels = 4};
	opts.script = trm_lang_companion(p->lang, &opts.script_len);
	int r = trm_proc_spawn(p->cli_session.sandbox, &opts, &cb, p, &p->proc, &p->why);
	while (r == 0 && p->proc && trm_loop_step(p->cli_session.loop, -1) >= 0)
		;
	return r < 0 || p->why.code || p->exit_code ? -1 : 0;
}

static int copy_out(struct preparation *p)
{
	static const struct trm_copy_cb cb = {.done = on_prepare_copied};
	const char *const sources[] = {":" TRM_LANG_PREPARING, NULL};
	struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = p->fresh,
			.own = p->cli_session.sandbox,
			.in_fd = -1,
			.out_fd = -1,
			.max_bytes = PREPARE_DISK};
	int r = trm_copy_start(p->cli_session.loop, &opts, &cb, p, &p->copy, &p->why);
	while (r == 0 && p->copy && trm_loop_step(p->cli_session.loop, -1) >= 0)
		;
	return r < 0 || p->why.code ? -1 : 0;
}

static void remove_tree(const char *path)
{
	char command[1300];
	if (!strchr(path, '\'')
			&& snprintf(command, sizeof command, "rm -rf -- '%s'", path) < (int)sizeof command
			&& system(command) != 0)
		fprintf(stderr, "terrarium: cannot remove %s\n", path);
}

/* Replace the old folder with the new one. */
static int put_in_place(struct preparation *p)
{
	remove_tree(p->folder);
	if (rename(p->fresh, p->folder) == 0)
		return 0;
	snprintf(p->why.msg, sizeof p->why.msg, "cannot make %.300s: %.100s", p->folder, strerror(errno));
	return -1;
}

static int prepare_in(struct preparation *p, const struct trm_config *config)
{
	static const struct cli_session_cb cb = {
			.interrupt = on_prepare_interrupt, .closed = on_prepare_closed};
	struct trm_config own = *config;
	own.limits.mem_bytes = own.limits.mem_bytes > PREPARE_MEMORY ? own.limits.mem_bytes : PREPARE_MEMORY;
	own.limits.disk_bytes = own.limits.disk_bytes > PREPARE_DISK ? own.limits.disk_bytes : PREPARE_DISK;
	own.limits.procs = own.limits.procs > PREPARE_PROCS ? own.limits.procs : PREPARE_PROCS;
	own.keep = own.limits.net = false;
	own.name[0] = '\0';
	int r = cli_session_open(&p->cli_session, &own, CLI_SESSION_NEW, (struct cli_session_asked){0}, &cb,
			p, &p->why);
	if (r == 0)
		r = perform_command(p);
	remove_tree(p->fresh);
	if (r == 0)
		r = copy_out(p);
	cli_session_finish(&p->cli_session);
	if (r == 0)
		r = put_in_place(p);
	return r;
}

static int prepare_one(const struct trm_config *config, const struct trm_lang *lang)
{
	struct preparation p = {.lang = lang};
	if (!p.lang->prepare)
		return cmd_fail("%s has nothing that could be prepared: its row has no \"prepare\"",
				p.lang->name);
	if (trm_lang_prepared(p.lang, p.folder, sizeof p.folder, &p.why) < 0)
		return cmd_fail("%s", p.why.msg);
	snprintf(p.fresh, sizeof p.fresh, "%s.new-%d", p.folder, (int)getpid());
	int r = prepare_in(&p, config);
	if (p.cli_session.ended_by)
		return CMD_SIGNALED + p.cli_session.ended_by;
	if (r < 0)
		return *p.why.msg ? cmd_fail("cannot prepare %s: %s", p.lang->name, p.why.msg)
				  : cmd_fail("cannot prepare %s: its command ended with exit code %d",
						  p.lang->name, p.exit_code);
	printf("%s\n", p.folder);
	return cmd_flush();
}

static int prepare_all(const struct trm_config *config)
{
	int code = CMD_OK;
	for (unsigned i = 0; i < trm_lang_count() && code == CMD_OK; i++) {
		const struct trm_lang *lang = trm_lang_at(i);
		if (!lang->prepare || !trm_lang_is_here(lang))
			continue;
		fprintf(stderr, "%s:\n", lang->name);
		code = prepare_one(config, lang);
	}
	return code;
}

int langs_prepare(const struct trm_config *config, const char *name)
{
	const struct trm_lang *lang;
	struct trm_error why;
	bool is_lang = trm_lang_find(name, &lang, &why) == 0;
	if (!is_lang && strcmp(name, "all") != 0)
		return cmd_fail("%s", why.msg);
	if (strcmp(config->backend, "local") != 0)
		return cmd_fail("--prepare is for local sandboxes, and the backend is %s", config->backend);
	return is_lang ? prepare_one(config, lang) : prepare_all(config);
}
