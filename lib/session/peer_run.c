/* SPDX-License-Identifier: MIT */
/* Runs of other sessions in a shared kernel. A note of their session announces them, and the kernel ends them
 * as it ends our own. Notes are untrusted: a malformed one is ignored. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "base/clock.h"
#include "base/log.h"
#include "session/session.h"

/* ---- announcing our runs ----------------------------------------------------------------- */

/* False: it was not sent. */
static bool send_note(const struct trm_run *run, const struct kernel_note *note)
{
	struct trm_session *s = run->session;
	struct trm_error why;
	buf_clear(&s->request);
	return kernel_note_put(&s->request, note) == 0
	       && proc_send_note(run->kernel->proc, buf_at(&s->request), s->request.len, &why) == 0;
}

void peer_run_announce(struct own_run *own)
{
	struct trm_run *run = &own->run;
	struct trm_session *s = run->session;
	struct kernel_note note = {.id = run->id,
			.number = run->number,
			.at_ms = clock_wall_ms(),
			.timeout_ms = run->clock.timeout_ms > 0 ? (uint64_t)run->clock.timeout_ms : 0,
			.grace_ms = (uint64_t)s->opts.grace_ms + s->opts.terminate_grace_ms,
			.set = run->kernel->set,
			.offers_stdin = run->offers_stdin,
			.by = s->by,
			.file = run->filename,
			.code = run->code,
			.code_len = run->code_len};
	if (!send_note(run, &note))
		log_write(LOG_WARNING, "others are not told of run %llu", (unsigned long long)run->number);
}

void peer_run_announce_limit(struct trm_run *run)
{
	const struct kernel *k = run->kernel;
	const struct kernel_note note = {.kind = NOTE_LIMIT,
			.id = run->id,
			.timeout_ms = (uint64_t)run->clock.timeout_ms,
			.is_compiling = run->clock.is_compiling};
	if (!share_is_on(k) || !share_owns_turn(k))
		return;
	if (!send_note(run, &note))
		log_write(LOG_WARNING, "others are not told that the time of run %llu is up",
				(unsigned long long)run->number);
}

void peer_run_announce_answer(struct trm_run *run)
{
	const struct kernel_note note = {.kind = NOTE_ANSWER, .id = run->id};
	if (!send_note(run, &note))
		log_write(LOG_WARNING, "others are not told that run %llu was answered",
				(unsigned long long)run->number);
}

void peer_run_announce_clock(struct trm_run *run, uint64_t left_ms)
{
	const struct own_run *own = run_own(run);
	const struct kernel_note note = {.kind = NOTE_CLOCK,
			.id = run->id,
			.timeout_ms = (uint64_t)run->clock.timeout_ms,
			.left_ms = left_ms,
			.code_ms = run->clock.is_compiling ? (uint64_t)run->clock.timeout_ms : 0,
			.stops = run->clock.stops | (run->kernel->is_held ? PROC_CLOCK_HELD : 0)};
	if (!own || own->is_quiet || !share_is_on(run->kernel) || !share_owns_turn(run->kernel))
		return;
	if (!send_note(run, &note))
		log_write(LOG_WARNING, "the agent is not told how much time is left for run %llu",
				(unsigned long long)run->number);
}

/* ---- reporting their runs ---------------------------------------------------------------- */

static void report_joined(struct peer_run *peer)
{
	struct trm_run *run = &peer->run;
	struct trm_session *s = run->session;
	const struct trm_origin origin = {.by = peer->origin.by,
			.lang = run->lang,
			.code = run->code,
			.code_len = run->code_len,
			.code_cut = peer->code_cut,
			.filename = run->filename,
			.began_ms = peer->origin.began_ms,
			.offers_stdin = run->offers_stdin,
			.is_recent = run->is_recent,
			.lost_bytes = peer->origin.lost_bytes};
	peer->is_held_back = false;
	if (s->cb->joined)
		s->cb->joined(s->user, run, &origin);
}

static struct peer_run *new_peer_run(struct kernel *k, const struct kernel_note *note)
{
	static const struct trm_run_cb none;
	bool is_recent = share_is_replaying(k);
	struct peer_run *peer = malloc(sizeof *peer);
	if (!peer)
		return NULL;
	*peer = (struct peer_run){
			.run = {.kind = RUN_PEER,
					.session = k->session,
					.kernel = k,
					.number = note->number,
					.id = note->id,
					.lang = k->lang,
					.code = strdup(note->code),
					.code_len = note->code_len,
					.filename = strdup(note->file),
					.offers_stdin = note->offers_stdin,
					.cb = &none,
					.is_announced = true,
					.is_begun = true,
					.is_recent = is_recent,
					.begun_ns = clock_ns(),
					.clock.announced_ms = note->timeout_ms},
			.origin = {.began_ms = note->at_ms,
					.lost_bytes = is_recent ? k->share.state.catchup.lost_bytes : 0},
			.code_cut = note->code_cut,
			.is_held_back = is_recent && !k->session->opts.wants_recent,
	};
	k->share.state.catchup.lost_bytes = 0; /* these bytes came before the first run that is reported */
	trm_text_clean_line(peer->origin.by, sizeof peer->origin.by, note->by, strlen(note->by));
	if (peer->run.code && peer->run.filename)
		return peer;
	run_free(&peer->run);
	return NULL;
}

