/* SPDX-License-Identifier: MIT */
#include "cmd/confirm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <terrarium/config.h>
#include <terrarium/error.h>
#include <terrarium/recipe.h>
#include <terrarium/text.h>

#include "cmd/cmd.h"
#include "cmd/sandbox_list.h"
#include "cmd/source.h"
#include "stream/filter.h"
#include "stream/policy_gate.h"
#include "stream/run_facts.h"
#include "text/fold.h"
#include "text/yes_no.h"

enum { SHOWN_SOURCES = 8, SHOWN_BYTES = 60, SHOWN_FINDINGS = 10, SAID_BYTES = 2048 };
#define NOBODY_FOR_POLICY "the policy '%s' requires a confirmation, and there is no terminal to ask on"

/* Code and names may contain anything. Print at most SHOWN_BYTES of the first line, without control
 * sequences. */
static void print_clean(FILE *tty, const char *text, size_t n)
{
	char out[3 * SHOWN_BYTES + FILTER_SEQUENCE_MAX], end[FILTER_FINISH_MAX];
	struct filter filter;
	const char *newline = memchr(text, '\n', n);
	size_t line = newline ? (size_t)(newline - text) : n, shown = line > SHOWN_BYTES ? SHOWN_BYTES : line;
	while (shown < line && shown && ((unsigned char)text[shown] & 0xc0) == 0x80)
		shown--; /* do not cut a code point */
	filter_init(&filter, FILTER_LINES);
	size_t n_out = filter_feed(&filter, text, shown, out), n_end = filter_finish(&filter, end);
	fwrite(out, 1, n_out, tty);
	fwrite(end, 1, n_end, tty);
	fputs(shown < n ? " …\n" : "\n", tty);
}

void confirm_show(FILE *tty, const char *what, const struct source *s)
{
	size_t lines = s->n && s->text[s->n - 1] != '\n';
	for (size_t i = 0; i < s->n; i++)
		lines += s->text[i] == '\n';
	if (s->text)
		fprintf(tty, "  %s, %zu line%s: ", what, lines, lines == 1 ? "" : "s");
	else
		fprintf(tty, "  %s: ", what); /* the source was not read yet */
	if (s->kind == SOURCE_FILE || s->kind == SOURCE_CELL)
		print_clean(tty, s->name, strlen(s->name));
	else
		print_clean(tty, s->text ? s->text : "", s->n);
}

/* Print a line or part of a line. Only a newline at the very end counts. Parts come from the config, .env
 * and recipes, and may contain anything. They must neither reach the terminal unfiltered nor look like
 * another question. */
__attribute__((format(printf, 2, 3))) static void print_fact(FILE *tty, const char *format, ...)
{
	char words[SAID_BYTES], clean[3 * SAID_BYTES];
	size_t n = strlen(format), ends = n && format[n - 1] == '\n';
	va_list args;
	va_start(args, format);
	int len = vsnprintf(words, sizeof words, format, args);
	va_end(args);
	n = len < 0 ? 0 : (size_t)len >= sizeof words ? sizeof words - 1 : (size_t)len - ends;
	trm_text_clean_line(clean, sizeof clean, words, n);
	fprintf(tty, "%s%s", clean, ends ? "\n" : "");
}

static void print_findings(FILE *tty, const struct policy_gate *policy_gate, const struct trm_findings *found)
{
	char line[400];
	for (size_t i = 0; i < found->n && i < SHOWN_FINDINGS; i++)
		print_fact(tty, "  %s %s\n", found->all[i].is_refused ? "!" : "-",
				trm_finding_describe(&found->all[i], line, sizeof line));
	if (found->n > SHOWN_FINDINGS)
		fprintf(tty, "  … and %zu more findings\n", found->n + found->n_dropped - SHOWN_FINDINGS);
	if (found->n)
		print_fact(tty, "    policy: '%s'\n", trm_policy_name(policy_gate->policy));
}

static void print_source_findings(FILE *tty, const struct policy_gate *policy_gate, const struct source *s)
{
	struct trm_findings found;
	if (!s->text || policy_gate_scan(policy_gate, s->lang, s->text, s->n, &found, NULL) < 0)
		return;
	print_findings(tty, policy_gate, &found);
	if (found.has_no_tree)
		print_fact(tty, "    the policy '%s' scans %s coarsely, and counts strings%s as code: %s\n",
				trm_policy_name(policy_gate->policy), s->lang->name,
				found.comments_count ? " and comments" : "", found.why_no_tree);
	trm_findings_finish(&found);
}

static void print_mount(FILE *tty, const struct trm_mount *m, const char *label)
{
	char words[240];
	print_fact(tty, "%s%s\n", label, trm_mount_describe(m, words, sizeof words));
}

