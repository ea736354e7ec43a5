/* SPDX-License-Identifier: MIT */
#include "cmd/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/sandbox_list.h"

/* The entry is read first, because attaching ends the sandbox's idle time. Every client receives guards and
 * metrics; the mounts come from a process inside the sandbox. */

enum { SAMPLE_MS = 200, MOUNTINFO_MAX = 32768 };

struct asking {
	struct inspect *x;
	struct trm_loop *loop;
	struct trm_sandbox *sandbox; /* NULL: it has ended */
	struct trm_proc *proc;       /* cat /proc/self/mountinfo; NULL: it has ended */
	char mountinfo[MOUNTINFO_MAX];
	size_t n;
	unsigned n_samples;
	bool is_done;
	struct trm_error why; /* why the sandbox ended too early */
};

/* ---- mounts ---- */

/* mountinfo writes some characters in octal: "\040" is a blank. */
static void unescape(char *text)
{
	char *out = text;

	for (; *text; out++) {
		unsigned code;
		int n = 0;
		if (*text == '\\' && sscanf(text, "\\%3o%n", &code, &n) == 1 && n == 4) {
			*out = (char)code;
			text += 4;
		} else {
			*out = *text++;
		}
	}
	*out = '\0';
}

/* Copy a text from inside the sandbox without control characters. */
static void copy_clean_text(char *out, size_t cap, char *text)
{
	unescape(text);
	trm_text_clean_line(out, cap, text, strlen(text));
}

static bool is_detail(const char *path)
{
	return !strncmp(path, "/proc/", 6) || !strncmp(path, "/dev/", 5);
}

static uint64_t size_in(const char *options)
{
	const char *size = strstr(options, "size=");
	char *end;

	if (!size)
		return 0;
	uint64_t value = strtoull(size + 5, &end, 10);
	return value << (*end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0);
}

bool inspect_parse_mount(char *line, struct inspect_mount *ret)
{
	char *fields[32], *at = line, *word;
	size_t n = 0, dash;

	while (n < 32 && (word = strsep(&at, " ")))
		fields[n++] = word;
	for (dash = 6; dash < n && strcmp(fields[dash], "-") != 0; dash++)
		;
	if (dash + 3 >= n || is_detail(fields[4]))
		return false;
	*ret = (struct inspect_mount){
			.is_writable = !strncmp(fields[5], "rw", 2), .size_bytes = size_in(fields[dash + 3])};
	copy_clean_text(ret->path, sizeof ret->path, fields[4]);
	copy_clean_text(ret->type, sizeof ret->type, fields[dash + 1]);
	char *gone = strstr(fields[3], "//deleted"); /* the kernel marks a file that was replaced */
	if (gone && !gone[strlen("//deleted")])
		*gone = '\0';
	if (fields[dash + 2][0] == '/')
		copy_clean_text(ret->source, sizeof ret->source, fields[3]);
	return true;
}

static void take_mounts(struct asking *a)
{
	char *at = a->mountinfo, *line;

	a->mountinfo[a->n] = '\0';
	while ((line = strsep(&at, "\n")) && a->x->n_mounts < INSPECT_MOUNTS)
		a->x->n_mounts += inspect_parse_mount(line, &a->x->mounts[a->x->n_mounts]);
	a->x->has_mounts = a->x->n_mounts > 0;
}

static void on_inspect_output(
		void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct asking *a = user;
	size_t room = sizeof a->mountinfo - 1 - a->n;

	(void)proc;
	if (channel != TRM_STDOUT)
		return;
	n = n < room ? n : room;
	memcpy(a->mountinfo + a->n, bytes, n);
	a->n += n;
}

/* ---- the sandbox ---- */

static void finish_if_done(struct asking *a)
{
	a->is_done = !a->proc && a->n_samples >= 2;
	if (a->is_done && a->sandbox)
		trm_sandbox_close(a->sandbox);
}

static void on_inspect_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct asking *a = user;

	(void)proc;
	(void)why;
	a->proc = NULL;
	if (exit && exit->exit_code == 0)
		take_mounts(a);
	finish_if_done(a);
}

static const struct trm_proc_cb proc_cb = {.output = on_inspect_output, .exited = on_inspect_exited};

static void take_guards(struct asking *a)
{
	const struct trm_guard *guards;
	size_t n = trm_sandbox_guards(a->sandbox, &guards);

	a->x->n_guards = n < INSPECT_GUARDS ? n : INSPECT_GUARDS;
	for (size_t i = 0; i < a->x->n_guards; i++)
		a->x->guards[i] = guards[i];
}

/* If the processes of the sandbox are not visible on this machine, the agent's names say which are kernels.
 */
static void note_kernels(struct trm_entry *entry, const struct trm_metrics *metrics)
{
	if (entry->has_kernels || !metrics->has_processes)
		return;
	for (unsigned i = 0; i < trm_lang_count(); i++)
		for (size_t k = 0; k < metrics->n_processes; k++) {
			char name[64];
			snprintf(name, sizeof name, "%s kernel", trm_lang_at(i)->name);
			if (strcmp(metrics->processes[k].command, name) == 0)
				entry->kernels |= 1u << i;
		}
	entry->has_kernels = true;
}

