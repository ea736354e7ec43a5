/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/sandbox_list.h"
#include "text/yes_no.h"

/* The supervisor ends a sandbox within milliseconds. A machine under load gets more time. */
enum { TIMEOUT_MS = 10000 };

struct stop {
	bool has_all, is_forced, is_sure;
	const char **names;
	size_t n_names;
	struct trm_registry *registry;
	struct trm_entry *entries; /* sandboxes to stop */
	size_t n;
	int code;
};

enum { OPTION_ALL, OPTION_FORCE };

static const struct option_spec options[] = {
		[OPTION_ALL] = {"--all", 'a', NULL,
				"stop all; on a terminal it asks first, unless you give --yes"},
		[OPTION_FORCE] = {"--force", 'f', NULL, "kill sandboxes that do not respond"},
		{0},
};

/* ---- choice ---------------------------------------------------------------------------- */

static bool add_target(struct stop *s, const struct trm_entry *entry)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->entries[i].name, entry->name) == 0)
			return true; /* named twice */
	struct trm_entry *grown = realloc(s->entries, (s->n + 1) * sizeof *grown);
	if (!grown)
		return false;
	s->entries = grown;
	s->entries[s->n++] = *entry;
	return true;
}

/* Existing sandboxes are stopped even if some names are unknown. */
static int choose_targets(struct stop *s)
{
	const struct trm_entry *entries;
	size_t n;
	bool ok = true;
	if (sandbox_list_list(s->registry, &entries, &n))
		return CMD_FAILED;
	for (size_t i = 0; i < n && s->has_all; i++)
		ok = ok && (entries[i].is_stale || add_target(s, &entries[i]));
	for (size_t i = 0; i < s->n_names; i++) {
		const struct trm_entry *entry = sandbox_list_find(entries, n, s->names[i]);
		if (entry)
			ok = ok && add_target(s, entry);
		else {
			sandbox_list_fail_unknown(s->names[i]);
			s->code = 1;
		}
	}
	return ok ? 0 : cmd_fail("out of memory");
}

static bool is_confirmed(const struct stop *s)
{
	char answer[64] = "";
	if (!s->has_all || s->is_sure || !s->n || !isatty(STDIN_FILENO))
		return true;
	fprintf(stderr, "Stop %zu sandbox%s, with all state and files in %s?\n", s->n, s->n == 1 ? "" : "es",
			s->n == 1 ? "it" : "them");
	for (size_t i = 0; i < s->n; i++)
		fprintf(stderr, "  %s\n", s->entries[i].name);
	fputs("[y/N] ", stderr);
	return fgets(answer, sizeof answer, stdin) && yes_no_of(answer) == YES_NO_YES;
}

/* ---- stopping ---------------------------------------------------------------------------- */

static void report_unstopped(struct stop *s, const struct trm_entry *entry, const char *why)
{
	cmd_fail("%s: %s", entry->name, why);
	s->code = 1;
}

/* Ask all of them to stop before waiting for the first one. */
static void stop_all(struct stop *s)
{
	struct trm_error why = {0};
	for (size_t i = 0; i < s->n; i++)
		if (!s->is_forced && trm_registry_stop(s->registry, &s->entries[i], &why) < 0
				&& why.code != TRM_ENOENT)
			report_unstopped(s, &s->entries[i], why.msg);
	for (size_t i = 0; i < s->n; i++) {
		const struct trm_entry *e = &s->entries[i];
		int r = s->is_forced ? trm_registry_kill(s->registry, e, &why)
				     : trm_registry_wait(s->registry, e, TIMEOUT_MS, &why);
		if (r == 0 || r == TRM_ENOENT)
			puts(e->name);
		else
			report_unstopped(s, e,
					r == TRM_ETIMEDOUT && !s->is_forced
							? "it has not ended in time; --force kills it"
							: why.msg);
	}
}

