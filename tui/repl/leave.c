/* SPDX-License-Identifier: MIT */
#include "repl/leave.h"

#include <string.h>

#include "repl/repl_internal.h"

enum { LOOK_MS = 1500, CTRL_D = 4 };

/* A sandbox that is not kept ends with the program that it belongs to, even if others use it. */
static void tell_left(struct repl *r, const char *name, bool is_kept)
{
	char way[TRM_REMOTE_OPTIONS_BYTES];
	if (is_kept)
		repl_say(r, "%s keeps running: terrarium attach %s%s --repl", name,
				repl_server_options(r, way), name);
	else
		repl_say(r, "%s is not kept: it runs until the program that it belongs to ends ('terrarium ps' shows it)",
				name);
}

static uint32_t count_others(const struct repl *r, const char *name)
{
	struct trm_entry entry;
	bool is_known = !repl_is_far(r) && trm_registry_find(name, &entry, NULL) == 0 && entry.has_state;
	return is_known && entry.clients > 1 ? entry.clients - 1 : 0;
}

/* Does the person want to think again? What others lose is said once, and which files when there are others
 * than those that were named, while something can still be done about it. */
static bool hesitates(struct repl *r)
{
	char text[LOST_NAMES + 120];
	const char *name = trm_sandbox_name(r->cli_session.sandbox);
	uint32_t others = r->leaving.was_warned ? 0 : count_others(r, name);
	bool loses_files = lost_files_has_news(&r->leaving.lost);
	if (others)
		repl_say(r, "%u other program%s %s %s, and %s it when this REPL ends: ':keep' keeps it, and leaving again ends it",
				others, others == 1 ? "" : "s", others == 1 ? "uses" : "use", name,
				others == 1 ? "loses" : "lose");
	if (loses_files) {
		lost_files_describe(&r->leaving.lost, text, sizeof text);
		repl_say(r, "leaving ends %s, and %s: ':cp :FILE .' saves one, ':keep' keeps the sandbox, and leaving again ends it",
				name, text);
	}
	r->leaving.was_warned |= others > 0;
	if (loses_files)
		lost_files_note_named(&r->leaving.lost);
	return others || loses_files;
}

static void stop_looking(struct repl *r)
{
	line_borrow(r->line, NULL, NULL);
	trm_timer_stop(r->leaving.timer);
	r->activity = (struct activity){0};
}

static void leave_now(struct repl *r)
{
	stop_looking(r);
	r->is_over = true;
}

static const struct activity looking = {
		.what = "looking for files", .interrupt = leave_now, .eof = leave_now};

static bool is_looking(const struct repl *r)
{
	return r->activity.what == looking.what;
}

/* A sandbox that does not answer keeps nobody. */
static void on_look_due(void *user)
{
	struct repl *r = user;
	if (is_looking(r))
		leave_now(r);
}

/* Keys are the next line's, but for a second Ctrl-D. */
static void on_look_keys(void *user, const char *bytes, size_t n)
{
	struct repl *r = user;
	if (!n || memchr(bytes, CTRL_D, n))
		looking.eof(r);
	else
		line_type_ahead(r->line, bytes, n);
}

static void on_looked(void *user)
{
	struct repl *r = user;
	if (!is_looking(r)) /* the answer comes too late */
		return;
	stop_looking(r);
	r->leaving.is_wanted = false;
	r->is_over |= !hesitates(r);
}

/* A sandbox of our own ends with us. */
static bool looks_for_files(struct repl *r)
{
	struct trm_sandbox *sandbox = r->cli_session.sandbox;
	if (!r->leaving.lost.is_known || !trm_sandbox_is_ready(sandbox)
			|| lost_files_is_mounted(&r->leaving.lost))
		return false;
	repl_begin(r, &looking);
	line_borrow(r->line, on_look_keys, r);
	trm_timer_start(r->leaving.timer, LOOK_MS, 0);
	lost_files_look(&r->leaving.lost);
	return true;
}

static void leave_person(struct repl *r)
{
	struct trm_entry entry;
	const char *name = trm_sandbox_name(r->cli_session.sandbox);
	if (cli_session_is_shared(&r->cli_session)) {
		bool is_known = !repl_is_far(r) && trm_registry_find(name, &entry, NULL) == 0
				&& entry.has_state;
		tell_left(r, name, !is_known || entry.is_kept);
		r->is_over = true;
	} else if (!looks_for_files(r)) {
		r->leaving.is_wanted = false;
		r->is_over = !hesitates(r);
	}
}

void repl_leave(struct repl *r)
{
	r->leaving.is_wanted = true;
	if (r->activity.what || r->is_over)
		return;
	if (repl_has_person(r) && r->cli_session.sandbox)
		leave_person(r);
	else if (repl_has_person(r) || cli_session_is_shared(&r->cli_session) || r->exit_code == 130
			|| !r->cli_session.sandbox)
		r->is_over = true;
	else
		repl_run_leave(r);
}

int leave_open(struct repl *r, struct trm_error *reterr)
{
	r->leaving.lost.looked = on_looked;
	r->leaving.lost.user = r;
	if (repl_has_person(r) && !trm_sandbox_is_attached(r->cli_session.sandbox))
		lost_files_begin(&r->leaving.lost, r->cli_session.sandbox, NULL);
	return trm_loop_add_timer(r->cli_session.loop, on_look_due, r, &r->leaving.timer, reterr);
}