/* Print the parts of this machine that the code will see, or sees already if the sandbox runs. */
static void print_requested(FILE *tty, const struct trm_config *c, bool is_running)
{
	struct trm_requested *requested = calloc(1, sizeof *requested);
	struct trm_sandbox_opts opts;
	struct trm_config_lists lists;
	trm_config_sandbox_opts(c, &lists, &opts);
	const struct trm_mount *mounts = opts.mounts;
	size_t n = opts.n_mounts;
	if (is_running && requested) {
		n = trm_registry_requested(c->name, requested, NULL) < 0 ? 0 : requested->n_mounts;
		mounts = requested->mounts;
	}
	for (size_t i = 0; i < n; i++)
		print_mount(tty, &mounts[i], i ? "        " : "mounts: ");
	for (size_t i = 0; i < opts.n_env && !is_running; i++)
		print_fact(tty, i + 1 == opts.n_env ? "%s%.*s\n" : "%s%.*s",
				i ? ", " : "variables: ", (int)strcspn(opts.env[i], "="), opts.env[i]);
	free(requested);
}

/* A server enforces the limits, so print what will be requested, and from which server. */
static void print_server(FILE *tty, const struct trm_config *c)
{
	char url[TRM_REMOTE_URL_BYTES + 8];
	trm_config_get(c, setting_find("server_url"), url, sizeof url);
	print_fact(tty,
			"in a new sandbox on the server %s (namespace %s, image %s): %.4g MiB memory "
			"and %.3g core%s are requested; the server decides the rest, including the network,\n",
			url, c->server_space, *c->image ? c->image : "by language",
			(double)c->limits.mem_bytes / (1 << 20), c->limits.cpus,
			c->limits.cpus == 1 ? "" : "s");
	print_requested(tty, c, false);
}

/* Load the recipe. NULL if it has errors, which are reported when it is opened. */
static struct trm_recipe *load_recipe(const char *backend, const struct trm_config *c)
{
	struct trm_recipe *recipe = NULL;
	if (trm_recipe_load(backend, *c->path ? c->path : NULL, &recipe, NULL) < 0)
		return NULL;
	return recipe;
}

static void print_source(FILE *tty, const struct trm_config *c, const struct trm_recipe *recipe)
{
	const char *usual = trm_recipe_image(recipe);
	const char *image = *c->image ? c->image
			    : usual   ? usual
				      : trm_container_image(*c->language ? c->language : NULL);
	print_fact(tty, "in a new %s sandbox%s", c->backend, c->keep ? " that is kept" : "");
	if (*c->dockerfile)
		print_fact(tty, " of %s", c->dockerfile);
	else if (trm_recipe_takes_image(recipe))
		print_fact(tty, " of the image %s", image);
}

static void print_engine_fact(void *user, const char *sentence)
{
	print_fact(user, "%s\n", sentence);
}

/* An engine enforces only what it is asked to enforce, and files are not among that. */
static void print_engine(FILE *tty, const struct trm_config *c)
{
	char words[TRM_RECIPE_BYTES];
	struct trm_recipe *recipe = load_recipe(c->backend, c);
	if (*c->container) {
		print_fact(tty, "in the existing container %s (%s), with its own limits and network,\n",
				c->container, c->backend);
	} else if (recipe) {
		print_source(tty, c, recipe);
		print_fact(tty, ": %s, user %s,\n",
				trm_recipe_describe_limits(recipe, &c->limits, words, sizeof words),
				*c->user                        ? c->user
				: trm_recipe_keeps_user(recipe) ? "as the user that its commands run as"
								: "of the image, but not root");
	} else {
		print_fact(tty, "in a new %s sandbox,\n", c->backend);
	}
	trm_recipe_free(recipe);
	run_facts_engine(c, print_engine_fact, tty); /* they may contradict the lines above */
	print_requested(tty, c, false);
}

/* Does the sandbox run already? A server's is not found here. */
static bool find_running(const struct trm_config *c, struct trm_entry *ret)
{
	return *c->name && trm_registry_lists(c->backend) && sandbox_list_runs(c->name, ret);
}

/* The level of the running sandbox, or of a new one on this machine. If that one is not available, this is
 * reported at the start. */
static enum trm_isolation level_of(const struct trm_config *c)
{
	struct trm_entry entry;
	enum trm_isolation level = TRM_ISOLATION_AUTO;
	if (find_running(c, &entry))
		return entry.isolation;
	trm_isolation_find(c->isolation, &level);
	bool is_chosen = level != TRM_ISOLATION_AUTO || strcmp(c->backend, "local") != 0;
	return is_chosen ? level : trm_isolation_best(NULL);
}

