/* SPDX-License-Identifier: MIT */
/* The line on the screen. */
#include <stdlib.h>
#include <string.h>

#include "repl/line_internal.h"

bool line_is_shown(const struct line *l)
{
	return l->is_shown;
}

/* Print the prompt without readline's marks. */
static void print_prompt(struct line *l, const char *prompt)
{
	for (const char *p = prompt; *p; p++)
		if (*p != '\001' && *p != '\002')
			sink_put(l->out, p, 1, 0);
}

void line_show(struct line *l, const char *prompt, const char *text)
{
	free(l->shown_prompt);
	l->shown_prompt = strdup(prompt);
	l->is_shown = true;
	l->is_hidden = false;
	typed_poll(&l->typed);
	if (l->has_library) {
		tty_poise(&l->found);
		line_install(l, prompt);
		/* Typed-ahead input brings its own indentation. */
		if (*text && !typed_left(&l->typed)) {
			l->rl.insert_text(text);
			l->rl.redisplay();
		}
		fflush(l->paint);
	} else {
		tty_restore(&l->found);
		print_prompt(l, prompt);
	}
	if (typed_left(&l->typed) || l->typed.is_ended)
		line_take_typed(l);
	line_update_watch(l);
}

void line_set_prompt(struct line *l, const char *prompt)
{
	if (!l->is_shown)
		return;
	free(l->shown_prompt);
	l->shown_prompt = strdup(prompt);
	if (l->has_library && !(*l->rl.state & READLINE_STATE_BUSY))
		l->rl.set_prompt(prompt);
}

void line_drop(struct line *l, const char *why)
{
	if (!l || !l->is_shown)
		return;
	if (l->has_library) {
		l->rl.signal_cleanup();
		*l->rl.point = *l->rl.end;
		l->rl.redisplay();
		fflush(l->paint);
		sink_put(l->out, why, strlen(why), 0);
		l->rl.free_line_state();
		l->rl.remove();
		fflush(l->paint);
	}
	sink_put(l->out, "\n", 1, 0);
	paste_finish(&l->paste);
	typed_clear(&l->typed);
	typed_clear(&l->held);
	l->is_shown = l->is_hidden = false;
	tty_quiet(&l->found);
	line_update_watch(l);
}

void line_hide(struct line *l)
{
	if (!l->is_shown || l->is_hidden)
		return;
	l->is_hidden = true;
	line_update_watch(l);
	if (!l->has_library) {
		sink_put(l->out, "\n", 1, 0);
		return;
	}
	l->rl.clear_visible_line();
	fflush(l->paint);
}

void line_unhide(struct line *l)
{
	if (!l->is_shown || !l->is_hidden)
		return;
	l->is_hidden = false;
	line_update_watch(l);
	if (!l->has_library) {
		print_prompt(l, l->shown_prompt ? l->shown_prompt : "> ");
		return;
	}
	l->rl.on_new_line();
	l->rl.redisplay();
	fflush(l->paint);
}

void line_resize(struct line *l)
{
	if (!l || !l->is_shown || !l->has_library || l->is_suspended)
		return;
	l->rl.resize_terminal();
	fflush(l->paint);
}

void line_suspend(struct line *l)
{
	if (!l)
		return;
	if (l->is_shown && l->has_library)
		l->rl.deprep_terminal();
	if (l->paint)
		fflush(l->paint);
	tty_restore(&l->found);
	l->is_suspended = true;
	line_update_watch(l);
}

void line_resume(struct line *l)
{
	if (!l)
		return;
	l->is_suspended = false;
	line_update_watch(l);
	if (!l->is_shown && !l->passes)
		tty_quiet(&l->found);
	if (!l->is_shown || !l->has_library)
		return;
	l->rl.prep_terminal(1);
	l->rl.on_new_line();
	l->rl.redisplay();
	fflush(l->paint);
}
