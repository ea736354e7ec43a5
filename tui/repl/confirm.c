/* SPDX-License-Identifier: MIT */
/* The question before the first input, and before a run: what, where, with which limits.
 *
 * It is asked once, at the start, and then only about findings of high severity, or before each input if the
 * person wants that. Lines that were typed ahead are no answers. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <terrarium/recipe.h>

#include "repl/repl_internal.h"
#include "stream/run_facts.h"

enum { SHOWN_LINES = 6, SHOWN_BYTES = 70, SHOWN_FINDINGS = 6 };

static void print_code(struct repl *r)
{
	const char *text = r->code.text;
	size_t lines = 0;
	char shown[3 * SHOWN_BYTES + 1];
	for (const char *p = text; *p; lines++) {
		size_t n = strcspn(p, "\n"), part = n > SHOWN_BYTES ? SHOWN_BYTES : n;
		trm_text_clean_line(shown, sizeof shown, p, part);
		if (lines < SHOWN_LINES)
			show_print(&r->show, ROLE_TEXT, "  %s%s", shown, part < n ? " …" : "");
		p += n + (p[n] == '\n');
	}
	if (lines > SHOWN_LINES)
		show_print(&r->show, ROLE_DIM, "  … and %zu more lines", lines - SHOWN_LINES);
}

/* A local sandbox does not enforce every limit everywhere. */
static void print_weaknesses(struct repl *r, const struct trm_sandbox *sandbox)
{
	static const struct {
		enum trm_strength strength;
		const char *label;
	} ROWS[] = {{TRM_WEAK, "weak"}, {TRM_NOT_ENFORCED, "not enforced"}};
	char names[400];
	for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
		if (*run_facts_guards(sandbox, ROWS[i].strength, names, sizeof names))
			repl_say(r, "%s: %s ('terrarium inspect %s' says why)", ROWS[i].label, names,
					trm_sandbox_name(sandbox));
}

static void print_limits(struct repl *r)
{
	const struct trm_sandbox *sandbox = r->cli_session.sandbox;
	const char *origin = trm_sandbox_origin(sandbox), *backend = trm_sandbox_backend(sandbox);
	bool is_made = strcmp(backend, "local") != 0 && strcmp(backend, "fake") != 0;
	char words[TRM_NET_ALLOW + TRM_RECIPE_BYTES + 120];

	run_facts_limits(backend, &r->config, trm_sandbox_limits(sandbox), trm_sandbox_isolation(sandbox),
			words, sizeof words);
	repl_say(r, "%s%s%s%s", is_made && *origin ? "made from " : "", is_made ? origin : "",
			is_made && *origin ? ": " : "", words);
	if (trm_sandbox_isolation(sandbox) != TRM_ISOLATION_AUTO)
		print_weaknesses(r, sandbox);
}

static void say_fact(void *user, const char *sentence)
{
	repl_say(user, "%s", sentence);
}

static void print_where(struct repl *r, const char *front)
{
	const struct trm_limits *l = trm_sandbox_limits(r->cli_session.sandbox);
	char time[48] = "no time limit", words[240];
	if (r->config.timeout_ms)
		snprintf(time, sizeof time, "%.4g s per run", r->config.timeout_ms / 1000.0);
	repl_say(r, "%s %s sandbox %s, as %s, %s:", front, trm_sandbox_backend(r->cli_session.sandbox),
			trm_sandbox_name(r->cli_session.sandbox), r->lang->name, time);
	if (trm_sandbox_is_joined(r->cli_session.sandbox)) {
		repl_say(r, "it was already running; its limits are those of the server %s",
				r->config.server_url);
		return;
	}
	if (repl_is_far(r)) {
		repl_say(r, "%.4g MiB memory and %.3g core%s requested from the server %s, which decides the rest",
				(double)l->mem_bytes / (1 << 20), l->cpus, l->cpus == 1 ? "" : "s",
				r->config.server_url);
		return;
	}
	if (trm_sandbox_is_adopted(r->cli_session.sandbox))
		repl_say(r, "the existing container %s, with its own limits and network",
				trm_sandbox_origin(r->cli_session.sandbox));
	else
		print_limits(r);
	if (!trm_sandbox_is_attached(r->cli_session.sandbox))
		run_facts_engine(&r->config, say_fact, r);
	const struct trm_mount *mounts;
	for (size_t i = 0, n = trm_sandbox_mounts(r->cli_session.sandbox, &mounts); i < n; i++)
		repl_say(r, "mounts: %s", trm_mount_describe(&mounts[i], words, sizeof words));
}

static void print_findings(struct repl *r, const struct trm_findings *found)
{
	char line[400];
	for (size_t i = 0; i < found->n && i < SHOWN_FINDINGS; i++)
		show_print(&r->show, found->all[i].is_refused ? ROLE_WARN : ROLE_DIM, "  %s",
				trm_finding_describe(&found->all[i], line, sizeof line));
	if (found->n > SHOWN_FINDINGS)
		show_print(&r->show, ROLE_DIM, "  … and %zu more findings",
				found->n + found->n_dropped - SHOWN_FINDINGS);
	if (found->n)
		repl_say(r, "(policy: '%s')", trm_policy_name(r->policy_gate->policy));
	if (found->has_no_tree)
		repl_say(r, "(strings%s count as code: %s)", found->comments_count ? " and comments" : "",
				found->why_no_tree);
}

