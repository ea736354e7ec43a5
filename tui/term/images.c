/* SPDX-License-Identifier: MIT */
/* Connects pictures.h with the terminal, and asks which images the terminal can show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "term/keys.h"
#include "term/term.h"
#include "term/term_internal.h"
#include "term/terminal_query.h"

static void write_picture(void *user, const char *bytes, size_t n)
{
	(void)user;
	term_write(bytes, n);
}

static void move_cursor(int row, int col)
{
	char text[32];
	term_write(text, (size_t)snprintf(text, sizeof(text), "\033[%d;%dH", row + 1, col + 1));
}

void term_paint_pictures(struct term *t)
{
	term_write("\0337", 2); /* keep the cursor, because curses believes that it stays */
	pictures_after(&t->pictures, move_cursor, write_picture, NULL);
	term_write("\0338", 2);
}

void term_drop_pictures(struct term *t)
{
	pictures_end(&t->pictures, write_picture, NULL);
}

/* Terminals that display unknown sequences, or are too old to be asked. */
static bool is_mute(const char *name)
{
	static const char *const names[] = {"linux", "vt", "ansi", "dumb", "cons", "wy"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

bool term_can_be_asked(void)
{
	const char *name = getenv("TERM");
	return name && *name && !is_mute(name);
}

void term_want_sync(struct term *t)
{
	t->wants_sync = !is_mute(getenv("TERM"));
	t->wants_emoji = t->wants_sync && t->is_utf8 && t->last.rows > 1 && !t->has_asked_emoji;
}

bool term_ask_images(struct term *t)
{
	if (is_mute(getenv("TERM")))
		return false;
	t->wants_answer = true;
	return true;
}

/* A few terminals (with an old libvterm) display the contents of an unknown string. The same write paints
 * over it. */
bool term_ask_now(struct term *t, int last_row)
{
	const char *name = getenv("TERM");
	bool is_inside = strncmp(name, "screen", 6) == 0 || strncmp(name, "tmux", 4) == 0;
	const char *query = !t->wants_answer ? TERMINAL_QUERY_QUERY_SYNC
			    : is_inside      ? TERMINAL_QUERY_QUERY_PLAIN
					     : TERMINAL_QUERY_QUERY;
	if (!t->wants_answer && !t->wants_sync)
		return false;
	if (t->wants_answer)
		keys_expect_answers(t->keys);
	else
		keys_expect_more_answers(t->keys);
	term_write("\0337", 2);
	move_cursor(last_row, 0);
	term_write(query, strlen(query));
	t->has_asked_emoji |= t->wants_emoji;
	if (t->wants_emoji)
		term_write(TERMINAL_QUERY_EMOJI, strlen(TERMINAL_QUERY_EMOJI));
	t->wants_answer = t->wants_sync = t->wants_emoji = false;
	term_write("\0338", 2);
	return true;
}

bool term_has_distinct_keys(const struct term *t)
{
	/* xterm does not answer this query, but modes.c switches its reports on. */
	return keys_answers(t->keys)->tells_keys || getenv("XTERM_VERSION");
}

void term_images(const struct term *t, struct term_images *ret)
{
	const struct terminal_answers *a = keys_answers(t->keys);
	struct winsize w = {0};
	*ret = (struct term_images){.is_answered = a->is_whole,
			.has_kitty = a->has_kitty,
			.has_sixel = a->has_sixel,
			.cell_w = a->cell_w,
			.cell_h = a->cell_h};
	if (!ret->cell_w && ioctl(1, TIOCGWINSZ, &w) == 0 && w.ws_col && w.ws_row) {
		ret->cell_w = w.ws_xpixel / w.ws_col;
		ret->cell_h = w.ws_ypixel / w.ws_row;
	}
	if (ret->cell_w < 2 || ret->cell_h < 2 || ret->cell_w > 512 || ret->cell_h > 512)
		ret->cell_w = ret->cell_h = 0;
}
