/* SPDX-License-Identifier: MIT */
/* Which terminals show links (OSC 8). Others ignore the sequence, but for a few old ones, which print it. */
#include <stdlib.h>
#include <string.h>

#include "term/term.h"

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

static bool begins_with_one(const char *variable, const char *const *names)
{
	const char *value = getenv(variable);

	for (; value && *names; names++)
		if (strncmp(value, *names, strlen(*names)) == 0)
			return true;
	return false;
}

/* A multiplexer keeps the variables of the terminal that it was started in. */
static bool is_new_tmux(void)
{
	const char *version = getenv("TERM_PROGRAM_VERSION");

	return begins_with_one("TERM_PROGRAM", (const char *const[]){"tmux", NULL}) && version
	       && strtod(version, NULL) > 3.35;
}

bool term_guess_links(void)
{
	static const char *const multiplexers[] = {"screen", "tmux", NULL};
	static const char *const kinds[] = {"xterm-kitty", "foot", "alacritty", "wezterm", "xterm-ghostty",
			"contour", "rio", NULL};
	static const char *const programs[] = {
			"WezTerm", "iTerm.app", "vscode", "ghostty", "mintty", "Hyper", "rio", NULL};
	const char *vte = getenv("VTE_VERSION"), *konsole = getenv("KONSOLE_VERSION");

	if (is_set("STY"))
		return false;
	if (is_set("TMUX") || begins_with_one("TERM", multiplexers))
		return is_new_tmux();
	return begins_with_one("TERM", kinds) || begins_with_one("TERM_PROGRAM", programs)
	       || is_set("WT_SESSION") || (vte && atoi(vte) >= 5000) || (konsole && atoi(konsole) >= 201200);
}
