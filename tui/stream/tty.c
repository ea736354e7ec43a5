/* SPDX-License-Identifier: MIT */
#include "stream/tty.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void tty_size(struct winsize *ret)
{
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, ret) < 0 || !ret->ws_row || !ret->ws_col)
		*ret = (struct winsize){.ws_row = 24, .ws_col = 80};
}

const char *tty_name(char *out, size_t cap)
{
	const char *term = getenv("TERM");
	size_t n = term ? strspn(term, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")
			: 0;
	snprintf(out, cap, "TERM=%s", n && n < 64 && !term[n] ? term : "dumb");
	return out;
}

void tty_raw(const struct termios *cooked)
{
	struct termios raw = *cooked;
	cfmakeraw(&raw);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

static void set(const struct termios *to, int when)
{
	sigset_t set, old;
	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, &old);
	tcsetattr(STDIN_FILENO, when, to);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void set_by_byte(const struct termios *cooked, tcflag_t without)
{
	struct termios quiet = *cooked;
	quiet.c_lflag &= ~(ICANON | without);
	quiet.c_iflag &= ~(tcflag_t)(ICRNL | INLCR);
	quiet.c_cc[VMIN] = 1;
	quiet.c_cc[VTIME] = 0;
	set(&quiet, TCSANOW);
}

void tty_quiet(const struct termios *cooked)
{
	set_by_byte(cooked, ECHO);
}

void tty_poise(const struct termios *cooked)
{
	set_by_byte(cooked, 0);
}

bool tty_shows_interrupt(void)
{
	struct termios now;
	const tcflag_t echo = ECHO | ECHOCTL;
	return tcgetattr(STDIN_FILENO, &now) == 0 && (now.c_lflag & echo) == echo;
}

void tty_restore(const struct termios *cooked)
{
	set(cooked, TCSADRAIN);
}