static void begin_peer_run(struct kernel *k, const struct kernel_note *note)
{
	struct trm_session *s = k->session;
	if (note->number > s->seen_number)
		s->seen_number = note->number;
	if (s->last_number < s->seen_number)
		s->last_number = s->seen_number;
	if (k->run && k->run->id == note->id)
		return; /* we know this run: it is ours, or we were detached during it and came back */
	if (k->run) {
		stop_reset(k);
		run_finish_with(k->run, TRM_STATUS_LOST, 125, "its end was missed: another run has begun");
	}
	struct peer_run *peer = s->is_closed || k->run ? NULL : new_peer_run(k, note);
	if (!peer)
		return;
	k->run = &peer->run;
	k->set = note->set;
	k->set_runs[k->set] = note->number;
	session_due(s);
	if (!peer->is_held_back)
		report_joined(peer);
}

/* The run may be ours: another session may have taken over its limit while we were detached. */
static void limit_peer_run(struct kernel *k, const struct kernel_note *note)
{
	if (!k->run || k->run->id != note->id)
		return;
	k->run->is_timed_out = true;
	k->run->clock.is_compiling = note->is_compiling;
	if (note->timeout_ms)
		k->run->clock.announced_ms = note->timeout_ms;
}

static void answer_peer_run(struct kernel *k, const struct kernel_note *note)
{
	struct peer_run *peer = run_peer(k->run);
	if (!peer || peer->run.id != note->id)
		return;
	peer->awaits_input = peer->is_asking = peer->run.is_asked = false;
	if (peer->run.cb->answered)
		peer->run.cb->answered(peer->run.user, &peer->run);
}

void peer_run_read(struct kernel *k, const char *bytes, size_t n)
{
	static void (*const READERS[])(struct kernel *, const struct kernel_note *) = {
			[NOTE_BEGIN] = begin_peer_run,
			[NOTE_LIMIT] = limit_peer_run,
			[NOTE_ANSWER] = answer_peer_run,
	};
	struct trm_session *s = k->session;
	struct trm_proc *proc = k->proc;
	struct kernel_lines *lines = &k->share.notes;
	struct kernel_note note;
	size_t len;
	char *line;
	if (kernel_lines_feed(lines, bytes, n) < 0) {
		kernel_lines_finish(lines);
		kernel_lines_init(lines);
		return;
	}
	while (!s->is_closed && k->proc == proc && (line = kernel_lines_next(lines, &len))) {
		bool is_ours = kernel_note_decode(line, len, &note);
		kernel_lines_done(lines, len);
		if (!is_ours)
			continue;
		READERS[note.kind](k, &note);
		kernel_note_finish(&note);
	}
}

void peer_run_caught_up(struct kernel *k)
{
	struct trm_session *s = k->session;
	if (run_peer(k->run) && run_peer(k->run)->is_held_back)
		report_joined(run_peer(k->run));
	const struct peer_run *peer = s->is_closed ? NULL : run_peer(k->run);
	if (peer && peer->awaits_input && peer->run.cb->input)
		share_want_turn(k);
}

/* ---- abandoned runs ---------------------------------------------------------------------- */

static void ask_for_input(struct peer_run *peer)
{
	struct trm_run *run = &peer->run;
	if (!peer->awaits_input || !run->offers_stdin)
		return;
	if (!run->cb->input) {
		share_watch_input(run->kernel);
		return;
	}
	peer->awaits_input = false;
	peer->is_asking = true;
	run->cb->input(run->user, run, peer->prompt ? peer->prompt : "", peer->is_secret);
}

void peer_run_end_input(struct kernel *k)
{
	struct peer_run *peer = run_peer(k->run);
	if (!peer || !peer->awaits_input || peer->run.cb->input)
		return;
	peer->awaits_input = false;
	trm_proc_close_stdin(k->proc);
}

void peer_run_on_input(struct peer_run *peer, const char *prompt, bool is_secret)
{
	struct trm_run *run = &peer->run;
	struct kernel *k = run->kernel;
	free(peer->prompt);
	peer->prompt = prompt ? strdup(prompt) : NULL;
	peer->is_secret = is_secret;
	peer->awaits_input = true;
	if (share_is_replaying(k))
		return;
	if (share_owns_turn(k))
		ask_for_input(peer);
	else if (run->cb->input)
		share_want_turn(k);
}

/* Its session may be gone. The agent keeps its time limit then, but cannot answer its questions. */
void peer_run_adopt(struct kernel *k)
{
	if (run_peer(k->run))
		ask_for_input(run_peer(k->run));
}
