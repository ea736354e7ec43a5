/* SPDX-License-Identifier: MIT */
/* Which terminals are said to show links. */
#include <stdlib.h>

#include "cmocka_all.h"
#include "term/term.h"

static bool guess(const char *const *env)
{
	static const char *const all[] = {"STY", "TMUX", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION",
			"WT_SESSION", "VTE_VERSION", "KONSOLE_VERSION"};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		unsetenv(all[i]);
	for (; *env; env += 2)
		setenv(env[0], env[1], 1);
	return term_guess_links();
}

#define GUESS(...) guess((const char *const[]){__VA_ARGS__, NULL})

static void kinds_are_known(void **state)
{
	(void)state;
	assert_true(GUESS("TERM", "xterm-kitty"));
	assert_true(GUESS("TERM", "foot-extra"));
	assert_true(GUESS("TERM", "xterm-256color", "VTE_VERSION", "7006"));
	assert_true(GUESS("TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app"));
	assert_false(GUESS("TERM", "xterm-256color"));
	assert_false(GUESS("TERM", "linux"));
	assert_false(GUESS("TERM", "xterm-256color", "VTE_VERSION", "4601"));
}

static void multiplexers_hide_the_terminal(void **state)
{
	(void)state;
	assert_false(GUESS("TERM", "screen-256color", "STY", "1.pts", "VTE_VERSION", "7006"));
	assert_false(GUESS("TERM", "xterm-kitty", "STY", "1.pts"));
	assert_false(GUESS("TERM", "tmux-256color", "TMUX", "x", "VTE_VERSION", "7006"));
	assert_false(GUESS("TERM", "screen", "TERM_PROGRAM", "tmux", "TERM_PROGRAM_VERSION", "3.3a"));
	assert_true(GUESS("TERM", "screen", "TERM_PROGRAM", "tmux", "TERM_PROGRAM_VERSION", "3.4"));
	assert_true(GUESS(
			"TERM", "tmux", "TMUX", "x", "TERM_PROGRAM", "tmux", "TERM_PROGRAM_VERSION", "3.5a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(kinds_are_known),
			cmocka_unit_test(multiplexers_hide_the_terminal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
