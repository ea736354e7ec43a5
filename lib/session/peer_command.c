/* SPDX-License-Identifier: MIT */
/* Commands of other clients in the sandbox. They are runs without a kernel. The agent tells us of them, and
 * is not trusted. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/text.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "session/session.h"

enum { ANNOUNCED_MAX = 64 }; /* at one time; further ones are ignored */

static struct peer_command *find_command(const struct trm_session *s, const struct announced_msg *what)
{
	struct peer_command *command = s->announced;
	while (command && !(command->client == what->client && command->id == what->id))
		command = command->next;
	return command;
}

static size_t count_commands(const struct trm_session *s)
{
	size_t n = 0;
	for (const struct peer_command *c = s->announced; c; c = c->next)
		n++;
	return n;
}

static struct peer_command *new_command(struct trm_session *s, const struct announced_msg *what)
{
	static const struct trm_run_cb none;
	struct peer_command *command = malloc(sizeof *command);
	if (!command)
		return NULL;
	*command = (struct peer_command){.run = {.kind = RUN_COMMAND,
							 .session = s,
							 .lang = trm_lang_shell(),
							 .code = strndup(what->words, what->words_len),
							 .filename = strdup(""),
							 .cb = &none,
							 .is_announced = true,
							 .is_begun = true,
							 .is_recent = what->position > 0,
							 .begun_ns = clock_ns()},
			.origin = {.began_ms = what->began_ms, .lost_bytes = what->position},
			.client = what->client,
			.id = what->id,
			.pid = what->pid,
			.position = what->position};
	struct trm_run *run = &command->run;
	run->code_len = run->code ? strlen(run->code) : 0;
	trm_text_clean_line(command->origin.by, sizeof command->origin.by, what->by, what->by_len);
	if (run->code && run->filename)
		return command;
	run_free(run);
	return NULL;
}

static void begin_command(struct trm_session *s, const struct announced_msg *what)
{
	struct peer_command *command =
			!find_command(s, what) && count_commands(s) < ANNOUNCED_MAX
							&& utf8_is_valid(what->words, what->words_len)
					? new_command(s, what)
					: NULL;
	if (!command)
		return;
	struct trm_run *run = &command->run;
	command->next = s->announced;
	s->announced = command;
	s->cb->joined(s->user, run,
			&(struct trm_origin){.by = command->origin.by,
					.lang = run->lang,
					.code = run->code,
					.code_len = run->code_len,
					.filename = run->filename,
					.began_ms = command->origin.began_ms,
					.is_recent = run->is_recent,
					.lost_bytes = command->origin.lost_bytes,
					.is_command = true});
}

static void note_missed(struct peer_command *command, const struct announced_msg *what)
{
	if (what->position > command->position)
		command->run.missed_bytes += what->position - command->position;
}

static void print_output(struct peer_command *command, const struct announced_msg *what)
{
	note_missed(command, what);
	command->position = what->position + what->n_bytes;
	run_print(&command->run, what->channel == PEER_COMMAND_STDERR ? TRM_STDERR : TRM_STDOUT, what->bytes,
			what->n_bytes);
}

static void unlink_command(struct peer_command *command)
{
	struct peer_command **at = &command->run.session->announced;
	while (*at != command)
		at = &(*at)->next;
	*at = command->next;
}

static void drop_command(struct peer_command *command, const char *why)
{
	unlink_command(command);
	run_finish_with(&command->run, TRM_STATUS_LOST, 125, why);
}

static void end_command(struct peer_command *command, const struct announced_msg *what)
{
	char reason[80] = "";
	struct trm_result result = {.status = what->exit_code == 0 ? TRM_STATUS_OK : TRM_STATUS_ERROR,
			.exit_code = what->exit_code,
			.reason = reason};
	note_missed(command, what);
	if (what->signal > 0 && what->signal <= (uint32_t)SIGRTMAX) {
		result.status = TRM_STATUS_KILLED;
		result.exit_code = 128 + (int)what->signal;
		snprintf(reason, sizeof reason, "ended by signal %" PRIu32 " (%s)", what->signal,
				strsignal((int)what->signal));
	} else if (what->exit_code < 0) {
		result.status = TRM_STATUS_LOST;
		result.exit_code = 125;
		snprintf(reason, sizeof reason, "the program that ran it has ended it, or is gone");
	} else {
		result.reason = NULL;
	}
	unlink_command(command);
	run_finish(&command->run, &result);
}

void peer_command_handle(struct trm_session *s, const struct announced_msg *what)
{
	struct peer_command *command = find_command(s, what);
	if (!s->opts.is_shared || !s->cb->joined || s->is_closed)
		return;
	if (what->kind == PEER_COMMAND_BEGIN)
		begin_command(s, what);
	else if (command && what->kind == PEER_COMMAND_OUTPUT)
		print_output(command, what);
	else if (command)
		end_command(command, what);
}

void peer_command_interrupt(struct peer_command *command)
{
	struct trm_run *run = &command->run;
	struct trm_sandbox *sandbox = run->session->sandbox;
	if (sandbox && command->pid)
		trm_sandbox_signal(sandbox, command->pid, 0, run->is_interrupted ? SIGKILL : SIGINT, true,
				NULL, NULL, NULL);
	run->is_interrupted = true;
}

void peer_command_end_all(struct trm_session *s, const struct trm_error *why)
{
	while (s->announced)
		drop_command(s->announced, why->msg);
}