static void print_local(FILE *tty, const struct trm_config *c)
{
	char words[TRM_NET_ALLOW + TRM_RECIPE_BYTES + 120];
	struct trm_entry entry;
	bool runs = find_running(c, &entry);
	if (!runs && strcmp(c->backend, "local") != 0 && strcmp(c->backend, "fake") != 0) {
		print_engine(tty, c);
		return;
	}
	if (runs)
		print_fact(tty, "in the running sandbox %s: ", c->name);
	else
		print_fact(tty, "in a new %s sandbox%s: ", c->backend, c->keep ? " that is kept" : "");
	const enum trm_isolation level = level_of(c);
	print_fact(tty, "%s%s,\n",
			run_facts_limits(runs ? entry.backend : c->backend, c,
					runs ? &entry.limits : &c->limits, level, words, sizeof words),
			level == TRM_ISOLATION_LANDLOCK
					? ", of which some are weak ('terrarium doctor' says which)"
					: "");
	print_requested(tty, c, runs);
}

/* The libraries that are fetched run in the sandbox, too. */
static void print_libraries(FILE *tty, const struct source *s)
{
	for (char **name = s->libraries; name && *name; name++)
		print_fact(tty, "%s%s", name == s->libraries ? "    needs " : ", ", *name);
	if (s->dir)
		print_fact(tty, "    the contents of the folder %s are copied into the sandbox first\n",
				s->dir);
	if (s->libraries)
		print_fact(tty, ": what is missing is fetched from the package index, outside of the sandbox\n");
}

/* Where the code will run and with which limits, in sentences that end in the question. */
static void print_facts(FILE *out, const struct trm_config *c)
{
	if (strcmp(c->backend, "microsandbox") == 0)
		print_server(out, c);
	else
		print_local(out, c);
	if (c->timeout_ms)
		fprintf(out, "%.4g s per run. ", c->timeout_ms / 1000.0);
	else
		fputs("no time limit. ", out);
	fputs("Run this? [Y/n] ", out);
}

/* Print the facts so that the terminal breaks no word. */
static void print_facts_folded(FILE *tty, const struct trm_config *c)
{
	struct winsize size = {0};
	char *facts = NULL, *folded = NULL, *end;
	size_t n = 0;
	FILE *out = open_memstream(&facts, &n);

	if (out) {
		print_facts(out, c);
		fclose(out);
	}
	/* The time limit goes on in the line of the other limits, unless mounts come between. */
	if (facts && (end = strstr(facts, ",\n")) && !strchr(end + 2, '\n'))
		end[1] = ' ';
	ioctl(fileno(tty), TIOCGWINSZ, &size);
	if (facts)
		folded = text_fold(facts, size.ws_col ? size.ws_col : 80, 0);
	fputs(folded ? folded : "Run this? [Y/n] ", tty);
	free(folded);
	free(facts);
}

static void print_question(FILE *tty, const struct trm_config *c, const struct policy_gate *policy_gate,
		const struct source *sources, size_t n)
{
	for (size_t i = 0; i < n && i < SHOWN_SOURCES; i++) {
		confirm_show(tty, sources[i].lang->name, &sources[i]);
		print_libraries(tty, &sources[i]);
		print_source_findings(tty, policy_gate, &sources[i]);
	}
	if (n > SHOWN_SOURCES)
		fprintf(tty, "  … and %zu more\n", n - SHOWN_SOURCES);
	print_facts_folded(tty, c);
	fflush(tty);
}

/* Read one line from the terminal. EOF means no. */
static enum yes_no read_answer(int fd)
{
	char line[64], c;
	for (size_t n = 0;;) {
		ssize_t got = read(fd, &c, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return YES_NO_NO;
		if (c == '\n') {
			line[n] = '\0';
			return n + 1 < sizeof line ? yes_no_of(line) : YES_NO_UNCLEAR;
		}
		if (n + 1 < sizeof line)
			line[n++] = c;
	}
}

/* Open a stream to the terminal even if stdin and stdout are pipes. NULL: there is no terminal. */
static FILE *open_terminal(void)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	FILE *tty = fd < 0 ? NULL : fdopen(fd, "w");
	if (fd >= 0 && !tty)
		close(fd);
	return tty;
}

/* There is only one question, so "always" also means yes. */
static enum confirm_answer take_answer(FILE *tty)
{
	enum yes_no answer;
	while ((answer = read_answer(fileno(tty))) == YES_NO_UNCLEAR) {
		fputs("please answer y or n (Enter means yes): [Y/n] ", tty);
		fflush(tty);
	}
	fclose(tty);
	return answer == YES_NO_NO ? CONFIRM_NO : CONFIRM_YES;
}