static void on_inspect_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct asking *a = user;
	struct trm_metrics *m = &a->x->metrics;

	(void)sandbox;
	if (a->is_done)
		return;
	*m = *metrics;
	m->n_processes = m->n_processes < INSPECT_PROCESSES ? m->n_processes : INSPECT_PROCESSES;
	if (m->n_processes)
		memcpy(a->x->processes, metrics->processes, m->n_processes * sizeof *a->x->processes);
	m->processes = a->x->processes;
	note_kernels(&a->x->entry, m);
	a->n_samples++;
	finish_if_done(a);
}

static void on_inspect_ready(void *user, struct trm_sandbox *sandbox)
{
	struct asking *a = user;

	(void)sandbox;
	take_guards(a);
}

static void on_inspect_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct asking *a = user;

	(void)sandbox;
	a->sandbox = NULL;
	if (!a->is_done)
		a->why = *why;
}

static const struct trm_sandbox_cb sandbox_cb = {
		.ready = on_inspect_ready, .metrics = on_inspect_metrics, .closed = on_inspect_closed};

static int open_inspected(struct asking *a, struct trm_error *reterr)
{
	static const char *const argv[] = {"cat", "/proc/self/mountinfo", NULL};
	const struct trm_sandbox_opts opts = {.size = sizeof(struct trm_sandbox_opts),
			.metrics_interval_ms = SAMPLE_MS,
			.metrics_with_processes = true,
			.is_observer = true};
	const struct trm_proc_opts proc_opts = {
			.size = sizeof(struct trm_proc_opts), .argv = argv, .label = "terrarium inspect"};

	int r = sandbox_list_open(
			a->loop, &a->x->config, a->x->entry.name, &opts, &sandbox_cb, a, &a->sandbox, reterr);
	if (r == 0 && trm_proc_spawn(a->sandbox, &proc_opts, &proc_cb, a, &a->proc, NULL) < 0)
		a->proc = NULL; /* too many processes: the mounts stay unknown */
	while (r == 0 && a->sandbox && trm_loop_step(a->loop, -1) >= 0)
		;
	if (r == 0 && !a->is_done) {
		*reterr = a->why;
		r = a->why.code ? a->why.code : TRM_ECLOSED;
	}
	return r;
}

static int inspect_sandbox(struct inspect *x)
{
	struct asking *a = calloc(1, sizeof *a);
	struct trm_error why = {0};

	if (!a)
		return cmd_fail("out of memory");
	a->x = x;
	int r = trm_loop_create(&a->loop, &why);
	if (r == 0)
		r = open_inspected(a, &why);
	trm_loop_destroy(a->loop);
	free(a);
	return r < 0 ? cmd_fail("%s", why.msg) : CMD_OK;
}

/* ---- the command ---- */

static const struct option_spec options[] = {
		{"--json", 0, NULL, "print everything as one object"},
		{0},
};

/* Read the server's list. A missing sandbox is reported later, when it is opened. */
static int find_far(struct inspect *x, const char *name)
{
	struct trm_entry *entries;
	struct trm_error why = {0};
	size_t n;

	if (trm_sandbox_name_check(name, &why) < 0)
		return cmd_fail("%s", why.msg);
	if (sandbox_list_remote(&x->config, &entries, &n))
		return CMD_FAILED;
	const struct trm_entry *found = sandbox_list_find(entries, n, name);
	if (found)
		x->entry = *found;
	snprintf(x->entry.name, sizeof x->entry.name, "%s", name);
	free(entries);
	return CMD_OK;
}

static int find_inspected(struct inspect *x, const char *name)
{
	x->is_far = sandbox_list_is_remote(&x->config);
	if (x->is_far)
		return find_far(x, name);
	if (sandbox_list_runs(name, &x->entry) && trm_registry_requested(name, &x->requested, NULL) == 0)
		return CMD_OK;
	return sandbox_list_fail_unknown(name);
}

static int show_inspection(const struct options *o, const char *name, bool is_json)
{
	struct inspect *x = calloc(1, sizeof *x);
	int code = CMD_FAILED;

	if (!x)
		return cmd_fail("out of memory");
	if (options_check_starts_none(o) == 0 && options_config(o, &x->config) == 0
			&& find_inspected(x, name) == CMD_OK && inspect_sandbox(x) == CMD_OK)
		code = is_json ? inspect_print_json(x) : inspect_print_text(x);
	free(x);
	return code;
}

static int inspect_main(const struct cmd *cmd, int argc, char **argv)
{
	const char *name;
	unsigned given;
	int code;
	struct options o;

	if (!cmd_read_one(cmd, argc, argv, &o, "NAME", &given, &name, &code))
		return code;
	return name ? show_inspection(&o, name, given != 0)
		    : cmd_fail("which sandbox? Give its NAME; 'terrarium ps' lists them");
}

const struct cmd cmd_inspect = {
		.name = "inspect",
		.usage = "inspect NAME [--json]",
		.summary = "show all about a sandbox",
		.help = "Shows everything that is known about a running sandbox: its age and who "
			"started it, its clients, when it will end, its kernels, its limits and how "
			"each is enforced, its network, its mounts, and what it uses. With --backend "
			"microsandbox it shows what the server reports.",
		.options = options,
		.operands = "NAME",
		.run = inspect_main,
};