/* With nobody to ask, what the policy wants to be asked about does not run. */
static void refuse_code(struct repl *r, const struct trm_findings *found)
{
	struct trm_error why = {0};
	trm_policy_refusal(r->policy_gate->policy, found, &why);
	repl_drop_input(r);
	repl_error(r, "%s; there is no terminal to ask on", why.msg);
	repl_done(r);
}

/* To be called before any of it is shown: what was typed until then is no answer, and waits. */
static void put_question(struct repl *r, enum confirm_question question)
{
	r->question_shown = question;
	line_hold(r->line, NULL);
}

static void ask_code(struct repl *r, const struct trm_findings *found)
{
	put_question(r, r->confirm_mode == CONFIRM_EACH ? QUESTION_RUN : QUESTION_ANYWAY);
	/* What was typed is on the screen; what was not is shown. */
	if (r->filename)
		print_code(r);
	print_findings(r, found);
	print_where(r, "in the");
	repl_done(r);
}

void confirm_ask(struct repl *r)
{
	struct trm_findings found;
	bool has_person = repl_has_person(r);
	if (policy_gate_scan(r->policy_gate, r->lang, r->code.text, r->code.n, &found, NULL) < 0)
		found = (struct trm_findings){0};
	bool is_policy = policy_gate_asks(r->policy_gate, &found);
	bool is_wanted = r->confirm_mode == CONFIRM_EACH
			 || (r->confirm_mode == CONFIRM_HIGH && found.worst == TRM_HIGH);
	if (policy_gate_enforced(r->policy_gate) && found.n_refused > 1)
		print_findings(r, &found); /* the refusal names only the first */
	if (is_policy && !has_person)
		refuse_code(r, &found);
	else if ((is_wanted && has_person) || is_policy)
		ask_code(r, &found);
	else
		repl_run_code(r);
	trm_findings_finish(&found);
}

void confirm_start(struct repl *r)
{
	bool is_trusted = trm_config_trusts(r->config.trust, trm_sandbox_backend(r->cli_session.sandbox))
			  && trm_sandbox_isolation(r->cli_session.sandbox) != TRM_ISOLATION_NONE;
	r->owes_start = false;
	r->confirm_mode = !r->config.confirm ? CONFIRM_NEVER : is_trusted ? CONFIRM_HIGH : CONFIRM_EACH;
	if (r->confirm_mode != CONFIRM_EACH)
		return;
	put_question(r, QUESTION_START);
	print_where(r, "your code runs in the");
}

/* ---- answers ---- */

static void answer_start(struct repl *r, char letter)
{
	if (letter == 'n')
		repl_leave(r);
	else
		r->confirm_mode = letter == 'e' ? CONFIRM_EACH : CONFIRM_HIGH;
}

static void answer_run(struct repl *r, char letter)
{
	if (letter != 'n') {
		r->confirm_mode = letter == 'a' ? CONFIRM_HIGH : r->confirm_mode;
		repl_run_code(r);
		return;
	}
	repl_say(r, "nothing was run");
	repl_drop_input(r);
	r->filename = NULL;
	repl_done(r);
}

enum { QUESTION_WORDS = 3 };

/* `words`: a choice is a whole one, or its first letter. 0: the line is something else. */
static char letter_of(const char *line, const char *const words[QUESTION_WORDS])
{
	size_t n = strlen(line);
	while (n && strchr(" \t", line[n - 1]))
		n--;
	size_t start = strspn(line, " \t");
	if (start >= n)
		return 'y';
	for (int i = 0; i < QUESTION_WORDS && words[i]; i++)
		if ((n - start == 1 || n - start == strlen(words[i]))
				&& strncasecmp(line + start, words[i], n - start) == 0)
			return *words[i];
	return '\0';
}

/* The end of the terminal is a no. What is no answer was typed as code: it is kept, and follows the answer.
 */
void confirm_answer(struct repl *r, const char *text)
{
	static const char *const words[][QUESTION_WORDS] = {[QUESTION_START] = {"yes", "each", "no"},
			[QUESTION_RUN] = {"yes", "no", "always"},
			[QUESTION_ANYWAY] = {"yes", "no"}};
	static const char *const letters[] = {[QUESTION_START] = "y, e or n",
			[QUESTION_RUN] = "y, n or a",
			[QUESTION_ANYWAY] = "y or n"};
	enum confirm_question question = r->question_shown;
	char letter = text ? letter_of(text, words[question]) : 'n';
	if (!letter) {
		/* An answer to another question, such as "a" where "always" is not offered, is no code. */
		bool is_code = !letter_of(text, words[QUESTION_START])
			       && !letter_of(text, words[QUESTION_RUN]);
		if (is_code)
			line_hold(r->line, text);
		repl_say(r, "please answer %s (Enter means yes)%s", letters[question],
				is_code ? "; what you typed is kept" : "");
		return;
	}
	r->question_shown = QUESTION_NONE;
	line_release(r->line);
	if (question == QUESTION_START)
		answer_start(r, letter);
	else
		answer_run(r, letter);
}
