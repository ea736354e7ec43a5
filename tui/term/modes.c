/* SPDX-License-Identifier: MIT */
/* Sequences that go to the terminal without curses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "term/term.h"
#include "term/term_internal.h"
#include "text/bytes.h"

/* Modes that terminfo does not describe: SGR mouse with drags and moves, focus, bracketed paste, Alt as
 * Escape (metaSendsEscape, without which a stock xterm sends accented letters), and distinct keys for
 * Control-Enter (xterm's modifyOtherKeys, kitty's protocol). */
void modes_choose(struct term *t)
{
	const char *name = getenv("TERM");
	/* kitty has a better protocol of its own and complains about this one. */
	bool is_xterm = (strncmp(name, "xterm", 5) == 0 && strcmp(name, "xterm-kitty") != 0)
			|| strncmp(name, "tmux", 4) == 0;
	bool is_old = strncmp(name, "linux", 5) == 0 || strncmp(name, "vt", 2) == 0
		      || strncmp(name, "ansi", 4) == 0;
	snprintf(t->modes_on, sizeof(t->modes_on), "%s\033[?2004h%s%s%s",
			t->has_mouse ? "\033[?1000h\033[?1002h\033[?1003h\033[?1006h" : "",
			is_old ? "" : "\033[?1004h", is_old ? "" : "\033[>1u",
			is_xterm ? "\033[?1036s\033[?1036h\033[>4;1m" : "");
	snprintf(t->modes_off, sizeof(t->modes_off), "%s%s%s\033[?2004l%s",
			is_xterm ? "\033[>4m\033[?1036r" : "", is_old ? "" : "\033[<u",
			is_old ? "" : "\033[?1004l",
			t->has_mouse ? "\033[?1006l\033[?1003l\033[?1002l\033[?1000l" : "");
}

void term_write(const char *bytes, size_t n)
{
	write_fully(1, bytes, n);
}

/* A terminal that does not know operating system commands might print them. */
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
	len += base64_digits(bytes + len, text, n);
	memcpy(bytes + len, end, sizeof(end));
	(void)t;
	term_write(bytes, len + sizeof(end) - 1);
	free(bytes);
	return true;
}