/* Show the code, the sandbox, its limits and the findings of the policy, and ask on the terminal (/dev/tty,
 * so that stdin and stdout can be pipes). Blocks. */
static enum confirm_answer confirm_runs(const struct trm_config *config,
		const struct policy_gate *policy_gate, const struct source *sources, size_t n)
{
	FILE *tty = open_terminal();
	if (!tty)
		return CONFIRM_NOBODY;
	print_question(tty, config, policy_gate, sources, n);
	return take_answer(tty);
}

/* List all findings if there are several. The refusal itself names only the first one. */
static void list_package_findings(const struct trm_findings *findings)
{
	char line[400];
	for (size_t i = 0; i < findings->n && findings->n_refused > 1; i++)
		if (findings->all[i].is_refused)
			print_fact(stderr, "  ! %s\n",
					trm_finding_describe(&findings->all[i], line, sizeof line));
}

int confirm_findings(const struct policy_gate *policy_gate, const struct trm_findings *findings)
{
	struct trm_error why = {0};
	if (policy_gate_enforced(policy_gate)
			&& trm_policy_refusal(policy_gate->policy, findings, &why) < 0) {
		cmd_fail("%s", why.msg);
		list_package_findings(findings);
		return CMD_FAILED;
	}
	if (!policy_gate_asks(policy_gate, findings))
		return CMD_OK;
	FILE *tty = open_terminal();
	if (!tty)
		return cmd_fail(NOBODY_FOR_POLICY, trm_policy_name(policy_gate->policy));
	print_findings(tty, policy_gate, findings);
	fputs("Do this? [Y/n] ", tty);
	fflush(tty);
	return take_answer(tty) == CONFIRM_YES ? CMD_OK : cmd_fail("nothing was done");
}

int confirm_container(const struct trm_config *c)
{
	char words[TRM_CONTAINER_BYTES];
	FILE *tty = open_terminal();
	if (!tty)
		return cmd_fail("there is no terminal to ask on before an agent is put into %s:%s; give --yes to do it "
				"without asking",
				c->backend, c->container);
	print_fact(tty, "%s\n",
			trm_container_describe(c->backend, c->container, c->user, words, sizeof words));
	fputs("Do this? [Y/n] ", tty);
	fflush(tty);
	return take_answer(tty) == CONFIRM_YES ? CMD_OK : cmd_fail("nothing was done");
}

/* Must the person be asked? The config may say so. If the person trusts this kind of sandbox, findings may
 * require it. */
static int is_wanted(const struct trm_config *c, const struct policy_gate *policy_gate,
		const struct source *sources, size_t n, bool *ret_is_wanted, bool *ret_is_policy)
{
	bool is_trusted = c->confirm && trm_config_trusts(c->trust, c->backend)
			  && level_of(c) != TRM_ISOLATION_NONE;
	*ret_is_policy = false;
	*ret_is_wanted = c->confirm && !is_trusted;
	for (size_t i = 0; i < n && !*ret_is_wanted; i++) {
		struct trm_findings found;
		struct trm_error why = {0};
		/* Trusting a sandbox does not cover packages that a script wants to fetch. */
		*ret_is_wanted = is_trusted && sources[i].has_own_libraries;
		if (*ret_is_wanted || !sources[i].text
				|| (!is_trusted && policy_gate->mode != TRM_POLICY_ASK))
			continue;
		if (policy_gate_scan(
				    policy_gate, sources[i].lang, sources[i].text, sources[i].n, &found, &why)
				< 0)
			return cmd_fail("%s", why.msg);
		*ret_is_policy = policy_gate_asks(policy_gate, &found);
		*ret_is_wanted = *ret_is_policy || (is_trusted && found.worst == TRM_HIGH);
		trm_findings_finish(&found);
	}
	return CMD_OK;
}

int confirm_if_wanted(const struct trm_config *config, const struct policy_gate *policy_gate,
		const struct source *sources, size_t n)
{
	bool is_asked, is_policy;
	int code = is_wanted(config, policy_gate, sources, n, &is_asked, &is_policy);
	if (code || !is_asked)
		return code;
	switch (confirm_runs(config, policy_gate, sources, n)) {
	case CONFIRM_YES: return CMD_OK;
	case CONFIRM_NO: return cmd_fail("nothing was run");
	case CONFIRM_NOBODY: break;
	}
	if (is_policy)
		return cmd_fail(NOBODY_FOR_POLICY, config->policy);
	return cmd_fail("there is no terminal to ask on before code is run; give --yes to run it without asking");
}
