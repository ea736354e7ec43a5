/* SPDX-License-Identifier: MIT */
#include "supervisor/container/exit_reason.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/text.h>

enum { COLUMNS = 6, LINE = 2048 };
enum { KILLED = 137, TERMINATED = 143 }; /* exit codes: 128 + signal */

/* In place: a text that is quoted because it may have several lines. */
static void unquote(char *text)
{
	size_t n = strlen(text), to = 0;
	if (n < 2 || text[0] != '"' || text[n - 1] != '"')
		return;
	for (size_t at = 1; at + 1 < n; at++) {
		if (text[at] == '\\' && at + 2 < n)
			at++;
		text[to++] = text[at - 1] == '\\' && text[at] == 'n' ? ' ' : text[at];
	}
	text[to] = '\0';
}

/* They become arguments of commands: one word that is no option. Anything else is left out. */
static void copy_word(char *out, size_t cap, const char *text)
{
	bool is_word = text && *text != '-' && strlen(text) < cap;
	for (const char *at = text; is_word && *at; at++)
		is_word = *at > ' ' && *at < 0x7F;
	snprintf(out, cap, "%s", is_word ? text : "");
}

bool exit_reason_read(const struct step *inspect, struct exit_reason *ret)
{
	char line[LINE], *column[COLUMNS] = {NULL};
	size_t n = 0;
	*ret = (struct exit_reason){0};
	step_last_line(inspect, line, sizeof line);
	for (char *at = line; at && n < COLUMNS; n++) {
		column[n] = at;
		at = strpbrk(at, "\t\x1f"); /* kubectl makes spaces of tabs when it watches */
		if (at)
			*at++ = '\0';
	}
	if (!n || !*column[0])
		return false;
	trm_text_clean_line(ret->state, sizeof ret->state, column[0], strlen(column[0]));
	char *end = NULL;
	long code = column[1] ? strtol(column[1], &end, 10) : 0;
	ret->has_code = end && end != column[1];
	ret->exit_code = (int)code;
	ret->is_oom = column[2] && !strcmp(column[2], "true");
	if (column[3])
		unquote(column[3]);
	if (column[3])
		trm_text_clean_line(ret->error, sizeof ret->error, column[3], strlen(column[3]));
	copy_word(ret->place, sizeof ret->place, column[4]);
	copy_word(ret->agent, sizeof ret->agent, column[5]);
	return true;
}

bool exit_reason_is_running(const struct exit_reason *why)
{
	return !strcasecmp(why->state, "running") || !strcasecmp(why->state, "paused");
}

bool exit_reason_is_waiting(const struct exit_reason *why)
{
	return !strcasecmp(why->state, "waiting");
}

bool exit_reason_is_killed(const struct exit_reason *why)
{
	return why->has_code && why->exit_code == KILLED && !why->is_oom;
}

bool exit_reason_is_missing(const struct step *s)
{
	static const char *const signs[] = {"o such container", "o such object", "o container with name",
			"not found", "does not exist"};
	return step_has_failed_with(s, signs, sizeof signs / sizeof *signs);
}

static void format_exit(const struct exit_reason *why, char *out, size_t cap)
{
	/* The agent exits with 0 when it is asked to end, and here we did not ask. */
	const bool is_stopped = why->has_code && (why->exit_code == 0 || why->exit_code == TERMINATED);
	const char *what = exit_reason_is_killed(why) ? "the container was killed from outside (signal 9)"
			   : is_stopped               ? "the container was stopped from outside"
						      : NULL;
	const char *colon = *why->error ? ": " : "";
	if (why->is_oom)
		snprintf(out, cap, "the container was killed: out of memory");
	else if (what)
		snprintf(out, cap, "%s%s%s", what, colon, why->error);
	else if (why->has_code)
		snprintf(out, cap, "the container has ended with exit status %d%s%s", why->exit_code, colon,
				why->error);
	else
		snprintf(out, cap, "the container has ended (%s)%s%s", why->state, colon, why->error);
}

char *exit_reason_format(const struct step *inspect, bool has_inspect, const struct exit_reason *why,
		bool is_adopted, char *out, size_t cap)
{
	char said[400];
	if (!has_inspect)
		snprintf(out, cap, "the connection to the sandbox was lost");
	else if (exit_reason_is_missing(inspect) || !strcasecmp(why->state, "removing"))
		snprintf(out, cap, "the container was removed from outside");
	else if (inspect->end != STEP_DONE)
		snprintf(out, cap, "the engine no longer answers, and the container is gone: %s",
				step_clean_tail(inspect->err_bytes, inspect->err.n, said, sizeof said));
	else if (exit_reason_is_running(why))
		snprintf(out, cap, "the agent has ended%s",
				is_adopted ? ", the container is still there" : "");
	else
		format_exit(why, out, cap);
	return out;
}
