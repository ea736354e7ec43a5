/* SPDX-License-Identifier: MIT */
/* :cp FROM… TO, between this machine and the sandbox. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/copy.h>

#include "output/runs.h"
#include "repl/command.h"
#include "repl/repl_internal.h"
#include "repl/words.h"
#include "text/format.h"

static void on_copy_progress(void *user, const struct trm_copy_progress *p)
{
	struct repl *r = user;
	char bytes[24], total[24], text[100];
	if (p->total_bytes)
		snprintf(text, sizeof text, "%3u %%  %s of %s", (unsigned)(p->bytes * 100 / p->total_bytes),
				format_bytes(bytes, p->bytes), format_bytes(total, p->total_bytes));
	else
		snprintf(text, sizeof text, "%s", format_bytes(bytes, p->bytes));
	show_status(&r->show, text);
}

static void on_copy_refused(void *user, const struct trm_error *why)
{
	struct repl *r = user;
	show_status(&r->show, "");
	repl_error(r, "%s", why->msg);
}

static void on_copy_done(void *user, const struct trm_error *why, const struct trm_copy_progress *p)
{
	struct repl *r = user;
	char bytes[24];
	r->copy = NULL;
	if (r->is_over)
		return;
	show_status(&r->show, "");
	if (why->code == TRM_ECANCELED)
		repl_error(r, "the copy was interrupted; complete files stay");
	else if (why->code)
		repl_error(r, "%s", why->msg);
	else
		repl_say(r, "%" PRIu64 " file%s, %s", p->files, p->files == 1 ? "" : "s",
				format_bytes(bytes, p->bytes));
	repl_done(r);
}

static const struct trm_copy_cb copy_cb = {
		.progress = on_copy_progress, .refused = on_copy_refused, .done = on_copy_done};

static void on_copy_interrupt(struct repl *r)
{
	if (r->copy)
		trm_copy_cancel(r->copy);
}

void repl_command_copy_close(struct repl *r)
{
	if (r->copy)
		trm_copy_cancel(r->copy);
	while (r->copy)
		trm_loop_step(r->cli_session.loop, -1);
}

static const struct activity copying = {.what = "copying", .interrupt = on_copy_interrupt};

void repl_command_copy(struct repl *r, const char *rest)
{
	struct trm_error why = {0};
	struct words words = {0};
	if (words_split(&words, rest, &why) < 0) {
		repl_error(r, "%s", why.msg);
	} else if (words.n < 2) {
		repl_error(r, "copy what, and where to? for example :cp data.csv : (into the sandbox), or "
			      ":cp :plot.png . (out of it)");
	} else {
		const char *target = words.items[words.n - 1];
		words.items[words.n - 1] = NULL;
		struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
				.sources = (const char *const *)words.items,
				.target = target,
				.own = r->cli_session.sandbox,
				.in_fd = -1,
				.out_fd = -1,
				.wants_total = r->show.is_terminal};
		repl_begin(r, &copying);
		if (trm_copy_start(r->cli_session.loop, &opts, &copy_cb, r, &r->copy, &why) < 0) {
			repl_error(r, "%s", why.msg);
			repl_done(r);
		}
		words.items[words.n - 1] = (char *)(uintptr_t)target;
	}
	words_finish(&words);
}
