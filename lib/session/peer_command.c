/* SPDX-License-Identifier: MIT */
/* Commands of other clients in the sandbox. They are runs without a kernel, and all we know is what their
 * owners announce. Announcements are untrusted. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/text.h>

#include "base/utf8.h"
#include "session/session.h"

enum { ANNOUNCED_MAX = 64 }; /* at one time; further ones are ignored */

static struct trm_run *find_command(const struct trm_session *s, const struct announced_msg *what)
{
	struct trm_run *run = s->announced;
	while (run && !(run->announced_client == what->client && run->announced_id == what->id))
		run = run->next;
	return run;
}

static size_t count_commands(const struct trm_session *s)
{
	size_t n = 0;
	for (const struct trm_run *run = s->announced; run; run = run->next)
		n++;
	return n;
}

static struct trm_run *run_of(struct trm_session *s, const struct announced_msg *what)
{
	static const struct trm_run_cb none;
	struct trm_run *run = calloc(1, sizeof *run);
	if (!run)
		return NULL;
	*run = (struct trm_run){.session = s,
			.lang = trm_lang_shell(),
			.code = strndup(what->words, what->words_len),
			.filename = strdup(""),
			.cb = &none,
			.is_peer = true,
			.is_command = true,
			.is_announced = true,
			.is_begun = true,
			.begun_ns = session_clock_ns(),
			.began_ms = what->began_ms,
			.is_recent = what->position > 0,
			.lost_bytes = what->position,
			.announced_client = what->client,
			.announced_id = what->id,
			.announced_pid = what->pid,
			.announced_position = what->position};
	run->code_len = run->code ? strlen(run->code) : 0;
	trm_text_clean_line(run->by, sizeof run->by, what->by, what->by_len);
	if (run->code && run->filename)
		return run;
	run_free(run);
	return NULL;
}

static void begin_command(struct trm_session *s, const struct announced_msg *what)
{
	struct trm_run *run = !find_command(s, what) && count_commands(s) < ANNOUNCED_MAX
							      && utf8_is_valid(what->words, what->words_len)
					      ? run_of(s, what)
					      : NULL;
	if (!run)
		return;
	run->next = s->announced;
	s->announced = run;
	s->cb->joined(s->user, run,
			&(struct trm_origin){.by = run->by,
					.lang = run->lang,
					.code = run->code,
					.code_len = run->code_len,
					.filename = run->filename,
					.began_ms = run->began_ms,
					.is_recent = run->is_recent,
					.lost_bytes = run->lost_bytes,
					.is_command = true});
}

static void print_output(struct trm_run *run, const struct announced_msg *what)
{
	if (what->position > run->announced_position)
		run->missed_bytes += what->position - run->announced_position;
	run->announced_position = what->position + what->n_bytes;
	run_print(run, what->channel == PEER_COMMAND_STDERR ? TRM_STDERR : TRM_STDOUT, what->bytes,
			what->n_bytes);
}

static void unlink_run(struct trm_run *run)
{
	struct trm_run **at = &run->session->announced;
	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
}

static void drop_command(struct trm_run *run, const char *why)
{
	unlink_run(run);
	run_finish_with(run, TRM_STATUS_LOST, 125, why);
}

static void end_command(struct trm_run *run, const struct announced_msg *what)
{
	char reason[80] = "";
	struct trm_result result = {.status = what->exit_code == 0 ? TRM_STATUS_OK : TRM_STATUS_ERROR,
			.exit_code = what->exit_code,
			.reason = reason};
	if (what->position > run->announced_position)
		run->missed_bytes += what->position - run->announced_position;
	if (what->signal > 0 && what->signal <= (uint32_t)SIGRTMAX) {
		result.status = TRM_STATUS_KILLED;
		result.exit_code = 128 + (int)what->signal;
		snprintf(reason, sizeof reason, "ended by signal %" PRIu32 " (%s)", what->signal,
				strsignal((int)what->signal));
	} else if (what->exit_code < 0) {
		result.status = TRM_STATUS_LOST;
		result.exit_code = 125;
		snprintf(reason, sizeof reason, "how it ended is unknown");
	} else {
		result.reason = NULL;
	}
	unlink_run(run);
	run_finish(run, &result);
}

static void drop_commands_of(struct trm_session *s, uint32_t client)
{
	struct trm_run *run = s->announced;
	while (run && !s->is_closed) {
		bool is_its = run->announced_client == client;
		if (is_its)
			drop_command(run, "the program that ran it is gone");
		run = is_its ? s->announced : run->next;
	}
}

void peer_command_handle(struct trm_session *s, const struct announced_msg *what)
{
	struct trm_run *run = find_command(s, what);
	if (!s->opts.is_shared || !s->cb->joined || s->is_closed)
		return;
	if (what->kind == PEER_COMMAND_GONE)
		drop_commands_of(s, what->client);
	else if (what->kind == PEER_COMMAND_BEGIN)
		begin_command(s, what);
	else if (run && what->kind == PEER_COMMAND_OUTPUT)
		print_output(run, what);
	else if (run)
		end_command(run, what);
}

void peer_command_interrupt(struct trm_run *run)
{
	struct trm_sandbox *sandbox = run->session->sandbox;
	if (sandbox && run->announced_pid)
		trm_sandbox_signal(sandbox, run->announced_pid, 0, run->is_interrupted ? SIGKILL : SIGINT,
				true, NULL, NULL, NULL);
	run->is_interrupted = true;
}

void peer_command_end_all(struct trm_session *s, const struct trm_error *why)
{
	while (s->announced)
		drop_command(s->announced, why->msg);
}