static int stop_local(struct stop *s)
{
	struct trm_error why = {0};
	if (trm_registry_create(&s->registry, &why) < 0)
		return cmd_fail("%s", why.msg);
	int code = choose_targets(s);
	if (code == 0 && !is_confirmed(s))
		code = cmd_fail("nothing was stopped");
	else if (code == 0)
		stop_all(s);
	trm_registry_destroy(s->registry);
	free(s->entries);
	int flushed = cmd_flush();
	return code ? code : s->code ? s->code : flushed;
}

/* ---- sandboxes on a server ----------------------------------------------------------------- */

struct far_stop {
	bool is_done;
	struct trm_error why;
};

static void on_far_stop(void *user, const struct trm_error *why)
{
	struct far_stop *f = user;
	f->is_done = true;
	f->why = *why;
}

static int stop_far(struct trm_loop *loop, const struct trm_config *config, const char *name)
{
	struct trm_sandbox_opts opts;
	struct trm_config_lists lists;
	struct far_stop f = {0};
	trm_config_sandbox_opts(config, &lists, &opts);
	opts.name = name;
	if (trm_remote_stop(loop, &opts, on_far_stop, &f, &f.why) < 0)
		return cmd_fail("%s", f.why.msg);
	while (!f.is_done)
		trm_loop_step(loop, -1);
	if (f.why.code)
		return cmd_fail("%s", f.why.msg);
	puts(name);
	return 0;
}

/* A server may have sandboxes of other people, so only named ones are stopped. */
static int perform_far(const struct stop *s, const struct trm_config *config)
{
	struct trm_error why = {0};
	struct trm_loop *loop;
	int code = 0;
	if (s->has_all)
		return cmd_fail("of a server's sandboxes only those are stopped that are named");
	if (trm_loop_create(&loop, &why) < 0)
		return cmd_fail("%s", why.msg);
	for (size_t i = 0; i < s->n_names; i++)
		if (stop_far(loop, config, s->names[i]))
			code = 1;
	trm_loop_destroy(loop);
	int flushed = cmd_flush();
	return code ? code : flushed;
}

static int perform_anywhere(struct stop *s, const struct options *o)
{
	struct trm_config config;
	if (options_check_starts_none(o) < 0 || options_config(o, &config) < 0)
		return CMD_FAILED;
	return sandbox_list_is_remote(&config) ? perform_far(s, &config) : stop_local(s);
}

static int parse_stop(struct stop *s, struct options *o)
{
	int got;
	while ((got = options_next(o)) != OPTIONS_END) {
		if (got == OPTIONS_HELP || got == OPTIONS_WRONG)
			return got;
		if (got == OPTIONS_OPERAND)
			s->names[s->n_names++] = o->value;
		s->has_all |= got == OPTION_ALL;
		s->is_forced |= got == OPTION_FORCE;
	}
	s->is_sure = o->yes;
	return got;
}

static int stop_main(const struct cmd *cmd, int argc, char **argv)
{
	struct stop s = {.names = calloc((size_t)argc, sizeof *s.names)};
	struct options o;
	int code;
	if (!s.names)
		return cmd_fail("out of memory");
	options_init(&o, cmd->name, options, argc, argv);
	int got = parse_stop(&s, &o);
	if (got == OPTIONS_HELP)
		code = cmd_print_help(cmd);
	else if (got == OPTIONS_WRONG)
		code = CMD_FAILED;
	else if (s.has_all && s.n_names)
		code = cmd_fail("give names or --all, not both");
	else if (!s.has_all && !s.n_names)
		code = cmd_fail("which sandbox? Give its NAME, or --all; 'terrarium ps' lists them");
	else
		code = perform_anywhere(&s, &o);
	free(s.names);
	return code;
}

const struct cmd cmd_stop = {
		.name = "stop",
		.usage = "stop [OPTIONS] NAME… | --all",
		.summary = "stop sandboxes",
		.help = "Stops running sandboxes with everything in them, waits until nothing is left, "
			"and prints the name of each. Attached clients are told who stopped it. With "
			"--backend microsandbox it stops sandboxes at the server. The exit code is 1 if "
			"one is not running or does not end.",
		.options = options,
		.operands = "NAME...",
		.run = stop_main,
};
