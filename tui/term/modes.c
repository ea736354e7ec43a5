/* SPDX-License-Identifier: MIT */
/* What goes to the terminal past curses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "term/answer.h"
#include "term/internal.h"
#include "term/keys.h"
#include "term/term.h"

/* What terminfo has no words for: SGR mouse with drags, bracketed paste, and keys told apart
 * (xterm's modifyOtherKeys, kitty's protocol), for Control-Enter. */
void modes_choose(struct term *t)
{
	const char *name = getenv("TERM");
	bool is_xterm = strncmp(name, "xterm", 5) == 0 || strncmp(name, "tmux", 4) == 0;
	bool is_old = strncmp(name, "linux", 5) == 0 || strncmp(name, "vt", 2) == 0
		      || strncmp(name, "ansi", 4) == 0;
	snprintf(t->modes_on, sizeof(t->modes_on), "%s\033[?2004h%s%s",
			t->has_mouse ? "\033[?1000h\033[?1002h\033[?1006h" : "", is_old ? "" : "\033[>1u",
			is_xterm ? "\033[>4;1m" : "");
	snprintf(t->modes_off, sizeof(t->modes_off), "%s%s\033[?2004l%s", is_xterm ? "\033[>4m" : "",
			is_old ? "" : "\033[<u", t->has_mouse ? "\033[?1006l\033[?1002l\033[?1000l" : "");
}

void term_write(const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t done = write(1, bytes, n);
		if (done < 0 && errno != EINTR)
			return;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

/* ---- images ---- */

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
	term_write("\0337", 2); /* keep the cursor: curses believes that it stays */
	pictures_after(&t->pictures, move_cursor, write_picture, NULL);
	term_write("\0338", 2);
}

void term_drop_pictures(struct term *t)
{
	pictures_end(&t->pictures, write_picture, NULL);
}

/* Terminals that show what they do not understand, or are too old to be asked. */
static bool is_mute(const char *name)
{
	static const char *const names[] = {"linux", "vt", "ansi", "dumb", "cons", "wy"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

bool term_ask_images(struct term *t)
{
	if (is_mute(getenv("TERM")))
		return false;
	t->wants_answer = true;
	return true;
}

/* A few terminals (those of old libvterm) show the inside of a string that they do not understand. It is
 * painted over within the same write. */
bool term_ask_now(struct term *t, int last_row)
{
	const char *name = getenv("TERM");
	bool is_inside = strncmp(name, "screen", 6) == 0 || strncmp(name, "tmux", 4) == 0;
	const char *query = is_inside ? ANSWER_QUERY_PLAIN : ANSWER_QUERY;
	if (!t->wants_answer)
		return false;
	t->wants_answer = false;
	keys_expect_answers(t->keys);
	term_write("\0337", 2);
	move_cursor(last_row, 0);
	term_write(query, strlen(query));
	term_write("\0338", 2);
	return true;
}

void term_images(const struct term *t, struct term_images *ret)
{
	const struct answers *a = keys_answers(t->keys);
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

/* ---- the clipboard ---- */

static size_t encode_base64(char *out, const char *in, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)in;
	size_t len = 0;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t group = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0)
				 | (i + 2 < n ? p[i + 2] : 0);
		out[len++] = digits[group >> 18];
		out[len++] = digits[group >> 12 & 63];
		out[len++] = i + 1 < n ? digits[group >> 6 & 63] : '=';
		out[len++] = i + 2 < n ? digits[group & 63] : '=';
	}
	return len;
}

/* What does not know operating system commands might print them. */
static bool knows_commands(void)
{
	const char *name = getenv("TERM");
	return name && strncmp(name, "linux", 5) != 0 && strncmp(name, "vt", 2) != 0;
}

void term_bell(struct term *t)
{
	(void)t;
	term_write("\a", 1);
}

void term_notify(struct term *t, const char *text, size_t n)
{
	char bytes[300] = "\033]9;";
	size_t len = strlen(bytes);
	(void)t;
	if (!knows_commands())
		return;
	for (size_t i = 0; i < n && len + 1 < sizeof(bytes); i++)
		if ((unsigned char)text[i] >= 0x20 && text[i] != 0x7F)
			bytes[len++] = text[i];
	bytes[len++] = '\a';
	term_write(bytes, len);
}

bool term_copy(struct term *t, const char *text, size_t n)
{
	static const char begin[] = "\033]52;c;", end[] = "\a";
	if (n > 100000 || !knows_commands())
		return false;
	char *bytes = malloc(sizeof(begin) + (n / 3 + 1) * 4 + sizeof(end));
	if (!bytes)
		return false;
	size_t len = sizeof(begin) - 1;
	memcpy(bytes, begin, len);
	len += encode_base64(bytes + len, text, n);
	memcpy(bytes + len, end, sizeof(end));
	(void)t;
	term_write(bytes, len + sizeof(end) - 1);
	free(bytes);
	return true;
}
